import Basics
import DataModel
import PersistentStore

/// The guides' checklists, each item answered from the files as far as they go.
struct MigrationChecklist {
  let comparison: ModelComparison

  var items: [ChecklistItem] {
    audit + versioning + migration + coexistence + pairItems + safety
  }

  private func item(
    _ section: String,
    _ text: String,
    _ state: ChecklistItem.State,
    _ evidence: String,
    _ source: RuleFinding.Source
  ) -> ChecklistItem {
    ChecklistItem(section: section, text: text, state: state, evidence: evidence, source: source)
  }

  /// An item that a rule answers.
  private func item(_ section: String, _ finding: RuleFinding) -> ChecklistItem {
    item(
      section,
      finding.text,
      finding.isBroken ? .failed : .checked,
      finding.isBroken
        ? "\(Figures.few(finding.places)): \(finding.advice)" : "the model keeps this rule",
      finding.source
    )
  }

  private var audit: [ChecklistItem] {
    let (model, section) = (comparison.old.version.model, "Audit the model")
    let places = ModelPlaces(model: model)
    let properties = model.entities.map { $0.attributes.count + $0.relationships.count }
    func listed(_ text: String, _ found: [String]) -> ChecklistItem {
      item(section, text, .checked, found.isEmpty ? "none" : Figures.few(found), .auditGuide)
    }
    let counted = "\(model.entities.count) entities, \(properties.reduce(0, +)) properties"
    return [
      item(section, "list all entities and their properties", .checked, counted, .auditGuide),
      listed("identify unique constraints", places.constraints { _ in true }),
      listed(
        "note transformable attributes",
        places.attributes { $0.type == .transformable }
      ),
      listed("check for derived attributes", places.attributes { $0.derivation != nil }),
      item(
        section,
        "look through the classes for custom logic",
        .yours,
        "model files do not show it",
        .auditGuide
      ),
    ]
  }

  private var versioning: [ChecklistItem] {
    let (old, section) = (comparison.old, "Versions")
    let isNamed = old.version.model.versionIdentifiers != [""]
    let match = comparison.match
    let unmatched = item(
      section,
      "the store's version is one of the model's versions",
      .yours,
      "compare the store with the whole family: inspect STORE MODEL.xcdatamodeld",
      .safetyChecklist
    )
    return [
      item(
        section,
        "the old version has an identifier; without one, wrap it in a versioned schema first",
        isNamed ? .checked : .failed,
        isNamed ? old.version.model.versionIdentifiers.joined(separator: ", ") : "it has none",
        .safetyChecklist
      ),
      match.map { match in
        item(
          section,
          "the store's version is one of the model's versions",
          match.version == nil ? .failed : .checked,
          "it \(match)",
          .safetyChecklist
        )
      } ?? unmatched,
      item(
        section,
        "users may skip versions and update from any older version",
        .yours,
        "inspect a store of each version that was ever released",
        .safetyChecklist
      ),
      item(
        section,
        "a staged migration (SchemaMigrationPlan, NSStagedMigrationManager) has a custom stage "
          + "between versions that users may skip, or was tested from each version",
        comparison.stagePlanRisk == nil ? .yours : .failed,
        comparison.stagePlanRisk?.description
          ?? "compare with the whole family to see whether all stages would be lightweight",
        .stagePlan
      ),
    ]
  }

  private var migration: [ChecklistItem] {
    let section = "Migration"
    let renames = comparison.suspectedRenames
    let hasStore = comparison.old.store != nil
    let data = comparison.dataObstacles.map(\.sentence)
    return [
      wholeness,
      item(
        section,
        "renamed entities and properties have their former name as renaming identifier",
        renames.isEmpty ? .checked : .failed,
        renames.first.map(\.sentence) ?? "no removed name has a similar new name",
        .lightweight
      ),
      item(
        section,
        "no data prevents the migration: duplicates, missing values",
        hasStore ? (data.isEmpty ? .checked : .failed) : .yours,
        hasStore ? data.first ?? "counted in the store" : "give a store as OLD",
        .safetyChecklist
      ),
      item(
        section,
        "no data is dropped that users want to keep",
        comparison.dropped.isEmpty ? .checked : .yours,
        comparison.dropped.isEmpty
          ? "nothing is dropped" : "dropped: \(Figures.few(comparison.dropped.map(\.name)))",
        .safetyChecklist
      ),
    ]
  }

  /// Whether every object arrives: by a lightweight migration, or by the copy of a map.
  private var wholeness: ChecklistItem {
    let isMapped = comparison.mapping.map != nil
    let obstacles = comparison.mapping.obstacles.map(\.description)
    let lost = comparison.dropped.filter {
      $0.kind == .objects && $0.count != 0 && !$0.isIntended
    }
    let loss = lost.isEmpty ? nil : "objects would be dropped: \(Figures.few(lost.map(\.name)))"
    return item(
      "Migration",
      isMapped
        ? "the map has a place for every object and value"
        : "a lightweight migration can make all changes",
      obstacles.isEmpty && loss == nil ? .checked : .failed,
      obstacles.first ?? loss ?? "the models allow it",
      isMapped ? .safetyChecklist : .lightweight
    )
  }

  private var coexistence: [ChecklistItem] {
    guard comparison.isTowardsSwiftData else { return [] }
    let section = "SwiftData"
    return comparison.swiftData.filter(\.isBroken).map { item(section, $0) }
      + comparison.coexistence.map { finding in
        finding.rule == "coexistence.history" && comparison.old.store == nil
          ? item(section, finding.text, .yours, "give a store as OLD", finding.source)
          : item(section, finding)
      }
  }

  private var safety: [ChecklistItem] {
    let section = "Before you ship"
    let source = RuleFinding.Source.safetyChecklist
    return [
      item(section, "back up the store before, restore it on failure", .yours, "in code", source),
      item(section, "compare counts before and after", .yours, "in code", source),
      item(
        section,
        "migrate off the main thread, within the launch watchdog's 20 s",
        .yours,
        "measure its time: the command is at the end",
        source
      ),
      item(section, "try it on a device with a user's real store", .yours, "by hand", source),
    ]
  }
}

/// One line of a guide's checklist, and what the files say of it.
package struct ChecklistItem: Hashable, Encodable, Sendable {
  package enum State: String, Encodable, Sendable {
    /// The files show that it is so.
    case checked
    /// The files show that it is not.
    case failed
    /// No file can tell: yours to check.
    case yours
  }

  package let section: String
  package let text: String
  package let state: State
  /// What the state rests on, or how to find out.
  package let evidence: String
  package let source: RuleFinding.Source
}

/// How long the guides say that a migration to SwiftData takes, and why.
package struct MigrationComplexity: Hashable, Encodable, Sendable {
  package enum Level: String, Encodable, Sendable {
    case simple
    case moderate
    case complex

    /// The guide's estimate.
    package var weeks: String {
      switch self {
      case .simple: "1 to 2 weeks"
      case .moderate: "3 to 4 weeks"
      case .complex: "6 weeks and more"
      }
    }
  }

  package let level: Level
  /// What puts the migration into this class; empty for a simple one.
  package let reasons: [String]
  package let source: RuleFinding.Source

  /// Where the guide gives no bound for an entity count, this one is assumed.
  private static let manyEntities = 10

  /// The guide calls a migration simple that has one container, to-one and to-many relationships
  /// and no CloudKit; what makes one complex rather than moderate is assumed.
  init(_ comparison: ModelComparison) {
    let complex = Self.complexReasons(comparison)
    let moderate = Self.moderateReasons(comparison)
    level = !complex.isEmpty ? .complex : !moderate.isEmpty ? .moderate : .simple
    reasons = complex + moderate
    source = .complexityGuide
  }

  private static func complexReasons(_ comparison: ModelComparison) -> [String] {
    let obstacles = comparison.mapping.obstacles.count
    let hard = ["swiftData.inheritance", "swiftData.derived", "swiftData.order"]
    let missing = comparison.swiftData.filter { hard.contains($0.rule) && $0.isBroken }
    var reasons: [String] = []
    if obstacles > 0 {
      reasons.append("\(obstacles) changes need a custom stage with your own code")
    }
    if comparison.hasNothingInCommon, comparison.suspectedRenames.isEmpty {
      reasons.append(
        "no entity has a counterpart in the other model: your code has to copy every object"
      )
    }
    if comparison.isTowardsSwiftData {
      reasons += missing.map { "\($0.text): \(Figures.few($0.places))" }
    }
    if comparison.isSynced { reasons.append("the app is synced by CloudKit") }
    return reasons
  }

  private static func moderateReasons(_ comparison: ModelComparison) -> [String] {
    let model = comparison.old.version.model
    let places = ModelPlaces(model: model)
    let many = places.relationships { $0.isToMany && model.inverse(of: $0)?.isToMany == true }
    let transformable = places.attributes { $0.type == .transformable }
    var reasons: [String] = []
    if !many.isEmpty { reasons.append("many-to-many: \(Figures.few(many))") }
    if !transformable.isEmpty {
      reasons.append("transformable: \(Figures.few(transformable))")
    }
    if model.entities.count > manyEntities {
      reasons.append("\(model.entities.count) entities")
    }
    if model.configurations.count > 1 {
      reasons.append("\(model.configurations.count) configurations")
    }
    if comparison.hasNothingInCommon, !comparison.suspectedRenames.isEmpty {
      reasons.append("every entity has a different name in the new model")
    }
    if !comparison.dataObstacles.isEmpty { reasons.append("data to repair first") }
    return reasons
  }
}
