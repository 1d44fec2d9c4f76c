import DataModel
import PersistentStore
import SQLite

/// Changes the objects of one entity as an app would: through an object context, through SQL on
/// StoreBench's own connection, or through GRDB.
protocol ObjectAccess: AnyObject {
  /// The object context; `nil` if the work is done by SQL statements.
  var context: ObjectContext? { get }

  /// Loads the objects that will be changed next, as an app that displays them would.
  func load(_ keys: [Int64]) throws
  /// Inserts an object, with its values in the order of the attributes that this instance was
  /// created with.
  ///
  /// An object context assigns the entity's next key, which must equal `key`.
  func insert(_ key: Int64, _ values: [Value]) throws
  func set(_ values: [PropertyValue], of key: Int64) throws
  func delete(_ key: Int64) throws
  /// Writes all changes in one transaction.
  func save() throws
  func release()
}

final class ContextAccess: ObjectAccess {
  var context: ObjectContext? { graph }
  private let graph: ObjectContext
  private let description: EntityDescription
  private let slots: [Int]
  private var held: [Int64: ManagedObject] = [:]

  init(_ context: ObjectContext, _ entity: String, _ attributes: [String]) throws {
    graph = context
    let description = try context.description(of: entity)
    self.description = description
    slots = try attributes.map { try description.slot(of: $0) }
  }

  func load(_ keys: [Int64]) throws {
    let missing = keys.filter { held[$0] == nil }
    guard !missing.isEmpty else { return }
    for object in try graph.load(description.name, missing) { held[object.key] = object }
  }

  func insert(_ key: Int64, _ values: [Value]) throws {
    let object = try graph.insert(description.name)
    for (slot, value) in zip(slots, values) { try object.setValue(value, at: slot) }
  }

  func set(_ values: [PropertyValue], of key: Int64) throws {
    for (property, value) in values { try object(key).setValue(value, of: property) }
  }

  func delete(_ key: Int64) throws { try graph.delete(object(key)) }

  private func object(_ key: Int64) -> ManagedObject {
    held[key] ?? graph.object(description, key: key)
  }

  func save() throws { try graph.save() }

  func release() { held.removeAll(keepingCapacity: true) }
}

/// Changes rows with SQL statements.
///
/// Changes are buffered in memory until they are saved.
final class StatementAccess: ObjectAccess {
  var context: ObjectContext? { nil }
  private let writer: any RowWriting
  private let rows: RowStatements
  private var inserted: [(key: Int64, values: [Value])] = []
  private var changed: [Int64: [String: Value]] = [:]
  private var deleted: [Int64] = []

  init(_ writer: any RowWriting, _ names: EntityNames, _ attributes: [String]) throws {
    self.writer = writer
    rows = try RowStatements(names, attributes)
  }

  func load(_ keys: [Int64]) throws {}

  func insert(_ key: Int64, _ values: [Value]) throws { inserted.append((key, values)) }

  func set(_ values: [PropertyValue], of key: Int64) throws {
    for (property, value) in values {
      changed[key, default: [:]][try rows.names.column(property)] = value
    }
  }

  func delete(_ key: Int64) throws { deleted.append(key) }

  func save() throws {
    try writer.transaction {
      for (key, values) in inserted {
        _ = try writer.run(rows.insertion, [.integer(key), .integer(rows.names.number)] + values)
      }
      if let last = inserted.last?.key {
        _ = try writer.run(RowStatements.maximum, [.integer(last), .integer(rows.names.number)])
      }
      for (key, values) in changed.sorted(by: { $0.key < $1.key }) {
        let sets = values.sorted { $0.key < $1.key }
        let update = rows.update(of: sets.map(\.key))
        try expectOneRow(writer.run(update, sets.map(\.value) + [.integer(key)]), key)
      }
      for key in deleted { try expectOneRow(writer.run(rows.deletion, [.integer(key)]), key) }
    }
    inserted.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
    deleted.removeAll(keepingCapacity: true)
  }

  private func expectOneRow(_ count: Int, _ key: Int64) throws {
    guard count == 1 else {
      throw ObjectContextError.missingObject(entity: rows.names.entity, key: key)
    }
  }

  func release() {}
}

struct RowStatements {
  let names: EntityNames
  /// The statement that inserts a row; it binds the row's key, the entity's number, and the
  /// columns' values.
  let insertion: String
  let deletion: String
  static let maximum = "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?"

  init(_ names: EntityNames, _ properties: [String]) throws {
    self.names = names
    let columns = try properties.map { ", " + (try names.column($0)) }.joined()
    let marks = properties.map { _ in ", ?" }.joined()
    insertion = "INSERT INTO \(names.table)(Z_PK, Z_ENT, Z_OPT\(columns)) VALUES(?, ?, 1\(marks))"
    deletion = "DELETE FROM \(names.table) WHERE Z_PK = ?"
  }

  /// Returns the statement that sets columns of the row with a given key and increments its
  /// version.
  func update(of columns: [String]) -> String {
    let sets = columns.map { "\($0) = ?, " }.joined()
    return "UPDATE \(names.table) SET \(sets)Z_OPT = Z_OPT + 1 WHERE Z_PK = ?"
  }
}

extension ChangeEngine {
  /// Returns an object access for an entity; `behaviours` applies only to an object context.
  func access(
    to entity: String,
    _ attributes: [String],
    in store: PersistentStore,
    _ settings: ConnectionSettings,
    behaviours: StoreBehaviours = StoreBehaviours()
  ) throws -> any ObjectAccess {
    if let writer = try writer(on: store, settings) {
      return try StatementAccess(writer, EntityNames(entity, in: store.layout), attributes)
    }
    let context = try ObjectContext(store: store, behaviours: behaviours)
    return try ContextAccess(context, entity, attributes)
  }
}

extension ObjectContext {
  /// Loads the objects with the given keys, in the order of the keys, using one statement.
  func load(_ entity: String, _ keys: [Int64]) throws -> [ManagedObject] {
    try objects(entity, keys: keys, fetchBatchSize: max(1, keys.count)).all()
  }
}

extension FetchedObjects {
  /// Returns all fetched objects in order, after loading each object into memory.
  func all() throws -> [ManagedObject] { try (0..<count).map(object) }

  func each(_ body: (ManagedObject) throws -> Void) throws {
    for index in 0..<count { try body(object(at: index)) }
  }
}
