import GRDB

/// Copies tasks with GRDB in a plain loop, with the statements that an object context runs to copy
/// them in batches.
///
/// The table names are fixed, and no objects are created. A log of the object context's copy shows
/// the statements: `storebench run Workloads/migration/sideBySide.yaml --log`.
struct StatementCopy {
  private struct Links {
    let key: Int64
    let version: Int64
    let targets: [Int64?]
    let tags: [Int64]
  }

  let old: DatabaseQueue
  let new: DatabaseQueue
  /// A temporary file that maps old keys to new ones.
  let identifiers: DatabaseQueue
  let batchSize: Int

  func run() throws {
    try old.read { old in
      try new.writeWithoutTransaction { new in
        try identifiers.writeWithoutTransaction { map in
          try map.execute(sql: "BEGIN")
          for table in PlainCopy.tables { try insert(table, old, new, map) }
          for table in PlainCopy.tables where !table.keys.isEmpty {
            try relate(table, old, new, map)
          }
          try map.execute(sql: "COMMIT")
          try new.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
      }
    }
  }

  // MARK: First pass: objects

  private func insert(
    _ table: PlainCopy.Table,
    _ old: Database,
    _ new: Database,
    _ map: Database
  ) throws {
    try map.execute(
      sql: "CREATE TABLE \(table.name) (former INTEGER PRIMARY KEY, key INTEGER, entity INTEGER)"
    )
    let columns =
      table.columns + table.added.map(\.column) + table.empty + table.keys.map(\.column)
    let insert = try new.cachedStatement(
      sql: PlainCopy.insert(table.name, ["Z_PK", "Z_ENT", "Z_OPT"] + columns)
    )
    let note = try map.cachedStatement(sql: "INSERT INTO \(table.name) VALUES (?, ?, ?)")
    let rest =
      table.added.map(\.value) + (table.empty + table.keys.map(\.column)).map { _ in .null }
    let number = try entityNumber(of: table.name, new)
    try forEachPage(of: table.name, old) { keys in
      let rows = try page(table, keys, old)
      var batch: [[DatabaseValue]] = []
      while let row = try rows.next() {
        batch.append(table.columns.indices.map { row[3 + $0] })
      }
      let first = try reserve(keys.count, of: number, new)
      try save(new) {
        for (index, values) in batch.enumerated() {
          let own = [(first + Int64(index)).databaseValue, number.databaseValue, 1.databaseValue]
          try insert.execute(arguments: StatementArguments(own + values + rest))
        }
      }
      for (index, key) in keys.enumerated() {
        try note.execute(arguments: [key, first + Int64(index), number])
      }
    }
  }

  private func entityNumber(of table: String, _ new: Database) throws -> Int64 {
    try Int64.fetchOne(
      new,
      sql: "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE 'Z' || upper(Z_NAME) = ?",
      arguments: [table]
    ) ?? 0
  }

  private func reserve(_ count: Int, of number: Int64, _ new: Database) throws -> Int64 {
    var last: Int64 = 0
    try new.inTransaction(.exclusive) {
      let select = try new.cachedStatement(sql: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
      last = try Int64.fetchOne(select, arguments: [number]) ?? 0
      try new.cachedStatement(
        sql: "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?"
      ).execute(arguments: [last + Int64(count), number, last])
      return .commit
    }
    return last + 1
  }

  // MARK: Second pass: relationships

  private func relate(
    _ table: PlainCopy.Table,
    _ old: Database,
    _ new: Database,
    _ map: Database
  ) throws {
    let own = try map.cachedStatement(sql: Self.find(table.name))
    let targets = try table.keys.map { try map.cachedStatement(sql: Self.find($0.table)) }
    let tag = try map.cachedStatement(sql: Self.find("ZTAG"))
    let first = 3 + table.columns.count
    try forEachPage(of: table.name, old) { keys in
      let rows = try page(table, keys, old)
      var links: [Links] = []
      var reached: Set<Int64> = []
      while let row = try rows.next() {
        let tags =
          table.name == "ZTASK"
          ? try Int64.fetchAll(
            try old.cachedStatement(sql: Self.tags),
            arguments: [row[1]],
            adapter: Self.secondColumn
          ) : []
        links.append(
          Links(
            key: try Self.key(of: row[1], own) ?? 0,
            version: 1,
            targets: try targets.enumerated().map { index, find in
              try (row[first + index] as Int64?).flatMap { try Self.key(of: $0, find) }
            },
            tags: try tags.compactMap { try Self.key(of: $0, tag) }
          )
        )
      }
      let copies = try page(table, links.map(\.key), new)
      while try copies.next() != nil {}
      for link in links where !link.tags.isEmpty {
        _ = try Int64.fetchAll(
          try new.cachedStatement(sql: Self.tags),
          arguments: [link.key],
          adapter: Self.secondColumn
        )
        reached.formUnion(link.tags)
      }
      let versions = try versions(ofTags: reached.sorted(), new)
      try save(new) { try write(links, of: table, versions, new) }
    }
  }

  private func write(
    _ links: [Links],
    of table: PlainCopy.Table,
    _ tags: [(key: Int64, version: Int64)],
    _ new: Database
  ) throws {
    for (key, version) in tags {
      try new.cachedStatement(sql: "UPDATE ZTAG SET Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?")
        .execute(arguments: [version + 1, key, version])
    }
    for link in links {
      let changed = table.keys.indices.filter { link.targets[$0] != nil }
      guard !changed.isEmpty || !link.tags.isEmpty else { continue }
      let sets = changed.map { "\(table.keys[$0].column) = ?, " }.joined()
      try new.cachedStatement(
        sql: "UPDATE \(table.name) SET \(sets)Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?"
      ).execute(
        arguments: StatementArguments(
          changed.compactMap { link.targets[$0] } + [link.version + 1, link.key, link.version]
        )
      )
    }
    let pair = try new.cachedStatement(
      sql: "INSERT OR IGNORE INTO Z_5TASKS(Z_6TASKS, Z_5TAGS) VALUES(?, ?)"
    )
    for link in links {
      for tag in link.tags { try pair.execute(arguments: [link.key, tag]) }
    }
  }

  /// Reads the versions of a page's tags one by one, as an object context fulfills faults.
  private func versions(
    ofTags keys: [Int64],
    _ new: Database
  ) throws -> [(key: Int64, version: Int64)] {
    try keys.map { key in
      let select = try new.cachedStatement(
        sql: "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZTAG t0 WHERE t0.Z_PK = ?"
      )
      let row = try Row.fetchOne(select, arguments: [key])
      return (key, row?[2] ?? 0)
    }
  }

  // MARK: Statements

  private static let tags =
    "SELECT 0, t0.Z_PK FROM Z_5TASKS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_5TAGS WHERE t1.Z_6TASKS = ?"
  private static let secondColumn = SuffixRowAdapter(fromIndex: 1)

  private static func find(_ table: String) -> String {
    "SELECT key, entity FROM \(table) WHERE former = ?"
  }

  private static func key(of former: Int64, _ find: Statement) throws -> Int64? {
    try Int64.fetchOne(find, arguments: [former])
  }

  private func forEachPage(
    of table: String,
    _ database: Database,
    _ body: ([Int64]) throws -> Void
  ) throws {
    let select = try database.cachedStatement(
      sql: "SELECT 0, t0.Z_PK FROM \(table) t0 WHERE t0.Z_PK > ? ORDER BY t0.Z_PK LIMIT ?"
    )
    var last = Int64.min
    while true {
      let keys = try Int64.fetchAll(
        select,
        arguments: [last, batchSize],
        adapter: Self.secondColumn
      )
      guard let end = keys.last else { return }
      try body(keys)
      last = end
    }
  }

  /// Returns a table's rows with the given keys.
  private func page(
    _ table: PlainCopy.Table,
    _ keys: [Int64],
    _ database: Database
  ) throws -> RowCursor {
    let columns = (["Z_PK", "Z_OPT"] + table.columns + table.keys.map(\.column))
    let select = try database.cachedStatement(
      sql: "SELECT 0, \(columns.map { "t0." + $0 }.joined(separator: ", ")) FROM \(table.name) t0 "
        + "WHERE t0.Z_PK IN (\(keys.map { _ in "?" }.joined(separator: ", ")))"
    )
    return try Row.fetchCursor(select, arguments: StatementArguments(keys))
  }

  private func save(_ new: Database, _ body: () throws -> Void) throws {
    try new.inTransaction(.exclusive) {
      try body()
      return .commit
    }
    for pragma in ["pragma page_count", "pragma freelist_count"] {
      _ = try Int64.fetchOne(new, sql: pragma)
    }
  }
}
