import DataModel
import SwiftModels

/// Checks the migration plan: its versions, the chain of its stages, and each stage's migration.
extension SchemaGuard {
  mutating func checkPlan() {
    guard !family.versions.isEmpty else { return }
    guard let plan = family.plan else {
      if family.versions.count > 1 {
        report(
          .versionNotInPlan,
          .warning,
          "there are \(family.versions.count) versions and no SchemaMigrationPlan",
          advice: "list them in a plan, and pass it to the container",
          at: newest.place
        )
      }
      return
    }
    checkMembers(of: plan)
    checkChain(of: plan)
    for stage in plan.stages { check(stage) }
    checkUse(of: plan)
    checkRisk(of: plan)
  }

  private mutating func checkMembers(of plan: SwiftPlan) {
    for version in family.versions where !plan.versions.contains(version.name) {
      let isInOther = family.plans.contains { $0 != plan && $0.versions.contains(version.name) }
      guard !isInOther else { continue }
      report(
        .versionNotInPlan,
        plan.isWhole ? .error : .notKnown,
        "\(version.name) is not in the schemas of \(plan.name)" + Self.tail(of: plan),
        advice: "add \(version.name).self to its schemas, in order",
        at: version.place
      )
    }
    for name in plan.versions where family.version(named: name) == nil {
      report(
        .versionNotInPlan,
        .warning,
        "\(plan.name) names \(name), which is not in the sources",
        advice: "give the folder that has it as well",
        at: plan.place
      )
    }
    let numbers = plan.versions.compactMap { family.version(named: $0)?.identifier }
      .map { $0.split(separator: ".").compactMap { Int($0) } }
    let isOrdered = zip(numbers, numbers.dropFirst()).allSatisfy {
      $0.0.lexicographicallyPrecedes($0.1)
    }
    if !isOrdered, Set(numbers).count == numbers.count {
      report(
        .stageOutOfOrder,
        .warning,
        "the versions of \(plan.name) are not in the order of their identifiers",
        advice: "list the oldest first, and the newest last",
        at: plan.place
      )
    }
  }

  private static func tail(of plan: SwiftPlan) -> String {
    plan.isWhole ? "" : ", as far as it can be read"
  }

  private mutating func checkChain(of plan: SwiftPlan) {
    for (old, new) in zip(plan.versions, plan.versions.dropFirst())
    where !plan.stages.contains(where: { $0.from == old && $0.to == new }) {
      report(
        .stageMissing,
        plan.isWhole ? .error : .notKnown,
        "\(plan.name) has no stage from \(old) to \(new)" + Self.tail(of: plan),
        advice: "add a stage, lightweight if the change allows it",
        at: plan.place
      )
    }
    for stage in plan.stages {
      let pair = [stage.from, stage.to].map { plan.versions.firstIndex(of: $0) }
      if let from = pair[0], let to = pair[1], to == from + 1 { continue }
      report(
        .stageOutOfOrder,
        .warning,
        "the stage from \(stage.from) to \(stage.to) is no step between neighbors of the plan",
        advice: "lead each stage from one version to the next",
        at: stage.place
      )
    }
  }

  private mutating func check(_ stage: SwiftStage) {
    guard let (old, new) = versions(of: stage) else { return }
    let mapping = MappingModel(from: old.model, to: new.model)
    let assumed = old.assumed.merging(new.assumed) { first, _ in first }
    for obstacle in mapping.obstacles {
      let isAssumed = obstacle.rests(on: assumed)
      let severity: SchemaFinding.Severity =
        isAssumed ? .notKnown : stage.isLightweight ? .error : .warning
      let kind = stage.isLightweight ? "lightweight stage" : "stage"
      report(
        .notLightweight,
        severity,
        "\(kind) from \(old.name) to \(new.name): \(obstacle)",
        advice: stage.isLightweight
          ? "take the change apart: add the new property as optional or with a default, fill it in a "
            + "custom stage, and remove the old one in a later version"
          : "what lies between willMigrate and didMigrate is inferred too: add the new property as "
            + "optional or with a default, and fill it in didMigrate",
        at: stage.place
      )
    }
    for place in mapping.changedStructs {
      report(
        .notLightweight,
        .notKnown,
        "stage from \(old.name) to \(new.name): \(place) has a struct with other fields; whether "
          + "such a change is migrated is not known, and a new field is reported to fail (134110)",
        advice: "keep the struct, and add a property to the class",
        at: new.places[place] ?? stage.place
      )
    }
    for place in mapping.emptyRequired {
      report(
        .notLightweight,
        stage.isLightweight ? .error : .warning,
        "stage from \(old.name) to \(new.name): the relationship \(place) is required, and no "
          + "default fills it in existing objects",
        advice: "make it optional, or fill it in didMigrate before it becomes required",
        at: new.places[place] ?? stage.place
      )
    }
  }

  /// Whether a stage can migrate its stores; `nil` if the answer depends on its code or an
  /// assumption.
  func canMigrate(_ stage: SwiftStage) -> Bool? {
    guard let (old, new) = versions(of: stage) else { return nil }
    let mapping = MappingModel(from: old.model, to: new.model)
    let assumed = old.assumed.merging(new.assumed) { first, _ in first }
    let leavesRequired = !mapping.emptyRequired.isEmpty
    if mapping.isLightweight, mapping.changedStructs.isEmpty, !leavesRequired { return true }
    let isCertain = leavesRequired || !mapping.obstacles(apartFrom: assumed).isEmpty
    return stage.isLightweight && isCertain ? false : nil
  }

  private mutating func checkUse(of plan: SwiftPlan) {
    guard !family.containers.isEmpty, !family.containers.contains(where: { $0.plan != nil }) else {
      return
    }
    report(
      .planNotUsed,
      .warning,
      "no container names the plan \(plan.name)",
      advice: "pass migrationPlan: \(plan.name).self to ModelContainer",
      at: family.containers.first?.place
    )
  }

  private mutating func checkRisk(of plan: SwiftPlan) {
    let versions = plan.versions.compactMap { name in
      family.version(named: name).map { VersionedSchema(name: name, model: $0.model) }
    }
    guard plan.isWhole, versions.count > 2, plan.stages.allSatisfy(\.isLightweight),
      let risk = StagePlanRisk(versions)
    else { return }
    report(
      .lightweightPlan,
      .warning,
      "\(risk)",
      advice: "test the way from the first version, or make one stage between them custom",
      at: plan.place
    )
  }
}

extension MappingModel {
  /// Returns the obstacles to a lightweight migration that do not depend on an assumption about a
  /// property's storage.
  func obstacles(apartFrom assumed: [String: String]) -> [MigrationObstacle] {
    obstacles.filter { !$0.rests(on: assumed) }
  }

  /// The SwiftData attributes (`Trip.place`) whose struct has other fields than in the old model.
  ///
  /// Apple documents no migration of such attributes, and adding a field is reported to fail (error
  /// 134110).
  var changedStructs: [String] {
    guard map == nil, destination.isSwiftData else { return [] }
    var seen: Set<String> = []
    return entities.flatMap { entity in
      entity.attributes.compactMap { attribute -> String? in
        let name = attribute.destination.name
        guard let former = attribute.source, former.type == attribute.destination.type,
          former.fields != attribute.destination.fields
        else { return nil }
        // Name the entity that declares the attribute, because its sub-entities inherit the
        // attribute.
        let declarer = destination.entity(named: entity.destination)
          .flatMap { destination.declarer(of: name, in: $0)?.name }
        return "\(declarer ?? entity.destination).\(name)"
      }
    }.filter { seen.insert($0).inserted }
  }

  /// The required relationships (`Trip.owner`) that existing objects may lack.
  var emptyRequired: [String] {
    gaps.compactMap { gap -> String? in
      guard case .requiredRelationship(let entity, let name) = gap else { return nil }
      return "\(entity).\(name)"
    }
  }
}

extension MigrationObstacle {
  /// Whether the obstacle depends on an assumption about a property's storage.
  func rests(on assumed: [String: String]) -> Bool {
    property.map { assumed[$0] != nil } ?? false
  }

  /// The property that causes the obstacle, such as `Trip.kind`.
  var property: String? {
    switch self {
    case .retyped(let entity, let name, _, _), .requiredWithoutDefault(let entity, let name),
      .toManyMadeToOne(let entity, let name), .retargeted(let entity, let name, _, _),
      .externalStorageGivenUp(let entity, let name), .notEvaluated(let entity, let name, _):
      "\(entity).\(name)"
    case .hierarchiesMerged, .ambiguous: nil
    }
  }
}
