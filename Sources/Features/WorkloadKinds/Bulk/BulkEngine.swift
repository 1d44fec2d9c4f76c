import DataModel
import PersistentStore
import SQLite

/// Updates or deletes the selected objects of a case.
protocol BulkEngine: AnyObject {
  /// - Returns: The keys of the objects, where the request was to return them.
  func change() throws -> [Int64]
}

/// Fetches the objects, changes them and saves, so many at a time.
final class ObjectChanges: BulkEngine {
  private let context: ObjectContext
  private let content: BulkContent
  private var parameters: BulkParameters { content.parameters }

  init(_ context: ObjectContext, _ content: BulkContent) {
    self.context = context
    self.content = content
  }

  func change() throws -> [Int64] {
    let found = try context.fetch(
      FetchRequest(
        content.entity,
        predicate: .comparison(content.number, .less, .integer(content.limit)),
        fetchBatchSize: parameters.objectsPerSave
      )
    )
    for index in 0..<found.count {
      let object = try found.object(at: index)
      switch parameters.operation {
      case .update: try object.setValue(.integer(1), of: content.flag)
      case .delete: try context.delete(object)
      }
      if (index + 1).isMultiple(of: parameters.objectsPerSave) { try context.save() }
    }
    try context.save()
    return []
  }
}

/// One statement for all objects, as a request to the store runs it; its text is assumed.
final class BatchRequest: BulkEngine {
  private let store: PersistentStore
  private let sql: BulkSQL
  private var parameters: BulkParameters { sql.content.parameters }
  private let history: BatchHistory?

  init(_ store: PersistentStore, _ sql: BulkSQL) {
    self.store = store
    self.sql = sql
    history = BatchHistory(store)
  }

  func change() throws -> [Int64] {
    let connection = store.connection
    return try connection.transaction("BEGIN EXCLUSIVE") {
      let returnsKeys = !parameters.shown.isEmpty && parameters.merge == .objectIDs
      let usesKeys = parameters.batchSearch == .keys
      let keys = returnsKeys || usesKeys ? try selected(on: connection) : []
      let condition = usesKeys ? "Z_PK IN (SELECT * FROM temp._Z_selected)" : sql.condition
      let array = usesKeys ? try IntegerArray(connection: connection, name: "_Z_selected") : nil
      array?.values = keys
      try change(where: condition)
      return returnsKeys ? keys : []
    }
  }

  private func change(where condition: String) throws {
    history?.begin()
    switch parameters.operation {
    case .update: try history?.recordUpdates(of: sql.flag, in: sql.table, where: condition)
    case .delete: try history?.recordDeletions(from: sql.table, where: condition)
    }
    let statement = sql.statement(
      parameters.operation,
      where: condition,
      raisesVersions: parameters.batchVersions == .raised
    )
    try store.connection.cached(statement).run()
  }

  private func selected(on connection: Connection) throws -> [Int64] {
    let rows = try connection.cached(sql.keys)
    defer { rows.reset() }
    return try rows.map { $0.integer(at: 0) }
  }
}

/// Plain statements: one for all rows, or one a row after reading the keys.
final class StatementChanges: BulkEngine {
  private let writer: any RowWriting
  private let sql: BulkSQL
  private var parameters: BulkParameters { sql.content.parameters }

  init(_ writer: any RowWriting, _ sql: BulkSQL) {
    self.writer = writer
    self.sql = sql
  }

  func change() throws -> [Int64] {
    guard parameters.strategy == .objects else {
      try writer.transaction {
        _ = try writer.run(
          sql.statement(parameters.operation, where: sql.condition, raisesVersions: true),
          []
        )
      }
      return []
    }
    let keys = try writer.rows(sql.keys, []).map { $0[0] }
    let statement = sql.row(parameters.operation)
    for start in stride(from: 0, to: keys.count, by: parameters.objectsPerSave) {
      try writer.transaction {
        for key in keys[start..<min(start + parameters.objectsPerSave, keys.count)] {
          _ = try writer.run(statement, [key])
        }
      }
    }
    return []
  }
}

/// The statements of a bulk change on the layout of a store.
struct BulkSQL {
  let content: BulkContent
  let table: String
  let flag: String
  /// The condition that selects the objects.
  let condition: String

  init(_ content: BulkContent, _ layout: StoreLayout) throws {
    self.content = content
    let names = try EntityNames(content.entity, in: layout)
    table = names.table
    flag = try names.column(content.flag)
    condition = "\(try names.column(content.number)) < \(content.limit)"
  }

  var keys: String { "SELECT Z_PK FROM \(table) WHERE \(condition)" }

  func statement(
    _ operation: BulkParameters.Operation,
    where condition: String,
    raisesVersions: Bool
  ) -> String {
    let raise = raisesVersions ? ", Z_OPT = Z_OPT+1" : ""
    return switch operation {
    case .update: "UPDATE \(table) SET \(flag) = 1\(raise) WHERE \(condition)"
    case .delete: "DELETE FROM \(table) WHERE \(condition)"
    }
  }

  func row(_ operation: BulkParameters.Operation) -> String {
    switch operation {
    case .update: "UPDATE \(table) SET \(flag) = 1, Z_OPT = Z_OPT+1 WHERE Z_PK = ?"
    case .delete: "DELETE FROM \(table) WHERE Z_PK = ?"
    }
  }
}

/// The objects that a screen shows, in a context of its own or in the one that changes them.
final class Screen {
  let context: ObjectContext
  private let store: PersistentStore
  private let content: BulkContent
  private let keys: [Int64]
  private let token: Int64
  private var objects: [ManagedObject] = []

  /// Fetches the objects and reads what is shown of them.
  init(_ store: PersistentStore, _ content: BulkContent, keys: [Int64]) throws {
    self.store = store
    self.content = content
    self.keys = keys
    context = try ObjectContext(store: store)
    token = store.layout.keepsHistory ? try HistoryReader(store).lastToken() : 0
    try fetch()
  }

  private func fetch() throws {
    guard !keys.isEmpty else { return }
    let found = try context.fetch(FetchRequest(content.entity, predicate: .keys(keys)))
    objects = try (0..<found.count).map { try found.object(at: $0) }
  }

  /// Brings what a batch has done to the screen's context.
  func merge(_ keys: [Int64]) throws {
    switch content.parameters.merge {
    case .none: break
    case .objectIDs:
      let isUpdate = content.parameters.operation == .update
      try context.merge(
        content.entity,
        updated: isUpdate ? keys : [],
        deleted: isUpdate ? [] : keys
      )
    case .history:
      let changes = try HistoryReader(store).changes(after: token)
        .filter { $0.entity == content.entity }
      try context.merge(
        content.entity,
        updated: changes.filter { $0.kind == .update }.map(\.key),
        deleted: changes.filter { $0.kind == .deletion }.map(\.key)
      )
    case .reset:
      objects = []
      context.reset()
      try fetch()
    }
  }

  /// Reads what is shown of each object that is still there: its flag, by key.
  func draw() throws -> [Int64: Value] {
    var shown: [Int64: Value] = [:]
    for object in objects where !object.isDeleted {
      shown[object.key] = try object.value(of: content.flag)
    }
    return shown
  }
}
