import Basics
import DataModel
import SwiftModels

extension SchemaGuard {
  mutating func checkShipped() {
    guard let shipped else { return }
    guard !family.versions.isEmpty else {
      for version in shipped.versions { checkInferred(from: version) }
      return
    }
    for version in shipped.versions { check(version) }
  }

  private func comparison(
    of locked: VersionedSchema,
    with version: SwiftVersion
  ) -> SchemaComparison {
    let former = shipped?.assumed[locked.name]
    return SchemaComparison(
      from: locked.model,
      to: version.model,
      assumed: (former, version.assumed)
    )
  }

  private mutating func check(_ locked: VersionedSchema) {
    guard let version = family.version(named: locked.name) else {
      let twin = family.versions.first { self.comparison(of: locked, with: $0).answer == .same }
      guard twin == nil else { return }
      return report(
        .shippedVersionMissing,
        "no version of the sources is \(locked.name), which has shipped",
        advice: "restore it as the lock file has it, and add it to the plan",
        at: family.plan?.place ?? newest.place
      )
    }
    let comparison = self.comparison(of: locked, with: version)
    let place = Self.place(of: comparison, in: version)
    switch comparison.answer {
    case .changed:
      report(
        .shippedVersionChanged,
        "\(locked.name) has shipped and was changed: " + Self.list(comparison.relevant),
        advice: "restore \(locked.name), and put the change into a new version",
        at: place
      )
    case .notKnown:
      report(
        .shippedVersionChanged,
        .notKnown,
        "\(locked.name) has shipped; not known whether this changes its identity: "
          + Self.list(comparison.relevant),
        advice: "restore it to be sure",
        at: place
      )
    case .same:
      let isNewest = version.name == newest.name
      if isNewest { checkIndexes(comparison, since: locked.name, at: place) }
    }
    let identifier = locked.model.versionIdentifiers.first ?? ""
    if let own = version.identifier, !identifier.isEmpty, own != identifier {
      report(
        .repeatedIdentifier,
        .warning,
        "\(locked.name) shipped with the identifier \(identifier), and has \(own) now",
        advice: "restore the identifier",
        at: version.place
      )
    }
  }

  private mutating func checkIndexes(
    _ comparison: SchemaComparison,
    since name: String,
    at place: SourcePlace?
  ) {
    for entity in comparison.reindexed {
      report(
        .indexAlone,
        .warning,
        "\(entity) has other indexes than in \(name), and nothing else that migrates a store: "
          + "shipped stores do not get them",
        advice: "make a new version in which a property of \(entity) has a hashModifier",
        at: newest.place(of: entity)
      )
    }
  }

  /// Checks the inferred migration from a shipped version, for sources that declare no versions.
  private mutating func checkInferred(from locked: VersionedSchema) {
    let comparison = self.comparison(of: locked, with: family.current)
    let place = Self.place(of: comparison, in: family.current)
    let mapping = MappingModel(from: locked.model, to: family.current.model)
    let structs = mapping.changedStructs
    let reported =
      structs.isEmpty
      ? "" : "; a new field of a struct is reported to fail (134110): " + Figures.few(structs)
    switch comparison.answer {
    case .same: return checkIndexes(comparison, since: locked.name, at: place)
    case .notKnown:
      return report(
        .shippedVersionChanged,
        .notKnown,
        "not known whether the classes have another identity than \(locked.name), which has "
          + "shipped: " + Self.list(comparison.relevant) + reported,
        advice: "restore them to be sure, or declare \(locked.name) as it shipped",
        at: place
      )
    case .changed: break
    }
    let obstacles = mapping.obstacles(apartFrom: family.current.assumed)
    let empty = mapping.emptyRequired
    let missing =
      empty.isEmpty ? "" : "; objects may have no target of the required " + Figures.few(empty)
    let end =
      obstacles.first.map { "; this cannot: \($0)" }
      ?? (mapping.isLightweight && structs.isEmpty && empty.isEmpty
        ? ", which these changes allow" : "; whether that works is not known" + reported + missing)
    report(
      .shippedVersionChanged,
      obstacles.isEmpty ? .warning : .error,
      "the classes differ from \(locked.name), which has shipped, and no version describes it: "
        + Self.list(comparison.relevant) + "; without a plan the migration is inferred" + end,
      advice: "declare \(locked.name) as it shipped and the new version, with a plan",
      at: place
    )
  }
}

/// Checks CloudKit's rules if the app or the caller uses CloudKit.
extension SchemaGuard {
  mutating func checkCloudKit() {
    guard asksForCloudKit else { return }
    let newest = newest
    for finding in CloudKitAudit(of: newest.model).modelFindings { report(finding, in: newest) }
    for (old, new) in zip(family.versions, family.versions.dropFirst()) {
      let step = CloudKitAudit(mapping: MappingModel(from: old.model, to: new.model)).stepFinding
      report(step, in: new, from: old)
    }
  }

  /// Whether a rule's violation depends on an assumption about a property's storage.
  private static func isOpen(
    _ place: String,
    _ key: String,
    _ rule: String,
    _ version: SwiftVersion,
    _ former: SwiftVersion?
  ) -> Bool {
    switch rule {
    case "cloudKit.inverses": return version.assumed[key] != nil
    case "cloudKit.additive":
      if place.hasSuffix(" removed") || place.contains(" renamed to ") {
        return SwiftVersion.leavesOpen(key, in: version.assumed)
      }
      return version.assumed[key] != nil || former?.assumed[key] != nil
    default: return false
    }
  }

  private mutating func report(
    _ finding: RuleFinding,
    in version: SwiftVersion,
    from former: SwiftVersion? = nil
  ) {
    for name in finding.places {
      let parts = name.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
      let key = parts.first.map(String.init) ?? ""
      let step = former.map { " from \($0.name) to \(version.name)" } ?? ""
      let isOpen = Self.isOpen(name, key, finding.rule, version, former)
      report(
        .cloudKit,
        isOpen ? .notKnown : .error,
        "CloudKit\(step): \(finding.text); \(name) breaks this rule"
          + (isOpen ? ", as far as the sources show" : ""),
        advice: finding.advice,
        at: version.places[key] ?? version.place
      )
    }
  }
}
