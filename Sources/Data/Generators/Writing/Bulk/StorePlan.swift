import BulkWriter
import PersistentStore

/// A store's file as the bulk writer needs it: every table and index in the order in which SQLite
/// would have made them, with what fills them.
struct StorePlan {
  let database: DatabasePlan
  /// The rows of all tables.
  let rowCount: Int

  init(_ contents: StoreContents, store: StoreFile, chunkBytes: Int) throws {
    let layout = contents.dataset.layout
    var builder = Builder(contents: contents, store: store, chunkBytes: chunkBytes)
    for sql in layout.definitions { try builder.add(sql) }
    database = DatabasePlan(items: builder.items)
    rowCount = builder.rowCount
  }

  private struct Builder {
    let generated: [String: TableRows]
    let system: [String: SystemRows.Table]
    let store: StoreFile
    let chunkBytes: Int
    var items: [DatabasePlan.Item] = []
    var rowCount = 0
    /// The columns of the tables so far.
    var columns: [String: [String]] = [:]

    init(contents: StoreContents, store: StoreFile, chunkBytes: Int) {
      self.store = store
      self.chunkBytes = chunkBytes
      generated = Dictionary(contents.tables.map { ($0.name, $0) }) { first, _ in first }
      let rows = contents.systemRows
      system = Dictionary(rows.tables.map { ($0.name, $0) }) { first, _ in first }
    }

    mutating func add(_ sql: String) throws {
      switch SchemaStatement(sql) {
      case .table(let name, let columns, let keys):
        let source = try source(of: name, columns)
        let plan = TablePlan(
          name: name,
          sql: sql,
          columns: columns.map { Affinity(declaredType: $0.type) },
          rowidColumn: columns.firstIndex(where: \.isRowid),
          source: source
        )
        items.append(.table(plan))
        self.columns[name] = columns.map(\.name)
        for (index, key) in keys.enumerated() {
          let columns = key.map { SchemaStatement.IndexedColumn(name: $0, isDescending: false) }
          let autoIndex = "sqlite_autoindex_\(name)_\(index + 1)"
          try addIndex(autoIndex, on: name, columns, isUnique: true, sql: nil)
        }
      case .index(let name, let table, let columns, let isUnique):
        try addIndex(name, on: table, columns, isUnique: isUnique, sql: sql)
      case nil: throw GeneratorsError.unknownStatement(sql)
      }
    }

    private mutating func addIndex(
      _ name: String,
      on table: String,
      _ columns: [SchemaStatement.IndexedColumn],
      isUnique: Bool,
      sql: String?
    ) throws {
      let positions = try columns.map { column in
        guard let position = self.columns[table]?.firstIndex(of: column.name) else {
          throw GeneratorsError.unknownStatement(sql ?? name)
        }
        return IndexPlan.Column(position: position, isDescending: column.isDescending)
      }
      let plan = IndexPlan(
        name: name,
        table: table,
        sql: sql,
        columns: positions,
        isUnique: isUnique
      )
      items.append(.index(plan))
    }

    private mutating func source(
      of table: String,
      _ columns: [SchemaStatement.Column]
    ) throws -> any RowSource {
      guard let rows = generated[table] else {
        let rows = system[table]?.rows ?? []
        rowCount += rows.count
        return FixedRows(rows, rowidColumn: columns.firstIndex(where: \.isRowid))
      }
      guard let declared = DeclaredColumns(values: rows.columns, of: columns.map(\.name)) else {
        throw GeneratorsError.unknownStatement(table)
      }
      let chunks = try TableChunks(
        rows,
        columns: declared,
        store: store,
        chunkBytes: chunkBytes
      )
      rowCount += chunks.rowCount
      return chunks
    }
  }
}
