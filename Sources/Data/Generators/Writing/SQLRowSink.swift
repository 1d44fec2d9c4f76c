import SQLite

/// Rows that go into a table by a prepared INSERT statement.
struct SQLRowSink: RowSink {
  private let statement: Statement
  private var files: GeneratedFiles
  private var column = 1

  init(statement: Statement, files: GeneratedFiles) {
    self.statement = statement
    self.files = files
  }

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

  mutating func write(file name: String, kind: FileKind, contents: borrowing Cell) throws {
    try files.write(name, kind: kind, contents: contents)
  }
}
