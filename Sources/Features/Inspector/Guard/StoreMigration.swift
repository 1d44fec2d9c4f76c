import Basics
import DataModel
import PersistentStore
import SwiftModels

/// Predicts the migration of a shipped store, by the plan's stages or by an inferred migration.
extension SchemaGuard {
  func comparison(of store: StoreFacts, to version: SwiftVersion) throws -> ModelComparison {
    let schema = VersionedSchema(name: version.name, model: version.model)
    return try ModelComparison(
      from: ModelInput(store),
      to: ModelInput(path: "the sources", family: ModelFamily(versions: [schema]))
    )
  }

  /// The result of opening a store with the app.
  struct Opening {
    /// Whether the app opens the store; `nil` if that is not known.
    let opens: Bool?
    /// Whether opening the store is known to drop data.
    var dropsData = false
    let sentence: String
  }

  /// Predicts the result of opening a store with the migration plan of its version; reports data
  /// loss.
  mutating func opened(_ store: StoreFacts, from version: SwiftVersion) throws -> Opening {
    let goal = goal(of: version)
    guard version.name != goal.name else {
      return Opening(opens: true, sentence: "it opens as it is")
    }
    let comparison = try comparison(of: store, to: goal)
    let repeats = reportDuplicates(in: store, comparison)
    let stages = stages(from: version, to: goal)
    let steps = stages.map { stage in
      (words: "the plan's stage from \(stage.from) to \(stage.to)", migrates: canMigrate(stage))
    }
    if let step = steps.first(where: { $0.migrates == false }) {
      return Opening(opens: false, sentence: "\(step.words) cannot migrate it")
    }
    let end = stages.last?.to ?? version.name
    guard end == goal.name else {
      let isWhole = plan(of: version)?.isWhole ?? false
      let tail = isWhole ? "" : ", as far as it can be read"
      return Opening(
        opens: isWhole ? false : nil,
        sentence: "the plan has no stage from \(end)" + tail
      )
    }
    let start = "the plan's stages from \(version.name)"
    guard !repeats else {
      return Opening(
        opens: false,
        sentence: "\(start) fail or drop objects, since values that become unique repeat"
      )
    }
    let hasCode = stages.contains { !$0.isLightweight }
    let loss = reportLoss(of: store, comparison, in: goal, hasCode: hasCode)
    if let step = steps.first(where: { $0.migrates == nil }) {
      return Opening(opens: nil, sentence: "whether \(step.words) migrates it is not known")
    }
    return Opening(opens: true, dropsData: !loss.isEmpty, sentence: "\(start) migrate it" + loss)
  }

  /// Predicts the result of opening a store by an inferred migration to the app's classes; reports
  /// data loss.
  mutating func opened(_ store: StoreFacts, by comparison: ModelComparison) -> Opening {
    let start = "the container has no migration plan, so a migration is inferred: "
    let mapping = comparison.mapping
    let reasons =
      mapping.obstacles(apartFrom: family.current.assumed).map(\.description)
      + comparison.dataObstacles.map(\.sentence)
    guard reasons.isEmpty else {
      let list = reasons.prefix(3).joined(separator: "; ")
      return Opening(opens: false, sentence: start + "it would fail: " + list)
    }
    let loss = reportLoss(of: store, comparison, in: family.current, hasCode: false)
    guard comparison.isLightweight else {
      let places = mapping.obstacles.compactMap(\.property) + mapping.changedStructs
      let list = places.joined(separator: ", ")
      return Opening(
        opens: nil,
        sentence: start
          + "whether it would work is not known, since it is assumed how \(list) are stored"
      )
    }
    let empty = comparison.unfilled.filter { $0.kind == .requiredRelationship && $0.objects != 0 }
    guard empty.isEmpty else {
      return Opening(
        opens: nil,
        sentence: start + "whether it would work is not known, since objects may have no target of "
          + "the required " + Figures.few(empty.map(\.name))
      )
    }
    return Opening(
      opens: true,
      dropsData: !loss.isEmpty,
      sentence: start + "it would work" + loss
    )
  }

  /// Warns about data that the classes cannot hold; returns this loss as the end of a sentence.
  private mutating func reportLoss(
    of store: StoreFacts,
    _ comparison: ModelComparison,
    in version: SwiftVersion,
    hasCode: Bool
  ) -> String {
    let dropped = comparison.dropped.filter { drop in
      drop.count ?? 0 > 0 && !SwiftVersion.leavesOpen(drop.name, in: version.assumed)
    }
    guard let first = dropped.first else { return "" }
    let list = Figures.few(
      dropped.map { "\(Figures.counted($0.count ?? 0, $0.kind.unit)) of \($0.name)" }
    )
    report(
      .dataDropped,
      hasCode ? .notKnown : .warning,
      "'\(store.store.path)': the migration drops \(list)"
        + (hasCode ? ", unless a custom stage moves them first" : ""),
      advice: "if a property has another name, set originalName; a class has no former name, so "
        + "copy its objects; otherwise export what goes",
      at: version.place(of: first.entity, first.property)
    )
    return hasCode ? "" : " and drop \(list)"
  }
}

/// Finds the plan of a version, and the stages that migrate a store of the version.
extension SchemaGuard {
  private func plan(of version: SwiftVersion) -> SwiftPlan? {
    let plans = [family.plan].compactMap(\.self) + family.plans
    return plans.first { $0.versions.contains(version.name) } ?? family.plan
  }

  /// The target version of a store's migration: the newest version or, if the store's version is in
  /// another plan than the app's, the last version of that plan.
  private func goal(of version: SwiftVersion) -> SwiftVersion {
    guard let plan = plan(of: version), plan != family.plan, let last = plan.versions.last else {
      return newest
    }
    return family.version(named: last) ?? newest
  }

  /// Returns the stages from one version to another; incomplete if the plan lacks a stage.
  private func stages(from version: SwiftVersion, to goal: SwiftVersion) -> [SwiftStage] {
    let all = plan(of: version)?.stages ?? []
    var stages: [SwiftStage] = []
    var place = version.name
    while place != goal.name, stages.count < all.count,
      let next = all.first(where: { $0.from == place })
    {
      stages.append(next)
      place = next.to
    }
    return stages
  }
}
