import Basics

/// Reads the bytes of a statement into its fingerprint, the text without values.
///
/// Literals and bound parameters become `?`, and numbers after LIMIT and OFFSET become `n`. The
/// length of an IN list is dropped. The constant after SELECT, the flags of a text search and the
/// values of pragmas are kept, because they are Core Data's, not the app's.
struct Fingerprint {
  private(set) var bytes: [UInt8] = []
  /// The number after the last LIMIT; -1 if there is no LIMIT or its number is bound.
  private(set) var limit = -1
  private(set) var literals = 0
  private(set) var literalHash: UInt64 = 0
  /// The positions of the literals and parameters in the statement, in order.
  private(set) var marks: [Mark] = []
  /// Whether the statement ends within a literal.
  private(set) var isOpen = false
  /// Whether the tables are an app's own, so that quoted words are names and keywords can be
  /// lowercase.
  let isPlain: Bool

  /// Whether IN lists of different lengths have the same fingerprint.
  private let joinsLists: Bool

  init(isPlain: Bool = false, joinsLists: Bool = true) {
    (self.isPlain, self.joinsLists) = (isPlain, joinsLists)
  }

  struct Mark {
    var range: Range<Int>
    var isParameter: Bool
  }

  private var keepsNumbers = false
  // The number of the current argument of a text search, from 1; 0 outside a text search. The third
  // argument contains the search's flags.
  private var searchDepth = 0

  /// The maximum number of bytes of a statement that are read.
  static let longest = 1 << 16

  mutating func read(_ sql: UnsafeRawBufferPointer) {
    bytes.removeAll(keepingCapacity: true)
    marks.removeAll(keepingCapacity: true)
    (limit, literals, literalHash, isOpen) = (-1, 0, 0, false)
    (keepsNumbers, searchDepth) = (Self.isPragma(sql), 0)
    let end = min(sql.count, Self.longest)
    var place = 0
    while place < end {
      let byte = sql[place]
      switch byte {
      case 32, 9, 10, 13:
        blank()
        place += 1
      case 39: place = literal(sql, from: place, end: end)
      case 34, 96: place = quoted(sql, from: place, end: end, quote: byte)
      case 91 where isPlain: place = quoted(sql, from: place, end: end, quote: 93)
      case 63, 58, 64, 36: place = parameter(sql, from: place, end: end)
      case 40:
        bytes.append(byte)
        place += 1
      case 41:
        if bytes.last == 32 { bytes.removeLast() }
        close()
        place += 1
      case 61 where bytes.last != 60 && bytes.last != 62 && bytes.last != 33 && !keepsNumbers:
        blank()
        bytes.append(byte)
        place += 1
        blank()
      case 44:
        if bytes.last == 32 { bytes.removeLast() }
        if searchDepth > 0 { searchDepth += 1 }
        bytes.append(byte)
        blank()
        place += 1
      case 47 where place + 1 < end && sql[place + 1] == 42:
        place = sql.place(of: "*/", from: place + 2).map { $0 + 2 } ?? end
      case 45 where place + 1 < end && sql[place + 1] == 45:
        place = sql.place(of: 10, from: place) ?? end
      case 59:
        place += 1
      default:
        place = word(sql, from: place, end: end)
      }
    }
    while bytes.last == 32 { bytes.removeLast() }
  }

  private mutating func blank() {
    if let last = bytes.last, last != 32, last != 40 { bytes.append(32) }
  }

  private mutating func value(_ sql: UnsafeRawBufferPointer, _ range: Range<Int>) {
    literals += 1
    literalHash = SplitMix64.mix(literalHash ^ sql.part(range).hash64)
    bytes.append(63)
    marks.append(Mark(range: range, isParameter: false))
  }

  /// Appends `n` for a number after LIMIT or OFFSET; the number's hash distinguishes fetches of
  /// different pages of a list.
  private mutating func page(_ sql: UnsafeRawBufferPointer, _ range: Range<Int>) {
    literalHash = SplitMix64.mix(literalHash ^ sql.part(range).hash64)
    bytes.append(UInt8(ascii: "n"))
  }

  private mutating func literal(_ sql: UnsafeRawBufferPointer, from start: Int, end: Int) -> Int {
    var place = start + 1
    while true {
      guard let quote = sql.place(of: 39, from: place), quote < end else {
        isOpen = sql.count <= end
        value(sql, start..<end)
        return end
      }
      place = quote + 1
      if place < end, sql[place] == 39 {
        place += 1
        continue
      }
      // A blob `x'…'` is one literal.
      if let last = bytes.last, last | 0x20 == 120, bytes.dropLast().last.map(Self.isWord) != true {
        bytes.removeLast()
        value(sql, start - 1..<place)
        return place
      }
      value(sql, start..<place)
      return place
    }
  }

  private mutating func quoted(
    _ sql: UnsafeRawBufferPointer,
    from start: Int,
    end: Int,
    quote: UInt8
  ) -> Int {
    guard let close = sql.place(of: quote, from: start + 1), close < end else {
      value(sql, start..<end)
      return end
    }
    if isPlain {
      let name = sql[start + 1..<close]
      // Remove redundant quotes, so that a quoted and an unquoted name have the same fingerprint.
      bytes.append(contentsOf: name.allSatisfy(Self.isWord) ? name : sql[start...close])
      return close + 1
    }
    // SQLite treats a quoted string that is not a column's name as a literal.
    if FrameworkName.isIdentifier(sql.part(start + 1..<close)) {
      bytes.append(contentsOf: sql[start...close])
    } else {
      value(sql, start..<close + 1)
    }
    return close + 1
  }

  private mutating func parameter(_ sql: UnsafeRawBufferPointer, from start: Int, end: Int) -> Int {
    var place = start + 1
    while place < end, Self.isWord(sql[place]) { place += 1 }
    if sql[start] == 63 || place > start + 1 {
      bytes.append(63)
      marks.append(Mark(range: start..<place, isParameter: true))
    } else {
      bytes.append(sql[start])
    }
    return place
  }

  private mutating func word(_ sql: UnsafeRawBufferPointer, from start: Int, end: Int) -> Int {
    let first = sql[start]
    var place = start + 1
    if first >= 48 && first <= 57 { return number(sql, from: start, end: end) }
    guard Self.isWord(first) else {
      bytes.append(first)
      return place
    }
    while place < end, Self.isWord(sql[place]) { place += 1 }
    if first == 95, sql.has("_Z_intarray", at: start) {
      bytes.append(contentsOf: "_Z_intarray".utf8)
      return place
    }
    if first == 78, sql.has("NSCoreDataStringSearch", at: start) { searchDepth = 1 }
    if isPlain, bytes.last != 46, Self.isKeyword(sql.part(start..<place)) {
      bytes.append(contentsOf: sql[start..<place].map { LineHead.isLetter($0) ? $0 & 0xDF : $0 })
    } else {
      bytes.append(contentsOf: sql[start..<place])
    }
    return place
  }

  /// The SQL keywords that are normalized to uppercase in an app's own statements.
  private static let keywords: [StaticString] = [
    "SELECT", "FROM", "WHERE", "JOIN", "ON", "AND", "OR", "ORDER", "BY", "GROUP", "LIMIT", "OFFSET",
    "IN", "LIKE", "GLOB", "IS", "NULL", "NOT", "BETWEEN", "AS", "DESC", "ASC", "INSERT", "INTO",
    "VALUES", "UPDATE", "SET", "DELETE", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE",
    "COUNT", "PRAGMA", "HAVING", "UNION", "EXISTS", "DISTINCT", "CONFLICT", "REPLACE", "LEFT",
    "OUTER", "INNER", "CROSS", "COLLATE", "TRANSACTION", "CREATE", "DROP", "ALTER", "WITH", "TO",
  ]

  private static func isKeyword(_ word: UnsafeRawBufferPointer) -> Bool {
    keywords.contains { keyword in
      let count = keyword.utf8CodeUnitCount
      guard word.count == count else { return false }
      return (0..<count).allSatisfy { word[$0] & 0xDF == keyword.utf8Start[$0] }
    }
  }

  private mutating func number(_ sql: UnsafeRawBufferPointer, from start: Int, end: Int) -> Int {
    var place = start + 1
    while place < end,
      Self.isWord(sql[place]) || sql[place] == 46
        || ((sql[place] == 45 || sql[place] == 43) && sql[place - 1] | 0x20 == 101)
    { place += 1 }
    if keepsNumbers || searchDepth > 2 || ends(with: "SELECT ") {
      bytes.append(contentsOf: sql[start..<place])
    } else if ends(with: "LIMIT ") {
      limit = sql.number(at: start)?.value ?? -1
      page(sql, start..<place)
    } else if ends(with: "OFFSET ") {
      page(sql, start..<place)
    } else {
      var first = start
      if bytes.last == 45, Self.isSign(bytes) {
        bytes.removeLast()
        first = sql[..<start].lastIndex(of: 45) ?? start
      }
      value(sql, first..<place)
    }
    return place
  }

  /// Whether the minus sign at the end of the bytes is the sign of a number, not an operator
  /// between two values.
  private static func isSign(_ bytes: [UInt8]) -> Bool {
    let before = bytes.dropLast().last { $0 != 32 }
    return before.map { !isWord($0) && $0 != 41 && $0 != 63 } ?? true
  }

  private func ends(with text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count >= count else { return false }
    return bytes.withUnsafeBytes { $0.has(text, at: bytes.count - count) }
  }

  /// Closes a parenthesis and collapses an IN list of parameters into `?…`.
  private mutating func close() {
    searchDepth = 0
    var place = bytes.count
    var values = 0
    while place > 0, bytes[place - 1] == 63 {
      values += 1
      place -= 1
      guard place > 1, bytes[place - 1] == 32, bytes[place - 2] == 44 else { break }
      place -= 2
    }
    if joinsLists, values > 0, place > 0, bytes[place - 1] == 40,
      bytes[..<(place - 1)].suffix(3).elementsEqual("IN ".utf8)
    {
      bytes.removeSubrange(place...)
      bytes.append(contentsOf: "?…".utf8)
    }
    bytes.append(41)
  }

  private static func isPragma(_ sql: UnsafeRawBufferPointer) -> Bool {
    sql.has("pragma") || sql.has("PRAGMA")
  }

  static func isWord(_ byte: UInt8) -> Bool {
    (byte >= 48 && byte <= 57) || LineHead.isLetter(byte) || byte == 95 || byte >= 128
  }
}

/// Distinguishes Core Data's tables and columns, and SQL's own words, from other words.
///
/// Any other word may be a value that lost its quotes, or prose that starts like a statement.
enum FrameworkName {
  static func isOne(_ word: UnsafeRawBufferPointer) -> Bool {
    if isIdentifier(word) || isFunction(word) { return true }
    guard word.count <= 20 else { return false }
    let isPlain = word.allSatisfy { LineHead.isLetter($0) || $0 == 95 }
    return isPlain && words.contains(word.text.uppercased())
  }

  /// Whether a word is a table, a column, an index or an alias: `ZTASK`, `Z_PK`, `_Z_intarray0`,
  /// `ATRANSACTION`, `t0`, `__var0`.
  static func isIdentifier(_ word: UnsafeRawBufferPointer) -> Bool {
    guard let first = word.first else { return false }
    // An index's name starts with `Z_`, followed by the names of the entity and the index.
    if word.has("Z_") || word.has("_Z_") { return true }
    switch first {
    case UInt8(ascii: "Z"): return word.count > 1 && !word.contains { $0 >= 97 && $0 <= 122 }
    case UInt8(ascii: "A"):
      return ownTables.contains { word.has($0) } && !word.contains { $0 >= 97 && $0 <= 122 }
    case UInt8(ascii: "t"): return word.count > 1 && word.dropFirst().allSatisfy(LineHead.isDigit)
    default: return word.has("__var")
    }
  }

  private static func isFunction(_ word: UnsafeRawBufferPointer) -> Bool {
    word.has("NSCoreData") || word.has("NSCollate")
  }

  /// The prefixes of the tables of persistent history and of mirroring to CloudKit.
  private static let ownTables: [StaticString] = ["ACHANGE", "ATRANSACTION", "ANSCK"]

  static func isOwnTable(_ table: String) -> Bool {
    ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table) || table.hasPrefix("ANSCK")
  }

  /// SQL's keywords and functions, SQLite's own tables, and names used in triggers and pragmas.
  private static let words: Set<String> = Set(
    """
    ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN \
    BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS \
    CURRENT DATABASE DEFAULT DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END \
    ESCAPE EXCEPT EXCLUDED EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM \
    FULL GENERATED GLOB GROUP HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT \
    INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE LIMIT MATCH NATURAL NEW NO NOT NOTHING \
    NOTNULL NULL NULLS OF OFFSET OLD ON OR ORDER OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY \
    QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING \
    RIGHT ROLLBACK ROW ROWID ROWS SAVEPOINT SELECT SET STORED STRICT TABLE TEMP TEMPORARY THEN TO \
    TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE \
    WINDOW WITH WITHOUT OID _ROWID_ BINARY NOCASE RTRIM \
    INTEGER INT BIGINT VARCHAR TEXT FLOAT DOUBLE DECIMAL REAL BLOB TIMESTAMP BOOLEAN NUMERIC RTREE \
    ABS AVG CHANGES CHAR COALESCE COUNT DATE DATETIME FLOOR HEX IFNULL IIF INSTR JULIANDAY LENGTH \
    LOWER LTRIM MAX MIN NULLIF QUOTE RANDOM ROUND STRFTIME SUBSTR SUM TIME TOTAL TRIM TYPEOF UPPER \
    SQLITE_MASTER SQLITE_SCHEMA SQLITE_SEQUENCE TBL_NAME NAME SQL TYPE MAIN
    """.split(separator: " ").map(String.init)
  )
}
