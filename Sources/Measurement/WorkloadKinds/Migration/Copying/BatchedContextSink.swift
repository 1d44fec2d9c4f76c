import DataModel
import PersistentStore

/// Writes copies through a context that is saved and emptied batch by batch.
///
/// Nothing in memory grows with the store: objects that were saved are forgotten, and read again
/// when their relationships are set; the identifier map is a file.
final class BatchedContextSink: ObjectSink {
  private let context: ObjectContext
  private let source: StoreLayout
  private let batchSize: Int
  private let unique: UniqueObjects?
  private let identifiers: IdentifierMap
  private var inserted: [(object: ManagedObject, table: String, key: Int64)] = []
  private var waiting: [CarriedLinks] = []

  init(
    context: ObjectContext,
    source: StoreLayout,
    batchSize: Int,
    unique: UniqueObjects?,
    identifiers: IdentifierMap
  ) {
    self.context = context
    self.unique = unique
    self.source = source
    self.batchSize = batchSize
    self.identifiers = identifiers
  }

  func insert(_ carried: CarriedObject) throws {
    let object = try unique?.upsert(carried) ?? context.insert(carried)
    inserted.append((object, source.table(of: carried.copy.source)?.name ?? "", carried.key))
    if inserted.count == batchSize { try finishObjects() }
  }

  func finishObjects() throws {
    try context.save()
    for (object, table, key) in inserted { try identifiers.note(object.id, of: key, in: table) }
    inserted.removeAll(keepingCapacity: true)
    unique?.didSave()
    context.reset()
  }

  func relate(_ links: CarriedLinks) throws {
    // A batch is read by one entity's keys.
    if let first = waiting.first, first.copy.destination != links.copy.destination { try flush() }
    waiting.append(links)
    if waiting.count == batchSize { try flush() }
  }

  func finish() throws { try flush() }

  private func flush() throws {
    guard let copy = waiting.first?.copy else { return }
    let table = source.table(of: copy.source)?.name ?? ""
    let keys = try waiting.map { try identity(table, $0.key).key }
    let objects = try context.objects(copy.destination, keys: keys, fetchBatchSize: keys.count)
    for (index, links) in waiting.enumerated() {
      let object = try objects.object(at: index)
      for (link, targets) in zip(copy.links, links.targets) {
        for target in targets { try relate(object, along: link, to: target) }
      }
    }
    try context.save()
    waiting.removeAll(keepingCapacity: true)
    context.reset()
  }

  private func relate(_ object: ManagedObject, along link: CopyPlan.Link, to key: Int64) throws {
    // Objects of dropped entities have no copy to lead to.
    guard let target = try identifiers.identity(of: key, in: link.targetTable) else { return }
    try object.lead(to: context.object(target), along: link.destination)
  }

  private func identity(_ table: String, _ key: Int64) throws -> ObjectID {
    guard let identity = try identifiers.identity(of: key, in: table) else {
      throw ObjectContextError.missingObject(entity: table, key: key)
    }
    return identity
  }
}

extension ObjectContext {
  /// Inserts the copy of an object, its new attributes at their defaults.
  func insert(_ carried: CarriedObject) throws -> ManagedObject {
    let object = try insert(carried.copy.destination)
    try object.fill(from: carried)
    return object
  }

  /// The object of an identity, as a fault where it is not in memory.
  func object(_ id: ObjectID) throws -> ManagedObject {
    guard let entity = layout.numbers.entity(id.entity) else {
      throw ObjectContextError.unknownEntity("number \(id.entity)")
    }
    return object(try description(of: entity.name), key: id.key)
  }
}

extension ManagedObject {
  /// Takes over the values of a copy.
  func fill(from carried: CarriedObject) throws {
    for (mapping, value) in zip(carried.copy.attributes, carried.values) {
      let attribute = mapping.destination
      let isMissing = value == .null && !attribute.isOptional
      try setValue(isMissing ? attribute.defaultValue : value, of: attribute.name)
    }
  }

  /// Adds a target to a relationship, to-one or to-many.
  func lead(to target: ManagedObject, along relationship: Relationship) throws {
    if relationship.isToMany {
      try add(target, to: relationship.name)
    } else {
      try setTarget(target, of: relationship.name)
    }
  }
}
