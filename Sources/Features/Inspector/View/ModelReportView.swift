import Basics
import DataModel
import PersistentStore
import Reporting

extension ModelReport: Encodable {
  /// The models at a path, as a report.
  package var report: Report {
    var citations = Citations()
    var report = Report(
      kind: "inspection",
      title: sources.first.map { "Model \(Self.name($0.path))" } ?? "Models",
      source: "the inspected files"
    )
    report.sections = sources.map { source in
      source.section(inFull: sources.count == 1, &citations)
    }
    report.sections += [agreement, storeSection, notRead, next, citations.section]
      .compactMap(\.self)
    return report
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  private var agreement: Report.Section? {
    guard !agreements.isEmpty else { return nil }
    return .init(
      "Do the sources agree?",
      agreements.flatMap { agreement -> [Report.Block] in
        let pair = "\(Self.name(agreement.first)) and \(Self.name(agreement.second))"
        guard agreement.isContradiction else {
          return [.list(["\(pair) agree on '\(agreement.version)'."], .good)]
        }
        return [
          .list(
            [
              "\(pair) contradict each other on '\(agreement.version)': one of the two is stale. The second has:"
            ],
            .bad
          ), .texts(agreement.differences, most: 12),
        ]
      }
    )
  }

  private var storeSection: Report.Section? {
    guard !stores.isEmpty else { return nil }
    let items = stores.map { facts, matches -> Report.List.Item in
      let fitting = matches.filter { $0.match.version != nil }
      let ambiguous = matches.filter { if case .ambiguous = $0.match { true } else { false } }
      guard let shown = (fitting + ambiguous).first else {
        return .init(.unknown, "\(facts.store.name) matches no version of these models.")
      }
      return .init(
        fitting.isEmpty ? .unknown : .good,
        "\(facts.store.name) \(shown.match) (\(Self.name(shown.source)))"
      )
    }
    return .init("Stores", [.list(Report.List(items))])
  }

  private var notRead: Report.Section? {
    failures.isEmpty ? nil : .init("Not read", [.texts(failures)])
  }

  private var next: Report.Section {
    let isStale = agreements.contains(where: \.isContradiction)
    return .init(
      "Next",
      [
        .texts(
          (isStale ? ["compile the model again, and trust the source"] : []) + [
            "--format yaml writes the current version as a model file",
            "name a second model or store to see the differences",
          ]
        )
      ]
    )
  }

  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "format": "storebench.models", "formatVersion": 1, "sources": sources.map(\.json),
      "agreements": agreements.map { agreement -> JSONObject in
        [
          "first": agreement.first, "second": agreement.second, "version": agreement.version,
          "differences": agreement.differences,
        ]
      },
      "stores": stores.map { facts, matches -> JSONObject in
        let versions = matches.compactMap { match in match.match.version.map { (match.source, $0) }
        }
        return [
          "path": facts.store.path,
          // The store's version according to each source.
          "versions": Dictionary(keepingFirst: versions),
          "sentences": Dictionary(keepingFirst: matches.map { ($0.source, "\($0.match)") }),
        ]
      },
      "notRead": failures,
    ]
    try object.encode(to: encoder)
  }
}

extension ModelInput {
  fileprivate var json: JSONObject {
    [
      "path": path, "current": family.current, "isUsedWithCloudKit": family.isUsedWithCloudKit,
      "versions": family.versions.map { version -> JSONObject in
        [
          "name": version.name, "entities": version.model.entities.map(\.name),
          "hasHashes": family.versionHashes[version.name]?.isEmpty == false,
        ]
      },
      // The reasons for unreadable versions, by version.
      "notRead": Dictionary(keepingFirst: family.failures.map { ($0.version, $0.reason) }),
      "stages": family.stages?.map { stage -> JSONObject in
        ["from": stage.from, "to": stage.to, "isCustom": stage.isCustom]
      },
      "notUnderstood": family.unknown, "unusual": family.unusual,
      "isOrdered": isOrdered, "steps": ModelReport.steps(of: family),
      "detours": isOrdered ? ModelReport.detours(of: family) : [],
      "stagePlanRisk": isOrdered ? ModelReport.stagePlanRisk(of: family) : nil,
    ]
  }

  fileprivate func section(inFull isAlone: Bool, _ citations: inout Citations) -> Report.Section {
    let hashed = family.versions.count { family.versionHashes[$0.name] != nil }
    var blocks: [Report.Block] = [
      .facts(
        family.versions.map { version in
          let isCurrent = version.name == family.current && family.versions.count > 1
          return .init(version.name, "\(version.model.contents)\(isCurrent ? ", current" : "")")
        }
      ),
      .sentence(
        hashed == family.versions.count
          ? "Version hashes: known for every version."
          : hashed == 0
            ? "Version hashes: none in this source; a store or a VersionInfo.plist has them."
            : "Version hashes: known for \(hashed) of \(family.versions.count) versions."
      ),
    ]
    if family.isUsedWithCloudKit {
      blocks.append(.sentence("Marked as used with CloudKit."))
      let broken = CloudKitAudit(of: version.model).modelFindings.filter(\.isBroken)
      let place = family.versions.count > 1 ? "in \(version.name), " : ""
      blocks += citations.blocks(of: broken, quotedAs: "\(place)CloudKit's rule")
    }
    let lists = [
      ("Versions that cannot be read:", family.failures.map { "\($0.version): \($0.reason)" }),
      ("Not understood:", family.unknown),
      ("Unusual elements, and how they were read:", family.unusual),
    ]
    for (title, items) in lists where !items.isEmpty {
      blocks += [.sentence("\(title)"), .texts(items, most: 12)]
    }
    if !isOrdered {
      blocks.append(
        .sentence(
          "The files do not say which version came after which: they are compared in the order of their names."
        )
      )
    }
    for step in ModelReport.steps(of: family) {
      let isOpen = step.isLightweight && !step.changedStructs.isEmpty
      let kind =
        isOpen
        ? "lightweight as far as known" : step.isLightweight ? "lightweight" : "not lightweight"
      blocks += [
        .heading("\(step.from) → \(step.to): \(step.changes.isEmpty ? "no difference" : kind)"),
        .list(step.obstacles.map { "\($0)" }, .bad),
      ]
      let broken = [step.brokenSync].compactMap(\.self)
      blocks += citations.blocks(of: broken, quotedAs: "CloudKit's rule")
      blocks.append(.texts(step.changes, most: 40))
    }
    for detour in isOrdered ? ModelReport.detours(of: family) : [] {
      blocks.append(.heading("\(detour.from) → \(detour.to), step by step or in one step"))
      guard detour.isEitherPermitted else {
        blocks.append(.sentence("\(detour.obstacle)"))
        continue
      }
      blocks += [
        .sentence("Both are permitted, but they end with different stores:"),
        .texts(detour.differences.map(\.description), most: 12),
      ]
    }
    if isOrdered, let risk = ModelReport.stagePlanRisk(of: family) {
      blocks.append(.warning("Risk: \(risk) \(citations.number(of: .stagePlan))"))
    }
    if isAlone, family.versions.count == 1, let only = family.versions.first {
      blocks.append(.facts(only.model.entities.map(\.fact)))
    }
    return .init(path, blocks)
  }
}

extension ModelReport.Detour {
  fileprivate var isEitherPermitted: Bool { areStepsLightweight && isDirectLightweight }

  /// A sentence that names the migrations that cannot be inferred: the chain of steps, the direct
  /// step or both.
  fileprivate var obstacle: String {
    switch (areStepsLightweight, isDirectLightweight) {
    case (true, _): "Only the steps are lightweight: the one step is not."
    case (_, true): "Only the one step is lightweight: one of the steps, marked ✗, is not."
    default: "Neither is lightweight."
    }
  }
}

extension Model {
  /// The numbers of entities and properties, as text.
  var contents: String {
    let properties = entities.reduce(0) { $0 + $1.attributes.count + $1.relationships.count }
    return Figures.counted(entities.count, "entity", "entities") + ", "
      + Figures.counted(properties, "property", "properties")
  }
}

extension Entity {
  fileprivate var fact: Report.Fact {
    let counts = [
      Figures.counted(attributes.count, "attribute"),
      Figures.counted(relationships.count, "relationship"),
    ]
    let kind = (isAbstract ? ["abstract"] : []) + (superentity.map { ["below \($0)"] } ?? [])
    return .init(name, "\((counts + kind).joined(separator: ", "))")
  }
}
