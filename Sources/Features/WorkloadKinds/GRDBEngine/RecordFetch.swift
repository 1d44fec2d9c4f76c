#if GRDB
  import DataModel
  import GRDB
  import PersistentStore
  import Runner
  import SQLite

  /// Fetches GRDB's records of tasks.
  final class RecordFetch: FetchEngine {
    private let queue: DatabaseQueue
    private let request: QueryInterfaceRequest<TaskRecord>
    /// The records of a batch; `nil` for all at once.
    private let batchSize: Int?

    /// GRDB has a connection of its own.
    var connection: Connection? { nil }

    /// Opens a store for reading only.
    ///
    /// - Throws: GRDB's `DatabaseError`, and ``ObjectContextError`` for an unknown property.
    init(
      _ parameters: FetchParameters,
      _ subject: FetchSubject,
      store: PersistentStore,
      settings: ConnectionSettings
    ) throws {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.prepareDatabase {
        try $0.configure(settings, but: ConnectionSettings.fileProperties)
      }
      queue = try DatabaseQueue(path: store.file.path, configuration: configuration)
      // GRDB reads the schema before its first request. An app has done that long ago, and the
      // object context has its layout from the start.
      _ = try queue.read { try $0.tableExists("Z_PRIMARYKEY") }
      batchSize = parameters.strategy == .batched ? parameters.batchSize : nil
      var request = TaskRecord.all()
      let condition = RecordCondition(layout: store.layout)
      if let predicate = subject.predicate {
        request = request.filter(try condition.expression(predicate))
      }
      if parameters.strategy != .count {
        let keys = try parameters.sortKeys.map { key in
          let column = try condition.column(of: key.property)
          return key.isDescending ? column.desc : column.asc
        }
        if !keys.isEmpty { request = request.order(keys) }
        let (limit, offset) = (parameters.limit, parameters.offset)
        if limit > 0 || offset > 0 {
          request = request.limit(limit > 0 ? limit : -1, offset: offset > 0 ? offset : nil)
        }
      }
      self.request = request
    }

    func fetch() throws -> any FetchResults {
      guard let batchSize else {
        return AllRecords(try queue.read { try request.fetchAll($0) })
      }
      let keys = try queue.read { database in
        try Int64.fetchAll(database, request.select(GRDB.Column("Z_PK")))
      }
      return RecordBatches(keys: keys, size: batchSize, queue: queue)
    }

    func count() throws -> Int { try queue.read { try request.fetchCount($0) } }

    func report(to recorder: Recorder) {}

    func trace(_ observer: any StatementObserver) throws {
      try queue.read { database in
        guard let connection = database.sqliteConnection else { return }
        StatementTally.trace(connection, for: observer)
      }
    }
  }

  private final class AllRecords: FetchResults {
    private let records: [TaskRecord]
    private var taken: [TaskRecord] = []

    init(_ records: [TaskRecord]) {
      self.records = records
    }

    var count: Int { records.count }

    func read(_ place: Int, isTouched: Bool) { taken.append(records[place]) }

    func settle(into log: inout ReadLog) { taken.settle(into: &log) }
  }

  private final class RecordBatches: FetchResults {
    private let keys: [Int64]
    private let size: Int
    private let queue: DatabaseQueue
    private var batch: Int?
    private var records: [Int64: TaskRecord] = [:]
    private var taken: [TaskRecord] = []

    init(keys: [Int64], size: Int, queue: DatabaseQueue) {
      self.keys = keys
      self.size = size
      self.queue = queue
    }

    var count: Int { keys.count }

    func read(_ place: Int, isTouched: Bool) throws {
      if batch != place / size { try load(place / size) }
      guard let record = records[keys[place]] else {
        throw ObjectContextError.missingObject(entity: TaskRecord.entity, key: keys[place])
      }
      taken.append(record)
    }

    func settle(into log: inout ReadLog) { taken.settle(into: &log) }

    private func load(_ number: Int) throws {
      let wanted = keys[number * size..<min((number + 1) * size, keys.count)]
      let found = try queue.read { database in
        try TaskRecord.fetchAll(
          database.cachedStatement(sql: batchSQL),
          arguments: arguments(of: wanted)
        )
      }
      records = Dictionary(found.map { ($0.key, $0) }) { first, _ in first }
      batch = number
    }

    /// One text for all batches, so that it is compiled once.
    ///
    /// A short batch is filled with NULL, which is no key. A batch of more keys than a statement may
    /// have parameters binds them as JSON.
    private lazy var batchSQL: String = {
      let list =
        isAsParameters
        ? Array(repeating: "?", count: size).joined(separator: ", ")
        : "SELECT value FROM json_each(?)"
      return "SELECT \(TaskRecord.columns.joined(separator: ", ")) FROM "
        + "\(TaskRecord.databaseTableName) WHERE Z_PK IN (\(list))"
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

  extension [TaskRecord] {
    fileprivate mutating func settle(into log: inout ReadLog) {
      for record in self { log.add(record.key, record.digest) }
      removeAll(keepingCapacity: true)
    }
  }

  /// A predicate as GRDB's query interface writes it.
  private struct RecordCondition {
    let layout: StoreLayout

    func column(of property: String) throws -> GRDB.Column {
      if let column = layout.column(of: property, in: TaskRecord.entity) {
        return GRDB.Column(column.name)
      }
      if case .foreignKey(let column, _, _) = layout.storage(of: property, in: TaskRecord.entity) {
        return GRDB.Column(column)
      }
      throw unknown(property)
    }

    private func unknown(_ property: String) -> ObjectContextError {
      .unknownProperty(entity: TaskRecord.entity, property: property)
    }

    func expression(_ predicate: Predicate) throws -> SQLExpression {
      switch predicate {
      case .comparison(let property, let comparison, let value):
        let column = try column(of: property)
        let value = value.databaseValue
        return switch comparison {
        case .equal: column == value
        case .notEqual: column != value
        case .less: column < value
        case .lessOrEqual: column <= value
        case .greater: column > value
        case .greaterOrEqual: column >= value
        }
      case .isNull(let property): return try column(of: property) == nil
      case .beginsWith(let property, let prefix):
        let column = try column(of: property)
        return column >= prefix && column < prefix + "\u{10FFFF}"
      // The plan refuses such a search: GRDB's connection has no such function.
      case .contains: throw unknown("CONTAINS")
      case .has(let relationship, _): throw unknown(relationship)
      case .count(let relationship, let comparison, let number):
        return try count(relationship, comparison, number)
      case .isIn(let property, let list):
        let column = try column(of: property)
        return list.map(\.databaseValue).contains(column)
      case .keys(let keys): return keys.contains(GRDB.Column("Z_PK"))
      case .not(let inner): return !(try expression(inner))
      case .and(let parts): return try parts.map(expression).joined(operator: .and)
      case .or(let parts): return try parts.map(expression).joined(operator: .or)
      }
    }

    private func count(
      _ relationship: String,
      _ comparison: Predicate.Operator,
      _ number: Int
    ) throws -> SQLExpression {
      let (table, column): (String, String)
      switch layout.storage(of: relationship, in: TaskRecord.entity) {
      case .inverseForeignKey(let found, let key, _): (table, column) = (found, key)
      case .join(let found, let side): (table, column) = (found, side.ownColumn)
      case .foreignKey, nil: throw unknown(relationship)
      }
      let text =
        "(SELECT COUNT(*) FROM \(table) WHERE \(column) = \(TaskRecord.databaseTableName).Z_PK) "
        + "\(comparison.rawValue) ?"
      return SQL(sql: text, arguments: [number]).sqlExpression
    }
  }
#endif
