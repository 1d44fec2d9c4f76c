import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Fetches with SQL statements that select only the columns that are read.
final class StatementFetch: FetchEngine {
  private let writer: any RowWriting
  private let strategy: FetchParameters.Strategy
  private let batchSize: Int
  private let statements: Statements
  /// The indexes of the attributes that allow external storage, whose data starts with a marker
  /// byte.
  private let external: Set<Int>
  private let folder: String
  private var files = FileBytes()
  private var reportedFiles = FileBytes().counters

  init(
    _ parameters: FetchParameters,
    _ subject: FetchSubject,
    _ writer: any RowWriting,
    _ store: PersistentStore
  ) throws {
    self.writer = writer
    strategy = parameters.strategy
    batchSize = strategy == .faults ? 1 : parameters.batchSize
    statements = try Statements(parameters, subject, layout: store.layout)
    folder = store.file.externalDataFolder
    external = Set(
      subject.shape.properties.indices.filter { index in
        let column = store.layout.column(
          of: subject.shape.properties[index],
          in: subject.shape.entity
        )
        guard case .attribute(let attribute)? = column?.content else { return false }
        return attribute.allowsExternalStorage
      }
    )
  }

  var connection: Connection? { writer.connection }

  func trace(_ observer: any StatementObserver) throws { try writer.trace(observer) }

  func fetch() throws -> any FetchResults {
    var values: [Value] = []
    guard strategy == .eager else {
      _ = try writer.read(statements.keys, statements.values, into: &values)
      return Results(self, keys: values.map { $0.integer ?? 0 })
    }
    _ = try writer.read(statements.rows, statements.values, into: &values)
    return Results(self, values: values)
  }

  /// The rows with the given keys, in the order of the keys.
  func results(of keys: [Int64]) throws -> any FetchResults {
    Results(self, keys: keys, size: max(1, keys.count))
  }

  /// The keys of all objects that match the request.
  func keys() throws -> [Int64] {
    var keys: [Value] = []
    _ = try writer.read(statements.keys, statements.values, into: &keys)
    return keys.compactMap(\.integer)
  }

  func count() throws -> Int {
    Int(try writer.rows(statements.count, statements.values).first?[0].integer ?? 0)
  }

  func report(to recorder: Recorder) {
    guard !external.isEmpty else { return }
    recorder.countReads(files.counters, since: reportedFiles)
    reportedFiles = files.counters
  }

  /// Reads the rows with the given keys.
  private func load(_ keys: ArraySlice<Int64>, into values: inout [Value]) throws {
    if strategy == .faults, let key = keys.first {
      _ = try writer.read(statements.row, [.integer(key)], into: &values)
    } else {
      let list = try writer.list(keys)
      _ = try writer.read("\(statements.batch) IN (\(list.sql))", list.values, into: &values)
    }
  }

  /// Takes the values from a row, and reads its files in external storage.
  private func take(_ row: ArraySlice<Value>, into taken: inout TakenValues) throws {
    taken.begin(row.first?.integer ?? 0)
    guard !external.isEmpty else { return taken.take(row.dropFirst()) }
    for (index, value) in row.dropFirst().enumerated() {
      if case .blob(let bytes) = value, external.contains(index) {
        taken.take(try content(of: bytes).map { .blob($0) } ?? .null)
      } else {
        taken.take(value)
      }
    }
  }

  /// The bytes that a column contains or refers to; `nil` if their file is missing.
  private func content(of column: [UInt8]) throws -> [UInt8]? {
    guard let name = ExternalStorage.fileName(in: column) else { return Array(column.dropFirst()) }
    return try files.readIfPresent(folder + "/" + name)
  }
}

extension StatementFetch {
  /// The results: either all rows, loaded by the fetch, or all keys and the rows of one batch.
  private final class Results: FetchResults {
    private let fetch: StatementFetch
    /// The keys of all rows; `nil` if all rows are loaded.
    private let keys: [Int64]?
    /// The columns of the loaded rows, row by row, starting with the key.
    private var values: [Value]
    private var batch: Int?
    private var places: [Int64: Int] = [:]
    /// The number of rows that are loaded together.
    private let size: Int

    init(_ fetch: StatementFetch, keys: [Int64]? = nil, values: [Value] = [], size: Int? = nil) {
      (self.fetch, self.keys, self.values) = (fetch, keys, values)
      self.size = size ?? fetch.batchSize
    }

    private var width: Int { fetch.statements.width }
    var count: Int { keys?.count ?? values.count / width }

    func read(_ place: Int, isTouched: Bool, into taken: inout TakenValues) throws {
      var row = place
      if let keys {
        if batch != place / size { try load(place / size, of: keys) }
        guard let found = places[keys[place]] else { throw Refusal.rowMissing(keys[place]) }
        row = found
      }
      try fetch.take(values[row * width..<(row + 1) * width], into: &taken)
    }

    private func load(_ number: Int, of keys: [Int64]) throws {
      values.removeAll(keepingCapacity: true)
      places.removeAll(keepingCapacity: true)
      try fetch.load(keys[number * size..<min((number + 1) * size, keys.count)], into: &values)
      for row in 0..<values.count / width { places[values[row * width].integer ?? 0] = row }
      batch = number
    }
  }

  struct Statements {
    /// The SQL that selects all rows that match the request, with the key in the first column.
    let rows: String
    let keys: String
    let count: String
    /// The SQL that selects rows by key; the list of keys is appended to it.
    let batch: String
    let row: String
    /// The values to bind to the condition's parameters.
    let values: [Value]
    /// The number of columns in a row.
    let width: Int

    init(_ parameters: FetchParameters, _ subject: FetchSubject, layout: StoreLayout) throws {
      let names = try EntityNames(subject.entity.name, in: layout)
      var translation = ConditionSQL(names: names, layout: layout)
      let condition = try subject.predicate.map { try translation.text(of: $0) }
      let counted = names.table + translation.joins.sql
      let order = try parameters.sortKeys.map {
        try translation.column(at: $0.property, mayBeMissing: true)
          + ($0.collation.name.map { " COLLATE \($0)" } ?? "") + ($0.isDescending ? " DESC" : "")
      }
      let joins = translation.joins.sql
      // Qualify the columns, because joined tables have columns with the same names.
      let own = joins.isEmpty ? "" : names.table + "."
      var conditions: [String] = []
      let family = layout.model.family(of: subject.entity).compactMap { layout.numbers[$0.name] }
      if family.count < layout.table(of: names.entity)?.entities.count ?? 0 {
        conditions.append("\(own)Z_ENT IN (\(family.map(String.init).joined(separator: ", ")))")
      }
      if let condition { conditions.append(condition) }
      values = translation.values
      let columns = try subject.shape.properties.map { try ", " + own + names.column($0) }.joined()
      let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
      let tail =
        " FROM \(names.table)\(joins)" + filter
        + (order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", "))
        + Self.limit(parameters)
      rows = "SELECT \(own)Z_PK\(columns)" + tail
      keys = "SELECT \(own)Z_PK" + tail
      count = "SELECT COUNT(*) FROM \(counted)" + filter
      batch = "SELECT Z_PK\(columns) FROM \(names.table) WHERE Z_PK"
      row = batch + " = ?"
      width = 1 + subject.shape.properties.count
    }

    /// The keys of the objects that match the request, found with plain SQL on a store's
    /// connection.
    func keys(on connection: Connection) throws -> [Int64] {
      try FrameworkFunctions.register(on: connection)
      var found: [Value] = []
      _ = try ConnectionWriter(connection).read(keys, values, into: &found)
      return found.compactMap(\.integer)
    }

    private static func limit(_ parameters: FetchParameters) -> String {
      guard parameters.limit > 0 || parameters.offset > 0 else { return "" }
      let limit = parameters.limit > 0 ? parameters.limit : -1
      return " LIMIT \(limit)" + (parameters.offset > 0 ? " OFFSET \(parameters.offset)" : "")
    }
  }

  /// Translates a predicate into an SQL condition on a table's columns.
  private struct ConditionSQL {
    let names: EntityNames
    let layout: StoreLayout
    private(set) var values: [Value] = []
    private(set) var joins: KeyPathJoins

    init(names: EntityNames, layout: StoreLayout) {
      (self.names, self.layout) = (names, layout)
      joins = KeyPathJoins(layout, from: names.entity, alias: names.table)
    }

    mutating func text(of predicate: Predicate) throws -> String {
      switch predicate {
      case .comparison(let path, let comparison, let value):
        values.append(value)
        return "\(try column(at: path)) \(comparison.rawValue) ?"
      case .isNull(let path): return "\(try column(at: path, mayBeMissing: true)) IS NULL"
      case .beginsWith(let path, let prefix):
        let column = try column(at: path)
        values += [.text(prefix), .text(prefix + "\u{10FFFF}")]
        return "(\(column) >= ? AND \(column) < ?)"
      case .text(let path, let match):
        values.append(.text(match.text))
        return "\(FrameworkFunctions.search)(\(try column(at: path)), ?, \(match.options), 0)"
      case .has(let relationship, let key):
        return "EXISTS \(try targets(of: relationship, selecting: "1", key: key))"
      case .any(let relationship, let inner):
        return "EXISTS \(try targets(of: relationship, selecting: "1", where: inner))"
      case .count(let relationship, let comparison, let number):
        values.append(.integer(Int64(number)))
        return "\(try targets(of: relationship, selecting: "COUNT(*)")) \(comparison.rawValue) ?"
      case .isIn(let path, let list):
        values += list
        return "\(try column(at: path)) IN (\(list.map { _ in "?" }.joined(separator: ", ")))"
      case .keys(let keys):
        return "\(names.table).Z_PK IN (\(keys.map(String.init).joined(separator: ", ")))"
      case .not(let inner): return "NOT \(try joined([inner], by: "", mayBeMissing: true))"
      case .and(let parts): return parts.isEmpty ? "1" : try joined(parts, by: " AND ")
      case .or(let parts):
        return parts.isEmpty ? "0" : try joined(parts, by: " OR ", mayBeMissing: true)
      }
    }

    private mutating func joined(
      _ parts: [Predicate],
      by separator: String,
      mayBeMissing: Bool = false
    ) throws -> String {
      let outer = joins.mayBeMissing
      if mayBeMissing { joins.mayBeMissing = true }
      var texts: [String] = []
      for part in parts { texts.append(try text(of: part)) }
      joins.mayBeMissing = outer
      return "(\(texts.joined(separator: separator)))"
    }

    /// Returns a subquery on the objects in a to-many relationship: on all objects, on the object
    /// with a given key, or on those that meet a condition.
    private mutating func targets(
      of relationship: String,
      selecting selected: String,
      key: Int64? = nil,
      where inner: Predicate? = nil
    ) throws -> String {
      let targets = try joins.targets(of: relationship)
      var (from, filter) = (targets.from, "\(targets.owner) = \(targets.outer)")
      if let key {
        values.append(.integer(key))
        filter += " AND \(targets.key) = ?"
      }
      if let inner {
        let outer = joins
        joins = joins.inside(targets)
        filter += " AND \(try text(of: inner))"
        from += joins.sql
        joins = outer
      }
      return "(SELECT \(selected) FROM \(from) WHERE \(filter))"
    }

    mutating func column(at path: String, mayBeMissing: Bool = false) throws -> String {
      let (table, property) = try joins.end(of: path, mayBeMissing: mayBeMissing)
      guard table.entity != names.entity else {
        return "\(table.alias).\(try names.column(property))"
      }
      let column = try EntityNames(table.entity, in: layout).column(property)
      return "\(table.alias).\(column)"
    }
  }
}

extension Refusal {
  /// The error for a row that was deleted after its key was read.
  static func rowMissing(_ key: Int64) -> Refusal {
    Refusal(.caseFailed, "the row \(key) was deleted after its key was read")
  }
}
