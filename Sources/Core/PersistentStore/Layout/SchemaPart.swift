import Basics
import DataModel

/// A table or index of a store, from which its CREATE statement and the bulk writer's pages are
/// derived.
package enum SchemaPart: Hashable, Sendable {
  case table(TableDefinition)
  case index(TableIndex)

  package var name: String {
    switch self {
    case .table(let table): table.name
    case .index(let index): index.name
    }
  }

  /// The table of an index; for a table, its own name.
  package var table: String {
    switch self {
    case .table(let table): table.name
    case .index(let index): index.table
    }
  }

  /// The statement that creates the part, exactly as Core Data writes it.
  package var sql: String {
    switch self {
    case .table(let table): table.sql
    case .index(let index): index.sql
    }
  }
}

/// The columns and constraints of a table.
package struct TableDefinition: Hashable, Sendable {
  package struct Column: Hashable, Sendable {
    package let name: String
    /// The declared type, which determines the affinity.
    package let type: String
    /// Whether the column is the INTEGER PRIMARY KEY, an alias for the rowid.
    package var isRowid = false
    package var isUnique = false
  }

  /// A key that is declared after the columns, usually for several columns.
  package enum Constraint: Hashable, Sendable {
    case primaryKey([String])
    case unique([String])
  }

  package let name: String
  package let columns: [Column]
  package var constraints: [Constraint] = []
  var isPadded = true

  static func objects(
    _ name: String,
    _ columns: [Column],
    constraints: [Constraint] = []
  ) -> TableDefinition {
    let system = [
      Column(name: "Z_PK", type: "INTEGER", isRowid: true), Column(name: "Z_ENT", type: "INTEGER"),
      Column(name: "Z_OPT", type: "INTEGER"),
    ]
    return TableDefinition(name: name, columns: system + columns, constraints: constraints)
  }

  /// A table with columns given by name and type; the first is the key if `hasKey` is true.
  static func system(_ name: String, hasKey: Bool, _ columns: KeyValuePairs<String, String>)
    -> TableDefinition
  {
    let columns = columns.enumerated().map { index, column in
      Column(name: column.key, type: column.value, isRowid: hasKey && index == 0)
    }
    return TableDefinition(name: name, columns: columns, isPadded: false)
  }

  /// The columns of each key for which SQLite creates an automatic index: unique columns, then
  /// constraints.
  package var keys: [[String]] {
    columns.filter(\.isUnique).map { [$0.name] }
      + constraints.map {
        switch $0 {
        case .primaryKey(let columns), .unique(let columns): columns
        }
      }
  }

  /// The CREATE TABLE statement, exactly as Core Data writes it.
  package var sql: String {
    var isUniqueLast = false
    let list =
      columns.map { column in
        "\(column.name) \(column.type)"
          + (column.isRowid ? " PRIMARY KEY" : column.isUnique ? " UNIQUE" : "")
      }
      + constraints.map { constraint in
        switch constraint {
        case .primaryKey(let columns): return "PRIMARY KEY (\(columns.joined(separator: ", ")))"
        case .unique(let columns):
          isUniqueLast = true
          return "CONSTRAINT \(columns.joined(separator: "_")) UNIQUE"
            + " (\(columns.joined(separator: ", ")))"
        }
      }
    return "CREATE TABLE \(name) (" + (isPadded ? " " : "") + list.joined(separator: ", ")
      + (isPadded && !isUniqueLast ? " )" : ")")
  }
}

/// The tables that every store has, and those for its history (coredata-format.md, section 2).
package enum SystemTables {
  package static let schema: [SchemaPart] = [
    .table(
      .system(
        "Z_PRIMARYKEY",
        hasKey: true,
        ["Z_ENT": "INTEGER", "Z_NAME": "VARCHAR", "Z_SUPER": "INTEGER", "Z_MAX": "INTEGER"]
      )
    ),
    .table(
      .system(
        "Z_METADATA",
        hasKey: true,
        ["Z_VERSION": "INTEGER", "Z_UUID": "VARCHAR(255)", "Z_PLIST": "BLOB"]
      )
    ),
    .table(.system("Z_MODELCACHE", hasKey: false, ["Z_CONTENT": "BLOB"])),
  ]

  /// Returns the history tables and their indexes.
  ///
  /// `tombstones` is the number of columns for preserved values, the maximum that any entity needs.
  package static func history(tombstones: Int) -> [SchemaPart] {
    func columns(_ type: String, _ names: [String]) -> [TableDefinition.Column] {
      names.map { TableDefinition.Column(name: $0, type: type) }
    }
    func index(_ name: String, on table: String, _ column: TableIndex.Column) -> SchemaPart {
      .index(TableIndex(name: name, table: table, columns: [column]))
    }
    let changes =
      columns("INTEGER", ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"])
      + columns("BLOB", ["ZCOLUMNS"] + (0..<tombstones).map { "ZTOMBSTONE\($0)" })
    let strings = ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
    let transactions =
      columns("INTEGER", strings) + columns("FLOAT", ["ZTIMESTAMP"])
      + columns("VARCHAR", ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"])
      + columns("BLOB", ["ZQUERYGEN"])
    let keys = [("ACHANGE", "ZTRANSACTIONID")] + strings.map { ("ATRANSACTION", $0) }
    return [
      .table(.objects("ACHANGE", changes)), .table(.objects("ATRANSACTION", transactions)),
      .table(.objects("ATRANSACTIONSTRING", columns("VARCHAR", ["ZNAME"]))),
    ]
      + keys.map { table, column in
        index("\(table)_\(column)_INDEX", on: table, TableIndex.Column(name: column))
      }
      + [("Author", "ZAUTHOR"), ("Timestamp", "ZTIMESTAMP")].map { name, column in
        index(
          "Z_TRANSACTION_Transaction\(name)Index",
          on: "ATRANSACTION",
          TableIndex.Column(name: column, direction: .ascending)
        )
      }
      + [
        .index(
          TableIndex(
            name: "Z_TRANSACTIONSTRING_UNIQUE_NAME",
            table: "ATRANSACTIONSTRING",
            columns: [TableIndex.Column(name: "ZNAME", direction: .ascending)],
            isUnique: true
          )
        )
      ]
  }

  /// Returns an entity's attributes that the history preserves when an object is deleted
  /// (tombstones), sorted by name.
  package static func preservedAttributes(of entity: Entity, in model: Model) -> [Attribute] {
    model.attributes(of: entity)
      .filter { $0.preservesValueOnDeletion && !$0.isTransient }
      .sorted(byBytesOf: \.name)
  }
}
