import DataModel
import GRDBEngine
import Measurement
import PersistentStore
import Runner

/// Brings a store from its model to another one.
package struct MigrationWorkload: Workload {
  package static let kind = "migration"
  package static let summary = "brings a store to another model, by several strategies"

  let parameters: MigrationParameters

  package init(_ parameters: MigrationParameters) {
    self.parameters = parameters
  }

  package var onlyReads: Bool { false }

  package var expectedFailure: String? {
    parameters.duplicates == .failing ? "UNIQUE constraint" : nil
  }

  package var endState: String {
    if parameters.rollsBack || parameters.duplicates == .failing { return "as it was" }
    var parts = ["migrated to \(parameters.to)"]
    if !parameters.from.isEmpty { parts.append("from \(parameters.from)") }
    if parameters.isMapped {
      parts.append("by \(parameters.map)")
      if parameters.appCode == .omitted { parts.append("without the app's code") }
    }
    switch parameters.duplicates {
    case .merged: parts.append(parameters.mergeWords)
    case .removed: parts.append("without duplicates")
    case .upserted: parts.append("merged in silence")
    case .ignored, .failing: break
    }
    if parameters.strategy == .additive {
      parts.append(
        "\(parameters.transformation.rawValue) \(parameters.beside) kept beside "
          + parameters.attribute
      )
    }
    if parameters.leavesNewStore {
      if parameters.onNil != .fail { parts.append("\(parameters.onNil.rawValue) for nil") }
    }
    if parameters.strategy == .staged {
      let known = parameters.wrapper ? ["the wrapper"] : []
      parts.append("known: \((known + parameters.via).joined(separator: ", "))")
    }
    if parameters.strategy == .customStage {
      let place =
        parameters.attribute.isEmpty ? "" : " \(parameters.entity).\(parameters.attribute)"
      parts.append("\(parameters.transformation.rawValue)\(place) at \(parameters.hook.rawValue)")
    }
    return parts.joined(separator: ", ")
  }

  package var behaviours: [Behaviour] {
    var behaviours: [Behaviour] = []
    if !parameters.leavesNewStore {
      behaviours.append(
        Behaviour(
          name: "lightweightMigration",
          value: parameters.shape.rawValue,
          evidence: .assumed
        )
      )
    }
    if parameters.usesEngine, parameters.engine == .objectGraph {
      let fault = StoreBehaviours().toManyFault.rawValue
      behaviours.append(Behaviour(name: "toManyFault", value: fault, evidence: .log))
      behaviours.append(Behaviour(name: "saveStatements", value: "logged", evidence: .log))
    }
    return behaviours
  }

  package var notes: [String] {
    guard parameters.usesEngine, parameters.engine != .objectGraph else { return [] }
    let notes = ["\(parameters.engine.rawValue): no history is written"]
    return parameters.engine == .grdb ? notes + ["grdb: its own connection is not counted"] : notes
  }

  package var diskFactor: Double {
    let copies =
      (parameters.backup == .none ? 3 : 4) + (parameters.strategy == .exportImport ? 1 : 0)
    return Double(copies) * startingFactor
  }

  package var batchSize: Int? {
    let irrelevant = parameters.irrelevant
    let isOneSave = parameters.saves == .one && !irrelevant.contains(parameters.$saves)
    return isOneSave || irrelevant.contains(parameters.$batchSize) ? nil : parameters.batchSize
  }

  // MARK: The starting store

  package var startingStore: String? {
    var parts: [String] = []
    if !parameters.from.isEmpty { parts.append("at \(parameters.from)") }
    if parameters.duplicates == .removed { parts.append("without what breaks \(parameters.to)") }
    if parameters.strategy == .staged { parts.append("of no version") }
    if parameters.archives {
      parts.append("with archives in \(parameters.entity).\(parameters.attribute)")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  package func makeStartingStore(_ trial: Trial) throws {
    try StartingStore(parameters: parameters, trial: trial).make()
  }

  // MARK: The trial

  package func prepare(_ trial: Trial) throws -> MigrationSession {
    try MigrationSession(trial, parameters)
  }

  package func run(_ session: MigrationSession, _ recorder: Recorder) throws {
    try MigrationRun(session: session, recorder: recorder).run()
  }

  package func verify(
    _ session: MigrationSession,
    _ trial: Trial,
    failure: (any Error)?
  ) throws -> Verification {
    let isAsBefore = failure != nil || parameters.rollsBack || session.refusal != nil
    return isAsBefore
      ? try UntouchedStore(session: session, trial: trial).verify()
      : try MigratedStore(session: session, trial: trial).verify()
  }
}

extension MigrationWorkload {
  package static var fitsStores: Bool { true }

  package static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    var parameters = MigrationParameters(fit.values)
    if parameters.to.isEmpty {
      chooseVersion(&fit, parameters, store)
      parameters = MigrationParameters(fit.values)
    }
    guard !parameters.to.isEmpty else { return }
    let models = FittingModels(store, fit.models)
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
      if !blockers.isEmpty { fit.ruleOut("\(MigrationCaseError.notRenamed(blockers))") }
    }
    let first = MappingModel(from: store.model, to: base)
    checkDropped(&fit, parameters, base == store.model ? [mapping] : [first, mapping], store)
    if parameters.isInPlace, mapping.map != nil {
      mapping = MappingModel(from: base, to: mapping.renamedDestination)
    }
    if parameters.isInPlace { checkInferred(&fit, parameters, mapping, through: between) }
    if parameters.path == .chain { checkChain(&fit, mapping, through: between) }
    checkDuplicates(&fit, parameters, mapping)
    switch parameters.strategy {
    case .customStage:
      CustomStageFit(parameters: parameters, mapping: mapping, store: store).choose(&fit)
    case .additive: checkBackfill(&fit, parameters, mapping)
    case .sideBySide, .exportImport, .gradual, .mappingModel:
      checkCopy(&fit, parameters, mapping, store)
    case .lightweight, .staged: break
    }
    fit.works(on: "the store", objects: store.objectCount)
  }

  private static func chooseVersion(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ store: StoreOffer
  ) {
    guard let largest = store.largestEntity else {
      fit.ruleOut("no entity has an object: there is nothing to migrate")
      return
    }
    fit.choose(
      parameters.$to,
      AdditiveVersion.prefix + largest.name,
      because: "to the store's own model with one optional attribute more on '\(largest.name)', "
        + "the entity with most objects: name another model in 'to'"
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
        throw MigrationCaseError.nothingToMerge(to: parameters.to)
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
    } catch MigrationCaseError.noAttribute(let entity, let attribute, let transformation) {
      let error = MigrationCaseError.noAttribute(
        entity: entity,
        attribute: attribute,
        transformation: transformation
      )
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
    guard parameters.engine == .objectGraph else { return }
    if parameters.saves == .batches, parameters.strategy != .mappingModel {
      checkRequiredLinks(&fit, mapping, store)
    }
    // An object graph keeps both sides in step: what differs in the old store cannot be copied.
    let differing = store.oneSided.sorted().first { name in
      mapping.entities.contains { entity in
        entity.relationships.contains { relationship in
          mapping.destination.inverse(of: relationship.destination) != nil
            && relationship.source.map { "\(entity.source ?? "").\($0.name)" } == name
        }
      }
    }
    if let differing {
      fit.ruleOut("\(MigrationCaseError.oneSided(relationship: differing))")
    }
  }

  /// Objects that are saved before they are led anywhere must not have to lead somewhere.
  private static func checkRequiredLinks(
    _ fit: inout CaseFit,
    _ mapping: MappingModel,
    _ store: StoreOffer
  ) {
    for entity in mapping.entities {
      let required = entity.relationships.first {
        // A to-many, such as an array of SwiftData's, may be empty.
        !$0.destination.isOptional && !$0.destination.isTransient && !$0.destination.isToMany
      }
      guard let required, let source = entity.source, store.ownCount(of: source) > 0 else {
        continue
      }
      let error = MigrationCaseError.requiredLink(
        entity: entity.destination,
        relationship: required.destination.name
      )
      fit.ruleOut("\(error)")
    }
  }
}

/// Reads the models that a case names, and checks that they are versions of the store's.
private struct FittingModels {
  let store: StoreOffer
  let models: ModelFiles

  init(_ store: StoreOffer, _ models: ModelFiles) {
    self.store = store
    self.models = models
  }

  /// A map may lead to a model with other names.
  func model(at path: String, from base: Model, isMapped: Bool = false) throws -> Model {
    if let version = try AdditiveVersion(path, of: base) { return version.model }
    let model = try VersionPlan.Version(path, in: models.family(at: path)).model
    guard !isMapped, let largest = store.largestEntity,
      MappingModel(from: store.model, to: model).mapping(from: largest.name) == nil
    else { return model }
    throw MigrationCaseError.otherModel(path: path, entity: largest.name)
  }
}

/// What a migration would lose, found before anything is touched.
extension MigrationWorkload {
  /// What a store of somebody's own holds goes only where that is asked for.
  static func checkDropped(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mappings: [MappingModel],
    _ store: StoreOffer
  ) {
    var allowed: String?
    fit.require {
      let losses = try mappings.map(store.dropped)
      guard let dropped = losses.first(where: { !$0.isEmpty }) else { return }
      guard parameters.dropped == .allowed else {
        throw MigrationCaseError.losesValues(to: parameters.to, dropped)
      }
      allowed = MigrationCaseError.words(dropped)
    }
    if let allowed { fit.note("dropped as allowed: \(allowed)") }
  }

  /// Copies carry neither values of another type nor relationships that lead elsewhere.
  static func checkCarried(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mapping: MappingModel
  ) {
    let lost = mapping.obstacles.filter { parameters.engine != .objectGraph || $0.stopsCopies }
    if !lost.isEmpty { fit.ruleOut("\(MigrationCaseError.notCarried(lost))") }
    if parameters.engine == .grdb {
      if mapping.map != nil { fit.ruleOut("\(MigrationCaseError.mapByRows)") }
      fit.require { try RowCopy(mapping).check() }
    }
  }

  /// Every step inside the store's file must be one that the frameworks infer.
  static func checkInferred(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mapping: MappingModel,
    through between: [Model]
  ) {
    let isChain = parameters.path == .chain || parameters.strategy == .staged
    let plan = VersionPlan(
      versions: ((isChain ? between : []) + [mapping.destination]).map {
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
        throw MigrationCaseError.notInferred(obstacles, isConverted: converted.obstacles.isEmpty)
      }
    }
  }

  /// A version on the way may drop what the direct step keeps.
  static func checkChain(_ fit: inout CaseFit, _ mapping: MappingModel, through between: [Model]) {
    fit.require {
      let versions = (between + [mapping.destination]).map {
        VersionPlan.Version(name: "", model: $0)
      }
      let source = StoreLayout(model: mapping.source, keepsHistory: false)
      try MigrationRoute(from: source, through: versions, shape: .inPlace).check(against: mapping)
    }
  }
}

extension RowCopy {
  /// Enough of a copy to see whether it can be made.
  fileprivate init(_ mapping: MappingModel) {
    self.init(
      mapping: mapping,
      source: StoreLayout(model: mapping.source, keepsHistory: false),
      destination: StoreLayout(model: mapping.destination, keepsHistory: false),
      batchSize: 0
    )
  }
}
