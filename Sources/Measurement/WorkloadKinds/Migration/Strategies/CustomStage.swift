import DataModel
import PersistentStore
import SQLite

/// A migration stage of an app's own code: every value of one attribute is transformed.
struct CustomStage: Hashable, Sendable {
  /// The attribute on the side of the migration where the stage runs.
  let entity: String
  let attribute: Attribute
  let transformation: ValueTransformation
  /// The attribute and its entity in the destination, wherever the stage runs.
  let destinationEntity: String
  let destinationAttribute: String

  /// Finds the attribute of the case's names, which are the destination's.
  ///
  /// - Throws: ``MigrationCaseError/noAttribute(entity:attribute:transformation:)``.
  init(_ parameters: MigrationParameters, mapping: MappingModel) throws {
    let entity = mapping.mapping(to: parameters.entity)
    guard let source = entity?.source,
      let found = entity?.attributes.first(where: {
        $0.destination.name == parameters.attribute
      }), let former = found.source,
      let fitting = parameters.transformation.resolved(for: found.destination)
    else {
      throw MigrationCaseError.noAttribute(
        entity: parameters.entity,
        attribute: parameters.attribute,
        transformation: parameters.transformation.rawValue
      )
    }
    let isBefore = parameters.hook == .willMigrate
    self.entity = isBefore ? source : parameters.entity
    attribute = isBefore ? former : found.destination
    transformation = fitting
    destinationEntity = parameters.entity
    destinationAttribute = parameters.attribute
  }

  /// Transforms the objects' values in a context, saved batch by batch with how far it has come.
  ///
  /// Goes on behind the keys that an earlier launch has come through; the last save sets entries of
  /// the metadata.
  func transformObjects(
    _ context: ObjectContext,
    _ saves: SavePolicy,
    after progress: StageProgress,
    setting last: [String: PropertyList?]
  ) throws {
    let size = saves.fetchBatchSize
    try context.forEachPage(of: entity, after: progress.key, size: size) { keys in
      let objects = try context.objects(entity, keys: keys, fetchBatchSize: keys.count)
      try transform(objects, context)
      // What a page that is not full has changed goes with the last save.
      guard saves.isBatched, keys.count == size, let key = keys.last else { return }
      context.metadataChanges = StageProgress.through(key).entry
      try context.save()
    }
    context.metadataChanges = last
    try context.save()
  }

  private func transform(_ objects: FetchedObjects, _ context: ObjectContext) throws {
    let slotEntity = try context.description(of: entity)
    let ownSlot = try slotEntity.slot(of: attribute.name)
    for index in 0..<objects.count {
      let object = try objects.object(at: index)
      let slot =
        object.description === slotEntity
        ? ownSlot : try object.description.slot(of: attribute.name)
      let value = try object.value(at: slot)
      try object.setValue(transformation(value, of: attribute.type), at: slot)
    }
  }

  /// Transforms the values in one statement.
  func transformSet(_ store: PersistentStore, setting entries: [String: PropertyList?]) throws {
    guard let described = store.model.entity(named: entity),
      let table = store.layout.table(of: entity),
      let column = store.layout.column(of: attribute.name, in: entity)?.name
    else { return }
    let numbers = store.model.family(of: described).compactMap { store.layout.numbers[$0.name] }
    let value = transformation.sql(column, of: attribute.type)
    let sql =
      "UPDATE \(table.name) SET \(column) = \(value), Z_OPT = Z_OPT + 1 WHERE Z_ENT IN "
      + "(\(numbers.map(String.init).joined(separator: ", "))) AND \(column) <> \(value)"
    try store.connection.transaction {
      try store.connection.execute(sql)
      try StoreMetadata.set(entries, on: store.connection)
    }
  }
}
