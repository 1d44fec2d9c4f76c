import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite

/// Breaks a store's content by SQL that SQLite accepts.
enum ContentBreakage {
  /// Statements that make schemas with code, names that are SQL, or values of wrong types.
  private static let statements: [[String]] = [
    [
      "DROP TABLE ZWISH",
      "CREATE VIEW ZWISH AS SELECT 1 AS Z_PK, 2 AS Z_ENT, 3 AS Z_OPT, 4 AS ZTEXT",
    ],
    ["DROP TABLE ZWISH", "CREATE VIRTUAL TABLE ZWISH USING fts5(Z_PK, Z_ENT, Z_OPT, ZTEXT)"],
    ["DROP TABLE ZWISH", "CREATE VIRTUAL TABLE ZWISH USING rtree(Z_PK, ZA, ZB)"],
    [
      "ALTER TABLE ZTAG ADD COLUMN ZBOMB TEXT AS (hex(zeroblob(400000000)))",
      "ALTER TABLE ZWORK ADD COLUMN ZSLOW AS (randomblob(100000000))",
    ],
    ["CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN DELETE FROM ZWORK; END"],
    ["CREATE INDEX slow ON ZTAG (hex(ZNAME)) WHERE length(ZNAME) > 1"],
    ["DROP TABLE ZTAG", "CREATE TABLE ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME)"],
    ["DROP TABLE ZTAG", "CREATE TABLE ZTAG (Z_PK TEXT PRIMARY KEY, Z_ENT, ZNAME) WITHOUT ROWID"],
    ["DROP TABLE ZSHELF"], ["DROP TABLE Z_PRIMARYKEY"], ["DROP TABLE Z_METADATA"],
    ["ALTER TABLE ZWORK RENAME COLUMN ZTITLE TO \"Z\"\"; DROP TABLE ZTAG; --\""],
    ["CREATE TABLE \"Z'; DROP TABLE ZTAG; --\" (Z_PK INTEGER PRIMARY KEY)"],
    ["UPDATE Z_PRIMARYKEY SET Z_NAME = char(27) || '[2J', Z_SUPER = Z_ENT"],
    ["UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807"],
    ["UPDATE Z_PRIMARYKEY SET Z_ENT = -Z_ENT"],
    ["UPDATE ZWORK SET ZSHELF = -9223372036854775808, Z_ENT = 9223372036854775807"],
    ["UPDATE ZWORK SET Z_PK = 9223372036854775807 WHERE Z_PK = 1"],
    ["UPDATE ZWORK SET Z_PK = -9223372036854775808 WHERE Z_PK = 1"],
    ["UPDATE ZWORK SET ZADDED = 9e999, ZRATING = -9e999, ZPAGES = 'many'"],
    ["UPDATE ZWORK SET ZTITLE = zeroblob(20000000) WHERE Z_PK = 1"],
    ["UPDATE ZWORK SET ZTITLE = CAST(zeroblob(17000000) AS TEXT) WHERE Z_PK = 1"],
    [
      "UPDATE ZWORK SET ZPOSTER = CAST(x'02' || '../../../../../../../../etc/passwd---' || x'00' AS BLOB)"
    ],
    [
      "UPDATE ZWORK SET ZPOSTER = CAST(x'02' || '/etc/passwd-------------------------' || x'00' AS BLOB)"
    ],
    ["UPDATE ZTAG SET ZNAME = char(27) || ']0;title' || char(7) || char(8238)"],
    ["DELETE FROM Z_METADATA"], ["UPDATE Z_METADATA SET Z_PLIST = zeroblob(100)"],
    ["INSERT INTO Z_METADATA VALUES (2, 'x', NULL)"],
    ["UPDATE ATRANSACTION SET ZTIMESTAMP = 9e999, ZAUTHORTS = 1"],
    ["UPDATE ACHANGE SET ZENTITY = -1, ZCHANGETYPE = 99, ZTRANSACTIONID = 9223372036854775807"],
    ["UPDATE ATRANSACTIONSTRING SET ZNAME = char(27) || '[31m' || Z_PK"],
    ["PRAGMA encoding = 'UTF-16'", "VACUUM"],
  ]

  /// Applies a random breakage and returns its description.
  static func apply(to file: StoreFile, _ dice: inout Dice) throws -> String {
    let connection = try Connection(path: file.path, mode: .readWrite, settings: nil)
    // Move the WAL into the main file in all cases.
    defer { try? connection.checkpoint() }
    switch dice.roll(3) {
    case 0:
      let chosen = statements[dice.roll(statements.count)]
      // A statement fails if the store lacks its table.
      for sql in chosen { try? connection.execute(sql) }
      return chosen.joined(separator: "; ")
    case 1: return try breakArchive(connection, &dice)
    default: return try breakMetadata(connection, &dice)
    }
  }

  /// Changes bytes of the model's archive, but compresses the archive correctly.
  private static func breakArchive(_ connection: Connection, _ dice: inout Dice) throws -> String {
    // A store that is already broken may have no model cache.
    guard let packed = try? blob("SELECT Z_CONTENT FROM Z_MODELCACHE", connection),
      var archive = try? Deflate.decompress(packed, limit: 64 << 20), archive.count > 1
    else { return "nothing" }
    let what: String
    switch dice.roll(4) {
    case 0:
      // Let references of the keyed archive refer to themselves, each other, or nothing.
      for place in archive.indices.dropLast() where archive[place] == 0x80 && dice.roll(20) == 0 {
        archive[place + 1] = UInt8(dice.roll(256))
      }
      what = "references of the model's archive"
    case 1:
      archive.removeLast(dice.roll(archive.count))
      what = "a cut model archive"
    case 2:
      try set(
        "Z_MODELCACHE SET Z_CONTENT",
        Deflate.compress([UInt8](repeating: 0, count: 90 << 20)),
        connection
      )
      return "a deflate bomb"
    default:
      for _ in 0..<(1 + dice.roll(30)) { archive[dice.roll(archive.count)] = UInt8(dice.roll(256)) }
      what = "bytes of the model's archive"
    }
    try set("Z_MODELCACHE SET Z_CONTENT", Deflate.store(archive), connection)
    return what
  }

  private static func breakMetadata(_ connection: Connection, _ dice: inout Dice) throws -> String {
    guard var list = try? blob("SELECT Z_PLIST FROM Z_METADATA", connection), !list.isEmpty else {
      return "nothing"
    }
    for _ in 0..<(1 + dice.roll(8)) { list[dice.roll(list.count)] = UInt8(dice.roll(256)) }
    try set("Z_METADATA SET Z_PLIST", list, connection)
    return "bytes of the metadata"
  }

  private static func blob(_ sql: String, _ connection: Connection) throws -> [UInt8]? {
    let row = try connection.prepare(sql)
    return try row.step() ? row.blob(at: 0) : nil
  }

  private static func set(_ column: String, _ bytes: [UInt8], _ connection: Connection) throws {
    let update = try connection.prepare("UPDATE \(column) = ?1")
    update.bind(bytes, at: 1)
    try update.run()
  }
}
