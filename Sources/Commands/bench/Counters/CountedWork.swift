import SQLite

/// Statements that ask much of the VFS: a small page cache leaves almost every page to it.
struct CountedWork: Sendable {
  let name: String
  let settings: ConnectionSettings
  /// Does one slice of the work; the number tells the slices apart.
  let slice: @Sendable (Connection, Int) throws -> Void

  static let rows: Int64 = 40_000

  static let all = [
    CountedWork(name: "reading rows here and there", settings: ConnectionSettings(cachePages: 10)) {
      connection,
      number in
      let query = try connection.cached("SELECT length(name) FROM item WHERE id = ?1")
      for step in 0..<800 as Range<Int64> {
        // A step that shares no factor with the number of rows visits them all, in no order.
        query.bind((step + Int64(number) * 800) * 7919 % rows + 1, at: 1)
        try query.run()
      }
    },
    CountedWork(name: "reading all rows", settings: ConnectionSettings(cachePages: 10)) {
      connection,
      _ in
      let query = try connection.cached("SELECT count(*) FROM item WHERE name > 'z'")
      try query.run()
    },
    CountedWork(
      name: "writing in transactions",
      settings: ConnectionSettings(synchronous: .off, cachePages: 200, walAutocheckpoint: 200)
    ) { connection, number in
      try connection.transaction {
        let update = try connection.cached("UPDATE item SET name = ?2 WHERE id = ?1")
        for step in 0..<300 as Range<Int64> {
          update.bind((step + Int64(number) * 300) * 7919 % rows + 1, at: 1)
          update.bind("item \(step) changed in slice \(number) of them all", at: 2)
          try update.run()
        }
      }
    },
  ]

  /// Makes the file that the work is done on.
  func prepare(_ connection: Connection) throws {
    try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
    try connection.transaction {
      let insert = try connection.cached("INSERT INTO item (name) VALUES (?1)")
      for row in 0..<Self.rows {
        insert.bind("item \(row) as it was before there was any slice", at: 1)
        try insert.run()
      }
    }
    try connection.checkpoint()
  }
}
