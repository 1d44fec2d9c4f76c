import DataModel

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
  package let source: RuleSource

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
    if obstacles > 0 { reasons.append("\(obstacles) changes need a stage of your own code") }
    if comparison.hasNothingInCommon, comparison.suspectedRenames.isEmpty {
      reasons.append("no entity has a counterpart: every object has to be copied by code")
    }
    if comparison.isTowardsSwiftData {
      reasons += missing.map { "\($0.text): \(PlaceList.text($0.places))" }
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
    if !many.isEmpty { reasons.append("many-to-many: \(PlaceList.text(many))") }
    if !transformable.isEmpty {
      reasons.append("transformable: \(PlaceList.text(transformable))")
    }
    if model.entities.count > manyEntities {
      reasons.append("\(model.entities.count) entities")
    }
    if model.configurations.count > 1 {
      reasons.append("\(model.configurations.count) configurations")
    }
    if comparison.hasNothingInCommon, !comparison.suspectedRenames.isEmpty {
      reasons.append("every entity has another name in the new model")
    }
    if !comparison.dataObstacles.isEmpty { reasons.append("data to repair first") }
    return reasons
  }
}
