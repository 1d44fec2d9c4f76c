import Testing

@testable import SQLLog

/// Tests lines of public logs, copied character by character; `…` marks a cut by the publisher.
@Suite struct PublishedSampleTests {
  // The log is of an existing SwiftData store that is opened.
  @Test func `reads the opening of a store`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: annotation: Connecting to sqlite database file at "/Users/user/…/Library/Application Support/default.store"
      CoreData: sql: SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'Z_METADATA'
      CoreData: sql: pragma recursive_triggers=1
      CoreData: sql: pragma journal_mode=wal
      CoreData: sql: SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA
      CoreData: sql: SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'Z_METADATA'
      CoreData: sql: SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'Z_MODELCACHE'
      CoreData: sql: SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'ACHANGE'
      CoreData: sql: SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'ATRANSACTION'
      CoreData: debug: Remote Change Notification - registered core observer for <UUID>
      CoreData: debug: Remote Change Notification - registered for  com.apple.coredata.NSPersistentStoreRemoteChangeNotification.remotenotification.<UUID>
      """
    )
    #expect(reading.report.connections == 1)
    #expect(
      reading.kinds == [.system, .pragma, .pragma, .system, .system, .system, .system, .system]
    )
    #expect(reading.report.unknown.isEmpty)
    #expect(reading.report.foreign == 0)
  }

  @Test func `reads the making of a schema`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: annotation: creating schema.
      CoreData: sql: pragma page_size=4096
      CoreData: sql: pragma auto_vacuum=2
      CoreData: sql: BEGIN EXCLUSIVE
      CoreData: sql: CREATE TABLE ZCOREUSER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZFIRSTNAME VARCHAR, ZSURNAME VARCHAR, ZID BLOB )
      CoreData: annotation: Execute create index statement: NSSQLiteStatement <0x3030a4780> on entity 'CoreUser' with sql text 'CREATE UNIQUE INDEX IF NOT EXISTS Z_CoreUser_UNIQUE_id ON ZCOREUSER (ZID COLLATE BINARY ASC)'
      CoreData: sql: CREATE UNIQUE INDEX IF NOT EXISTS Z_CoreUser_UNIQUE_id ON ZCOREUSER (ZID COLLATE BINARY ASC)
      CoreData: annotation: Creating primary key table.
      CoreData: annotation:  Failed to load optimized model at path '…/Shadowrocket 7.omo'
      CoreData: sql: pragma cache_size=1000
      CoreData: sql: pragma journal_mode=DELETE
      """
    )
    #expect(reading.kinds == [.pragma, .pragma, .begin, .schema, .schema, .pragma, .pragma])
    #expect(reading.report.unknown.isEmpty)
    #expect(reading.report.orphans == 0)
  }

  @Test(arguments: [
    (
      "CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTIMESTAMP FROM ZITEM t0 WHERE (SELECT COUNT(t1.Z_PK) FROM ZATTACHMENT t1 WHERE (t0.Z_PK = t1.ZITEM) ) > ?",
      StatementShape.Kind.fetch, "fetch of ITEM with a predicate"
    ),
    (
      "CoreData: sql: SELECT COUNT( t1.Z_PK) FROM ZITEM t0 LEFT OUTER JOIN ZATTACHMENT t1 ON t0.Z_PK = t1.ZITEM",
      .count, "count of ITEM"
    ),
    (
      "oreData: sql: SELECT total( t0.ZATTACHMENTCOUNT) FROM ZITEM t0", .aggregate, "values of ITEM"
    ),
    (
      "CoreData: sql: SELECT t0.ZBIRTHOFYEAR, COUNT( t0.ZBIRTHOFYEAR) AS __var0 FROM ZITEM t0 GROUP BY  t0.ZBIRTHOFYEAR HAVING __var0 > ?",
      .aggregate, "values of ITEM"
    ),
    (
      "CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZAUTHOR, t0.ZCOVER, t0.ZPUBLISHEDYEAR, t0.ZTITLE FROM ZBOOK t0 WHERE  NSCoreDataStringSearch( t0.ZTITLE, ?, 417, 1) ORDER BY t0.Z_PK",
      .fetch, "fetch of BOOK by text in title sorted by objectID"
    ),
    (
      "SELECT 0, t0.Z_PK FROM ZCHANNEL t0 WHERE ( t0.ZPLAYLIST IS NOT NULL AND  t0.ZPLAYLIST = ?) ORDER BY t0.ZNAME COLLATE NSCollateLocaleSensitive",
      .keyFetch, "fetch of CHANNEL (keys only) by playlist sorted by name"
    ),
    (
      "sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZSTOP t0 WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND ? <=  t0.ZLATITUDE AND  t0.ZLATITUDE <= ?)  LIMIT 100",
      .fetch, "fetch of STOP by longitude, latitude, limit 100"
    ),
    (
      "sql: SELECT t0.Z_ENT, t0.Z_PK, t0.ZNAME FROM ZGEOGRAPHICREGION t0 WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0) LIMIT 20",
      .batch, "batch of GEOGRAPHICREGION, 20 objects each"
    ),
    (
      "SELECT t0.ZMAKER, t0.Z_ENT, t0.Z_PK FROM ZCAR t0 WHERE  t0.Z_PK IN (SELECT * FROM _Z_intarray0)   LIMIT 10",
      .batch, "batch of CAR, 10 objects each"
    ),
    (
      "sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZENTITY1 t0 LEFT OUTER JOIN Z_1E2A t1 ON t0.Z_PK = t1.Z_1E1A LEFT OUTER JOIN Z_1E2B t3 ON t0.Z_PK = t3.Z_1E1B WHERE (t1.Z_2E2A = ? OR t3.Z_2E2B = ?) ",
      .fetch, "fetch of ENTITY1 by _2e2a, _2e2b"
    ), ("sql: UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?", .system, ""),
    (
      "sql: UPDATE ZGEOGRAPHICREGION SET ZUPDATEDAT = ?, Z_OPT = ? WHERE Z_PK=? AND Z_OPT=?",
      .update,
      "update of GEOGRAPHICREGION"
    ), ("DELETE FROM ZMESSAGE WHERE Z_PK = ? AND Z_OPT = ?", .delete, "delete of MESSAGE"),
    (
      "INSERT INTO ZQUAKE(Z_PK, Z_ENT, Z_OPT, ZCODE, ZMAGNITUDE, ZPLACE, ZTIME) VALUES(?, ?, ?, ?, ?, ?, ?)",
      .insert, "insert of QUAKE"
    ),
    (
      "INSERT INTO ZQUAKE(Z_PK, Z_ENT) VALUES(?, ?) ON CONFLICT(ZCODE) DO UPDATE SET Z_OPT = Z_OPT+1 , ZPLACE = excluded.ZPLACE",
      .insert, "insert of QUAKE"
    ),
    (
      "UPDATE ZITEM SET ZCOUNT = (SELECT IFNULL(COUNT(ZITEM), 0) FROM ZATTACHEMENT WHERE ZITEM = ZITEM.Z_PK);",
      .update, "update of ITEM"
    ),
  ])
  func `reads each published statement`(
    line: String,
    kind: StatementShape.Kind,
    operation: String
  ) throws {
    let analysis = try LogFixture.analysis(line)
    #expect(analysis.statements[0].shape.kind == kind)
    if !operation.isEmpty { #expect(analysis.operation(0) == operation) }
  }

  @Test func `reads upkeep after saves, with and without SQLDebug`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql: COMMIT
      CoreData: debug: PostSaveMaintenance: incremental_vacuum with freelist_count - 28 and pages_to_free 15
      CoreData: debug: PostSaveMaintenance: fileSize 103580952 greater than prune threshold
      CoreData: annotation: PostSaveMaintenance: wal_checkpoint(TRUNCATE)
      CoreData: debug: WAL checkpoint: Database did checkpoint. Log size: 1012 checkpointed: 1012
      CoreData: debug: WAL checkpoint: Database busy
      CoreData: annotation: Core Data multi-threading assertions enabled.
      CoreData: annotation: Migration: CloudKit tables detected. Adding migration statements for removed table: ZCLOZEBLANK
      CoreData: fault: Could not materialize Objective-C class named "Array" from declared attribute value type "Array<Date>" of attribute named timestamps
      """
    )
    #expect(reading.report.maintenance == [2, 4])
    #expect(reading.report.errors == 1)
    #expect(reading.report.unknown.isEmpty)
    #expect(reading.report.foreign == 0)
  }

  // The log is from a report on WAL contention; its last line is a checkpoint without an
  // announcement.
  @Test func `counts a checkpoint once, at its first line`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql: COMMIT
      CoreData: debug: PostSaveMaintenance: fileSize 14518912 greater than prune threshold
      CoreData: annotation: PostSaveMaintenance: wal_checkpoint(TRUNCATE)
      CoreData: debug: WAL checkpoint: Database busy
      CoreData: debug: WAL checkpoint: Database busy
      CoreData: debug: WAL checkpoint: Database did checkpoint. Log size: 0 checkpointed: 0
      CoreData: debug: WAL checkpoint: Database did checkpoint. Log size: 12 checkpointed: 12
      """
    )
    #expect(reading.report.maintenance == [3, 7])
  }

  // The same error appears with Xcode's line head and with the short head.
  @Test func `counts an error printed twice once`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql: COMMIT
      2020-11-29 17:27:58.693467+0200 EpicNote[40455:2797002] [error] error: Background Core Data task threw an exception.
      CoreData: error: Background Core Data task threw an exception.
      """
    )
    #expect(reading.report.errors == 1)
    #expect(reading.report.duplicates == 1)
  }
}
