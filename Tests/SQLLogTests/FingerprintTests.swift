import Testing

@testable import SQLLog

@Suite struct FingerprintTests {
  private func fingerprint(_ sql: String) -> String {
    var (sql, reader) = (sql, Fingerprint())
    sql.withUTF8 { reader.read(UnsafeRawBufferPointer($0)) }
    return String(decoding: reader.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    (
      "UPDATE ZX SET ZA = ?, Z_OPT = ?  WHERE Z_PK=? AND Z_OPT=?",
      "UPDATE ZX SET ZA = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?"
    ),
    (
      "SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZN > 18 LIMIT 20",
      "SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZN > ? LIMIT n"
    ),
    (
      "SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZN IN (1,2, 3)",
      "SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZN IN (?…)"
    ),
    (
      "SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZN IN (?, ?)",
      "SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZN IN (?…)"
    ),
    (
      "SELECT 0 FROM ZA t0 WHERE t0.ZN = 'it''s -- no comment' AND t0.ZB = x'00FF'",
      "SELECT 0 FROM ZA t0 WHERE t0.ZN = ? AND t0.ZB = ?"
    ),
    (
      "SELECT 0 FROM ZA t0 WHERE  NSCoreDataStringSearch( t0.ZTITLE, ?, 417, 1) ORDER BY t0.Z_PK",
      "SELECT 0 FROM ZA t0 WHERE NSCoreDataStringSearch(t0.ZTITLE, ?, 417, 1) ORDER BY t0.Z_PK"
    ),
    (
      "SELECT 0 FROM ZA t0 WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray12)  LIMIT 20",
      "SELECT 0 FROM ZA t0 WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray) LIMIT n"
    ),
    ("INSERT INTO ZA(Z_PK, ZN) VALUES(1, -2.5e-3);", "INSERT INTO ZA(Z_PK, ZN) VALUES(?, ?)"),
    ("pragma cache_size=1000", "pragma cache_size=1000"),
    ("SELECT 0 FROM ZA WHERE ZN = \"some text\"", "SELECT 0 FROM ZA WHERE ZN = ?"),
    ("SELECT 0 FROM ZA WHERE ZN = ?1 OR ZN = :name", "SELECT 0 FROM ZA WHERE ZN = ? OR ZN = ?"),
    ("SELECT 0 FROM ZA WHERE ZN = 'open", "SELECT 0 FROM ZA WHERE ZN = ?"),
  ])
  func `removes values and keeps the statement`(sql: String, expected: String) {
    #expect(fingerprint(sql) == expected)
  }

  @Test(arguments: [
    (
      "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZREGION t0 WHERE t0.Z_PK = ?",
      StatementShape.Kind.fault
    ),
    // Core Data fires faults without LIMIT, so a fetch by key with LIMIT is the app's own.
    ("SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZCHANNEL t0 WHERE t0.Z_PK = ? LIMIT n", .fetch),
    ("SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE (t0.ZLIST = ? AND t0.ZSTATE <> ?)", .keyFetch),
    ("SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE (t0.ZLIST = ? AND t0.ZSTATE NOT IN (?…))", .keyFetch),
    (
      "SELECT 0, t0.Z_PK FROM Z_1TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_2TAGS WHERE t1.Z_1ITEMS = ?",
      .toManyFault
    ),
    (
      "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZITEM FROM ZATTACHMENT t0 WHERE t0.ZITEM IN "
        + "(SELECT * FROM _Z_intarray) ORDER BY t0.ZITEM", .prefetch
    ),
    (
      "SELECT t0.Z_ENT, t0.Z_PK, t0.ZN FROM ZREGION t0 WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray) "
        + "LIMIT n", .batch
    ),
    ("SELECT t0.Z_ENT, t0.Z_PK FROM ZCAR t0", .keyFetch),
    ("SELECT COUNT(*) FROM ZITEM", .count),
    (
      "SELECT COUNT(DISTINCT t0.Z_PK) FROM ZWORD t0 JOIN ZWORDCATEGORY t1 ON t0.ZWORDCATEGORY = "
        + "t1.Z_PK WHERE t1.ZFIRSTLETTER = ?", .count
    ),
    ("SELECT total(t0.ZN) FROM ZITEM t0", .aggregate),
    (
      "SELECT t0.ZY, COUNT(t0.ZY) AS __var0 FROM ZITEM t0 GROUP BY t0.ZY HAVING __var0 > ?",
      .aggregate
    ),
    ("INSERT OR IGNORE INTO ZQUAKE(Z_PK, Z_ENT) VALUES(?, ?)", .insert),
    ("UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?", .system),
    ("SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA", .system),
    ("DELETE FROM ZMESSAGE WHERE Z_PK = ? AND Z_OPT = ?", .delete),
    ("BEGIN EXCLUSIVE", .begin), ("pragma page_count", .pragma), ("COMMIT", .commit),
  ])
  func `names the kind of each statement`(sql: String, kind: StatementShape.Kind) {
    #expect(StatementShape(fingerprint: sql).kind == kind)
  }

  @Test func `reads conditions, sorts and collations`() {
    let shape = StatementShape(
      fingerprint:
        "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZCHANNEL t0 JOIN ZGROUP t1 ON t0.ZGROUP = t1.Z_PK "
        + "WHERE ((t0.ZPLAYLIST IS NOT NULL AND t0.ZPLAYLIST = ?) AND ? <= t0.ZLONG AND "
        + "NSCoreDataStringSearch(t0.ZNAME, ?, 417, 1)) ORDER BY t0.ZNAME COLLATE "
        + "NSCollateLocaleSensitive DESC, t0.ZDATE"
    )
    #expect(shape.table == "ZCHANNEL")
    #expect(shape.joins == ["ZGROUP"])
    #expect(shape.kind == .fetch)
    #expect(
      shape.conditions == [
        .init(table: "ZCHANNEL", column: "ZPLAYLIST", operation: .null),
        .init(table: "ZCHANNEL", column: "ZPLAYLIST", operation: .equals),
        .init(table: "ZCHANNEL", column: "ZLONG", operation: .range),
        .init(table: "ZCHANNEL", column: "ZNAME", operation: .search),
      ]
    )
    #expect(shape.sorts.map(\.column) == ["ZNAME", "ZDATE"])
    #expect(shape.sorts[0].collation == "NSCollateLocaleSensitive")
    #expect(shape.sorts[0].isDescending)
  }
}
