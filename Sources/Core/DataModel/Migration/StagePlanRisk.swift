/// A risk of plans with only lightweight stages: according to one report, stores are not migrated
/// in stages.
package struct StagePlanRisk: Hashable, Encodable, Sendable, CustomStringConvertible {
  /// The URL of the report.
  package static let report = "https://developer.apple.com/forums/thread/804902"

  /// The description of the risk, with its evidence.
  package static let sentence =
    "risk: a stage manager (SchemaMigrationPlan, NSStagedMigrationManager) whose stages are all "
    + "lightweight may not migrate in stages; evidence: one report, \(report)"

  /// The names of the first and the last version.
  package let from: String
  package let to: String
  package let steps: Int
  /// Whether Core Data can infer the direct step, which it reportedly tries.
  package let isInferredDirectly: Bool
  /// The differences between the stores after the direct step and after the stages.
  package let differences: [String]

  /// Creates the risk for the stages between versions; `stages` comes from the plan in the models'
  /// source.
  ///
  /// - Returns: `nil` if there are fewer than two steps, or if a step needs or has a custom stage.
  package init?(
    _ versions: some Collection<VersionedSchema>,
    stages: [ModelFamily.Stage]? = nil
  ) {
    let versions = Array(versions)
    let names = Set(versions.map(\.name))
    let own = stages?.filter { names.contains($0.from) && names.contains($0.to) } ?? []
    guard !own.contains(where: \.isCustom) else { return nil }
    guard versions.count > 2, let first = versions.first, let last = versions.last else {
      return nil
    }
    let chain = MigrationChain(versions.map(\.model))
    guard chain.isLightweight else { return nil }
    (from, to, steps) = (first.name, last.name, chain.steps.count)
    isInferredDirectly = chain.direct.isLightweight
    differences = chain.differences.map(\.description)
  }

  package var description: String {
    "all \(steps) steps from '\(from)' to '\(to)' are lightweight, and a stage manager "
      + "(SchemaMigrationPlan, NSStagedMigrationManager) with such stages alone may not run "
      + "them one by one: in one report, 1 to 3 fails with 'missing mapping model' although "
      + "1 to 2 and 2 to 3 pass, and a custom stage between them avoids it. " + consequence
  }

  private var consequence: String {
    guard isInferredDirectly else {
      return "Here the direct step cannot be inferred, so expect the same failure"
    }
    return differences.isEmpty
      ? "Here the direct step can be inferred too, and ends with the same store"
      : "Here the direct step can be inferred too, but ends with a different store"
  }
}
