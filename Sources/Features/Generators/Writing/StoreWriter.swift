import Foundation
import PersistentStore
import SQLite

/// A way to write a generated store's files.
package protocol StoreWriter: Sendable {
  /// The writer's name and version; different versions may write different bytes.
  var identity: String { get }

  /// Writes a store that does not exist yet.
  ///
  /// - Throws: An error if the files cannot be written.
  func write(
    _ contents: StoreContents,
    to file: StoreFile,
    progress: (GenerationProgress) -> Void
  ) throws
}

/// The page size of a generated store.
package enum StorePage {
  /// The default page size in bytes.
  package static let standardSize = 4_096

  /// The part of a writer's identity that names the page size; empty for the default page size.
  static func identity(of size: Int) -> String {
    size == standardSize ? "" : ", pages of \(size) B"
  }
}

/// The progress of a store's generation.
package struct GenerationProgress: Hashable, Sendable {
  /// The table that is being written.
  package let table: String
  /// The number of units written so far: objects, and sources of many-to-many relationships.
  package let done: Int
  package let total: Int
}

/// A destination for a table's rows, which receives the columns of each row in order, then the
/// row's end.
protocol RowSink {
  mutating func append(_ cell: borrowing Cell) throws
  mutating func endRow() throws
  mutating func write(file name: String, kind: GeneratedFiles.Kind, contents: borrowing Cell) throws
}

struct GeneratedFiles {
  let store: StoreFile
  var bytes = FileBytes()
  var folders: Set<String> = []

  mutating func write(_ name: String, kind: Kind, contents: borrowing Cell) throws {
    let folder = kind == .externalData ? store.externalDataFolder : store.filesFolder
    if folders.insert(folder).inserted {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try contents.bytes.withUnsafeBytes {
      try bytes.write($0, to: folder + "/" + name, durable: false)
    }
  }

  enum Kind: Hashable, Sendable {
    /// A file of external storage, in `.NAME_SUPPORT/_EXTERNAL_DATA`.
    case externalData
    /// A file of the app, in `NAME_FILES`.
    case app
  }
}

/// Writes a store with INSERT statements, as an app does.
///
/// It is the reference for all other writers.
package struct SQLStoreWriter: StoreWriter {
  private static let chunk = 4_096

  private let pageSize: Int

  package init(pageSize: Int = StorePage.standardSize) { self.pageSize = pageSize }

  package var identity: String {
    "sql 1, SQLite \(Library.sourceID)" + StorePage.identity(of: pageSize)
  }

  package func write(
    _ contents: StoreContents,
    to file: StoreFile,
    progress: (GenerationProgress) -> Void
  ) throws {
    try fill(file, contents, progress: progress)
    try leaveInWALMode(file)
  }

  /// Fills the file without a journal and without syncs, because no other process sees the file
  /// until it is complete.
  private func fill(
    _ file: StoreFile,
    _ contents: StoreContents,
    progress: (GenerationProgress) -> Void
  ) throws {
    let settings = ConnectionSettings(
      journalMode: .off,
      synchronous: .off,
      cachePages: 16_384,
      pageSize: pageSize
    )
    let connection = try Connection(path: file.path, mode: .create, settings: settings)
    var done = 0
    try connection.transaction {
      for part in contents.dataset.layout.schema {
        try connection.execute(part.sql)
        // Fill a table before creating its indexes, because one sort is faster than many
        // insertions.
        guard case .table(let definition) = part,
          let table = contents.tables.first(where: { $0.name == definition.name })
        else { continue }
        try fill(table, on: connection, file: file) { units in
          done += units
          progress(GenerationProgress(table: table.name, done: done, total: contents.unitCount))
        }
      }
      try contents.systemRows.write(to: connection)
    }
  }

  private func fill(
    _ table: StoreContents.Table,
    on connection: Connection,
    file: StoreFile,
    report: (Int) -> Void
  ) throws {
    let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
    var sink = Sink(
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

  /// Sets WAL mode in the file's header without leaving a `-wal` file behind.
  private func leaveInWALMode(_ file: StoreFile) throws {
    let connection = try Connection(path: file.path, mode: .readWrite)
    try connection.checkpoint()
  }

  struct Sink: RowSink {
    let statement: Statement
    var files: GeneratedFiles
    var column = 1

    mutating func append(_ cell: borrowing Cell) throws {
      switch cell.kind {
      case .null: statement.bindNull(at: column)
      case .integer: statement.bind(cell.integer, at: column)
      case .real: statement.bind(cell.real, at: column)
      case .text: cell.bytes.withUnsafeBytes { statement.bindText($0, at: column) }
      case .blob: cell.bytes.withUnsafeBytes { statement.bind($0, at: column) }
      }
      column += 1
    }

    mutating func endRow() throws {
      try statement.run()
      column = 1
    }

    mutating func write(file name: String, kind: GeneratedFiles.Kind, contents: borrowing Cell)
      throws
    {
      try files.write(name, kind: kind, contents: contents)
    }
  }
}
