import DataModel
import Foundation
import GRDB
import PersistentStore
import SQLite

/// Copies all objects of a store into a new store of another model, row by row through GRDB.
///
/// Two passes, as with an object graph: rows first, under keys of their own, then relationships by
/// a map from old keys to new ones. It is what an app would write that has GRDB and no migration of
/// the frameworks; records of a fixed type cannot be written for any model, so rows it is.
package struct RowCopy {
  package let mapping: MappingModel
  package let source: StoreLayout
  package let destination: StoreLayout
  /// Rows a transaction; 0 writes all in one.
  package let batchSize: Int

  package init(
    mapping: MappingModel,
    source: StoreLayout,
    destination: StoreLayout,
    batchSize: Int
  ) {
    self.mapping = mapping
    self.source = source
    self.destination = destination
    self.batchSize = batchSize
  }

  /// Copies from one file into another, an empty store of the destination's model; external files
  /// are the caller's to copy.
  ///
  /// - Returns: The number of objects.
  /// - Throws: ``Failure``, or GRDB's `DatabaseError`.
  package func run(
    from old: StoreFile,
    to new: StoreFile,
    identifiers: IdentifierMap,
    settings: ConnectionSettings
  ) throws -> Int {
    let plans = try self.plans()
    return try Self.transfer(from: old, to: new, settings, batchSize: batchSize) { old, writer in
      var keys = NewKeys(identifiers)
      for plan in plans { try copyRows(plan, from: old, to: writer, &keys) }
      for plan in plans { try relate(plan, from: old, to: writer, keys) }
      for table in destination.joinTables { try copyPairs(table, from: old, to: writer, keys) }
      try recordKeys(keys, to: writer)
      return keys.count
    }
  }

  /// Reads one file and writes the other while `body` copies; a `batchSize` of 0 writes all rows in
  /// one transaction.
  static func transfer(
    from old: StoreFile,
    to new: StoreFile,
    _ settings: ConnectionSettings,
    batchSize: Int,
    functions: [DatabaseFunction] = [],
    _ body: (_ old: Database, Writer) throws -> Int
  ) throws -> Int {
    let reader = try open(old, settings, isReadOnly: true, functions: functions)
    let writer = Writer(
      queue: try open(new, settings, isReadOnly: false),
      batchSize: batchSize
    )
    let count = try reader.read { try body($0, writer) }
    try writer.finish()
    try writer.close()
    return count
  }

  /// - Throws: ``Failure`` where rows cannot be copied one to one, before anything is opened.
  package func check() throws {
    _ = try plans()
    for table in destination.joinTables { _ = try PairPlan(table, self) }
  }

  private func plans() throws -> [EntityPlan] {
    try mapping.entities.compactMap { try EntityPlan($0, self) }
  }

  static func open(
    _ file: StoreFile,
    _ settings: ConnectionSettings,
    isReadOnly: Bool,
    functions: [DatabaseFunction] = []
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.prepareDatabase { database in
      if let connection = database.sqliteConnection { SchemaTrust.withdraw(from: connection) }
      for (name, value) in settings.pragmas
      where !isReadOnly || !["page_size", "auto_vacuum", "journal_mode"].contains(name) {
        try database.execute(sql: "PRAGMA \(name)=\(value)")
      }
      if let connection = database.sqliteConnection { SchemaTrust.defend(connection) }
      for function in functions { database.add(function: function) }
    }
    return try DatabaseQueue(path: file.path, configuration: configuration)
  }

  private func copyRows(
    _ plan: EntityPlan,
    from old: Database,
    to writer: Writer,
    _ keys: inout NewKeys
  ) throws {
    let rows = try Row.fetchCursor(old, sql: plan.select)
    while let row = try rows.next() {
      let key = try keys.add(row[0], from: plan)
      var values: [any DatabaseValueConvertible] = [key, plan.number, 1]
      for (index, fallback) in plan.fallbacks.enumerated() {
        let value: DatabaseValue = row[index + 1]
        values.append(value.isNull ? fallback : value)
      }
      try writer.run(plan.insert, values + plan.constants)
    }
  }

  private func relate(
    _ plan: EntityPlan,
    from old: Database,
    to writer: Writer,
    _ keys: NewKeys
  ) throws {
    guard !plan.links.isEmpty else { return }
    let rows = try Row.fetchCursor(old, sql: plan.selectLinks)
    while let row = try rows.next() {
      var values: [any DatabaseValueConvertible] = []
      var column = 1
      for link in plan.links {
        let target = try (row[column] as Int64?).flatMap {
          try keys.identity(of: $0, in: link.table)
        }
        values.append(target?.key.databaseValue ?? .null)
        if link.hasEntity { values.append(target?.entity.databaseValue ?? .null) }
        column += 1
        guard link.hasOrder else { continue }
        values.append(target == nil ? .null : row[column] as DatabaseValue)
        column += 1
      }
      guard let key = try keys.identity(of: row[0], in: plan.table)?.key else { continue }
      try writer.run(plan.update, values + [key])
    }
  }

  private func copyPairs(
    _ table: JoinTable,
    from old: Database,
    to writer: Writer,
    _ keys: NewKeys
  ) throws {
    guard let plan = try PairPlan(table, self) else { return }
    let rows = try Row.fetchCursor(old, sql: plan.select)
    while let row = try rows.next() {
      guard let own = try keys.identity(of: row[0], in: plan.ownTable),
        let other = try keys.identity(of: row[1], in: plan.otherTable)
      else { continue }
      let orders = (2..<row.count).map { row[$0] as DatabaseValue }
      try writer.run(plan.insert, [own.key, other.key] + orders)
    }
  }

  private func recordKeys(_ keys: NewKeys, to writer: Writer) throws {
    for (root, last) in keys.last.sorted(by: { $0.key < $1.key }) {
      try writer.run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
        [last, destination.numbers[root] ?? 0]
      )
    }
  }
}

extension RowCopy {
  /// Why rows cannot be copied one to one.
  package enum Failure: Error, Equatable, CustomStringConvertible {
    case otherStorage(entity: String, relationship: String)

    package var description: String {
      switch self {
      case .otherStorage(let entity, let relationship):
        "\(entity): the new model stores '\(relationship)' differently, so rows cannot be copied; "
          + "use the engine 'objectGraph'"
      }
    }
  }

  /// The statements that copy the rows of one entity and, later, their keys.
  struct EntityPlan {
    /// A to-one whose key is carried.
    struct Link {
      /// The source's table that the key leads to.
      let table: String
      /// Whether the destination keeps the number of the target's entity.
      let hasEntity: Bool
      let hasOrder: Bool
    }

    /// The source's table.
    let table: String
    /// The destination's root entity.
    let root: String
    /// The entity's number in the destination.
    let number: Int
    let select: String
    let insert: String
    /// What stands for NULL in each carried column.
    let fallbacks: [DatabaseValue]
    /// The values of new attributes, after the carried ones.
    let constants: [DatabaseValue]
    let links: [Link]
    let selectLinks: String
    let update: String

    /// `nil` for an entity without objects in the source.
    ///
    /// - Throws: ``Failure``.
    init?(_ mapping: EntityMapping, _ copy: RowCopy) throws {
      guard let former = mapping.source, let table = copy.source.table(of: former),
        let target = copy.destination.table(of: mapping.destination),
        let old = copy.source.numbers[former],
        let number = copy.destination.numbers[mapping.destination]
      else { return nil }
      self.table = table.name
      self.number = number
      root = target.root
      var carried: [(from: String, to: String, fallback: DatabaseValue)] = []
      var added: [(to: String, value: DatabaseValue)] = []
      for attribute in mapping.attributes {
        let name = attribute.destination.name
        guard let column = copy.destination.column(of: name, in: mapping.destination)?.name else {
          continue
        }
        let fallback = attribute.destination.defaultValue.databaseValue
        let from = attribute.source.flatMap { copy.source.column(of: $0.name, in: former)?.name }
        if let from {
          carried.append((from, column, attribute.isMadeRequired ? fallback : .null))
        } else {
          added.append((column, fallback))
        }
      }
      let condition = " FROM \(table.name) WHERE Z_ENT = \(old) ORDER BY Z_PK"
      select = "SELECT " + (["Z_PK"] + carried.map(\.from)).joined(separator: ", ") + condition
      let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + carried.map(\.to) + added.map(\.to)
      insert =
        "INSERT INTO \(target.name) (\(columns.joined(separator: ", "))) VALUES ("
        + columns.map { _ in "?" }.joined(separator: ", ") + ")"
      fallbacks = carried.map(\.fallback)
      constants = added.map(\.value)
      let keys = try Self.keys(mapping, from: former, copy)
      links = keys.map(\.link)
      selectLinks =
        "SELECT " + (["Z_PK"] + keys.flatMap(\.from)).joined(separator: ", ") + condition
      update =
        "UPDATE \(target.name) SET "
        + keys.flatMap(\.to).map { "\($0) = ?" }.joined(separator: ", ") + " WHERE Z_PK = ?"
    }

    private static func keys(
      _ mapping: EntityMapping,
      from former: String,
      _ copy: RowCopy
    ) throws -> [(link: Link, from: [String], to: [String])] {
      try mapping.relationships.compactMap { relationship in
        let name = relationship.destination.name
        guard
          case .foreignKey(let to, let entity, let order)? =
            copy.destination.storage(of: name, in: mapping.destination)
        else { return nil }
        guard let source = relationship.source else {
          // What its inverse kept would have to be turned round.
          guard copy.mapping.formerInverse(of: relationship) == nil else {
            throw Failure.otherStorage(entity: mapping.destination, relationship: name)
          }
          return nil
        }
        guard
          case .foreignKey(let from, _, let oldOrder)? =
            copy.source.storage(of: source.name, in: former),
          (order == nil) || (oldOrder != nil),
          let table = copy.source.table(of: source.destination)?.name
        else { throw Failure.otherStorage(entity: mapping.destination, relationship: name) }
        let link = Link(table: table, hasEntity: entity != nil, hasOrder: order != nil)
        return (
          link, [from] + (order == nil ? [] : [oldOrder].compactMap { $0 }),
          [to] + [entity, order].compactMap { $0 }
        )
      }
    }
  }

  /// The statements that copy the pairs of a many-to-many relationship.
  struct PairPlan {
    let ownTable: String
    let otherTable: String
    let select: String
    let insert: String

    /// `nil` for a relationship that the source does not have.
    ///
    /// - Throws: ``Failure``.
    init?(_ table: JoinTable, _ copy: RowCopy) throws {
      let master = table.master
      guard let entity = copy.mapping.mapping(to: master.entity), let former = entity.source,
        let relationship = entity.relationships.first(where: {
          $0.destination.name == master.relationship
        })?.source
      else { return nil }
      guard
        case .join(let name, let side)? = copy.source.storage(of: relationship.name, in: former),
        let own = copy.source.table(of: former)?.name,
        let other = copy.source.table(of: relationship.destination)?.name,
        let oldTable = copy.source.joinTables.first(where: { $0.name == name })
      else {
        throw Failure.otherStorage(entity: master.entity, relationship: master.relationship)
      }
      let otherSide = oldTable.master == side ? oldTable.slave : oldTable.master
      let isReflexive = table.master == table.slave
      let orders = [
        (isReflexive ? nil : table.slave.orderColumn, isReflexive ? nil : otherSide.orderColumn),
        (master.orderColumn, side.orderColumn),
      ]
      guard orders.allSatisfy({ $0.0 == nil || $0.1 != nil }) else {
        throw Failure.otherStorage(entity: master.entity, relationship: master.relationship)
      }
      let kept = orders.filter { $0.0 != nil }
      let from = [side.ownColumn, side.otherColumn] + kept.compactMap(\.1)
      let to = [master.ownColumn, master.otherColumn] + kept.compactMap(\.0)
      ownTable = own
      otherTable = other
      select =
        "SELECT \(from.joined(separator: ", ")) FROM \(name) ORDER BY \(from.prefix(2).joined(separator: ", "))"
      insert =
        "INSERT INTO \(table.name) (\(to.joined(separator: ", "))) VALUES ("
        + to.map { _ in "?" }.joined(separator: ", ") + ")"
    }
  }

  /// Gives every copied row the next key of its new table, and finds it again.
  struct NewKeys {
    private let identifiers: IdentifierMap
    /// The highest key handed out, by the destination's root entity.
    private(set) var last: [String: Int64] = [:]

    init(_ identifiers: IdentifierMap) {
      self.identifiers = identifiers
    }

    var count: Int { identifiers.count }

    /// The next key of an entity's new table.
    mutating func add(_ old: Int64, from plan: EntityPlan) throws -> Int64 {
      let key = last[plan.root, default: 0] + 1
      last[plan.root] = key
      try identifiers.note(ObjectID(entity: plan.number, key: key), of: old, in: plan.table)
      return key
    }

    func identity(of key: Int64, in table: String) throws -> ObjectID? {
      try identifiers.identity(of: key, in: table)
    }
  }

  /// Runs cached statements in transactions of some rows each.
  final class Writer {
    private let queue: DatabaseQueue
    private let batchSize: Int
    private var waiting: [(sql: String, values: [any DatabaseValueConvertible])] = []

    init(queue: DatabaseQueue, batchSize: Int) {
      self.queue = queue
      self.batchSize = batchSize
    }

    func run(_ sql: String, _ values: [any DatabaseValueConvertible]) throws {
      waiting.append((sql, values))
      if waiting.count == batchSize { try finish() }
    }

    /// Writes what is waiting, in one transaction.
    func finish() throws {
      guard !waiting.isEmpty else { return }
      try queue.write { database in
        for (sql, values) in waiting {
          try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
        }
      }
      waiting.removeAll(keepingCapacity: true)
    }

    func close() throws { try queue.close() }
  }
}
