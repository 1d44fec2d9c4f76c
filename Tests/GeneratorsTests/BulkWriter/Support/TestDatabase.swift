import SQLite
import TestSupport

@testable import Generators

/// The same tables written by the bulk writer and by SQLite.
struct TestDatabase {
  var tables: [TestTable]
  var pageSize = 4_096
  var fill = 100
  var freeShare = 0.0

  var plan: DatabasePlan {
    var plan = DatabasePlan(items: tables.flatMap(\.items))
    plan.pageSize = pageSize
    plan.fill = fill
    plan.freeShare = freeShare
    return plan
  }

  /// Writes the database with the bulk writer.
  func write(
    in folder: TemporaryFolder,
    _ name: String = "bulk.sqlite",
    threads: Int = 1,
    memory: Int = 512 << 20
  ) throws -> String {
    let path = folder.file(name)
    try BulkWriter(plan: plan, threads: threads, memory: memory, temporaryFolder: folder.path)
      .write(to: path)
    return path
  }

  /// Writes the database by SQL: first the rows, then the indexes made by statements.
  func insert(in folder: TemporaryFolder, _ name: String = "sql.sqlite") throws -> String {
    let path = folder.file(name)
    let connection = try Connection(
      path: path,
      mode: .create,
      settings: ConnectionSettings(journalMode: .off, synchronous: .off, pageSize: pageSize)
    )
    try connection.transaction {
      for table in tables {
        try connection.execute(table.definition)
        try insert(table, on: connection)
        for index in table.indexes {
          if let definition = table.definition(of: index) { try connection.execute(definition) }
        }
      }
    }
    return path
  }

  private func insert(_ table: TestTable, on connection: Connection) throws {
    let columns = table.types.indices.map { "c\($0)" }
    let rowid = table.rowidColumn == nil ? ["rowid"] : []
    let marks = (rowid + columns).map { _ in "?" }.joined(separator: ", ")
    let statement = try connection.prepare(
      "INSERT INTO \(table.name) (\((rowid + columns).joined(separator: ", "))) VALUES (\(marks))"
    )
    for row in table.rows {
      if table.rowidColumn == nil { statement.bind(row.rowid, at: 1) }
      for (position, value) in row.values.enumerated() {
        let place = position + rowid.count + 1
        if position == table.rowidColumn {
          statement.bind(row.rowid, at: place)
        } else {
          value.bind(to: statement, at: place)
        }
      }
      try statement.run()
    }
  }
}
