import Basics
import DataModel
import PersistentStore
import SQLite

/// Writes the copies of objects through a context that is saved once.
///
/// Until the save, all objects are in memory and are found by their keys in the source store.
final class SingleSaveSink: ObjectSink {
  private let context: ObjectContext
  private let unique: UniqueObjects?
  private var objects: [String: [Int64: ManagedObject]] = [:]

  init(context: ObjectContext, unique: UniqueObjects?) {
    self.context = context
    self.unique = unique
  }

  func insert(_ carried: CarriedObject) throws {
    objects[carried.copy.space, default: [:]][carried.key] =
      try unique?.upsert(carried) ?? context.insert(carried)
  }

  func finishObjects() {}

  func relate(_ links: CarriedLinks) throws {
    guard let object = objects[links.copy.space]?[links.key] else {
      throw ObjectContextError.missingObject(entity: links.copy.source, key: links.key)
    }
    try links.lead(object) { key, spaces in
      spaces.lazy.compactMap { self.objects[$0]?[key] }.first
    }
  }

  func finish() throws {
    try context.save()
    context.reset()
  }
}

/// Writes copies through a context that is saved and reset after each batch.
///
/// Memory does not grow with the store: saved objects are released and, when their relationships
/// are set, loaded again; the identifier map is a file.
final class BatchedContextSink: ObjectSink {
  private let context: ObjectContext
  private let batchSize: Int
  private let unique: UniqueObjects?
  private let identifiers: IdentifierMap
  private var inserted: [(object: ManagedObject, space: String, key: Int64)] = []
  private var waiting: [CarriedLinks] = []

  init(
    context: ObjectContext,
    batchSize: Int,
    unique: UniqueObjects?,
    identifiers: IdentifierMap
  ) {
    self.context = context
    self.unique = unique
    self.batchSize = batchSize
    self.identifiers = identifiers
  }

  func insert(_ carried: CarriedObject) throws {
    let object = try unique?.upsert(carried) ?? context.insert(carried)
    inserted.append((object, carried.copy.space, carried.key))
    if inserted.count == batchSize { try finishObjects() }
  }

  func finishObjects() throws {
    try context.save()
    for (object, space, key) in inserted { try identifiers.note(object.id, of: key, in: space) }
    inserted.removeAll(keepingCapacity: true)
    unique?.didSave()
    context.reset()
  }

  func relate(_ links: CarriedLinks) throws {
    // Write the batch before the entity changes, because its objects are loaded by keys, which must
    // belong to a single entity.
    if let first = waiting.first, first.copy.name != links.copy.name { try flush() }
    waiting.append(links)
    if waiting.count == batchSize { try flush() }
  }

  func finish() throws { try flush() }

  private func flush() throws {
    guard let copy = waiting.first?.copy else { return }
    let keys = try waiting.map { try identity(copy.space, $0.key).key }
    for (object, links) in zip(try context.load(copy.destination, keys), waiting) {
      try links.lead(object) { try context.copy(of: $0, in: $1, identifiers) }
    }
    try context.save()
    waiting.removeAll(keepingCapacity: true)
    context.reset()
  }

  private func identity(_ space: String, _ key: Int64) throws -> ObjectID {
    guard let identity = try identifiers.identity(of: key, in: space) else {
      throw ObjectContextError.missingObject(entity: space, key: key)
    }
    return identity
  }
}

extension CarriedLinks {
  /// Sets an object's references to the copies of its targets.
  ///
  /// Targets whose entity is dropped have no copy.
  fileprivate func lead(
    _ object: ManagedObject,
    to copy: (_ key: Int64, _ spaces: [String]) throws -> ManagedObject?
  ) throws {
    for (link, keys) in zip(self.copy.links, targets) {
      let found = try keys.compactMap { try copy($0, link.spaces) }
      for target in found { try object.lead(to: target, along: link.destination) }
      if link.isOrderedOnBothSides { try object.arrange(found, in: link.destination.name) }
    }
  }
}

extension ObjectContext {
  /// Finds the copy of an object in the first of the given key spaces (sets of old keys) that
  /// contains it.
  fileprivate func copy(
    of key: Int64,
    in spaces: [String],
    _ identifiers: IdentifierMap
  ) throws -> ManagedObject? {
    for space in spaces {
      if let found = try identifiers.identity(of: key, in: space) { return try object(found) }
    }
    return nil
  }

  func first(_ entity: String, where predicate: Predicate) throws -> ManagedObject? {
    let found = try fetch(FetchRequest(entity, predicate: predicate, fetchLimit: 1))
    return try found.count > 0 ? found.object(at: 0) : nil
  }

  func insert(_ carried: CarriedObject) throws -> ManagedObject {
    let object = try insert(carried.copy.destination)
    try object.fill(from: carried)
    return object
  }

  func object(_ id: ObjectID) throws -> ManagedObject {
    object(try description(number: id.entity), key: id.key)
  }
}

extension ManagedObject {
  func fill(from carried: CarriedObject) throws {
    let slots = try carried.copy.destinationSlots(in: description)
    for (index, slot) in slots.enumerated() {
      let value = carried.values[index]
      if case .null = value {
        try setValue(carried.copy.fallbacks[index], at: slot)
      } else {
        try setValue(value, at: slot)
      }
    }
  }

  /// Adds a target to a to-many relationship, or makes it the target of a to-one relationship.
  func lead(to target: ManagedObject, along relationship: Relationship) throws {
    if relationship.isToMany {
      try add(target, to: relationship.name)
    } else {
      try setTarget(target, of: relationship.name)
    }
  }
}

/// Copies one record at a time: finds or creates it, updates it and saves it.
///
/// Some guides recommend a storage layer between an app and its store that works like this and
/// migrates records while the app is in use. The map from old keys to new identifiers is a file, so
/// the use of memory does not grow with the store.
final class RecordSink: ObjectSink {
  private let context: ObjectContext
  private let identities: [String: String]
  private let identifiers: IdentifierMap
  /// The records of an earlier launch that can be identified only by their order and have not been
  /// matched yet, by entity.
  private var anonymous: [String: ArraySlice<ObjectID>] = [:]
  private let isResumed: Bool
  private(set) var found = 0

  init(
    context: ObjectContext,
    destination: Model,
    identifiers: IdentifierMap,
    isResumed: Bool
  ) {
    self.context = context
    self.identifiers = identifiers
    self.isResumed = isResumed
    identities = Dictionary(
      keepingFirst: destination.entities.compactMap { entity in
        destination.lineage(of: entity).flatMap(\.uniquenessConstraints)
          .first { $0.count == 1 }.map { (entity.name, $0[0]) }
      }
    )
  }

  func insert(_ carried: CarriedObject) throws {
    let known = try existing(carried)
    if known != nil { found += 1 }
    let record = try known ?? context.insert(carried.copy.destination)
    try record.fill(from: carried)
    try context.save()
    try identifiers.note(record.id, of: carried.key, in: carried.copy.space)
    context.reset()
  }

  func finishObjects() {}

  func relate(_ links: CarriedLinks) throws {
    guard links.targets.contains(where: { !$0.isEmpty }),
      let identifier = try identifiers.identity(of: links.key, in: links.copy.space)
    else { return }
    let record = try context.object(identifier)
    try links.lead(record) { try context.copy(of: $0, in: $1, identifiers) }
    try context.save()
    context.reset()
  }

  func finish() {}

  private func existing(_ carried: CarriedObject) throws -> ManagedObject? {
    let entity = carried.copy.destination
    guard let identity = identities[entity],
      let index = carried.copy.attributes.firstIndex(where: { $0.destination.name == identity }),
      carried.values[index] != .null
    else { return isResumed ? try nextAnonymous(entity) : nil }
    return try context.first(entity, where: .comparison(identity, .equal, carried.values[index]))
  }

  /// The record that an earlier launch created from the same object.
  ///
  /// It is found by position, because each launch copies in the order of the keys.
  private func nextAnonymous(_ entity: String) throws -> ManagedObject? {
    if anonymous[entity] == nil { anonymous[entity] = try findAnonymous(entity)[...] }
    return try anonymous[entity]?.popFirst().map(context.object)
  }

  /// The records that can be identified only by their order of creation, in that order.
  ///
  /// These are the records without a value for the unique attribute; if the entity has no such
  /// attribute, all of its records.
  private func findAnonymous(_ entity: String) throws -> [ObjectID] {
    guard let table = context.layout.table(of: entity)?.name,
      let number = context.layout.numbers[entity]
    else { return [] }
    let column = identities[entity].flatMap { context.layout.column(of: $0, in: entity)?.name }
    let condition = column.map { " AND \($0) IS NULL" } ?? ""
    return try context.connection.prepare(
      "SELECT Z_PK FROM \(table) WHERE Z_ENT = \(number)\(condition) ORDER BY Z_PK"
    ).map { ObjectID(entity: number, key: $0.integer(at: 0)) }
  }
}

/// Finds the existing object with the same unique values, which an insertion updates, as in
/// SwiftData.
///
/// It remembers the objects inserted since the last save.
final class UniqueObjects {
  private struct Values: Hashable {
    let entity: String
    let values: [Value]
  }

  private let context: ObjectContext
  private let constraints: [String: [[String]]]
  private var unsaved: [Values: ManagedObject] = [:]
  /// The number of insertions that became updates.
  private(set) var merged = 0

  init(context: ObjectContext) {
    self.context = context
    let model = context.layout.model
    constraints = Dictionary(
      keepingFirst: model.entities.map { entity in
        (entity.name, model.lineage(of: entity).flatMap(\.uniquenessConstraints))
      }
    )
  }

  func upsert(_ carried: CarriedObject) throws -> ManagedObject {
    let entity = carried.copy.destination
    var found: ManagedObject?
    for attributes in constraints[entity, default: []] where found == nil {
      found = try existing(entity, attributes, carried)
    }
    let object = try found ?? context.insert(entity)
    if found != nil { merged += 1 }
    try object.fill(from: carried)
    for attributes in constraints[entity, default: []] {
      if let values = values(of: attributes, carried) {
        unsaved[Values(entity: entity, values: values)] = object
      }
    }
    return object
  }

  /// Forgets the objects inserted since the last save, because a fetch now finds them.
  func didSave() { unsaved.removeAll(keepingCapacity: true) }

  private func existing(
    _ entity: String,
    _ attributes: [String],
    _ carried: CarriedObject
  ) throws -> ManagedObject? {
    guard let values = values(of: attributes, carried) else { return nil }
    if let object = unsaved[Values(entity: entity, values: values)] { return object }
    let conditions = zip(attributes, values).map { Predicate.comparison($0, .equal, $1) }
    return try context.first(entity, where: .and(conditions))
  }

  /// The object's values for a constraint; `nil` if a value is missing, because NULL equals
  /// nothing.
  private func values(of attributes: [String], _ carried: CarriedObject) -> [Value]? {
    let values = attributes.compactMap { name in
      carried.copy.attributes.firstIndex { $0.destination.name == name }
        .map { carried.values[$0] }
    }
    return values.count == attributes.count && !values.contains(.null) ? values : nil
  }
}
