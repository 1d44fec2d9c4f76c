import Basics

/// How the statements of a log file are written, and whose names they have.
struct LogForm: Equatable {
  enum Layout {
    /// Messages of Core Data and SwiftData, among lines of other kinds.
    case messages
    /// The statements of one connection, as SQLITE_SQLLOG_DIR has them.
    case statements
    /// Statements that SQLite's trace handed to the app, which printed them among lines of its own.
    case trace
  }

  var layout: Layout
  /// Whether the tables are an app's own and not those of the frameworks.
  var isPlain: Bool
  /// What stands before statements that an app printed.
  private(set) var prefixes = TracePrefixes()

  private static let sampledLines = 4_000
  private static let sampledBytes = 4 << 20

  /// Finds the form by the file's name and its first lines.
  init(of path: String) throws {
    var isStatements = path.hasSuffix(".sql")
    var (lines, bytes) = (0, 0)
    var prefixes = TracePrefixes()
    var (hasMessages, hasFrameworkNames) = (false, false)
    try LineReader(path: path).forFirstLines { line in
      (lines, bytes) = (lines + 1, bytes + line.count)
      if line.has("-- Main database is '") || line.place(of: "; -- clock=") != nil {
        isStatements = true
      } else if lines <= 20, LineHead(line).map({ $0.form != .bare }) ?? false {
        isStatements = false
      }
      if line.place(of: "oreData: ") ?? line.place(of: "ore Data: ")
        ?? line.place(of: "com.apple.coredata") != nil
      {
        hasMessages = true
      }
      if Self.namesFramework(line) { hasFrameworkNames = true }
      _ = Self.isTraced(line, &prefixes)
      return !hasMessages && lines < Self.sampledLines && bytes < Self.sampledBytes
    }
    isPlain = !hasMessages && !hasFrameworkNames && !prefixes.isEmpty
    self.prefixes = prefixes
    layout = isStatements ? .statements : isPlain ? .trace : .messages
  }

  /// Whether a line has a table or a column as the frameworks name them: `FROM ZITEM`, `t0.Z_PK`.
  private static func namesFramework(_ line: UnsafeRawBufferPointer) -> Bool {
    marks.contains { mark in
      var start = 0
      while let place = line.place(of: mark, from: start) {
        let next = place + mark.utf8CodeUnitCount
        if next < line.count, (65...90).contains(line[next]) || line[next] == 95 { return true }
        start = next
      }
      return false
    }
  }

  private static let marks: [StaticString] = [
    "FROM Z", "INTO Z", "UPDATE Z", "OR FAIL Z", "t0.Z", " Z_",
  ]

  /// Whether a line is a statement or a figure of one, and none of the app's own.
  mutating func isLogged(_ line: UnsafeRawBufferPointer) -> Bool {
    isPlain ? Self.isTraced(line, &prefixes) : LineHead(line) != nil
  }

  private static func isTraced(
    _ line: UnsafeRawBufferPointer,
    _ prefixes: inout TracePrefixes
  ) -> Bool {
    guard line.place(of: 27, from: 0) != nil else { return prefixes.statement(in: line) != nil }
    return LogParser.withoutColors(line).withUnsafeBytes { prefixes.statement(in: $0) != nil }
  }
}
