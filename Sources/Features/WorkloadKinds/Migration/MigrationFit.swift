import Basics
import DataModel
import PersistentStore
import Runner

extension MigrationWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    var parameters = MigrationParameters(fit.values)
    if parameters.to.isEmpty {
      chooseVersion(&fit, parameters, store)
      parameters = MigrationParameters(fit.values)
    }
    guard !parameters.to.isEmpty else { return }
    if parameters.strategy == .staged {
      choosePlan(&fit, parameters)
      parameters = MigrationParameters(fit.values)
    }
    let models = FittingModels(
      store: store,
      models: fit.models,
      allowsLosses: parameters.dropped == .allowed
    )
    var (base, between, target): (Model, [Model], Model?) = (store.model, [], nil)
    fit.look(parameters.$from) {
      if !parameters.from.isEmpty { base = try models.model(at: parameters.from, from: base) }
    }
    fit.look(parameters.$via) {
      between = try parameters.via.map { try models.model(at: $0, from: base) }
    }
    fit.look(parameters.$to) {
      target = try models.model(at: parameters.to, from: base, isMapped: parameters.isMapped)
    }
    guard fit.misfits.isEmpty, let target else { return }
    var mapping = MappingModel(from: base, to: target)
    if parameters.isMapped || parameters.strategy == .mappingModel {
      let files = fit.models
      fit.look(parameters.isMapped ? parameters.$map : parameters.$strategy) {
        mapping = try parameters.mapping(from: base, to: target, files)
      }
    }
    guard fit.misfits.isEmpty else { return }
    for remark in mapping.map?.remarks ?? [] { fit.note(remark) }
    if parameters.isInPlace, mapping.map != nil {
      let blockers = mapping.renamingBlockers
      if !blockers.isEmpty {
        fit.ruleOut(
          "a lightweight migration cannot make these changes: \(firstFew(blockers)); use the "
            + "strategy 'sideBySide'"
        )
      }
    }
    let direct = mapping
    do {
      mapping = try follow(&fit, parameters, direct, through: between)
    } catch {
      return fit.ruleOut("\(error)")
    }
    let before = base == store.model ? [] : [MappingModel(from: store.model, to: base)]
    checkDropped(&fit, parameters, before + [mapping], direct: direct, store)
    if parameters.isInPlace, mapping.map != nil {
      mapping = MappingModel(from: base, to: mapping.renamedDestination)
    }
    if parameters.isInPlace { checkInferred(&fit, parameters, mapping, through: between) }
    checkDuplicates(&fit, parameters, mapping)
    checkAbstract(&fit, mapping, store)
    switch parameters.strategy {
    case .customStage:
      CustomStageFit(parameters: parameters, mapping: mapping, store: store).choose(&fit)
    case .additive: checkBackfill(&fit, parameters, mapping)
    case .sideBySide, .exportImport, .gradual, .mappingModel:
      checkCopy(&fit, parameters, mapping, store)
    case .lightweight, .onCopy, .staged: break
    }
    fit.works(on: "the store", objects: store.objectCount)
  }

  private static func chooseVersion(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ store: StoreOffer
  ) {
    guard let largest = store.largestEntity else {
      fit.ruleOut("the store has no objects: there is nothing to migrate")
      return
    }
    fit.choose(
      parameters.$to,
      AdditiveVersion.prefix + largest.name,
      because: "to the store's own model with one additional optional attribute of "
        + "'\(largest.name)', the entity with most objects; for a different model set 'to'"
    )
  }

  /// Takes the versions that the app knows from the migration plan in the new model's source.
  ///
  /// The app's own code in a custom stage is not run. Only the lightweight migration between the
  /// stage's two hooks is run, as in the app.
  private static func choosePlan(_ fit: inout CaseFit, _ parameters: MigrationParameters) {
    let source = ModelSource.parts(of: fit.models.path(of: parameters.to))
    let file = String(parameters.to.dropLast(source.version.map { $0.count + 1 } ?? 0))
    guard parameters.via.isEmpty, let family = try? fit.models.family(at: file),
      let stages = family.stages,
      let last = source.version ?? family.current ?? family.versions.last?.name
    else { return fit.note(StagePlanRisk.sentence) }
    let names = family.versions.map(\.name)
    let known = Array(names.prefix { $0 != last })
    guard !known.isEmpty, known.count < names.count else { return }
    let steps = zip(known, names.dropFirst()).map { from, to in
      (from: from, to: to, stage: stages.first { $0.from == from && $0.to == to })
    }
    if let gap = steps.first(where: { $0.stage == nil }) {
      return fit.ruleOut(
        "the plan in '\(file)' has no stage from '\(gap.from)' to '\(gap.to)': add one"
      )
    }
    let custom = steps.filter { $0.stage?.isCustom == true }.map { "'\($0.from)' to '\($0.to)'" }
    if custom.isEmpty { fit.note(StagePlanRisk.sentence) }
    fit.choose(
      parameters.$via,
      known.map { "\(file)#\($0)" },
      because:
        "along the plan in '\(file)': \(([known[0]] + steps.map(\.to)).joined(separator: ", "))"
        + (custom.isEmpty
          ? "; every stage is lightweight"
          : "; custom from \(custom.joined(separator: ", from ")): the app's code there is not run, "
            + "only the lightweight migration between its hooks")
    )
  }

  private static func checkDuplicates(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mapping: MappingModel
  ) {
    guard parameters.duplicates != .ignored else { return }
    fit.require {
      let constraints = try UniqueConstraint.added(by: mapping, parameters)
      if constraints.isEmpty, parameters.duplicates != .removed {
        throw parameters.nothingToMerge
      }
    }
  }
}

extension MigrationWorkload {
  private static func checkBackfill(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mapping: MappingModel
  ) {
    do {
      _ = try Backfill(parameters, mapping: mapping)
    } catch let error as Refusal where error == parameters.noAttribute {
      let named = [
        (parameters.$entity, parameters.entity), (parameters.$attribute, parameters.attribute),
        (parameters.$beside, parameters.beside),
      ].filter { !$0.1.isEmpty }
      for (parameter, _) in named { fit.reject(parameter, "\(error)") }
      if named.isEmpty { fit.ruleOut("\(error)") }
    } catch {
      fit.ruleOut("\(error)")
    }
  }

  private static func checkCopy(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mapping: MappingModel,
    _ store: StoreOffer
  ) {
    checkCarried(&fit, parameters, mapping)
    checkNewLinks(&fit, mapping, store)
    checkShared(&fit, parameters, mapping, store)
    guard parameters.engine == .objectGraph else { return }
    if parameters.batchSize > 0, parameters.strategy != .mappingModel {
      checkRequiredLinks(&fit, mapping, store)
    }
    // An object context keeps both sides of a relationship consistent, so it cannot copy an
    // inconsistent relationship from the old store.
    let differing = store.oneSided.sorted().first { name in
      mapping.entities.contains { entity in
        guard let source = entity.source else { return false }
        return entity.relationships.contains { relationship in
          mapping.destination.inverse(of: relationship.destination) != nil
            && relationship.source.map { "\(source).\($0.name)" } == name
        }
      }
    }
    if let differing {
      fit.ruleOut(
        "in this store the two sides of the one-to-one '\(differing)' are inconsistent; the object "
          + "context would repair them, so use the engine 'bareSQL'"
      )
    }
  }

  /// Rules out models in which an entity that has objects of its own becomes abstract.
  ///
  /// It is unknown what Core Data does with those objects.
  private static func checkAbstract(
    _ fit: inout CaseFit,
    _ mapping: MappingModel,
    _ store: StoreOffer
  ) {
    for (entity, name) in mapping.filled(in: store) where mapping.makesAbstract(entity) {
      fit.ruleOut(
        "\(Figures.counted(store.ownCount(of: name), "object")) of '\(name)' would lose their entity, "
          + "because it becomes abstract: make them objects of a sub-entity first"
      )
    }
  }

  /// Rules out copies that lack a required object, because a new object cannot be saved without it.
  private static func checkNewLinks(
    _ fit: inout CaseFit,
    _ mapping: MappingModel,
    _ store: StoreOffer
  ) {
    for (entity, _) in mapping.filled(in: store) {
      let missing = entity.relationships.first {
        !$0.destination.isOptional && !$0.destination.isTransient && !$0.destination.isToMany
          && $0.source == nil && $0.expression == nil
          && mapping.formerInverse(of: $0) == nil
      }
      guard let missing else { continue }
      fit.ruleOut(
        "copies of \(entity.destination) have no object for the required relationship "
          + "'\(missing.destination.name)': set it by a map, make it optional, or migrate in place, "
          + "which leaves it empty"
      )
    }
  }

  /// Rules out required relationships if a strategy saves objects before it sets their
  /// relationships.
  private static func checkRequiredLinks(
    _ fit: inout CaseFit,
    _ mapping: MappingModel,
    _ store: StoreOffer
  ) {
    for (entity, _) in mapping.filled(in: store) {
      let required = entity.relationships.first {
        // Skip to-many relationships: even a required one, such as an array in SwiftData, may be
        // empty.
        !$0.destination.isOptional && !$0.destination.isTransient && !$0.destination.isToMany
      }
      guard let required else { continue }
      fit.ruleOut(
        "copies are saved before their relationships are set, and "
          + "'\(entity.destination).\(required.destination.name)' is required: use 'batchSize: 0' with "
          + "'sideBySide' or 'exportImport'"
      )
    }
  }
}

private struct FittingModels {
  let store: StoreOffer
  let models: ModelFiles
  /// Whether a version may lack the entity with the most objects, because the case may drop
  /// objects.
  let allowsLosses: Bool

  /// Reads the model at a path.
  ///
  /// If there is a map, the entities may have other names in the model.
  func model(at path: String, from base: Model, isMapped: Bool = false) throws -> Model {
    if let version = try AdditiveVersion(path, of: base) { return version.model }
    let model = try VersionPlan.Version(path, in: models.family(at: path)).model
    let mapping = MappingModel(from: store.model, to: model)
    guard !isMapped, let largest = store.largestEntity,
      mapping.mapping(from: largest.name) == nil
    else { return model }
    guard !mapping.filled(in: store).isEmpty else {
      throw Refusal(
        .badInput,
        "'\(path)' is not a version of the store's model: it has none of the store's entities with "
          + "objects, such as '\(largest.name)'"
      )
    }
    guard allowsLosses else {
      throw Refusal(
        .badInput,
        "'\(path)' has no '\(largest.name)', the entity with most objects: if it was renamed, set "
          + "its former name as the renaming identifier; if it was removed, allow the loss with "
          + "'dropped: allowed'"
      )
    }
    return model
  }
}

extension MigrationWorkload {
  /// Rules out losing data of a user's own store unless the case allows it.
  static func checkDropped(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mappings: [MappingModel],
    direct: MappingModel,
    _ store: StoreOffer
  ) {
    var allowed: String?
    fit.require {
      let losses = try mappings.map(store.dropped)
      guard let dropped = losses.first(where: { !$0.isEmpty }) else { return }
      guard parameters.dropped == .allowed else {
        let anyway = Set(try store.dropped(by: direct).map(\.name))
        let onTheWay = dropped.filter { !anyway.contains($0.name) }
        if direct.source == mappings.last?.source, mappings.last != direct, !onTheWay.isEmpty {
          throw Refusal(
            .badInput,
            "an intermediate version has no place for \(onTheWay.words), which the direct step keeps; "
              + "use the direct step, leave this version out, or allow the loss with 'dropped: allowed'"
          )
        }
        let reason =
          dropped.allSatisfy { $0.conversion != nil }
          ? "the map loses \(dropped.words); correct them, or use another conversion"
          : "the model '\(parameters.to)' has no place for \(dropped.words); if a property was "
            + "renamed, set its former name as the renaming identifier"
        throw Refusal(.badInput, reason + "; or allow the loss with 'dropped: allowed'")
      }
      allowed = dropped.words
    }
    if let allowed { fit.note("dropped as allowed: \(allowed)") }
  }

  /// Rules out relationships that become one-to-one if several objects share a target, because a
  /// copy keeps only one of their links.
  private static func checkShared(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mapping: MappingModel,
    _ store: StoreOffer
  ) {
    var allowed: [String] = []
    fit.require {
      let shared = try store.shared(by: mapping).sorted {
        ($0.key.entity, $0.key.relationship.name) < ($1.key.entity, $1.key.relationship.name)
      }
      guard let (first, count) = shared.first else { return }
      guard parameters.dropped == .allowed else {
        throw Refusal(
          .badInput,
          "\(Figures.counted(count, "object")) of \(first.entity) have the same "
            + "'\(first.relationship.name)' as a later object, but the relationship becomes one-to-one: "
            + "a copy keeps only the last object's link; keep the inverse to-many, migrate in place, or "
            + "allow the loss with 'dropped: allowed'"
        )
      }
      allowed = shared.map { "\($0.value) links of \($0.key.entity).\($0.key.relationship.name)" }
    }
    if !allowed.isEmpty { fit.note("dropped as allowed: \(allowed.joined(separator: ", "))") }
  }

  /// Rules out copies that would lose values because the attribute's type changes, or relationships
  /// because their destination changes.
  static func checkCarried(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mapping: MappingModel
  ) {
    let lost = mapping.obstacles.filter { parameters.engine != .objectGraph || $0.stopsCopies }
    if !lost.isEmpty {
      fit.ruleOut("copies would lose data: " + lost.map(\.description).joined(separator: "; "))
    }
  }

  /// Rules out in-place migration steps for which Core Data cannot infer a mapping.
  static func checkInferred(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mapping: MappingModel,
    through between: [Model]
  ) {
    let plan = VersionPlan(
      versions: ((parameters.goesThroughVersions ? between : []) + [mapping.destination]).map {
        VersionPlan.Version(name: "", model: $0)
      }
    )
    fit.require {
      do {
        _ = try MigrationRoute(
          from: StoreLayout(model: mapping.source, keepsHistory: false),
          through: plan.versions(after: mapping.source),
          shape: parameters.shape
        )
      } catch MigrationError.notLightweight(let obstacles) {
        let converted = try MappingModel(
          from: mapping.source,
          to: mapping.destination,
          by: MigrationMap(entities: [])
        )
        let remedy =
          converted.obstacles.isEmpty
          ? "the strategy 'mappingModel' converts the values"
          : "the strategies 'mappingModel' and 'sideBySide' can convert it: name an .xcmappingmodel or "
            + "a map in 'map'"
        throw Refusal(.badInput, "\(MigrationError.notLightweight(obstacles)); \(remedy)")
      }
    }
  }

  /// The mapping of all steps through the named versions.
  ///
  /// If a direct step has a different result, the case gets a note and another end state, so that
  /// it is not compared with the direct step.
  private static func follow(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ direct: MappingModel,
    through between: [Model]
  ) throws -> MappingModel {
    guard parameters.goesThroughVersions else { return direct }
    let plan = VersionPlan(
      versions: (between + [direct.destination]).map { VersionPlan.Version(name: "", model: $0) }
    )
    let way = VersionWay(
      from: direct.source,
      through: parameters.strategy == .staged ? plan.versions(after: direct.source) : plan.versions
    )
    if let note = way.note {
      fit.note(note)
      fit.endsApart("through \(parameters.via.joined(separator: ", "))")
    }
    return try way.mapping(direct)
  }
}

extension MappingModel {
  fileprivate func filled(in store: StoreOffer) -> [(EntityMapping, source: String)] {
    entities.compactMap { entity in
      entity.source.flatMap { store.ownCount(of: $0) > 0 ? (entity, $0) : nil }
    }
  }
}

extension MigrationParameters {
  var nothingToMerge: Refusal {
    Refusal(
      .badInput,
      "the model '\(to)' adds no unique constraint; set 'duplicates' to 'ignored'"
    )
  }
}

extension [DroppedColumn] {
  /// The first five dropped items, each with its number of objects, values or links, and the number
  /// of other items.
  fileprivate var words: String {
    let first = prefix(5).map { dropped in
      let noun =
        switch dropped.kind {
        case .objects: "object"
        case .attribute: "value"
        case .relationship: "link"
        }
      return "\(Figures.counted(dropped.count ?? 0, noun)) of \(dropped.name)"
        + (dropped.conversion.map { " that '\($0)' cannot convert" } ?? "")
    }
    return first.joined(separator: ", ") + (count > 5 ? ", and \(count - 5) more" : "")
  }
}
