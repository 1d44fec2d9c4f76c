import Basics
import DataModel
import PersistentStore
import Reporting

/// The effects and losses of a migration between two models, and the next steps.
package struct MigrationView {
  let comparison: ModelComparison
  let showsChecklist: Bool
  /// The path of the model that was given for stores that do not contain their model.
  let modelPath: String?
  /// The differences between the indexes of the store and the model, if both are known.
  let indexes: IndexDrift?
  /// The verdict on whether the store is ready, the same as that of the command `ready`.
  let readiness: Readiness

  package init(
    _ comparison: ModelComparison,
    showsChecklist: Bool = false,
    modelPath: String? = nil,
    indexes: IndexDrift? = nil,
    survey: StoreSurvey? = nil
  ) {
    (self.comparison, self.showsChecklist) = (comparison, showsChecklist)
    (self.modelPath, self.indexes) = (modelPath, indexes)
    readiness = Readiness(comparison, survey: survey, modelPath: modelPath)
  }

  package var report: Report {
    var citations = Citations()
    var report = Report(
      kind: "migration",
      title: Report.Text(readiness.headline),
      verdict: Report.Text(verdict + "."),
      tone: !readiness.blockers.isEmpty
        ? .bad : readiness.decisions.isEmpty && readiness.need == nil ? .good : .caution,
      facts: [
        .init("From", Self.text(of: comparison.old)), .init("To", Self.text(of: comparison.new)),
      ],
      source: "the inspected files"
    )
    report.certainty = """
      Read and checked whole: \(readiness.checked.joined(separator: ", ")). Not checked: \
      \(readiness.unchecked.joined(separator: ", ")).
      """
    report.next = Report.Text(nextStep)
    report.notMeasured =
      "The time of the step, and Apple's own migration: the models and the store's rows were only read."
    if let match = comparison.match {
      report.facts.append(.init("Version", "\(comparison.old.title) \(match)"))
    }
    report.sections = [
      readiness.section, entities, unknown, map, stages(&citations),
      cloudKit(&citations),
      swiftData(&citations), renameFirst(&citations), checklist(&citations), indexes?.section,
      next, citations.section,
    ].compactMap(\.self)
    return report
  }

  private var nextStep: String {
    func point(_ items: [Readiness.Item], _ verb: String, _ sign: String) -> String? {
      guard let first = items.first else { return nil }
      let count = Figures.counted(items.count, "point")
      if items.count > 1 || first.advice.isEmpty { return "\(verb) the \(count) marked \(sign)" }
      let places = first.places.isEmpty ? "" : ": \(Figures.few(first.places))"
      return "\(first.text)\(places) → \(first.advice)"
    }
    let points = [
      point(readiness.blockers, "repair", "✗"), point(readiness.decisions, "decide", "?"),
    ].compactMap(\.self).joined(separator: "; ")
    let isBlocked = !readiness.blockers.isEmpty
    var last = isBlocked ? "inspect the pair again" : ""
    if !isBlocked, case .advice(let advice)? = steps.first {
      // Remove the trailing colon of the advice, because the command after it is shown in a
      // separate section.
      last = advice.split(separator: ";").first.map(String.init) ?? advice
      if last.hasSuffix(":") { last.removeLast() }
    }
    let parts = [points, last].filter { !$0.isEmpty }
    return parts.isEmpty
      ? "Nothing has to be done." : parts.joined(separator: "; then ").capitalizedFirst + "."
  }

  private var verdict: String {
    if comparison.isSameVersion { return "No migration: \(readiness.reason)" }
    if comparison.mapping.map != nil {
      return comparison.mapping.obstacles.isEmpty && comparison.dataObstacles.isEmpty
        ? "With the map, a copy into a new store keeps the objects"
        : "With the map, a copy into a new store still has the problems marked ✗"
    }
    if comparison.hasNothingInCommon, comparison.needsNewNames {
      return "The two models have no entity in common: opening the store with the new model would "
        + "drop every object. Copy the objects into a new store with a map file, or rename the "
        + "entities first"
    }
    if let need = readiness.need {
      return "Not lightweight: it needs \(need), or the new model has to change"
    }
    guard readiness.obstacles.isEmpty else {
      return "Not lightweight until each attribute marked ✗ has a default or is optional"
    }
    if !comparison.mapping.isLightweight || !comparison.mapping.changedStructs.isEmpty {
      return "Lightweight as far as known: how some properties are stored is assumed"
    }
    if !comparison.dataObstacles.isEmpty {
      return "Lightweight by the models, but the data of this store would make it fail"
    }
    return comparison.suspectedRenames.contains(where: readiness.isOpen)
      ? "Lightweight; a renamed entity keeps its objects only by its renaming identifier"
      : "Lightweight: the frameworks can make all changes"
  }

  private static func text(of input: ModelInput) -> Report.Text {
    let model = input.version.model
    let version = model.versionIdentifiers.filter { !$0.isEmpty }.joined(separator: ", ")
    let store = input.store.map { store in
      "\(store.isSwiftData ? "SwiftData" : "Core Data") store of framework "
        + "\(store.metadata.frameworkVersion), "
    }
    let entities = Figures.counted(model.entities.count, "entity", "entities")
    return
      "\(input.title): \(store ?? "")\(entities), \(version.isEmpty ? "no version identifier" : "version \(version)")"
  }

  private var unknown: Report.Section? {
    let unknown = comparison.old.family.unknown + comparison.new.family.unknown
    return unknown.isEmpty
      ? nil : .init("Not understood, and so not compared", [.texts(unknown, most: 12)])
  }

  private var map: Report.Section? {
    guard let path = comparison.mapPath else { return nil }
    let mapping = comparison.mapping
    var blocks: [Report.Block] = [
      .facts(
        mapping.destination.entities.filter { !$0.isAbstract }.map { entity in
          let formers = mapping.mappings(to: entity.name).compactMap(\.source)
          return .init(
            entity.name,
            "\(formers.isEmpty ? "no objects" : "from \(formers.joined(separator: ", "))")"
          )
        }
      )
    ]
    let intended = comparison.dropped.filter { $0.isIntended && $0.kind == .objects }
    if !intended.isEmpty {
      let names = intended.map { drop in drop.name + (drop.loss.map { " (\($0))" } ?? "") }
      blocks.append(.sentence("Left out on purpose: \(names.joined(separator: ", "))"))
    }
    return .init("Map \(path)", blocks)
  }

  private var entities: Report.Section? {
    let mapping = comparison.mapping
    let problems = mapping.obstacles.map { Report.List.Item(.bad, "\($0.description)") }
    let diff = EntityDiff(comparison)
    guard !problems.isEmpty || !mapping.changes.isEmpty || !comparison.dropped.isEmpty else {
      return nil
    }
    let changes = mapping.changes
    return .init(
      "Entities: \(diff.summary)",
      (problems.isEmpty ? [] : [.list(Report.List(problems))]) + [.table(diff.table)]
        + (changes.isEmpty
          ? []
          : [
            .details(
              Figures.counted(changes.count, "change"),
              [.texts(ModelChange.folded(changes), most: 40)]
            )
          ]) + dropped + unfilled
    )
  }

  private var dropped: [Report.Block] {
    let dropped = comparison.dropped.filter { !$0.isIntended }
    guard !dropped.isEmpty else { return [] }
    let kinds: [DroppedColumn.Kind] = [.objects, .attribute, .relationship]
    let unplaced = kinds.flatMap { kind -> [Report.Block] in
      let group = dropped.filter { $0.kind == kind && $0.conversion == nil }
      guard !group.isEmpty else { return [] }
      return [
        .facts(
          group.map { .init($0.name, "\($0.loss ?? (kind == .objects ? "all objects" : ""))") }
        ), .note("→ \(kind.remedy)"),
      ]
    }
    return [
      .details(
        comparison.mapping.map == nil
          ? "Dropped when the store is opened with the new model" : "Dropped by the map",
        unplaced + Self.unconverted(dropped)
      )
    ]
  }

  /// The values that become missing because a conversion in the map fails.
  private static func unconverted(_ dropped: [DroppedColumn]) -> [Report.Block] {
    let facts = dropped.compactMap { drop in
      drop.conversion.map { conversion in
        Report.Fact(drop.name, "\(drop.loss ?? "values") that '\(conversion)' cannot convert")
      }
    }
    guard !facts.isEmpty else { return [] }
    return [
      .facts(facts),
      .note("→ they become missing: correct them first, or use another conversion in the map"),
    ]
  }

  private var unfilled: [Report.Block] {
    let blocks = UnfilledPlace.Kind.allCases.flatMap { kind -> [Report.Block] in
      let places = comparison.unfilled.filter { $0.kind == kind }
      guard !places.isEmpty else { return [] }
      let names = places.map { place in
        place.objects.map { "\(place.name), \(Figures.counted($0, "object"))" } ?? place.name
      }
      return [
        .list(["\(kind.words):"], kind.isRequired ? .bad : .point), .texts(names, most: 12),
        .note("→ \(kind.advice)"),
      ]
    }
    return blocks.isEmpty ? [] : [.details("New, and not filled from the old model", blocks)]
  }

  /// The differences between a migration through all versions and the direct step, and the known
  /// risk of staged plans.
  private func stages(_ citations: inout Citations) -> Report.Section? {
    var blocks: [Report.Block] = []
    if !comparison.detours.isEmpty {
      blocks += [
        .sentence(
          "Migrated step by step through the versions between, the store ends with different values than after the direct step; both are permitted:"
        ), .texts(comparison.detours.map(\.description), most: 12),
      ]
    }
    if let risk = comparison.stagePlanRisk {
      let source = citations.number(of: .stagePlan)
      blocks.append(
        comparison.hasPlan
          ? .warning("Risk: \(risk) \(source)")
          : .note("If the app uses a stage manager: \(risk.description) \(source)")
      )
    }
    return blocks.isEmpty ? nil : .init("Step by step or at once", blocks)
  }

  /// CloudKit's rules for the migration, even if no file shows that the app syncs.
  private func cloudKit(_ citations: inout Citations) -> Report.Section? {
    let broken = comparison.cloudKit.filter(\.isBroken)
    let rules = "\(broken.count) of \(comparison.cloudKit.count) rules"
    guard comparison.mayBeSynced || !comparison.isSameVersion else { return nil }
    guard comparison.mayBeSynced else {
      let unseen =
        "No file shows that CloudKit syncs this app: the store has no tables of mirroring, "
      return .init(
        "CloudKit",
        [
          .sentence(
            "\(unseen)and no model is marked. \(broken.isEmpty ? "A synced app might make these changes." : "A synced app might not make these changes: they break \(rules).")"
          )
        ]
          + (broken.isEmpty
            ? [] : [.folded("The rules", citations.blocks(of: broken, quotedAs: "the rule"))])
      )
    }
    let subject = comparison.isSynced ? "CloudKit syncs this app, and" : "A synced app"
    let summary: Report.Text =
      broken.isEmpty
      ? "\(subject) may make these changes; deploy the schema to production before the update."
      : "\(subject) may not make these changes: they break \(rules)."
    return .init(
      "CloudKit",
      [.sentence(summary)] + citations.blocks(of: broken, quotedAs: "the rule")
    )
  }

  private func swiftData(_ citations: inout Citations) -> Report.Section? {
    guard let target = comparison.target else { return nil }
    let lacking = comparison.swiftData.filter(\.isBroken)
    let isTowards = comparison.isTowardsSwiftData
    var blocks: [Report.Block] =
      lacking.isEmpty
      ? [.sentence("It supports everything in the \(isTowards ? "old" : "new") model.")] : []
    blocks += citations.blocks(of: lacking)
    if isTowards {
      let clashes = comparison.coexistence.filter(\.isBroken)
      let beside = "use the same store side by side"
      blocks.append(
        .sentence(
          !clashes.isEmpty
            ? "Core Data and SwiftData cannot \(beside):"
            : lacking.isEmpty
              ? "Core Data and SwiftData can \(beside)."
              : "Core Data and SwiftData can \(beside) once the points above are solved."
        )
      )
      blocks += citations.blocks(of: clashes, quotedAs: "the rule")
      let complexity = comparison.complexity
      blocks += [
        .sentence(
          "Complexity: \(complexity.level.rawValue); one agency's guide expects \(complexity.level.weeks) of work \(citations.number(of: complexity.source))"
        ), .texts(complexity.reasons),
      ]
    }
    return .init("SwiftData on \(target.name)", blocks)
  }

  private func renameFirst(_ citations: inout Citations) -> Report.Section? {
    guard let first = comparison.renameFirst, !comparison.isSameVersion else { return nil }
    let renaming = citations.number(of: .renaming)
    let guess = first.isDrafted ? ", if the guesses of --draft-map are right" : ""
    guard first.isPossible else {
      return .init(
        "Rename first",
        [
          .sentence(
            "A final Core Data release cannot give the store the new names by a lightweight migration\(guess) \(renaming):"
          ), .list(first.blockers.map { "\($0)" }, .bad),
        ]
      )
    }
    return .init(
      "Rename first",
      [
        .sentence(
          "Works\(guess): a final Core Data release uses the new names, each with its former name as renaming identifier, and migrates automatically \(renaming). SwiftData then opens the store in place only if the version hashes are equal \(citations.number(of: .nothingFound))."
        )
      ]
    )
  }

  private func checklist(_ citations: inout Citations) -> Report.Section? {
    guard showsChecklist else { return nil }
    var blocks: [Report.Block] = []
    var section = ""
    let signs: [ChecklistItem.State: Report.List.Sign] = [.checked: .good, .failed: .bad]
    for item in comparison.checklist {
      if item.section != section { blocks.append(.heading("\(item.section)")) }
      section = item.section
      let text: Report.Text =
        "\(item.text) \(citations.number(of: item.source))\(item.evidence.isEmpty ? "" : ": ")\(item.evidence)"
      blocks.append(.list([text], signs[item.state] ?? .unknown))
    }
    return .init("Checklist", question: "✓ checked, ✗ failed, ? yours to check", blocks)
  }

  private var steps: [NextSteps.Step] {
    NextSteps(comparison: comparison, showsChecklist: showsChecklist, modelPath: modelPath).all
  }

  private var next: Report.Section {
    .init(
      "Next",
      steps.map { step in
        switch step {
        case .advice(let text): .list(["\(text)"])
        case .command(let line): .command(line)
        }
      }
    )
  }
}

extension DroppedColumn {
  /// The amount of lost data in words; `nil` if it was not counted.
  fileprivate var loss: String? {
    count.map { $0 == 0 ? "nothing in it" : Figures.counted($0, kind.unit) }
  }
}

extension DroppedColumn.Kind {
  var unit: String {
    switch self {
    case .objects: "object"
    case .attribute: "value"
    case .relationship: "link"
    }
  }

  fileprivate var remedy: String {
    switch self {
    case .objects:
      "if the entity was renamed, set its former name as renaming identifier, or add it to the map; "
        + "otherwise export the objects first"
    case .attribute:
      "keep the attribute; or, if a new attribute takes its values, set this name as renaming "
        + "identifier, or add it to the map"
    case .relationship:
      "keep the relationship; or, if a new relationship takes its objects, set this name as "
        + "renaming identifier, or add it to the map"
    }
  }
}

/// The sources of a report, numbered in the order of their first citation.
struct Citations {
  private var sources: [RuleFinding.Source] = []

  mutating func number(of source: RuleFinding.Source) -> String {
    guard source.url != nil else { return "[assumed]" }
    if let index = sources.firstIndex(of: source) { return "[\(index + 1)]" }
    sources.append(source)
    return "[\(sources.count)]"
  }

  /// Formats findings as blocks.
  ///
  /// If a name for the rules is given, the text says that each quoted rule is broken, because a rule
  /// on its own reads like a fact.
  mutating func blocks(
    of findings: [RuleFinding],
    quotedAs rules: String? = nil
  ) -> [Report.Block] {
    findings.flatMap { finding -> [Report.Block] in
      let rule = rules.map { "\($0) '\(finding.text)' is broken" } ?? finding.text
      let text: Report.Text =
        "\(rule) \(number(of: finding.source)): \(Figures.few(finding.places))"
      return [.list([text], .bad), .note("→ \(finding.advice)")]
    }
  }

  var section: Report.Section? {
    guard !sources.isEmpty else { return nil }
    return .init(
      "Sources",
      sources.enumerated().flatMap { index, source -> [Report.Block] in
        [.sentence("[\(index + 1)] \(source.title) (\(source.evidence.rawValue))")]
          + (source.url.map { [.command($0)] } ?? [])
      }
    )
  }
}

extension Report.Block {
  static func texts(_ items: [String], most: Int? = nil) -> Report.Block {
    .list(items.map { Report.Text($0) }, most: most)
  }
}
