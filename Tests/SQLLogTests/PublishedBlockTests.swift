import Testing

@testable import SQLLog

/// Tests the reading of whole excerpts of public logs, copied character by character.
///
/// `…` marks where the publisher cut a line. Operations are listed as calls, operation, rows and
/// microseconds, with `-` for numbers that the excerpt lacks.
@Suite struct PublishedBlockTests {
  private static func operations(of analysis: LogAnalysis) -> [String] {
    analysis.digest.statements.enumerated().filter { $0.element.calls > 0 }.map { entry, figures in
      let rows = figures.rows.count > 0 ? "\(figures.rows.sum)" : "-"
      let time = figures.times.count > 0 ? "\(figures.time)" : "-"
      return "\(figures.calls) \(analysis.operation(entry)): \(rows) rows, \(time) µs"
    }
  }

  private func check(
    _ text: String,
    level: Int = 1,
    foreign: Int = 0,
    orphans: Int = 0,
    _ operations: [String]
  ) throws {
    let analysis = try LogFixture.analysis(text)
    #expect(Self.operations(of: analysis) == operations)
    #expect(analysis.report.level == level)
    #expect(analysis.report.unknown.isEmpty)
    #expect((analysis.report.foreign, analysis.report.orphans) == (foreign, orphans))
  }

  @Test func `reads one line of each form of head`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql: SELECT COUNT(*) FROM ZITEM
      sql: SELECT t0.Z_ENT, t0.Z_PK
      2014-07-30 11:45:15.647 WordList[65858:2586192] CoreData: sql: SELECT COUNT(DISTINCT t0.Z_PK) FROM ZWORD …
      2020-11-29 17:27:58.693467+0200 EpicNote[40455:2797002] [error] error: SQLCore dispatchRequest: exception handling request: <NSSQLSaveChangesRequestContext: 0x280d4db00> , …
      2024-01-10 11:14:38.831786-0800 0x724d65   Error       0x0                  18248  14   knowledgeconstructiond: (CoreData) [com.apple.coredata:error] error:   file is not a symbolic link
      2026-10-07 02:09:14.456 E  Stride[39751:859c8e] [com.apple.coredata:error] CoreData: error: addPersistentStoreWithType:…
      Aug 16 11:38:01 Roberts-iPhone DuetLST[93] <Warning>: Core Data: error: -executeRequest: encountered exception = …
      """
    )
    #expect(Set(reading.report.forms.keys).count == 7)
    #expect((reading.statements.count, reading.report.errors) == (3, 4))
    #expect((reading.report.foreign, reading.report.unknown.count) == (0, 0))
  }

  // The log of a new store on an iPhone; the published copy ends within a statement.
  @Test func `reads the making of a store, cut off within a statement`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: annotation: Connecting to sqlite database file at "/var/mobile/Containers/Data/Application/…/Library/Application Support/CoreUserDB"
      CoreData: annotation: creating schema.
      CoreData: sql: pragma page_size=4096
      CoreData: sql: pragma auto_vacuum=2
      CoreData: sql: BEGIN EXCLUSIVE
      CoreData: sql: SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'Z_METADATA'
      CoreData: sql: CREATE TABLE ZCOREUSER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZFIRSTNAME VARCHAR, ZSURNAME VARCHAR, ZID BLOB )
      CoreData: annotation: Execute create index statement: NSSQLiteStatement <0x3030a4780> on entity 'CoreUser' with sql text 'CREATE UNIQUE INDEX IF NOT EXISTS Z_CoreUser_UNIQUE_id ON ZCOREUSER (ZID COLLATE BINARY ASC)'
      CoreData: sql: CREATE UNIQUE INDEX IF NOT EXISTS Z_CoreUser_UNIQUE_id ON ZCOREUSER (ZID COLLATE BINARY ASC)
      CoreData: annotation: Creating primary key table.
      CoreData: sql: CREATE TABLE Z_PRIMARYKEY (Z_ENT IN…

      """
    )
    #expect(reading.kinds == [.pragma, .pragma, .begin, .system, .schema, .schema, .schema])
    #expect(reading.report.isTruncated)
    #expect(reading.report.unfinished == [11])
    #expect((reading.report.connections, reading.report.unknown.count) == (1, 0))
  }

  private static let person =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZAGE, t0.ZFIRSTNAME, t0.ZLASTNAME, t0.ZPERSONID FROM ZPERSON t0 WHERE t0.ZAGE > ?"

  @Test func `reads a fetch at levels 1, 2 and 3`() throws {
    try check(
      """
      CoreData: sql: \(Self.person)
      CoreData: annotation: sql connection fetch time: 0.4789s
      """,
      ["1 fetch of PERSON by age: - rows, 478900 µs"]
    )
    let values = """
      CoreData: sql: \(Self.person)
      CoreData: details: SQLite bind[0] = 18
      CoreData: annotation: sql connection fetch time: 0.4789s
      """
    try check(
      values + "\n"
        + """
        CoreData: annotation: fetch using NSSQLiteStatement <0x60800008bf40> on entity 'Person' with sql text 'SELECT 0, t0.Z_PK, … WHERE t0.ZAGE > ? ' returned 688187 rows
        """,
      level: 2,
      ["1 fetch of Person by age: 688187 rows, 478900 µs"]
    )
    try check(
      values + "\n"
        + """
        CoreData: annotation: fetch using NSSQLiteStatement <0x60c00009b620> on entity 'Person' with sql text '…' returned 688187 rows with values: ( "<Person: 0x604000098470> (entity: Person; id: 0…
        """,
      level: 3,
      ["1 fetch of Person by age: 688187 rows, 478900 µs"]
    )
  }

  @Test func `reads a count request of level 2`() throws {
    try check(
      """
      2014-07-31 15:29:04.797 WordList[73416:2971038] CoreData: sql: SELECT COUNT(DISTINCT t0.Z_PK) FROM ZWORD t0 JOIN ZWORDCATEGORY t1 ON t0.ZWORDCATEGORY = t1.Z_PK WHERE  t1.ZFIRSTLETTER = ?
      2014-07-31 15:29:04.797 WordList[73416:2971038] CoreData: details: SQLite bind[0] = "s"
      2014-07-31 15:29:04.822 WordList[73416:2971038] CoreData: annotation: count request <NSFetchRequest: 0x7fc6a292d850> (entity: Word; predicate: (wordCategory.firstLetter == "s"); sortDescriptors: ((null)); type: NSCountResultType;) returned 18988
      2014-07-31 15:29:04.822 WordList[73416:2971038] CoreData: annotation: total count request execution time: 0.0254s for count of 18988.
      """,
      level: 2,
      ["1 count of Word by firstletter: 1 rows, 25400 µs"]
    )
  }

  @Test func `reads counts, fetches without rows, and a damaged head`() throws {
    try check(
      """
      CoreData: sql: SELECT COUNT(*) FROM ZITEM
      CoreData: annotation: total count request execution time: 0.0002s for count of 190.
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTIMESTAMP FROM ZITEM t0 WHERE  t0.ZTIMESTAMP > ?
      CoreData: annotation: sql connection fetch time: 0.0001s
      CoreData: annotation: total fetch execution time: 0.0002s for 0 rows.
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTIMESTAMP FROM ZITEM t0 WHERE (SELECT COUNT(t1.Z_PK) FROM ZATTACHMENT t1 WHERE (t0.Z_PK = t1.ZITEM) ) > ?
      CoreData: sql: SELECT COUNT( t1.Z_PK) FROM ZITEM t0 LEFT OUTER JOIN ZATTACHMENT t1 ON t0.Z_PK = t1.ZITEM
      oreData: sql: SELECT total( t0.ZATTACHMENTCOUNT) FROM ZITEM t0
      CoreData: sql: SELECT t0.ZBIRTHOFYEAR, COUNT( t0.ZBIRTHOFYEAR) AS __var0 FROM ZITEM t0 GROUP BY  t0.ZBIRTHOFYEAR HAVING __var0 > ?
      """,
      [
        "1 count of ITEM: 1 rows, 200 µs", "1 fetch of ITEM by timestamp: 0 rows, 200 µs",
        "1 fetch of ITEM with a predicate: - rows, - µs", "1 count of ITEM: - rows, - µs",
        "1 values of ITEM: - rows, - µs", "1 values of ITEM: - rows, - µs",
      ]
    )
  }

  @Test func `reads a search with its text, and statements cut at their order`() throws {
    try check(
      """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZAUTHOR, t0.ZCOVER, t0.ZPUBLISHEDYEAR, t0.ZTITLE FROM ZBOOK t0 WHERE  NSCoreDataStringSearch( t0.ZTITLE, ?, 417, 1) ORDER BY t0.Z_PK
      CoreData: details: SQLite bind[0] = "Maui"
      """,
      level: 2,
      ["1 fetch of BOOK by text in title sorted by objectID: - rows, - µs"]
    )
    try check(
      """
      SELECT 0, t0.Z_PK FROM ZCHANNEL t0 WHERE ( t0.ZPLAYLIST IS NOT NULL AND  t0.ZPLAYLIST = ?) ORDER BY t0.ZNAME COLLATE NSCollateLocaleSensitive
      SELECT 0, t0.Z_PK FROM ZCHANNEL t0 WHERE (( t0.ZPLAYLIST IS NOT NULL AND  t0.ZPLAYLIST = ?) AND  t0.ZGROUP = ?) ORDER BY …
      … AND  NSCoreDataStringSearch( t0.ZNAME, ?, 417, 1)) AND  t0.ZGROUP = ?) ORDER BY …
      SELECT 0, t0.Z_PK, … FROM ZCHANNEL t0 WHERE  t0.Z_PK = ?  LIMIT 1
      """,
      foreign: 1,
      [
        "1 fetch of CHANNEL (keys only) by playlist sorted by name: - rows, - µs",
        "1 fetch of CHANNEL (keys only) by playlist, group: - rows, - µs",
        "1 fetch of CHANNEL (keys only) by objectID, limit 1: - rows, - µs",
      ]
    )
  }

  @Test func `reads level 4 by the statement below a total`() throws {
    try check(
      """
      CoreData: sql: SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZCACHEDCATEGORY FROM ZMESSAGE t0
      CoreData: annotation: total fetch execution time: 0.0287s for 1 rows.
      CoreData: details: SQLite: EXPLAIN QUERY PLAN SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZCACHEDCATEGORY, …
      """,
      level: 4,
      ["1 fetch of MESSAGE: 1 rows, 28700 µs"]
    )
  }

  @Test func `reads a fault and a to-many fault`() throws {
    try check(
      """
      sql: SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZMARKEDFORDELETIONDATE, … FROM ZGEOGRAPHICREGION t0 WHERE t0.Z_PK = ?
      annotation: sql connection fetch time: 0.0005s
      annotation: total fetch execution time: 0.0008s for 1 rows.
      annotation: fault fulfilled from database for : 0xd000000000100002 <x-coredata://DE6497F9-8B94-420D-81B7-E25B992E28C2/Country/p4>
      """,
      ["1 fault on Country: 1 rows, 800 µs"]
    )
    try check(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM Z_1TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_2TAGS WHERE t1.Z_1ITEMS = ?
      CoreData: annotation: sql connection fetch time: 0.0001s
      CoreData: annotation: total fetch execution time: 0.0001s for 0 rows.
      CoreData: annotation: to-many relationship fault "tags" for objectID 0xa7ab2d44ebb9106e <x-coredata://0783522F-…/Item/p1> fulfilled from database.  Got 0 rows
      """,
      ["1 fault on Item.tags: 0 rows, 100 µs"]
    )
  }

  // The total of the fetch comes after the prefetch's; the fetch's statement is not in the excerpt.
  @Test func `reads a prefetch, whose fetch the excerpt leaves out`() throws {
    try check(
      """
      CoreData: annotation: Bound intarray _Z_intarray0
      CoreData: annotation: Bound intarray values.
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE, t0.ZITEM FROM ZATTACHMENT t0 WHERE  t0.ZITEM IN (SELECT * FROM _Z_intarray0)  ORDER BY t0.ZITEM
      CoreData: annotation: sql connection fetch time: 0.0021s
      CoreData: annotation: total fetch execution time: 0.0024s for 1581 rows.
      CoreData: annotation: Prefetching with key 'attachments'.  Got 1581 rows.
      CoreData: annotation: total fetch execution time: 0.0053s for 190 rows.
      """,
      orphans: 1,
      ["1 prefetch of attachments (ATTACHMENT): 1581 rows, 2400 µs"]
    )
  }

  // A parenthesis is already missing in the published text.
  @Test func `reads batch inserts and upserts, which are published without heads`() throws {
    try check(
      """
      INSERT INTO ZQUAKE(Z_PK, Z_ENT, Z_OPT, ZCODE, ZMAGNITUDE, ZPLACE, ZTIME) VALUES(?, ?, ?, ?, ?, ?, ?)
      INSERT OR IGNORE INTO ZQUAKEZ_PK, Z_ENT, Z_OPT, … ) VALUES(?, ?, ?, ?, ?, ?, ?)
      INSERT INTO ZQUAKE(…) VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(ZCODE) DO UPDATE SET Z_OPT = Z_OPT+1 , ZPLACE = excluded.ZPLACE , ZMAGNITUDE = excluded.ZMAGNITUDE , ZTIME = excluded.ZTIME
      UPDATE ZITEM SET ZCOUNT = (SELECT IFNULL(COUNT(ZITEM), 0) FROM ZATTACHEMENT WHERE ZITEM = ZITEM.Z_PK);
      """,
      [
        "1 insert of QUAKE: - rows, - µs", "1 insert of QUAKEZ_PK: - rows, - µs",
        "1 insert of QUAKE: - rows, - µs", "1 update of ITEM: - rows, - µs",
      ]
    )
  }

  // The web page of openradar 12965555 lost the brackets around object IDs.
  @Test func `reads the objects of level 3, each in a line of its own`() throws {
    let text = """
      2013-01-07 14:46:17.561 CoreDataOuterJoinBugTest[3913:c07] CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZENTITY1 t0
      2013-01-07 14:46:17.561 CoreDataOuterJoinBugTest[3913:c07] CoreData: annotation: fetch using NSSQLiteStatement <0x81d3400> on entity 'Entity1' with sql text 'SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZENTITY1 t0 LEFT OUTER JOIN Z_1E2A t1 ON t0.Z_PK = t1.Z_1E1A LEFT OUTER JOIN Z_1E2B t3 ON t0.Z_PK = t3.Z_1E1B WHERE (t1.Z_2E2A = ? OR t3.Z_2E2B = ?) ' returned 6 rows with values: (
          "<NSManagedObject: 0x748bd50> (entity: Entity1; id: 0x7486f80 x-coredata://5BB01AA0-BC59-4E1B-A501-C22E55534A73/Entity1/p1 ; data: <fault>)",
          "<NSManagedObject: 0x748bd50> (entity: Entity1; id: 0x7486f80 x-coredata://5BB01AA0-BC59-4E1B-A501-C22E55534A73/Entity1/p1 ; data: <fault>)",
          "<NSManagedObject: 0x748c010> (entity: Entity1; id: 0x7472790 x-coredata://5BB01AA0-BC59-4E1B-A501-C22E55534A73/Entity1/p2 ; data: <fault>)"
      )
      """
    try check(text, level: 3, ["1 fetch of Entity1: 6 rows, - µs"])
    let fixture = try LogFixture(text)
    #expect(try ReplayScript(logs: [fixture.path]).steps.map(\.keys) == [[1, 1, 2]])
  }

  // The log is from NSHipster on launch arguments, with the page's code fences.
  @Test func `reads an opening and a fetch between lines of a page`() throws {
    try check(
      """
      ~~~
      CoreData: sql: pragma cache_size=1000
      CoreData: sql: SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZAUTHOR, t0.ZTITLE, t0.ZCOPYRIGHT FROM ZBOOK t0 ORDER BY t0.ZAUTHOR, t0.ZTITLE
      CoreData: annotation: sql connection fetch time: 0.0001s
      CoreData: annotation: total fetch execution time: 0.0010s for 20 rows.
      ~~~
      """,
      foreign: 2,
      [
        "1 setting of SQLite: - rows, - µs", "1 upkeep of the store (Z_METADATA): - rows, - µs",
        "1 fetch of BOOK sorted by author, title: 20 rows, 1000 µs",
      ]
    )
  }

  // The logs are from a book on Core Data, objc.io, a course on SwiftData, and notes on the objc.io
  // book.
  @Test func `reads single fetches of four sources`() throws {
    try check(
      """
      2014-07-30 11:45:15.647 WordList[65858:2586192] CoreData: sql: SELECT COUNT(DISTINCT t0.Z_PK) FROM ZWORD t0 JOIN ZWORDCATEGORY t1 ON t0.ZWORDCATEGORY = t1.Z_PK WHERE  t1.ZFIRSTLETTER = ?
      2014-07-30 11:45:15.699 WordList[65858:2586192] CoreData: annotation: total count request execution time: 0.0528s for count of 10456.
      """,
      ["1 count of WORD by firstletter: 1 rows, 52800 µs"]
    )
    try check(
      """
          sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME FROM ZSTOP t0 WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND ? <=  t0.ZLATITUDE AND  t0.ZLATITUDE <= ?)  LIMIT 100
          annotation: sql connection fetch time: 0.0008s
          annotation: total fetch execution time: 0.0013s for 15 rows.
      """,
      ["1 fetch of STOP by longitude, latitude, limit 100: 15 rows, 1300 µs"]
    )
    try check(
      """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZAUTHOR, t0.ZCOVER, t0.ZPUBLISHEDYEAR, t0.ZTITLE FROM ZBOOK t0 ORDER BY t0.Z_PK
      """,
      ["1 fetch of BOOK sorted by objectID: - rows, - µs"]
    )
    try check(
      """
      sql: SELECT 0, t0.Z_PK 
      FROM ZMOOD t0 
      WHERE (( t0.ZMARKEDFORDELETIONDATE = ? AND t0.ZMARKEDFORREMOTEDELETION = ? ) AND t0.ZCOUNTRY = ?) 
      ORDER BY t0.ZDATE DESC
      annotation: sql connection fetch time: 0.0006s 
      annotation: total fetch execution time: 0.0009s for 44 rows.
      """,
      [
        "1 fetch of MOOD (keys only) by markedfordeletiondate, markedforremotedeletion, country "
          + "sorted by date (descending): 44 rows, 900 µs"
      ]
    )
  }

  // In FatBlog, comments in the code show the code's output.
  @Test func `reads a fault behind its fetch, and a prefetch within its fetch`() throws {
    try check(
      """
      /*
       CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTIMESTAMP FROM ZITEM t0
       CoreData: annotation: sql connection fetch time: 0.0002s
       CoreData: annotation: total fetch execution time: 0.0004s for 190 rows.
       CoreData: sql: SELECT 0, t0.Z_PK FROM Z_1TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_2TAGS WHERE t1.Z_1ITEMS = ? 
       CoreData: annotation: sql connection fetch time: 0.0001s
       CoreData: annotation: total fetch execution time: 0.0001s for 0 rows.
       CoreData: annotation: to-many relationship fault "tags" for objectID 0xa7ab2d44ebb9106e <x-coredata://0783522F-1851-4BC7-AE0D-AB4C83489E8B/Item/p1> fulfilled from database.  Got 0 rows
       0
       */
      """,
      foreign: 3,
      ["1 fetch of ITEM: 190 rows, 400 µs", "1 fault on Item.tags: 0 rows, 100 µs"]
    )
    try check(
      """
      /*
       CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZATTACHMENTCOUNT, t0.ZBIRTHOFYEAR, t0.ZTIMESTAMP FROM ZITEM t0
       CoreData: annotation: sql connection fetch time: 0.0003s
       CoreData: annotation: Bound intarray _Z_intarray0
       CoreData: annotation: Bound intarray values.
       CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE, t0.ZITEM FROM ZATTACHMENT t0 WHERE  t0.ZITEM IN (SELECT * FROM _Z_intarray0)  ORDER BY t0.ZITEM
       CoreData: annotation: sql connection fetch time: 0.0021s
       CoreData: annotation: total fetch execution time: 0.0024s for 1581 rows.
       CoreData: annotation: Prefetching with key 'attachments'.  Got 1581 rows.
       CoreData: annotation: total fetch execution time: 0.0053s for 190 rows.
       */
      """,
      foreign: 2,
      [
        "1 fetch of ITEM: 190 rows, 2900 µs",
        "1 prefetch of attachments (ATTACHMENT): 1581 rows, 2400 µs",
      ]
    )
  }

  // In azamsharp's log, a remark of the author precedes the fetch.
  @Test func `reads a save with its upkeep, and the fetch after it`() throws {
    let analysis = try LogFixture.analysis(
      """
      ata: sql: BEGIN EXCLUSIVE
      CoreData: sql: SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?
      CoreData: sql: UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?
      CoreData: sql: pragma auto_vacuum
      CoreData: annotation: sql execution time: 0.0000s
      CoreData: sql: pragma auto_vacuum=2
      CoreData: annotation: sql execution time: 0.0001s
      CoreData: sql: COMMIT
      CoreData: sql: BEGIN EXCLUSIVE
      CoreData: sql: INSERT INTO ZBUDGETCATEGORY(Z_PK, Z_ENT, Z_OPT, ZAMOUNT, ZTITLE) VALUES(?, ?, ?, ?, ?)
      CoreData: sql: COMMIT
      CoreData: sql: pragma page_count
      CoreData: annotation: sql execution time: 0.0002s
      CoreData: sql: pragma freelist_count
      CoreData: annotation: sql execution time: 0.0002s
      // FETCHING DATA AGAIN FROM THE SQLite DATABASE 
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZAMOUNT, t0.ZTITLE FROM ZBUDGETCATEGORY t0 
      """
    )
    #expect((analysis.digest.saves, analysis.digest.upkeep) == (1, 1))
    #expect(
      Self.operations(of: analysis).suffix(3) == [
        "1 setting of SQLite: - rows, 200 µs", "1 setting of SQLite: - rows, 200 µs",
        "1 fetch of BUDGETCATEGORY: - rows, - µs",
      ]
    )
    #expect((analysis.report.foreign, analysis.report.orphans) == (1, 0))
  }

  // The texts are a test report, and a quiz question that ends within an annotation.
  @Test func `takes a statement within other text for none, and counts a message that is cut`()
    throws
  {
    try check(
      """
      AK-33|chipAbfrage=["SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZGROUP, t0.ZID, t0.ZISFAVORITE, t0.ZLOGOURL, t0.ZNAME, t0.ZPLAYLISTID, t0.ZSTREAMURL, t0.ZTVGID, t0.ZPLAYLIST FROM ZCHANNEL t0 WHERE  t0.ZPLAYLISTID = ?"]
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZGROUP FROM ZCHANNEL t0 WHERE  t0.ZPLAYLISTID = ?
      """,
      foreign: 1,
      ["1 fetch of CHANNEL by playlistid: - rows, - µs"]
    )
    let cut = try LogFixture.analysis(
      """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZFILENAME FROM ZATTACHMENT t0 WHERE t0.ZNOTE = ?
      CoreData: annotation: fetch using NSSQLiteStatement
      """
    )
    #expect(Self.operations(of: cut) == ["1 fetch of ATTACHMENT by note: - rows, - µs"])
    #expect(cut.report.unknown.values.map(\.count) == [1])
  }
}
