import DataModel
import PersistentStore
import SQLite

struct BulkChange {
  private let content: BulkContent
  private let sql: BulkSQL
  private var parameters: BulkParameters { content.parameters }

  init(_ content: BulkContent, _ layout: StoreLayout) throws {
    self.content = content
    sql = try BulkSQL(content, layout)
  }

  func changeObjects(in context: ObjectContext) throws {
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
  }

  /// Changes all selected objects with one statement, as a batch request does; the SQL text is an
  /// assumption.
  ///
  /// - Returns: The keys of the objects if the request returns them; otherwise an empty array.
  func request(_ store: PersistentStore) throws -> [Int64] {
    let connection = store.connection
    return try connection.transaction("BEGIN EXCLUSIVE") {
      let returnsKeys = !parameters.shown.isEmpty && parameters.merge == .objectIDs
      let usesKeys = parameters.batchSearch == .keys
      let keys = returnsKeys || usesKeys ? try selected(on: connection) : []
      let condition = usesKeys ? "Z_PK IN (SELECT * FROM temp._Z_selected)" : sql.condition
      let array = usesKeys ? try IntegerArray(connection: connection, name: "_Z_selected") : nil
      array?.values = keys
      var rows = BatchRows(
        store: store,
        history: BatchHistory(store),
        removesFiles: false,
        raisesVersions: parameters.batchVersions == .raised
      )
      rows.history?.begin()
      switch parameters.operation {
      case .update: try rows.update([(sql.flag, "1")], in: sql.table, where: condition)
      case .delete: _ = try rows.delete(from: sql.table, where: condition)
      }
      return returnsKeys ? keys : []
    }
  }

  private func selected(on connection: Connection) throws -> [Int64] {
    let rows = try connection.cached(sql.keys)
    defer { rows.reset() }
    return try rows.map { $0.integer(at: 0) }
  }

  func changeRows(by writer: any RowWriting) throws {
    guard parameters.strategy == .objects else {
      return try writer.transaction { _ = try writer.run(sql.statement(where: sql.condition), []) }
    }
    var keys: [Value] = []
    _ = try writer.read(sql.keys, [], into: &keys)
    let statement = sql.statement(where: "Z_PK = ?")
    for some in keys.chunks(of: parameters.objectsPerSave) {
      try writer.transaction {
        for key in some { _ = try writer.run(statement, [key]) }
      }
    }
  }
}

private struct BulkSQL {
  let table: String
  let flag: String
  let condition: String

  private let operation: BulkParameters.Operation

  init(_ content: BulkContent, _ layout: StoreLayout) throws {
    operation = content.parameters.operation
    let names = try EntityNames(content.entity, in: layout)
    table = names.table
    flag = try names.column(content.flag)
    condition = "\(try names.column(content.number)) < \(content.limit)"
  }

  var keys: String { "SELECT Z_PK FROM \(table) WHERE \(condition)" }

  func statement(where condition: String) -> String {
    switch operation {
    case .update: "UPDATE \(table) SET \(flag) = 1, Z_OPT = Z_OPT+1 WHERE \(condition)"
    case .delete: "DELETE FROM \(table) WHERE \(condition)"
    }
  }
}

/// The objects on a screen.
///
/// The object context that holds the objects may also change them.
final class Screen {
  let context: ObjectContext
  private let store: PersistentStore
  private let content: BulkContent
  private let keys: [Int64]
  private let token: Int64
  private var objects: [ManagedObject] = []

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
    objects = try context.fetch(FetchRequest(content.entity, predicate: .keys(keys))).all()
  }

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

  func draw() throws -> [Int64: Value] {
    var shown: [Int64: Value] = [:]
    for object in objects where !object.isDeleted {
      shown[object.key] = try object.value(of: content.flag)
    }
    return shown
  }
}
