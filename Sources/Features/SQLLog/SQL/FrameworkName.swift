/// Which words of a statement are names of the framework's tables and columns, or SQL's own.
///
/// Everything else in a statement may be a value that lost its quotes, or prose that starts like a
/// statement.
enum FrameworkName {
  /// Whether a word may stay in a log that is shared.
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
    // An index has the names of an entity and of itself behind its first letters.
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

  /// Tables of persistent history and of the mirroring with CloudKit.
  private static let ownTables: [StaticString] = ["ACHANGE", "ATRANSACTION", "ANSCK"]

  /// Whether a table is one of those that the framework keeps beside an app's.
  static func isOwnTable(_ table: String) -> Bool {
    ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table) || table.hasPrefix("ANSCK")
  }

  /// SQL's keywords and functions, the framework's tables, and names of its triggers and pragmas.
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
