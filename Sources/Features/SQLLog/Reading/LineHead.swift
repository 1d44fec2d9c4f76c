import Basics

/// The prefix of a log line, before the message: its severity, its form, and the process and thread
/// if the line shows them.
package struct LineHead: Equatable {
  /// The log level, which is printed before the message.
  package enum Level: String, CaseIterable, Sendable {
    case sql, annotation, details, debug, error, warning, fault
  }

  /// The forms of line prefixes that occur in public logs.
  package enum Form: String, CaseIterable, Sendable {
    /// A prefix such as `CoreData: sql: `.
    case plain
    /// The prefix `sql: `, as printed in books and blogs.
    case stripped
    /// A prefix such as `2014-07-30 11:45:15.647 App[65858:2586192] CoreData: sql: `.
    case system
    /// A prefix such as `2020-11-29 17:27:58.693467+0200 App[40455:2797002] [error] error: `.
    case xcode
    /// A prefix such as `2024-01-10 11:14:38.831786-0800 0x724d65 Error … app: (CoreData)
    /// [com.apple.coredata:…] `.
    case unified
    /// A prefix such as `2026-10-07 02:09:14.456 E  App[39751:859c8e] [com.apple.coredata:error]
    /// CoreData: `.
    case compact
    /// A prefix such as `Aug 16 11:38:01 Phone App[93] <Warning>: Core Data: error: `.
    case syslog
    /// A statement without a prefix.
    case bare
    /// A prefix whose start is missing.
    case damaged
    /// The text that an app prints before a statement from SQLite's trace.
    case trace

    /// Whether prose can look like a line of this form.
    var isWeak: Bool { self == .stripped || self == .bare || self == .damaged }
  }

  package var level: Level
  package var form: Form
  /// The index of the message's first byte.
  package var body: Int
  package var process = 0
  /// The thread's number; 0 if the line does not show it.
  ///
  /// The number is parsed as hexadecimal: some forms print hexadecimal numbers, and the lines of
  /// old systems do not show the base. Decimal numbers keep their order.
  package var thread = 0
  /// The time, as returned by ``time(of:)``; -1 if the line does not show it.
  var clock = -1

  /// Reads the prefix of a line; `nil` if the line is not Core Data's.
  package init?(_ line: UnsafeRawBufferPointer, isFirst: Bool = false) {
    if line.has("CoreData: sql: "), Self.startsStatement(line, at: 15) {
      self.init(.sql, .plain, 15)
      return
    }
    if line.has("CoreData: annotation: ") {
      self.init(.annotation, .plain, 22)
      return
    }
    guard let (level, word, body) = Self.level(in: line) else {
      self.init(bare: line, isFirst: isFirst)
      return
    }
    let origin = LineOrigin(of: line, before: word)
    let isFrameworks = origin.isFrameworks(line, level: word)
    if level != .sql, isFrameworks == false { return nil }
    // The process may be an app whose name contains `CoreData`.
    let isMarked =
      line.place(of: "oreData", from: origin.end, before: word)
      ?? line.place(of: "ore Data", from: origin.end, before: word)
      ?? line.place(of: "com.apple.coredata", from: origin.end, before: word)
      ?? line.place(of: "(CoreData)", before: word) != nil
    let form = Self.form(of: line, word: word)
    switch level {
    case .sql:
      // If the line ends after `sql: `, the statement may be on the next line.
      guard Self.startsStatement(line, at: body) || (body + 1 >= line.count && isMarked) else {
        return nil
      }
    case .details: guard line.has("SQLite", at: body) || isMarked else { return nil }
    case .annotation:
      guard isMarked || word == 0 || form != .damaged || isFirst || Self.hasFigures(line, at: body)
      else { return nil }
    default:
      // Require Core Data's name in the prefix, because words such as `error: ` also occur in other
      // products' log lines.
      guard isMarked || isFrameworks == true else { return nil }
    }
    self.init(level, form, body)
    (process, thread, clock) = (origin.process, origin.thread, origin.clock)
  }

  /// Creates the empty prefix of a statement in SQLite's own statement log.
  init(statementLog: Void) {
    self.init(.sql, .bare, 0)
  }

  private init(_ level: Level, _ form: Form, _ body: Int) {
    (self.level, self.form, self.body) = (level, form, body)
  }

  private init?(bare line: UnsafeRawBufferPointer, isFirst: Bool) {
    if Self.isBareStatement(line) {
      self.init(.sql, .bare, 0)
    } else if isFirst, let colon = line.place(of: ": ", before: 16),
      ["", "l", "ql"].contains(line.part(0..<colon).text), Self.startsStatement(line, at: colon + 2)
    {
      // The line was copied from the middle of the prefix `sql: `.
      self.init(.sql, .damaged, colon + 2)
    } else {
      return nil
    }
  }

  /// Returns the log level in a line, and the positions of its name and of the message after it.
  ///
  /// The level is the first level name before a colon that is followed by a space or the end of the
  /// line.
  private static func level(
    in line: UnsafeRawBufferPointer
  ) -> (level: Level, word: Int, body: Int)? {
    let end = min(line.count, 400)
    var start = 0
    while let colon = line.place(of: 58, from: start), colon < end {
      start = colon + 1
      guard colon > 0, colon + 1 == line.count || line[colon + 1] == 32 else { continue }
      for (level, name) in names where line[colon - 1] == name.utf8Start[name.utf8CodeUnitCount - 1]
      {
        let word = colon - name.utf8CodeUnitCount
        guard line.has(name, at: word), word == 0 || !isLetter(line[word - 1]) else { continue }
        return (level, word, min(colon + 2, line.count))
      }
    }
    return nil
  }

  /// Whether an annotation has values that belong to a statement, such as times and row counts.
  private static func hasFigures(_ line: UnsafeRawBufferPointer, at body: Int) -> Bool {
    switch Message(line.part(min(body, line.count)..<line.count), level: .annotation) {
    case .unknown, .note, .connecting: false
    default: true
    }
  }

  private static let names: [(Level, StaticString)] = [
    (.sql, "sql"), (.annotation, "annotation"), (.details, "details"), (.debug, "debug"),
    (.error, "error"), (.warning, "warning"), (.fault, "fault"),
  ]

  private static func form(of line: UnsafeRawBufferPointer, word: Int) -> Form {
    if word == 0 { return .stripped }
    if line.has("CoreData: ") { return .plain }
    if line.count > 20, isDigit(line[0]), line[4] == 45, line[10] == 32 {
      if line.place(of: " 0x", before: min(word, 40)) != nil { return .unified }
      if line.place(of: "[com.apple.coredata", before: word) != nil { return .compact }
      return line.place(of: "] [", before: word) == nil ? .system : .xcode
    }
    if line.place(of: ">: Core", before: word) != nil { return .syslog }
    return .damaged
  }

  private static let verbs: [StaticString] = [
    "SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "PRAGMA", "ROLLBACK", "CREATE",
    "DROP", "ALTER", "EXPLAIN", "REINDEX", "ANALYZE", "VACUUM", "SAVEPOINT", "RELEASE", "WITH",
    "REPLACE", "END", "ATTACH", "DETACH",
  ]

  /// Whether an SQL statement starts at an index, in uppercase or lowercase.
  static func startsStatement(_ line: UnsafeRawBufferPointer, at start: Int) -> Bool {
    var start = start
    while start < line.count, line[start] == 32 { start += 1 }
    guard let base = line.baseAddress else { return false }
    return verbs.contains { verb in
      let count = verb.utf8CodeUnitCount
      guard start + count <= line.count else { return false }
      for index in 0..<count {
        guard
          base.load(fromByteOffset: start + index, as: UInt8.self) & 0xDF == verb.utf8Start[index]
        else { return false }
      }
      return start + count == line.count || !isLetter(line[start + count])
    }
  }

  /// Whether a line without a prefix is a statement on Core Data's tables.
  private static func isBareStatement(_ line: UnsafeRawBufferPointer) -> Bool {
    if line.has("SELECT ") {
      return line.place(of: " FROM Z") ?? line.place(of: " FROM A") != nil
        && (line.place(of: "Z_PK") ?? line.place(of: "t0.") ?? line.place(of: "COUNT(") != nil)
    }
    return line.has("INSERT INTO Z") || line.has("INSERT OR IGNORE INTO Z") || line.has("UPDATE Z")
      || line.has("UPDATE OR FAIL Z") || line.has("DELETE FROM Z")
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 97 && (byte | 0x20) <= 122 }
}
