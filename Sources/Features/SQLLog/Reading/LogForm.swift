import Basics

/// The layout of a log file, and whether its tables are Core Data's or an app's own.
struct LogForm: Equatable {
  enum Layout {
    /// Messages of Core Data and SwiftData, mixed with other lines.
    case messages
    /// The statements of one connection, in the format of SQLITE_SQLLOG_DIR.
    case statements
    /// Statements from SQLite's trace that the app printed among other lines.
    case trace
  }

  var layout: Layout
  /// Whether the tables are an app's own rather than Core Data's.
  var isPlain: Bool
  /// The prefixes of the statements that an app printed.
  private(set) var prefixes = TracePrefixes()

  private static let sampledLines = 4_000
  private static let sampledBytes = 4 << 20

  /// Determines the form from the file's name and first lines.
  ///
  /// - Throws: a ``Refusal`` if the file cannot be read.
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

  /// Whether a line contains a table or column with a Core Data name, such as `FROM ZITEM` or
  /// `t0.Z_PK`.
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

  /// Whether a line is part of the log: a statement, or a message about a statement.
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
