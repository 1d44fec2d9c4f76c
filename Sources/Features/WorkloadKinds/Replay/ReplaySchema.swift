import DataModel
import PersistentStore
import SQLLog
import SQLite

/// The meaning of the columns in a store's tables, as far as a replay needs it.
struct ReplaySchema: Sendable {
  /// A column with keys of another table.
  struct Link: Hashable, Sendable {
    var table: String
    var relationship: String
  }

  /// The columns with keys of other tables, by table and column, including those of join tables.
  private(set) var links: [String: [String: Link]] = [:]
  private(set) var uniqueColumns: [String: Set<String>] = [:]
  private(set) var dateColumns: [String: Set<String>] = [:]
  /// The columns of each table after Z_PK, Z_ENT and Z_OPT.
  private(set) var columns: [String: [String]] = [:]
  private(set) var blobColumns: [String: [String]] = [:]
  private(set) var entityNumbers: [String: Int] = [:]

  /// Reads the layout of a store; the layout must not change during the replay.
  init(of store: StoreFile, settings: ConnectionSettings, isPlain: Bool = false) throws {
    if isPlain {
      try self.init(tablesOf: store.plainConnection())
      return
    }
    let options = PersistentStore.Options(settings: settings)
    self.init(try PersistentStore.open(store, mode: .readOnly, options: options).layout)
  }

  /// Reads the tables of an app's own database.
  ///
  /// Without a model, its keys are treated as ordinary values.
  init(tablesOf connection: Connection) throws {
    let log = try LogSchema(tablesOf: connection)
    for (name, table) in log.tables {
      columns[name] = table.properties.keys.sorted()
      blobColumns[name] = table.binaryColumns
      uniqueColumns[name] = Set(
        table.indexes.filter { $0.isUnique && $0.columns.count == 1 }.flatMap(\.columns)
      )
    }
  }

  init(_ layout: StoreLayout) {
    for table in layout.tables {
      columns[table.name] = table.columns.map(\.name)
      entityNumbers[table.name] = layout.numbers[table.root]
      for column in table.columns {
        switch column.content {
        case .foreignKey(let relationship):
          link(table.name, column.name, to: relationship.destination, relationship.name, layout)
        case .inverselessKey(let relationship, let source):
          link(table.name, column.name, to: source, relationship.name, layout)
        case .attribute(let attribute):
          if attribute.type == .binary { blobColumns[table.name, default: []].append(column.name) }
        case .foreignEntity, .orderKey: continue
        }
        if column.type == .timestamp { dateColumns[table.name, default: []].insert(column.name) }
      }
      let unique = layout.indexes(of: table).filter(\.isUnique).flatMap { $0.columns.map(\.name) }
      uniqueColumns[table.name] = Set(unique + table.constraints.flatMap { $0 })
    }
    for join in layout.joinTables {
      for side in [join.slave, join.master] {
        link(join.name, side.ownColumn, to: side.entity, side.relationship, layout)
        let other = side == join.master ? join.slave : join.master
        link(join.name, side.otherColumn, to: other.entity, other.relationship, layout)
      }
    }
  }

  private mutating func link(
    _ table: String,
    _ column: String,
    to entity: String,
    _ relationship: String,
    _ layout: StoreLayout
  ) {
    guard let target = layout.table(of: entity)?.name else { return }
    links[table, default: [:]][column] = Link(table: target, relationship: relationship)
  }

  func link(_ table: String, _ column: String) -> Link? { links[table]?[column] }

  /// The table whose keys a column contains: the column's own table, or the destination of a
  /// relationship; `nil` for other columns.
  func keyTable(_ table: String, _ column: String) -> String? {
    column == "Z_PK" ? table : link(table, column)?.table
  }
}
