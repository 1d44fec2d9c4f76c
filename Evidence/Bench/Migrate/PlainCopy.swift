import GRDB

/// Copies a store of tasks into an empty store of the next version, like hand-written GRDB code.
///
/// Parents come first, so that each row is inserted with the new keys of its parents.
struct PlainCopy {
  struct Table: Sendable {
    let name: String
    let columns: [String]
    var keys: [(column: String, table: String)] = []
    var added: [(column: String, value: DatabaseValue)] = []
    var empty: [String] = []
  }

  /// The tables in copying order: parents come before the tables that refer to them.
  static let tables = [
    Table(
      name: "ZCATEGORY",
      columns: ["ZSORTORDER", "ZNAME", "ZID"],
      added: [("ZCOLOR", "#8E8E93".databaseValue)]
    ),
    Table(
      name: "ZPROJECT",
      columns: ["ZISARCHIVED", "ZSORTORDER", "ZCREATEDAT", "ZNAME", "ZSUMMARY", "ZID"]
    ),
    Table(name: "ZTAG", columns: ["ZNAME"]),
    Table(
      name: "ZTASK",
      columns: [
        "ZESTIMATEDMINUTES", "ZISCOMPLETED", "ZISFLAGGED", "ZSORTORDER", "ZCOMPLETEDAT",
        "ZCREATEDAT", "ZMODIFIEDAT", "ZPROGRESS", "ZDETAILS", "ZTITLE", "ZID",
      ],
      keys: [("ZCATEGORY", "ZCATEGORY"), ("ZPROJECT", "ZPROJECT")],
      added: [("ZPRIORITY", 1.databaseValue)],
      empty: ["ZDUEDATE", "ZNOTES"]
    ),
    Table(
      name: "ZSUBTASK",
      columns: ["ZISCOMPLETED", "ZSORTORDER", "ZTITLE"],
      keys: [("ZTASK", "ZTASK")]
    ),
    Table(
      name: "ZATTACHMENT",
      columns: ["ZCREATEDAT", "ZFILENAME", "ZMEDIATYPE", "ZDATA"],
      keys: [("ZTASK", "ZTASK")]
    ),
  ]

  let old: DatabaseQueue
  let new: DatabaseQueue
  let batchSize: Int

  /// Copies all objects and moves the WAL into the database file; returns the number of objects.
  func run() throws -> Int {
    // The new key of each old key, by table, all in memory.
    var keys: [String: [Int64: Int64]] = [:]
    for table in Self.tables { keys[table.name] = try copy(table, keys) }
    try copyTags(keys)
    try recordKeys(keys)
    try new.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    return keys.values.reduce(0) { $0 + $1.count }
  }

  private func copy(_ table: Table, _ known: [String: [Int64: Int64]]) throws -> [Int64: Int64] {
    let read = ["Z_PK", "Z_ENT"] + table.columns + table.keys.map(\.column)
    let written = ["Z_PK", "Z_ENT", "Z_OPT"] + read.dropFirst(2) + table.added.map(\.column)
    let added = table.added.map(\.value)
    var keys: [Int64: Int64] = [:]
    try copy(
      "SELECT \(read.joined(separator: ", ")) FROM \(table.name) ORDER BY Z_PK",
      into: Self.insert(table.name, written)
    ) { row in
      let key = Int64(keys.count + 1)
      keys[row[0]] = key
      var values: [DatabaseValue] = [key.databaseValue, row[1], 1.databaseValue]
      for index in 2..<(2 + table.columns.count) { values.append(row[index]) }
      for (index, target) in table.keys.enumerated() {
        let old = row[2 + table.columns.count + index] as Int64?
        values.append(old.flatMap { known[target.table]?[$0]?.databaseValue } ?? .null)
      }
      return values + added
    }
    return keys
  }

  private func copyTags(_ keys: [String: [Int64: Int64]]) throws {
    try copy(
      "SELECT Z_5TAGS, Z_6TASKS FROM Z_5TASKS ORDER BY Z_5TAGS, Z_6TASKS",
      into: Self.insert("Z_5TASKS", ["Z_5TAGS", "Z_6TASKS"])
    ) { row in
      [keys["ZTAG"]?[row[0]], keys["ZTASK"]?[row[1]]].map { $0?.databaseValue ?? .null }
    }
  }

  static func insert(_ table: String, _ columns: [String]) -> String {
    "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES ("
      + columns.map { _ in "?" }.joined(separator: ", ") + ")"
  }

  private func copy(
    _ select: String,
    into insert: String,
    _ values: (Row) -> [DatabaseValue]
  ) throws {
    try old.read { old in
      let rows = try Row.fetchCursor(old, sql: select)
      var batch: [[DatabaseValue]] = []
      while let row = try rows.next() {
        batch.append(values(row))
        if batch.count == batchSize { try write(&batch, insert) }
      }
      try write(&batch, insert)
    }
  }

  private func write(_ batch: inout [[DatabaseValue]], _ insert: String) throws {
    try new.write { new in
      let statement = try new.cachedStatement(sql: insert)
      for values in batch { try statement.execute(arguments: StatementArguments(values)) }
    }
    batch.removeAll(keepingCapacity: true)
  }

  private func recordKeys(_ keys: [String: [Int64: Int64]]) throws {
    try new.write { new in
      for (table, keys) in keys.sorted(by: { $0.key < $1.key }) {
        try new.execute(
          sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE 'Z' || upper(Z_NAME) = ?",
          arguments: [keys.count, table]
        )
      }
    }
  }
}
