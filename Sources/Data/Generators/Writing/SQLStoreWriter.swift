import PersistentStore
import SQLite

/// Writes a store by INSERT statements: what an app does, and the reference for every other writer.
package struct SQLStoreWriter: StoreWriter {
  /// Units between two reports of progress, and rows of a statement's work.
  private static let chunk = 4_096

  package init() {}

  package var identity: String { "sql 1, SQLite \(Library.sourceID)" }

  package func write(
    _ contents: StoreContents,
    to file: StoreFile,
    progress: (GenerationProgress) -> Void
  ) throws {
    try fill(file, contents, progress: progress)
    try leaveInWALMode(file)
  }

  /// Nobody else sees the file before it is whole, so nothing needs a journal or a sync.
  private func fill(
    _ file: StoreFile,
    _ contents: StoreContents,
    progress: (GenerationProgress) -> Void
  ) throws {
    let settings = ConnectionSettings(journalMode: .off, synchronous: .off, cachePages: 16_384)
    let connection = try Connection(path: file.path, mode: .create, settings: settings)
    var done = 0
    try connection.transaction {
      for statement in contents.dataset.layout.definitions {
        try connection.execute(statement)
        // A table is filled before its indexes are made: sorting once is faster than searching.
        for table in contents.tables where statement.hasPrefix("CREATE TABLE \(table.name) (") {
          try fill(table, on: connection, file: file) { units in
            done += units
            progress(
              GenerationProgress(table: table.name, done: done, total: contents.unitCount)
            )
          }
        }
      }
      try contents.systemRows.write(to: connection)
    }
  }

  private func fill(
    _ table: TableRows,
    on connection: Connection,
    file: StoreFile,
    report: (Int) -> Void
  ) throws {
    let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
    var sink = SQLRowSink(
      statement: try connection.prepare(
        "INSERT INTO \(table.name)(\(table.columns.joined(separator: ", "))) VALUES(\(marks))"
      ),
      files: GeneratedFiles(store: file)
    )
    for start in stride(from: 0, to: table.unitCount, by: Self.chunk) {
      let units = start..<min(start + Self.chunk, table.unitCount)
      try table.write(units: units, to: &sink)
      report(units.count)
    }
  }

  /// The header says WAL, and the last connection that closes leaves no -wal behind.
  private func leaveInWALMode(_ file: StoreFile) throws {
    let connection = try Connection(path: file.path, mode: .readWrite)
    try connection.checkpoint()
  }
}
