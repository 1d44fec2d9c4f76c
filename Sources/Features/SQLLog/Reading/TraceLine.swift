import Basics

/// A line in which an app printed a statement from SQLite's trace.
///
/// `sqlite3_trace_v2` and GRDB's `db.trace` provide the text of a statement; with the option
/// `profile`, its duration precedes it (`0.012s SELECT …`). The app adds a prefix such as `SQL> `.
/// SQLite's shell prints `SELECT …;` or, with profiling, `SELECT …; -- 12345 ns`.
struct TraceLine {
  let body: Range<Int>
  let time: Int
  /// Whether the statement is more than a verb; `BEGIN` alone may be a marker of the app.
  let isWhole: Bool

  /// The maximum length of a prefix in bytes.
  private static let longestPrefix = 200

  init?(_ line: UnsafeRawBufferPointer) {
    guard let (start, isWhole) = Self.start(in: line) else { return nil }
    self.isWhole = isWhole
    var end = line.count
    while end > start, line[end - 1] == 32 { end -= 1 }
    var time = Self.duration(in: line, before: start)
    if let (mark, nanoseconds) = Self.profile(in: line, end: end) {
      (end, time) = (mark, nanoseconds / 1_000)
    }
    while end > start, line[end - 1] == 59 || line[end - 1] == 32 { end -= 1 }
    (body, self.time) = (start..<end, time)
  }

  /// Returns the start of a statement if only a prefix precedes the statement.
  private static func start(in line: UnsafeRawBufferPointer) -> (place: Int, isWhole: Bool)? {
    var place = 0
    let end = min(line.count, longestPrefix)
    while place < end {
      if isInitial(line[place]), place == 0 || line[place - 1] == 32,
        LineHead.startsStatement(line, at: place), isPrefix(line, place)
      {
        let words = words(of: line.part(place..<line.count))
        if isStatement(words, line.part(place..<line.count)) { return (place, isWhole(words)) }
      }
      place += 1
    }
    return nil
  }

  private static func isInitial(_ byte: UInt8) -> Bool {
    // The initials of SELECT, INSERT, UPDATE, DELETE, BEGIN, COMMIT, PRAGMA, ROLLBACK, CREATE,
    // DROP, ALTER, WITH and other verbs.
    [65, 66, 67, 68, 69, 73, 80, 82, 83, 85, 86, 87].contains(byte & 0xDF)
  }

  /// Whether the text before an index ends like a prefix rather than a sentence.
  private static func isPrefix(_ line: UnsafeRawBufferPointer, _ start: Int) -> Bool {
    guard let last = line[..<start].last(where: { $0 != 32 }) else { return true }
    // A prefix ends with `>`, `:`, `]`, `)`, `|`, `-` or a character beyond ASCII such as an emoji,
    // contains no letters, or ends with a duration.
    if [62, 58, 93, 41, 124, 45].contains(last) || last >= 128 { return true }
    if !line[..<start].contains(where: LineHead.isLetter) { return true }
    return duration(in: line, before: start) >= 0
  }

  private static func words(of text: UnsafeRawBufferPointer) -> [Substring] {
    text.part(0..<min(text.count, 160)).text.split {
      $0 == " " || $0 == "\n" || $0 == ";" || $0 == "("
    }
  }

  /// Whether a statement is more than a verb that an app could print as a marker.
  private static func isWhole(_ words: [Substring]) -> Bool {
    let verb = words[0].uppercased()
    return ["SELECT", "INSERT", "REPLACE", "DELETE", "CREATE", "DROP", "ALTER", "WITH"].contains(
      verb
    )
      || (verb == "UPDATE" && words.contains { $0.uppercased() == "SET" })
  }

  /// Whether the words after a verb belong to a statement rather than a sentence.
  private static func isStatement(_ words: [Substring], _ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = words.first else { return false }
    let verb = first.uppercased()
    let isCapital = first == verb
    // A verb with only its first letter capitalized starts a sentence.
    guard isCapital || first == first.lowercased() else { return false }
    let next = words.count > 1 ? words[1].uppercased() : ""
    switch verb {
    case "SELECT":
      let rest = text.part(6..<text.count)
      let hasSigns = rest.contains { [34, 40, 42, 44, 61].contains($0) }
      guard let from = words.firstIndex(where: { $0.uppercased() == "FROM" }), from > 1 else {
        // A SELECT in capitals without FROM may continue on the next line.
        return isCapital
          && (words.count == 1 || hasSigns || next.contains(".") || next.allSatisfy(\.isNumber))
      }
      // In `select name from player where`, only clauses can follow the table's name.
      let after = words.dropFirst(from + 2).first.map { $0.uppercased() }
      return isCapital || hasSigns || after.map(clauses.contains) ?? (words.count == from + 2)
    case "INSERT", "REPLACE": return next == "INTO" || (next == "OR" && words.count > 3)
    case "UPDATE": return words.dropFirst().contains { $0.uppercased() == "SET" } || isCapital
    case "DELETE": return next == "FROM"
    case "BEGIN", "COMMIT", "END", "ROLLBACK":
      let known = ["TRANSACTION", "DEFERRED", "IMMEDIATE", "EXCLUSIVE", "TO"]
      return words.count == 1
        ? isCapital && verb != "END" : known.contains(next) && (isCapital || next != "TO")
    case "SAVEPOINT", "RELEASE": return isCapital && (2...3).contains(words.count)
    case "PRAGMA": return words.count > 1 && words.count < 9
    case "CREATE", "DROP", "ALTER":
      return [
        "TABLE", "INDEX", "UNIQUE", "TRIGGER", "VIEW", "TEMP", "TEMPORARY", "VIRTUAL",
      ].contains(next)
    case "WITH":
      return isCapital || text.contains(40)
    case "ATTACH", "DETACH", "VACUUM", "ANALYZE", "REINDEX", "EXPLAIN": return isCapital
    default: return false
    }
  }

  private static let clauses: Set<String> = [
    "WHERE", "ORDER", "GROUP", "LIMIT", "JOIN", "LEFT", "INNER", "CROSS", "AS", "UNION",
  ]

  /// Returns the duration before a statement, such as `0.012s ` or `(1.5 ms) `, in microseconds; -1
  /// if there is none.
  private static func duration(in line: UnsafeRawBufferPointer, before start: Int) -> Int {
    var end = start
    while end > 0, [32, 41, 58, 93].contains(line[end - 1]) { end -= 1 }
    guard end > 1, line[end - 1] == 115 else { return -1 }
    end -= 1
    let isMilli = line[end - 1] == 109
    if isMilli { end -= 1 }
    while end > 0, line[end - 1] == 32 { end -= 1 }
    var first = end
    while first > 0, LineHead.isDigit(line[first - 1]) || [44, 46].contains(line[first - 1]) {
      first -= 1
    }
    guard first < end, first == 0 || !LineHead.isLetter(line[first - 1]),
      let seconds = (Array(line[first..<end]) + [115]).withUnsafeBytes({
        $0.microseconds(at: 0)
      })
    else { return -1 }
    return isMilli ? seconds / 1_000 : seconds
  }

  /// Returns the start and the nanoseconds of `; -- 12345 ns` after a statement.
  private static func profile(in line: UnsafeRawBufferPointer, end: Int) -> (Int, Int)? {
    guard end > 10, line.has(" ns", at: end - 3), let mark = line.lastPlace(of: "; -- "),
      let (nanoseconds, last) = line.number(at: mark + 5), last == end - 3
    else { return nil }
    return (mark, nanoseconds)
  }
}

/// The last words of the prefixes of complete statements.
///
/// After any other word, a verb alone is not a statement: `screen: BEGIN` marks an action in a log
/// that prints statements as `SQL> BEGIN`.
struct TracePrefixes: Equatable {
  private var known: Set<UInt64> = []

  var isEmpty: Bool { known.isEmpty }

  /// Returns the statement in a line, and records its prefix if the statement is complete.
  mutating func statement(in line: UnsafeRawBufferPointer) -> TraceLine? {
    guard let found = TraceLine(line) else { return nil }
    let word = Self.lastWord(of: line.part(0..<found.body.lowerBound))
    if found.isWhole { known.insert(word) }
    return known.contains(word) ? found : nil
  }

  /// Returns a hash of the last word of a prefix: letters only, because numbers and times differ
  /// from line to line.
  private static func lastWord(of prefix: UnsafeRawBufferPointer) -> UInt64 {
    guard let last = prefix.lastIndex(where: LineHead.isLetter) else { return 0 }
    let start = prefix[..<last].lastIndex { !LineHead.isLetter($0) }.map { $0 + 1 } ?? 0
    return prefix.part(start..<last + 1).hash64
  }
}

extension LineHead {
  /// Creates the prefix of a line in which an app printed a statement, with the thread if the line
  /// shows it.
  init(traceIn line: UnsafeRawBufferPointer, body: Int) {
    self.init(statementLog: ())
    let origin = LineOrigin(of: line, before: body)
    (process, thread) = (origin.process, origin.thread)
    (form, self.body) = (.trace, body)
  }
}

extension LogParser {
  func readTrace(_ path: String, _ prefixes: TracePrefixes) throws {
    var (statement, prefixes) = (TracedStatement(), prefixes)
    try LineReader(path: path).forEachLine { line, ending in
      countLine(line.count, isCut: ending == .cut)
      if line.place(of: 27, from: 0) != nil {
        Self.withoutColors(line).withUnsafeBytes { readTrace($0, &statement, &prefixes) }
      } else {
        readTrace(line, &statement, &prefixes)
      }
    }
    if statement.isOpen { countUnfinished(statement.line, isLast: true) }
    end(&statement)
  }

  private func readTrace(
    _ line: UnsafeRawBufferPointer,
    _ statement: inout TracedStatement,
    _ prefixes: inout TracePrefixes
  ) {
    let found = prefixes.statement(in: line)
    let isPart = found.map { statement.goesOn(with: line, at: $0.body.lowerBound) } ?? true
    if isPart, statement.take(line) { return }
    if statement.isOpen { countUnfinished(statement.line) }
    guard let traced = found else {
      end(&statement)
      return countComment(line)
    }
    let body = line.part(traced.body)
    // With both trace options, SQLite reports a statement twice: at its start, and at its end with
    // its time.
    if statement.isSame(body), traced.time >= 0, statement.time < 0 {
      report.duplicates += 1
      statement.time = traced.time
      return
    }
    end(&statement)
    report.forms[.trace, default: 0] += 1
    statement.start(
      body,
      behind: line.part(0..<traced.body.lowerBound),
      LineHead(traceIn: line, body: traced.body.lowerBound),
      line: report.lines,
      clock: LineHead.time(of: line) ?? -1,
      time: traced.time
    )
  }

  private func end(_ statement: inout TracedStatement) {
    guard let head = statement.head else { return }
    statement.bytes.withUnsafeBytes {
      read($0, head, line: statement.line, clock: statement.clock, time: statement.time)
    }
    statement = TracedStatement()
  }
}

private struct TracedStatement {
  var head: LineHead?
  private(set) var bytes: [UInt8] = []
  private(set) var line = 0
  private(set) var clock = -1
  var time = -1
  private(set) var isOpen = false
  private var depth = 0
  private var lines = 0
  /// Whether the statement has a prefix other than whitespace; otherwise ``indentation`` is the
  /// length of the whitespace.
  private var hasPrefix = false
  private var indentation = 0

  private static let longest = 1 << 18
  private static let mostLines = 1_000

  mutating func start(
    _ body: UnsafeRawBufferPointer,
    behind prefix: UnsafeRawBufferPointer,
    _ head: LineHead,
    line: Int,
    clock: Int,
    time: Int
  ) {
    bytes.removeAll(keepingCapacity: true)
    hasPrefix = !Self.isBlank(prefix)
    indentation = hasPrefix ? 0 : prefix.count
    (self.head, self.line, self.clock, self.time) = (head, line, clock, time)
    (isOpen, depth, lines) = (false, 0, 0)
    add(body)
  }

  private mutating func add(_ part: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: part)
    for byte in part {
      switch byte {
      case 39: isOpen.toggle()
      case 40 where !isOpen: depth += 1
      case 41 where !isOpen: depth -= 1
      default: continue
      }
    }
  }

  private static func isBlank(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 == 32 || $0 == 9 }
  }

  /// Whether a line that looks like a statement continues this statement: it is within a value,
  /// lacks the prefix, is indented, or is a SELECT that can continue the statement.
  func goesOn(with line: UnsafeRawBufferPointer, at start: Int) -> Bool {
    guard head != nil else { return false }
    guard Self.isBlank(line.part(0..<start)) else { return isOpen && !hasPrefix }
    if isOpen || hasPrefix || start > indentation { return true }
    guard line.has("SELECT") || line.has("select") else { return false }
    return depth > 0
      || bytes.withUnsafeBytes { bytes in
        ["UNION", "UNION ALL", "EXCEPT", "INTERSECT", " AS"].contains { (word: StaticString) in
          bytes.has(word, at: bytes.count - word.utf8CodeUnitCount)
        }
      }
  }

  func isSame(_ body: UnsafeRawBufferPointer) -> Bool {
    head != nil && bytes.count == body.count && bytes.elementsEqual(body)
  }

  /// Appends a line if it continues the statement; returns whether the line was appended.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    guard head != nil, lines < Self.mostLines, bytes.count + line.count < Self.longest else {
      return false
    }
    let start = line.firstIndex { $0 != 32 && $0 != 9 } ?? line.count
    let isClause = Self.clauses.contains { line.has($0, at: start) }
    let endsWithin = bytes.last.map { [44, 40, 61, 60, 62].contains($0) } ?? false
    let goesOn =
      isOpen || depth > 0 || isClause || endsWithin
      || (start > indentation && start < line.count)
      || bytes.elementsEqual("SELECT".utf8)
    guard goesOn, isOpen || start < line.count else { return false }
    lines += 1
    var end = line.count
    if !isOpen {
      while end > start, line[end - 1] == 32 || line[end - 1] == 59 { end -= 1 }
    }
    bytes.append(10)
    add(line.part(0..<end))
    return true
  }

  private static let clauses: [StaticString] = [
    "FROM ", "WHERE ", "ORDER BY ", "GROUP BY ", "HAVING ", "LIMIT ", "OFFSET ", "AND ", "OR ",
    "JOIN ", "LEFT ", "INNER ", "CROSS ", "ON ", "SET ", "VALUES", "UNION", "EXCEPT", "INTERSECT",
    "RETURNING ", "SELECT ", ")", "from ", "where ", "order by ", "group by ", "limit ", "and ",
    "left join ", "join ", "set ", "values",
  ]
}
