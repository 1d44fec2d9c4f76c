import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// A migration stage in which the app's own code transforms every value of one attribute.
struct CustomStage: Hashable, Sendable {
  let entity: String
  let attribute: Attribute
  /// A variable, so that tests can set a wrong transformation that verification must detect.
  var transformation: ValueTransformation
  let destinationEntity: String
  let destinationAttribute: String

  /// Finds the attribute that the parameters name in the destination model.
  ///
  /// - Throws: ``Refusal`` if the transformation cannot be applied to it.
  init(_ parameters: MigrationParameters, mapping: MappingModel) throws {
    let entity = mapping.mapping(to: parameters.entity)
    guard let source = entity?.source,
      let found = entity?.attributes.first(where: {
        $0.destination.name == parameters.attribute
      }), let former = found.source,
      let fitting = parameters.transformation.resolved(for: found.destination)
    else {
      throw parameters.noAttribute
    }
    let isBefore = parameters.hook == .willMigrate
    self.entity = isBefore ? source : parameters.entity
    attribute = isBefore ? former : found.destination
    transformation = fitting
    destinationEntity = parameters.entity
    destinationAttribute = parameters.attribute
  }

  /// Transforms the objects' values in a context, and saves each batch together with the progress.
  ///
  /// A repeated launch continues after the last saved key. The last save also sets the given
  /// metadata entries.
  func transformObjects(
    _ context: ObjectContext,
    _ saves: SavePolicy,
    after progress: StageProgress,
    setting last: [String: PropertyList?]
  ) throws {
    let size = saves.fetchBatchSize
    try context.forEachPage(of: entity, after: progress.key, size: size) { keys in
      try transform(context.load(entity, keys), context)
      // Leave the last, incomplete page to the save after the loop.
      guard saves.isBatched, keys.count == size, let key = keys.last else { return }
      context.metadataChanges = StageProgress.through(key).entry
      try context.save()
    }
    context.metadataChanges = last
    try context.save()
  }

  private func transform(_ objects: [ManagedObject], _ context: ObjectContext) throws {
    let slotEntity = try context.description(of: entity)
    let ownSlot = try slotEntity.slot(of: attribute.name)
    for object in objects {
      let slot =
        object.description === slotEntity
        ? ownSlot : try object.description.slot(of: attribute.name)
      let value = try object.value(at: slot)
      try object.setValue(transformation(value, of: attribute.type), at: slot)
    }
  }
}

extension MigrationParameters {
  var noAttribute: Refusal {
    let transformation = "the transformation '\(transformation.rawValue)'"
    return Refusal(
      .badInput,
      entity.isEmpty && attribute.isEmpty
        ? "\(transformation) cannot be applied to any attribute that is in both models"
        : "'\(entity)' has no attribute '\(attribute)' to which \(transformation) can be applied; "
          + "name an attribute that is in both models"
    )
  }
}

/// Chooses the attribute that a custom stage transforms, from the attributes that exist in both
/// models.
struct CustomStageFit {
  let parameters: MigrationParameters
  let mapping: MappingModel
  let store: StoreOffer

  /// Checks the entity and attribute that the case names in the destination model, or chooses them.
  ///
  /// The default entity is the one with the most objects. The default attribute is the entity's
  /// first attribute that can be transformed, preferably a required attribute.
  func choose(_ fit: inout CaseFit) {
    guard parameters.entity.isEmpty || mapping.mapping(to: parameters.entity)?.source != nil else {
      let known = mapping.entities.filter { $0.source != nil }.map(\.destination)
      fit.reject(
        parameters.$entity,
        "both models must have an entity '\(parameters.entity)'"
          + nameHint(parameters.entity, among: known)
      )
      return
    }
    guard let (entity, attribute) = candidates.first else {
      let reason = "\(parameters.noAttribute)"
      if parameters.attribute.isEmpty {
        fit.ruleOut(reason)
      } else {
        fit.reject(parameters.$attribute, reason)
      }
      return
    }
    guard parameters.entity.isEmpty || parameters.attribute.isEmpty else { return }
    let reason = "the stage transforms '\(entity).\(attribute)'"
    fit.choose(parameters.$entity, entity, because: reason)
    fit.choose(parameters.$attribute, attribute, because: reason)
  }

  private var candidates: [(entity: String, attribute: String)] {
    let entities = mapping.entities.filter { entity in
      parameters.entity.isEmpty || entity.destination == parameters.entity
    }.map { (mapping: $0, count: $0.source.map(store.ownCount) ?? 0) }
    // Compare the offsets too, so that entities with the same number of objects keep their order.
    let sorted = entities.enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }.map(\.element.mapping)
    let found = sorted.flatMap { entity in
      entity.attributes.filter { fits($0, of: entity) }.map { (entity.destination, $0.destination) }
    }
    return (found.filter { !$0.1.isOptional } + found.filter(\.1.isOptional)).map {
      ($0.0, $0.1.name)
    }
  }

  /// Whether the attribute can be transformed and has the name that the case gives; if the case
  /// gives no name, the attribute must be neither derived nor unique.
  private func fits(_ found: AttributeMapping, of entity: EntityMapping) -> Bool {
    guard entity.source != nil, let former = found.source, !former.isTransient,
      !found.destination.isTransient,
      parameters.transformation.resolved(for: found.destination) != nil
    else { return false }
    guard parameters.attribute.isEmpty else {
      return found.destination.name == parameters.attribute
    }
    return found.destination.derivation == nil && !isUnique(found.destination.name, in: entity)
  }

  private func isUnique(_ attribute: String, in entity: EntityMapping) -> Bool {
    let described = mapping.destination.entity(named: entity.destination)
    return described.map { entity in
      mapping.destination.lineage(of: entity).flatMap(\.uniquenessConstraints).joined()
        .contains(attribute)
    } ?? false
  }
}

/// Fills a new attribute from an old attribute that is kept, while the app reads both.
///
/// CloudKit's schema only grows: nothing is renamed, changed in type or dropped.
struct Backfill {
  /// The number of objects that a screen reads between two batches.
  static let screen = 20

  let entity: String
  let old: Attribute
  let new: Attribute
  /// A variable, so that tests can set a wrong transformation that verification must detect.
  var transformation: ValueTransformation

  /// Finds the attributes that the parameters name, or chooses suitable attributes.
  ///
  /// - Throws: ``Refusal`` if the new model does more than add, or if no attribute can be filled.
  init(_ parameters: MigrationParameters, mapping: MappingModel) throws {
    let others = mapping.changes.filter { !$0.isAddition }
    guard others.isEmpty else {
      throw Refusal(
        .badInput,
        "an additive migration may only add, but the new model also changes existing elements: "
          + others.prefix(3).map(\.description).joined(separator: "; ")
      )
    }
    for found in mapping.entities {
      guard found.source != nil,
        parameters.entity.isEmpty || found.destination == parameters.entity,
        let new = found.attributes.first(where: {
          $0.source == nil
            && (parameters.attribute.isEmpty || $0.destination.name == parameters.attribute)
        })?.destination,
        let old = found.attributes.first(where: {
          $0.source != nil && $0.destination.type == new.type
            && (parameters.beside.isEmpty || $0.destination.name == parameters.beside)
        })?.destination,
        let fitting = parameters.transformation.resolved(for: new)
      else { continue }
      (entity, self.old, self.new, transformation) = (found.destination, old, new, fitting)
      return
    }
    throw parameters.noAttribute
  }

  /// Fills the attribute in batches.
  ///
  /// Between two batches, it reads a screen of objects, taking each value from the new attribute
  /// or, if that is not filled yet, from the old one.
  func run(on store: PersistentStore, _ parameters: MigrationParameters, _ recorder: Recorder)
    throws
  {
    let context = try ObjectContext(store: store)
    defer { recorder.count(context) }
    var filled: ArraySlice<Int64> = []
    try context.forEachPage(of: entity, size: parameters.batchSize) { batch in
      try fill(batch, context)
      try context.save()
      context.reset()
      let half = Self.screen / 2
      filled = (filled + batch).suffix(half)
      let unfilled = try context.keys(of: entity, after: filled.last ?? .min, limit: half)
      try readScreen(filled + unfilled, context, recorder)
    }
  }

  private func fill(_ keys: [Int64], _ context: ObjectContext) throws {
    for object in try context.load(entity, keys)
    where try object.value(of: new.name) == new.defaultValue {
      let value = try transformation(object.value(of: old.name), of: old.type)
      if value != .null { try object.setValue(value, of: new.name) }
    }
  }

  private func readScreen(
    _ keys: ArraySlice<Int64>,
    _ context: ObjectContext,
    _ recorder: Recorder
  ) throws {
    var isNew = 0
    for object in try context.load(entity, Array(keys)) {
      if try object.value(of: new.name) != new.defaultValue {
        isNew += 1
      } else {
        _ = try transformation(object.value(of: old.name), of: old.type)
      }
    }
    recorder.count(.migration.newReads, isNew)
    recorder.count(.migration.oldReads, keys.count - isNew)
    context.reset()
  }
}

extension ModelChange {
  /// Whether the change only adds to the model, so that stores keep all of their data.
  fileprivate var isAddition: Bool {
    switch self {
    case .entityAdded, .attributeAdded, .relationshipAdded, .indexAdded: true
    default: false
    }
  }
}
