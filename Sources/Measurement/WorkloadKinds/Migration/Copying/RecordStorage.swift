import DataModel
import PersistentStore
import SQLite

/// Where an app keeps its records, whatever keeps them: the interface that guides put between an
/// app and its store, so that records can move from one storage to another while the app is used.
protocol RecordStorage {
  associatedtype Record

  /// The record with a value of an attribute that is unique.
  func find(_ entity: String, by attribute: String, _ value: Value) throws -> Record?
  func find(_ identifier: ObjectID) throws -> Record
  /// The records that have no value of an attribute, or all of an entity that nothing tells apart,
  /// in the order in which they were created.
  func anonymous(_ entity: String, without attribute: String?) throws -> [ObjectID]
  func create(_ entity: String) throws -> Record
  func update(_ record: Record, from carried: CarriedObject) throws
  func relate(_ record: Record, along relationship: Relationship, to other: Record) throws
  /// Makes what was changed since the last save durable.
  func save() throws
  /// What finds a record that was saved.
  func identifier(of record: Record) -> ObjectID
  /// Lets go of everything in memory.
  func forget()
}

/// Records as the objects of a context.
struct ContextStorage: RecordStorage {
  let context: ObjectContext

  func find(_ entity: String, by attribute: String, _ value: Value) throws -> ManagedObject? {
    let found = try context.fetch(
      FetchRequest(entity, predicate: .comparison(attribute, .equal, value), fetchLimit: 1)
    )
    return try found.count > 0 ? found.object(at: 0) : nil
  }

  func find(_ identifier: ObjectID) throws -> ManagedObject { try context.object(identifier) }

  func anonymous(_ entity: String, without attribute: String?) throws -> [ObjectID] {
    guard let table = context.layout.table(of: entity)?.name,
      let number = context.layout.numbers[entity]
    else { return [] }
    let column = attribute.flatMap { context.layout.column(of: $0, in: entity)?.name }
    let condition = column.map { " AND \($0) IS NULL" } ?? ""
    let rows = try context.connection.prepare(
      "SELECT Z_PK FROM \(table) WHERE Z_ENT = \(number)\(condition) ORDER BY Z_PK"
    )
    var found: [ObjectID] = []
    while try rows.step() { found.append(ObjectID(entity: number, key: rows.integer(at: 0))) }
    return found
  }

  func create(_ entity: String) throws -> ManagedObject { try context.insert(entity) }

  func update(_ record: ManagedObject, from carried: CarriedObject) throws {
    try record.fill(from: carried)
  }

  func relate(
    _ record: ManagedObject,
    along relationship: Relationship,
    to other: ManagedObject
  ) throws {
    try record.lead(to: other, along: relationship)
  }

  func save() throws { try context.save() }

  func identifier(of record: ManagedObject) -> ObjectID { record.id }

  func forget() { context.reset() }
}

/// Copies one record at a time into a storage: found or created, updated, saved.
///
/// The map from old keys to new identifiers is a file, so that nothing in memory grows with the store.
final class RecordSink<Storage: RecordStorage>: ObjectSink {
  private let storage: Storage
  private let source: StoreLayout
  /// By the destination's entity, the attribute that alone is unique.
  private let identities: [String: String]
  private let identifiers: IdentifierMap
  /// By entity, the records of an earlier launch that only their order tells apart, not met yet.
  private var anonymous: [String: ArraySlice<ObjectID>] = [:]
  /// Whether an earlier launch has begun the copy.
  private let isResumed: Bool
  /// Records that were there already.
  private(set) var found = 0

  init(
    storage: Storage,
    source: StoreLayout,
    destination: Model,
    identifiers: IdentifierMap,
    isResumed: Bool
  ) {
    self.storage = storage
    self.identifiers = identifiers
    self.isResumed = isResumed
    self.source = source
    identities = Dictionary(
      destination.entities.compactMap { entity in
        destination.lineage(of: entity).flatMap(\.uniquenessConstraints)
          .first { $0.count == 1 }.map { (entity.name, $0[0]) }
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func insert(_ carried: CarriedObject) throws {
    let known = try existing(carried)
    if known != nil { found += 1 }
    let record = try known ?? storage.create(carried.copy.destination)
    try storage.update(record, from: carried)
    try storage.save()
    try identifiers.note(
      storage.identifier(of: record),
      of: carried.key,
      in: table(of: carried.copy)
    )
    storage.forget()
  }

  func finishObjects() {}

  func relate(_ links: CarriedLinks) throws {
    guard links.targets.contains(where: { !$0.isEmpty }),
      let identifier = try identifiers.identity(of: links.key, in: table(of: links.copy))
    else { return }
    let record = try storage.find(identifier)
    for (link, targets) in zip(links.copy.links, links.targets) {
      for key in targets {
        // Objects of dropped entities have no copy to lead to.
        guard let target = try identifiers.identity(of: key, in: link.targetTable) else { continue }
        try storage.relate(record, along: link.destination, to: storage.find(target))
      }
    }
    try storage.save()
    storage.forget()
  }

  func finish() {}

  private func existing(_ carried: CarriedObject) throws -> Storage.Record? {
    guard let identity = identities[carried.copy.destination],
      let index = carried.copy.attributes.firstIndex(where: { $0.destination.name == identity }),
      carried.values[index] != .null
    else { return isResumed ? try nextAnonymous(carried.copy.destination) : nil }
    return try storage.find(carried.copy.destination, by: identity, carried.values[index])
  }

  /// What an earlier launch has made of the same object: each launch copies in the order of keys.
  private func nextAnonymous(_ entity: String) throws -> Storage.Record? {
    if anonymous[entity] == nil {
      anonymous[entity] = try storage.anonymous(entity, without: identities[entity])[...]
    }
    return try anonymous[entity]?.popFirst().map(storage.find)
  }

  private func table(of copy: CopyPlan.EntityCopy) -> String {
    source.table(of: copy.source)?.name ?? ""
  }
}
