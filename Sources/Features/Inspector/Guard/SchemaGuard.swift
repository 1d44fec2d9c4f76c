import DataModel
import PersistentStore
import SwiftModels

/// Checks the versions, plans and shipped stores of an app against its sources.
package struct SchemaGuard: Sendable {
  package let family: SwiftModelFamily
  /// The shipped versions from the lock file; `nil` if the app has no lock file.
  package let shipped: ModelFamily?
  package let asksForCloudKit: Bool
  package private(set) var stores: [StoreVerdict] = []
  package private(set) var findings: [SchemaFinding] = []

  /// Checks sources, shipped versions and shipped stores.
  ///
  /// A store that cannot be read is reported as a finding.
  package init(
    family: SwiftModelFamily,
    shipped: ModelFamily? = nil,
    stores paths: [String] = [],
    asksForCloudKit: Bool = false
  ) {
    self.family = family
    self.shipped = shipped
    self.asksForCloudKit =
      asksForCloudKit || family.containers.contains { $0.cloudKit == .used }
    checkVersions()
    checkPlan()
    checkShipped()
    checkEnums()
    for path in paths { check(storeAt: path) }
    checkConstraints()
    checkCloudKit()
    sortFindings()
  }

  package var hasErrors: Bool { findings.contains { $0.severity == .error } }

  /// The version with which the app creates new stores.
  var newest: SwiftVersion { family.versions.last ?? family.current }

  /// The old and the new version of a stage; `nil` if the sources lack either version.
  func versions(of stage: SwiftStage) -> (old: SwiftVersion, new: SwiftVersion)? {
    guard let old = family.version(named: stage.from), let new = family.version(named: stage.to)
    else { return nil }
    return (old, new)
  }

  mutating func report(
    _ rule: SchemaRule,
    _ message: String,
    advice: String,
    at place: SourcePlace?
  ) {
    report(rule, .error, message, advice: advice, at: place)
  }

  mutating func report(
    _ rule: SchemaRule,
    _ severity: SchemaFinding.Severity,
    _ message: String,
    advice: String,
    at place: SourcePlace?
  ) {
    let finding = SchemaFinding(rule, severity, message, advice: advice, at: place)
    if !findings.contains(finding) { findings.append(finding) }
  }

  mutating func add(_ store: StoreVerdict) { stores.append(store) }

  private mutating func sortFindings() {
    let order: [SchemaFinding.Severity: Int] = [.error: 0, .warning: 1, .notKnown: 2]
    findings = findings.enumerated().sorted {
      (order[$0.element.severity] ?? 3, $0.offset) < (order[$1.element.severity] ?? 3, $1.offset)
    }.map(\.element)
  }

  /// Returns a clause with the first few differences between two schemas and the number of the
  /// rest.
  static func list(_ differences: [SchemaComparison.Difference]) -> String {
    let shown = differences.prefix(4).map(\.description)
    let more = differences.count > 4 ? "; and \(differences.count - 4) more" : ""
    return shown.joined(separator: "; ") + more
  }

  static func place(
    of comparison: SchemaComparison,
    in version: SwiftVersion
  ) -> SourcePlace? {
    let first =
      comparison.relevant.first { difference in
        version.places[
          difference.property.map { "\(difference.entity).\($0)" } ?? difference.entity
        ]
          != nil
      } ?? comparison.relevant.first
    return first.flatMap { version.place(of: $0.entity, $0.property) } ?? version.place
  }
}

extension SchemaGuard {
  mutating func checkVersions() {
    guard !family.versions.isEmpty else {
      if shipped != nil || !family.current.model.entities.isEmpty {
        report(
          .noVersions,
          .warning,
          "no version of the schema is declared",
          advice: "before the next change, freeze the shipped classes in an enum SchemaV1: "
            + "VersionedSchema, and give the container a SchemaMigrationPlan",
          at: family.current.model.entities.first.flatMap { family.current.place(of: $0.name) }
        )
      }
      return
    }
    checkCurrent()
    for (index, version) in family.versions.enumerated() {
      for later in family.versions[(index + 1)...] where areOfOnePlan(version, later) {
        compare(version, later)
      }
    }
    checkFrozen()
  }

  private mutating func checkCurrent() {
    let comparison = SchemaComparison(from: newest, to: family.current)
    switch comparison.answer {
    case .same: return
    case .changed:
      report(
        .currentDiffers,
        "the classes that the app uses differ from \(newest.name), the newest version: "
          + Self.list(comparison.relevant),
        advice: "put the change into a new version and a stage to it, or take it back",
        at: Self.place(of: comparison, in: family.current)
      )
    case .notKnown:
      report(
        .currentDiffers,
        .notKnown,
        "not known whether this changes the identity of \(newest.name): "
          + Self.list(comparison.relevant),
        advice: "compare the NSStoreModelVersionHashes of two stores made by both states",
        at: Self.place(of: comparison, in: family.current)
      )
    }
  }

  /// Whether two versions may belong to the same migration plan.
  ///
  /// An app can have several stores with separate plans.
  private func areOfOnePlan(_ first: SwiftVersion, _ second: SwiftVersion) -> Bool {
    let homes = [first, second].map { version in
      family.plans.indices.filter { family.plans[$0].versions.contains(version.name) }
    }
    return homes[0].isEmpty || homes[1].isEmpty || !Set(homes[0]).isDisjoint(with: homes[1])
  }

  private mutating func compare(_ first: SwiftVersion, _ second: SwiftVersion) {
    let comparison = SchemaComparison(from: first, to: second)
    let names = "\(first.name) and \(second.name)"
    switch comparison.answer {
    case .same:
      let hasIndexes = !comparison.reindexed.isEmpty
      report(
        .equalVersions,
        "\(names) are equal" + (hasIndexes ? ", apart from indexes" : ""),
        advice: hasIndexes
          ? "give a property of \(second.name) a hashModifier, or add the index with another change"
          : "freeze \(first.name) as it shipped, or remove one of the two versions",
        at: second.place
      )
    case .notKnown:
      report(
        .equalVersions,
        .notKnown,
        "not known whether \(names) have different identities: " + Self.list(comparison.relevant),
        advice: "if nothing else changes, add a hashModifier to one property",
        at: second.place
      )
    case .changed: break
    }
    guard comparison.answer == .changed, let identifier = first.identifier,
      identifier == second.identifier
    else { return }
    report(
      .repeatedIdentifier,
      "\(names) have the same identifier, \(identifier)",
      advice: "give each version an identifier of its own",
      at: second.place
    )
  }

  /// The names of the shipped versions: the versions in the lock file, and all versions before the
  /// newest version.
  var shippedNames: Set<String> {
    Set(shipped?.versions.map(\.name) ?? []).union(family.versions.dropLast().map(\.name))
  }

  private mutating func checkFrozen() {
    for version in family.versions {
      for use in version.uses where use.owner != version.name {
        // Until the next version is added, the newest version may share types with the app.
        let isShipped = shippedNames.contains(version.name)
        let reached = use.property.map { "by \($0)" } ?? "in its list of models"
        if let owner = use.owner {
          report(
            .notFrozen,
            use.kind == .enumeration ? .warning : .error,
            "\(version.name) reaches \(use.type) of \(owner) \(reached)",
            advice: "declare its own \(Self.lastName(use.type)) inside \(version.name)",
            at: version.place(at: use.property) ?? use.place
          )
        } else if isShipped {
          let others = family.versions.filter { other in
            other.name != version.name
              && other.uses.contains { $0.type == use.type && $0.owner == nil }
          }
          report(
            .notFrozen,
            use.kind == .enumeration ? .notKnown : .error,
            "\(version.name) has shipped and reaches \(use.type) \(reached), which is not its own copy"
              + (others.isEmpty
                ? "" : "; also reached by " + others.map(\.name).joined(separator: ", ")),
            advice:
              "declare a copy of \(Self.lastName(use.type)) as it shipped inside \(version.name)",
            at: use.place
          )
        }
      }
    }
  }

  private static func lastName(_ path: String) -> String {
    path.split(separator: ".").last.map(String.init) ?? path
  }
}

extension SwiftVersion {
  fileprivate func place(at property: String?) -> SourcePlace? { property.flatMap { places[$0] } }
}
