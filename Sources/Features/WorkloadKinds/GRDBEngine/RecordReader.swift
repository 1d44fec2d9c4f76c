import DataModel
import GRDB
import PersistentStore
import SQLite

import struct Foundation.Data

/// Reads the records of one request.
final class RecordReader {
  private let readAll: () throws -> any RecordList
  private let readBatches: (Int) throws -> any RecordList
  private let readCount: () throws -> Int
  private let queue: DatabaseQueue

  init<Record: StoreRecord>(
    type: Record.Type,
    queue: DatabaseQueue,
    request: QueryInterfaceRequest<Record>
  ) throws {
    self.queue = queue
    let shape = ObjectDigest.Shape(
      entity: Record.entity,
      properties: Record.attributes.map(\.key)
    )
    readAll = {
      AllRecords(records: try queue.read { try request.fetchAll($0) }, shape: shape)
    }
    readBatches = { size in
      let keys = try queue.read { database in
        try Int64.fetchAll(database, request.select(GRDB.Column("Z_PK")))
      }
      return RecordBatches<Record>(keys: keys, size: size, queue: queue, shape: shape)
    }
    readCount = { try queue.read { try request.fetchCount($0) } }
  }

  /// Tells an observer, which must outlive the connection, of every statement.
  func trace(_ observer: any StatementObserver) throws {
    try queue.read { database in
      guard let connection = database.sqliteConnection else { return }
      StatementTally.trace(connection, for: observer)
    }
  }

  /// All records at once.
  func all() throws -> any RecordList { try readAll() }

  /// The keys at once, the records batch by batch as they are read.
  func batches(of size: Int) throws -> any RecordList { try readBatches(size) }

  /// The number of records; without the request's limit and offset where it has none.
  func count() throws -> Int { try readCount() }
}

/// Records in the order of a request.
protocol RecordList: AnyObject {
  var count: Int { get }

  /// Reads the record at a place, and keeps it.
  func read(_ place: Int) throws
  /// Hands out the keys and the digests of the records read since the last call, all attributes in
  /// each; not for the time while a clock runs.
  func settle(_ body: (_ key: Int64, _ digest: UInt64) -> Void)
}

extension RecordReader {
  private final class AllRecords<Record: StoreRecord>: RecordList {
    private let records: [Record]
    private let shape: ObjectDigest.Shape
    private var taken: [Record] = []

    init(records: [Record], shape: ObjectDigest.Shape) {
      self.records = records
      self.shape = shape
    }

    var count: Int { records.count }

    func read(_ place: Int) { taken.append(records[place]) }

    func settle(_ body: (Int64, UInt64) -> Void) { taken.settle(shape, body) }
  }

  private final class RecordBatches<Record: StoreRecord>: RecordList {
    private let keys: [Int64]
    private let size: Int
    private let queue: DatabaseQueue
    private let shape: ObjectDigest.Shape
    private var batch: Int?
    private var records: [Int64: Record] = [:]
    private var taken: [Record] = []

    init(keys: [Int64], size: Int, queue: DatabaseQueue, shape: ObjectDigest.Shape) {
      self.keys = keys
      self.size = size
      self.queue = queue
      self.shape = shape
    }

    var count: Int { keys.count }

    func read(_ place: Int) throws {
      if batch != place / size { try load(place / size) }
      guard let record = records[keys[place]] else {
        throw ObjectContextError.missingObject(entity: Record.entity, key: keys[place])
      }
      taken.append(record)
    }

    func settle(_ body: (Int64, UInt64) -> Void) { taken.settle(shape, body) }

    private func load(_ number: Int) throws {
      let wanted = keys[number * size..<min((number + 1) * size, keys.count)]
      let found = try queue.read { database in
        try Record.fetchAll(
          database.cachedStatement(sql: batchSQL),
          arguments: arguments(of: wanted)
        )
      }
      records = Dictionary(found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
      batch = number
    }

    /// One text for all batches, so that it is compiled once.
    ///
    /// What is short of a batch is NULL, which no key is. A batch of more keys than a statement may have parameters binds them as JSON.
    private lazy var batchSQL: String = {
      let list =
        isAsParameters
        ? Array(repeating: "?", count: size).joined(separator: ", ")
        : "SELECT value FROM json_each(?)"
      return "SELECT \(Record.columns.joined(separator: ", ")) FROM \(Record.databaseTableName)"
        + " WHERE Z_PK IN (\(list))"
    }()

    /// SQLite's own default is 32,766.
    private var isAsParameters: Bool { size <= 32_000 }

    private func arguments(of wanted: ArraySlice<Int64>) -> StatementArguments {
      guard isAsParameters else {
        return ["[" + wanted.map(String.init).joined(separator: ",") + "]"]
      }
      return StatementArguments(
        wanted.map(Optional.some) + Array(repeating: Int64?.none, count: size - wanted.count)
      )
    }
  }
}

extension Array where Element: StoreRecord {
  fileprivate mutating func settle(
    _ shape: ObjectDigest.Shape,
    _ body: (Int64, UInt64) -> Void
  ) {
    for record in self { body(record.key, record.digest(shape)) }
    removeAll(keepingCapacity: true)
  }
}

extension StoreRecord {
  fileprivate func digest(_ shape: ObjectDigest.Shape) -> UInt64 {
    var digest = ObjectDigest(shape, key: key)
    add(to: &digest)
    return digest.value
  }
}

/// Which records are read, in which order.
struct RecordCondition {
  var predicate: Predicate?
  /// Attributes, the first one weighing most.
  var sortKeys: [(property: String, isDescending: Bool)]
  /// The most records; 0 is all of them.
  var limit: Int
  var offset: Int

  func request<Record: StoreRecord>(
    of type: Record.Type,
    layout: StoreLayout
  ) throws -> QueryInterfaceRequest<Record> {
    var request = type.all()
    if let predicate {
      request = request.filter(try expression(predicate, of: type, layout))
    }
    let keys = try sortKeys.map { key in
      let column = try column(of: key.property, of: type, layout)
      return key.isDescending ? column.desc : column.asc
    }
    if !keys.isEmpty { request = request.order(keys) }
    if limit > 0 || offset > 0 {
      request = request.limit(limit > 0 ? limit : -1, offset: offset > 0 ? offset : nil)
    }
    return request
  }

  private func column<Record: StoreRecord>(
    of property: String,
    of type: Record.Type,
    _ layout: StoreLayout
  ) throws -> GRDB.Column {
    GRDB.Column(try EntityNames(type.entity, in: layout).column(property))
  }

  private func expression<Record: StoreRecord>(
    _ predicate: Predicate,
    of type: Record.Type,
    _ layout: StoreLayout
  ) throws -> SQLExpression {
    switch predicate {
    case .comparison(let property, let comparison, let value):
      let column = try column(of: property, of: type, layout)
      let value = value.databaseValue
      return switch comparison {
      case .equal: column == value
      case .notEqual: column != value
      case .less: column < value
      case .lessOrEqual: column <= value
      case .greater: column > value
      case .greaterOrEqual: column >= value
      }
    case .isNull(let property): return try column(of: property, of: type, layout) == nil
    case .beginsWith(let property, let prefix):
      let column = try column(of: property, of: type, layout)
      return column >= prefix && column < prefix + "\u{10FFFF}"
    // The plan lets no record be searched so: GRDB's connection has no such function.
    case .contains:
      throw ObjectContextError.unknownProperty(entity: type.entity, property: "CONTAINS")
    case .has(let relationship, _):
      throw ObjectContextError.unknownProperty(entity: type.entity, property: relationship)
    case .count(let relationship, let comparison, let number):
      return try count(relationship, of: type, layout, comparison, number)
    case .isIn(let property, let list):
      let column = try column(of: property, of: type, layout)
      return list.map(\.databaseValue).contains(column)
    case .keys(let keys): return keys.contains(GRDB.Column("Z_PK"))
    case .not(let inner): return !(try expression(inner, of: type, layout))
    case .and(let parts):
      return try joined(parts, by: .and, of: type, layout)
    case .or(let parts):
      return try joined(parts, by: .or, of: type, layout)
    }
  }

  private func joined<Record: StoreRecord>(
    _ parts: [Predicate],
    by joining: SQLExpression.AssociativeBinaryOperator,
    of type: Record.Type,
    _ layout: StoreLayout
  ) throws -> SQLExpression {
    try parts.map { try expression($0, of: type, layout) }.joined(operator: joining)
  }

  private func count<Record: StoreRecord>(
    _ relationship: String,
    of type: Record.Type,
    _ layout: StoreLayout,
    _ comparison: Predicate.Operator,
    _ number: Int
  ) throws -> SQLExpression {
    let (table, column): (String, String)
    switch layout.storage(of: relationship, in: type.entity) {
    case .inverseForeignKey(let found, let key, _): (table, column) = (found, key)
    case .join(let found, let side): (table, column) = (found, side.ownColumn)
    case .foreignKey, nil:
      throw ObjectContextError.unknownProperty(entity: type.entity, property: relationship)
    }
    let text =
      "(SELECT COUNT(*) FROM \(table) WHERE \(column) = \(type.databaseTableName).Z_PK) "
      + "\(comparison.rawValue) ?"
    return SQL(sql: text, arguments: [number]).sqlExpression
  }
}

extension Value {
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .real(let value): value.databaseValue
    case .text(let value): value.databaseValue
    case .blob(let bytes): Data(bytes).databaseValue
    }
  }
}

/// A store that GRDB has open, for reading its objects as records.
final class RecordStore {
  private let queue: DatabaseQueue
  private let layout: StoreLayout

  /// Opens a store for reading only, with the pragmas of the settings.
  ///
  /// - Throws: GRDB's `DatabaseError` where it cannot be opened.
  init(file: StoreFile, layout: StoreLayout, settings: ConnectionSettings) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.prepareDatabase { database in
      if let connection = database.sqliteConnection { SchemaTrust.withdraw(from: connection) }
      for (name, value) in settings.pragmas
      where !ConnectionSettings.fileProperties.contains(name) {
        try database.execute(sql: "PRAGMA \(name)=\(value)")
      }
      if let connection = database.sqliteConnection { SchemaTrust.defend(connection) }
    }
    queue = try DatabaseQueue(path: file.path, configuration: configuration)
    // GRDB reads the schema before its first request. An app has done that long ago, and the object
    // context has its layout from the start.
    _ = try queue.read { try $0.tableExists("Z_PRIMARYKEY") }
    self.layout = layout
  }

  /// Whether a record type has the entity's attributes.
  static func hasRecords(of entity: Entity) -> Bool {
    RecordTypes.type(for: entity) != nil
  }

  /// What reads an entity's records; `nil` where no record type has the entity's attributes.
  func reader(of entity: Entity, _ condition: RecordCondition) throws -> RecordReader? {
    guard let type = RecordTypes.type(for: entity) else { return nil }
    return try reader(of: type, condition)
  }

  private func reader<Record: StoreRecord>(
    of type: Record.Type,
    _ condition: RecordCondition
  ) throws -> RecordReader {
    try RecordReader(
      type: type,
      queue: queue,
      request: condition.request(of: type, layout: layout)
    )
  }
}
