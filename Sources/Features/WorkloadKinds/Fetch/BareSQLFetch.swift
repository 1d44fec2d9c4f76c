import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Fetches by plain statements that select what is read and nothing else.
final class BareSQLFetch: FetchEngine {
  private let store: PersistentStore
  private let strategy: FetchParameters.Strategy
  private let batchSize: Int
  private let statements: Statements
  private let reader: RowReader
  private lazy var keys = Result { try IntegerArray(connection: store.connection, name: "batch") }
  private var reportedFiles = FileBytes().counters

  var connection: Connection? { store.connection }

  init(_ parameters: FetchParameters, _ subject: FetchSubject, store: PersistentStore) throws {
    self.store = store
    strategy = parameters.strategy
    batchSize = parameters.batchSize
    statements = try Statements(parameters, subject, layout: store.layout)
    reader = RowReader(subject, store: store)
  }

  func fetch() throws -> any FetchResults {
    switch strategy {
    case .eager, .count:
      let rows = Rows(reader)
      try statements.run(statements.rows, on: store.connection) { rows.append($0) }
      return rows
    case .batched:
      return Batches(
        keys: try fetchedKeys(),
        size: batchSize,
        reader: reader,
        array: try keys.get(),
        statement: try store.connection.cached(statements.batch)
      )
    case .faults:
      return Faults(
        keys: try fetchedKeys(),
        reader: reader,
        statement: try store.connection.cached(statements.row)
      )
    }
  }

  private func fetchedKeys() throws -> [Int64] {
    var keys: [Int64] = []
    try statements.run(statements.keys, on: store.connection) { keys.append($0.integer(at: 0)) }
    return keys
  }

  func count() throws -> Int {
    var count: Int64 = 0
    try statements.run(statements.count, on: store.connection) { count = $0.integer(at: 0) }
    return Int(count)
  }

  func report(to recorder: Recorder) {
    guard reader.readsFiles else { return }
    let files = reader.files.counters
    recorder.count(.files.opens, files.opens - reportedFiles.opens)
    recorder.count(.files.reads, files.reads - reportedFiles.reads)
    recorder.count(.files.readBytes, files.readBytes - reportedFiles.readBytes)
    reportedFiles = files
  }
}

extension BareSQLFetch {
  /// All rows, in memory since the fetch.
  private final class Rows: FetchResults {
    private let reader: RowReader
    private var keys: [Int64] = []
    /// The values of all rows, row by row.
    private var values: [Value] = []

    init(_ reader: RowReader) {
      self.reader = reader
    }

    var count: Int { keys.count }

    func append(_ row: Statement) {
      keys.append(row.integer(at: 0))
      reader.append(row, to: &values)
    }

    func clear() {
      keys.removeAll(keepingCapacity: true)
      values.removeAll(keepingCapacity: true)
    }

    func read(_ place: Int, isTouched: Bool) throws {
      let first = place * reader.width
      try reader.read(keys[place], values[first..<first + reader.width])
    }

    func settle(into log: inout ReadLog) { reader.settle(into: &log) }
  }

  /// The keys of all rows, and the rows of one batch.
  private final class Batches: FetchResults {
    private let keys: [Int64]
    private let size: Int
    private let array: IntegerArray
    private let statement: Statement
    private let rows: Rows
    private var loaded: Int?
    private var places: [Int64: Int] = [:]

    init(
      keys: [Int64],
      size: Int,
      reader: RowReader,
      array: IntegerArray,
      statement: Statement
    ) {
      self.keys = keys
      self.size = size
      self.array = array
      self.statement = statement
      rows = Rows(reader)
    }

    var count: Int { keys.count }

    func read(_ place: Int, isTouched: Bool) throws {
      if loaded != place / size { try load(place / size) }
      guard let row = places[keys[place]] else { throw Refusal.rowMissing(keys[place]) }
      try rows.read(row, isTouched: false)
    }

    func settle(into log: inout ReadLog) { rows.settle(into: &log) }

    private func load(_ batch: Int) throws {
      array.values = Array(keys[batch * size..<min((batch + 1) * size, keys.count)])
      rows.clear()
      places.removeAll(keepingCapacity: true)
      defer { statement.reset() }
      while try statement.step() {
        places[statement.integer(at: 0)] = rows.count
        rows.append(statement)
      }
      loaded = batch
    }
  }

  /// The keys of all rows; each row is read when it is asked for.
  private final class Faults: FetchResults {
    private let keys: [Int64]
    private let statement: Statement
    private let rows: Rows

    init(keys: [Int64], reader: RowReader, statement: Statement) {
      self.keys = keys
      self.statement = statement
      rows = Rows(reader)
    }

    var count: Int { keys.count }

    func read(_ place: Int, isTouched: Bool) throws {
      defer { statement.reset() }
      statement.bind(keys[place], at: 1)
      guard try statement.step() else { throw Refusal.rowMissing(keys[place]) }
      rows.clear()
      rows.append(statement)
      try rows.read(0, isTouched: false)
    }

    func settle(into log: inout ReadLog) { rows.settle(into: &log) }
  }

  /// The plain statements of a case.
  struct Statements {
    /// All rows of the request, the key first.
    let rows: String
    let keys: String
    let count: String
    /// The rows whose keys are in the table `batch`.
    let batch: String
    /// The row of one key.
    let row: String
    private let values: [Value]

    init(_ parameters: FetchParameters, _ subject: FetchSubject, layout: StoreLayout) throws {
      let names = try EntityNames(subject.entity.name, in: layout)
      var conditions: [String] = []
      let family = layout.model.family(of: subject.entity).compactMap { layout.numbers[$0.name] }
      if family.count < layout.table(of: names.entity)?.entities.count ?? 0 {
        conditions.append("Z_ENT IN (\(family.map(String.init).joined(separator: ", ")))")
      }
      var translation = ConditionSQL(names: names, layout: layout)
      if let predicate = subject.predicate {
        conditions.append(try translation.text(of: predicate))
      }
      values = translation.values
      let columns = try subject.shape.properties.map { ", " + (try names.column($0)) }.joined()
      let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
      let collation = parameters.collation.name
      let order = try parameters.sortKeys.map {
        try names.column($0.property) + (collation.map { " COLLATE \($0)" } ?? "")
          + ($0.isDescending ? " DESC" : "")
      }
      let tail =
        " FROM \(names.table)" + filter
        + (order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", "))
        + Self.limit(parameters)
      rows = "SELECT Z_PK\(columns)" + tail
      keys = "SELECT Z_PK" + tail
      count = "SELECT COUNT(*) FROM \(names.table)" + filter
      batch = "SELECT Z_PK\(columns) FROM \(names.table) WHERE Z_PK IN (SELECT value FROM batch)"
      row = "SELECT Z_PK\(columns) FROM \(names.table) WHERE Z_PK = ?"
    }

    private static func limit(_ parameters: FetchParameters) -> String {
      guard parameters.limit > 0 || parameters.offset > 0 else { return "" }
      let limit = parameters.limit > 0 ? parameters.limit : -1
      return " LIMIT \(limit)" + (parameters.offset > 0 ? " OFFSET \(parameters.offset)" : "")
    }

    /// Runs one of the statements of the whole request and hands out its rows.
    func run(_ sql: String, on connection: Connection, _ body: (Statement) -> Void) throws {
      let statement = try connection.cached(sql)
      defer { statement.reset() }
      for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
      while try statement.step() { body(statement) }
    }
  }

  /// A predicate as a condition on a table's columns.
  private struct ConditionSQL {
    let names: EntityNames
    let layout: StoreLayout
    private(set) var values: [Value] = []

    mutating func text(of predicate: Predicate) throws -> String {
      switch predicate {
      case .comparison(let property, let comparison, let value):
        values.append(value)
        return "\(try names.column(property)) \(comparison.rawValue) ?"
      case .isNull(let property): return "\(try names.column(property)) IS NULL"
      case .beginsWith(let property, let prefix):
        values.append(.text(prefix))
        values.append(.text(prefix + "\u{10FFFF}"))
        let column = try names.column(property)
        return "(\(column) >= ? AND \(column) < ?)"
      case .contains(let property, let text):
        values.append(.text(text))
        return
          "\(FrameworkFunctions.search)(\(try names.column(property)), ?, \(FrameworkFunctions.cd), 0)"
      case .has(let relationship, let key):
        values.append(.integer(key))
        return try "EXISTS \(targets(of: relationship, having: true))"
      case .count(let relationship, let comparison, let number):
        values.append(.integer(Int64(number)))
        return "\(try targets(of: relationship)) \(comparison.rawValue) ?"
      case .isIn(let property, let list):
        values += list
        return "\(try names.column(property)) IN (\(list.map { _ in "?" }.joined(separator: ", ")))"
      case .keys(let keys): return "Z_PK IN (\(keys.map(String.init).joined(separator: ", ")))"
      case .not(let inner): return "NOT (\(try text(of: inner)))"
      case .and(let parts): return try joined(parts, by: " AND ", empty: "1")
      case .or(let parts): return try joined(parts, by: " OR ", empty: "0")
      }
    }

    private mutating func joined(
      _ parts: [Predicate],
      by separator: String,
      empty: String
    ) throws -> String {
      var texts: [String] = []
      for part in parts { texts.append(try text(of: part)) }
      return texts.isEmpty ? empty : "(\(texts.joined(separator: separator)))"
    }

    /// The number of targets of a to-many, or the one with a key.
    private func targets(of relationship: String, having: Bool = false) throws -> String {
      let selected = having ? "1" : "COUNT(*)"
      switch layout.storage(of: relationship, in: names.entity) {
      case .inverseForeignKey(let target, let column, _):
        return "(SELECT \(selected) FROM \(target) AS t WHERE t.\(column) = \(names.table).Z_PK"
          + (having ? " AND t.Z_PK = ?)" : ")")
      case .join(let target, let side):
        return
          "(SELECT \(selected) FROM \(target) AS t WHERE t.\(side.ownColumn) = \(names.table).Z_PK"
          + (having ? " AND t.\(side.otherColumn) = ?)" : ")")
      case .foreignKey, nil: throw Refusal.notToMany(relationship, entity: names.entity)
      }
    }
  }

  /// Takes the attributes of a shape out of rows whose first column is the key.
  final class RowReader {
    private var taken: TakenValues
    /// The number of the attributes that are read.
    let width: Int
    /// The attributes with a marker byte before their data.
    private let external: Set<Int>
    private let folder: String
    private(set) var files = FileBytes()

    var readsFiles: Bool { !external.isEmpty }

    init(_ subject: FetchSubject, store: PersistentStore) {
      let shape = subject.shape
      taken = TakenValues(of: subject)
      width = shape.properties.count
      folder = store.file.externalDataFolder
      external = Set(
        shape.properties.indices.filter { index in
          guard
            case .attribute(let attribute) = store.layout.column(
              of: shape.properties[index],
              in: shape.entity
            )?.content
          else { return false }
          return attribute.allowsExternalStorage
        }
      )
    }

    @inline(__always)
    func append(_ row: Statement, to values: inout [Value]) {
      for column in 0..<width { values.append(row.value(at: column + 1)) }
    }

    /// Takes a row's values, files of external storage read for it.
    func read(_ key: Int64, _ values: ArraySlice<Value>) throws {
      taken.begin(key)
      for (index, value) in zip(0..<width, values) {
        if case .blob(let bytes) = value, external.contains(index) {
          taken.take(try content(of: bytes).map { .blob($0) } ?? .null)
        } else {
          taken.take(value)
        }
      }
    }

    func settle(into log: inout ReadLog) { taken.settle(into: &log) }

    /// The bytes that a column stands for; `nil` where their file is missing.
    private func content(of column: [UInt8]) throws -> [UInt8]? {
      guard let name = ExternalStorage.fileName(in: column) else {
        return Array(column.dropFirst())
      }
      return try files.readIfPresent(folder + "/" + name)
    }
  }
}

extension Refusal {
  /// The refusal of a row that was there when the keys were read.
  static func rowMissing(_ key: Int64) -> Refusal {
    Refusal(.caseFailed, "the row \(key) was deleted after its key was read")
  }
}
