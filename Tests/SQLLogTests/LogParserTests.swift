import Testing

@testable import SQLLog

@Suite struct LogParserTests {
  // The log, of level 2, is from blog.raymccrae.scot, December 2017.
  @Test func `attaches values, times and rows to a fetch`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZAGE FROM ZPERSON t0 WHERE t0.ZAGE > ?
      CoreData: details: SQLite bind[0] = 18
      CoreData: annotation: sql connection fetch time: 0.4789s
      CoreData: annotation: fetch using NSSQLiteStatement <0x60800008bf40> on entity 'Person' with \
      sql text 'SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZAGE FROM ZPERSON t0 WHERE t0.ZAGE > ? ' returned \
      688187 rows
      """
    )
    let statement = try #require(reading.statements.first)
    #expect(reading.statements.count == 1)
    #expect(statement.time == 478_900)
    #expect(statement.rows == 688_187)
    #expect(statement.valueCount == 1)
    #expect(reading.report.level == 2)
    #expect(reading.parser.names.entities == ["ZPERSON": "Person"])
  }

  // The public log with id 56512275280 has lines with NSLog's prefix.
  @Test func `reads count requests`() throws {
    let reading = try LogFixture.read(
      """
      2014-07-31 15:29:04.797 WordList[73416:2971038] CoreData: sql: SELECT COUNT(DISTINCT t0.Z_PK) \
      FROM ZWORD t0 JOIN ZWORDCATEGORY t1 ON t0.ZWORDCATEGORY = t1.Z_PK WHERE  t1.ZFIRSTLETTER = ?
      2014-07-31 15:29:04.797 WordList[73416:2971038] CoreData: details: SQLite bind[0] = "s"
      2014-07-31 15:29:04.822 WordList[73416:2971038] CoreData: annotation: count request \
      <NSFetchRequest: 0x7fc6a292d850> (entity: Word; predicate: (wordCategory.firstLetter == "s"); \
      sortDescriptors: ((null)); type: NSCountResultType;) returned 18988
      2014-07-31 15:29:04.822 WordList[73416:2971038] CoreData: annotation: total count request \
      execution time: 0.0254s for count of 18988.
      """
    )
    let statement = try #require(reading.statements.first)
    #expect(reading.statements.count == 1)
    #expect(statement.counted == 18_988)
    #expect(statement.time == 25_400)
    #expect(statement.thread == 0x2971038)
    #expect(reading.parser.names.entities == ["ZWORD": "Word"])
  }

  // In FatBlog's log, the outer fetch's total comes last and contains the prefetch's.
  @Test func `counts nested totals once`() throws {
    let analysis = try LogFixture.analysis(
      """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTIMESTAMP FROM ZITEM t0
      CoreData: annotation: sql connection fetch time: 0.0010s
      CoreData: annotation: Bound intarray _Z_intarray0
      CoreData: annotation: Bound intarray values.
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE, t0.ZITEM FROM ZATTACHMENT t0 WHERE  \
      t0.ZITEM IN (SELECT * FROM _Z_intarray0)  ORDER BY t0.ZITEM
      CoreData: annotation: sql connection fetch time: 0.0021s
      CoreData: annotation: total fetch execution time: 0.0024s for 1581 rows.
      CoreData: annotation: Prefetching with key 'attachments'.  Got 1581 rows.
      CoreData: annotation: total fetch execution time: 0.0053s for 190 rows.
      """
    )
    #expect(analysis.digest.calls == 2)
    #expect(analysis.digest.time == 5_300)
    let outer = analysis.digest.statements[0]
    #expect(outer.time == 2_900)
    #expect(outer.rows.sum == 190)
    #expect(analysis.digest.statements[1].time == 2_400)
    #expect(
      analysis.vocabulary.operation(
        analysis.statements[1].shape,
        purpose: analysis.digest.statements[1].purpose
      ) == "prefetch of attachments (ATTACHMENT)"
    )
  }

  // The logs are from notes on the objc.io book (id 10642435701) and from FatBlog.
  @Test func `names faults by their annotations`() throws {
    let reading = try LogFixture.read(
      """
      sql: SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZGEOGRAPHICREGION t0 WHERE t0.Z_PK = ?
      annotation: sql connection fetch time: 0.0005s
      annotation: total fetch execution time: 0.0008s for 1 rows.
      annotation: fault fulfilled from database for : 0xd000000000100002 \
      <x-coredata://DE6497F9-8B94-420D-81B7-E25B992E28C2/Country/p4>
      sql: SELECT 0, t0.Z_PK FROM Z_1TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_2TAGS WHERE t1.Z_1ITEMS = ?
      annotation: sql connection fetch time: 0.0001s
      annotation: total fetch execution time: 0.0001s for 0 rows.
      annotation: to-many relationship fault "tags" for objectID 0xa7ab2d44ebb9106e \
      <x-coredata://0783522F-0000/Item/p1> fulfilled from database.  Got 0 rows
      """
    )
    let names = reading.parser.names
    guard case .fault(let entity, 4) = reading.statements[0].purpose else {
      Issue.record("no fault")
      return
    }
    #expect(names[entity] == "Country")
    guard case .toManyFault(let owner, let relationship, 1) = reading.statements[1].purpose else {
      Issue.record("no to-many fault")
      return
    }
    #expect(names[owner] == "Item")
    #expect(names[relationship] == "tags")
    #expect(reading.report.orphans == 0)
    #expect(reading.report.unknown.isEmpty)
  }

  // The log of azamsharp (id 35480576884) has a damaged first line.
  @Test func `reads saves, whose statements have no times`() throws {
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
      """
    )
    #expect(analysis.digest.saves == 1)
    #expect(analysis.digest.upkeep == 1)
    #expect(analysis.digest.calls == 11)
    #expect(analysis.digest.time == 500)
    #expect(analysis.digest.untimed == 7)
    #expect(analysis.digest.time == 500)
    #expect(analysis.report.statements == 11)
    let save = try #require(analysis.digest.firstSaves.first)
    #expect(analysis.vocabulary.save(of: save.writes) == "save of 1 BUDGETCATEGORY")
    #expect(save.line == 9)
    #expect(save.endLine == 11)
    #expect((analysis.report.statements, analysis.report.orphans) == (11, 0))
  }

  @Test func `takes a message printed with two heads once, and equal statements each`() throws {
    let insert = "sql: INSERT INTO ZA(Z_PK) VALUES(?)"
    let reading = try LogFixture.read(
      """
      2020-11-29 17:27:58.693467+0200 App[1:2] [sql] \(insert)
      CoreData: \(insert)
      2020-11-29 17:27:58.693468+0200 App[1:2] [sql] \(insert)
      CoreData: \(insert)
      CoreData: \(insert)
      CoreData: \(insert)
      """
    )
    #expect(reading.report.duplicates == 2)
    #expect(reading.statements.count == 4)
  }

  @Test func `takes a message of several lines that is printed twice once`() throws {
    let sql = "sql: SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZB = 'two\nlines'"
    let reading = try LogFixture.read(
      "2020-11-29 17:27:58.693467+0200 App[1:2] [sql] \(sql)\nCoreData: \(sql)\nan app's line\nCoreData: "
        + "sql: COMMIT"
    )
    #expect(Set(reading.kinds) == [.toManyFault, .commit])
    #expect(reading.report.duplicates == 1)
    #expect(reading.report.foreign == 1)
    #expect(reading.report.unfinished.isEmpty)
  }

  @Test func `strips colors and counts foreign and unknown lines`() throws {
    let reading = try LogFixture.read(
      """
      \u{1B}[36mCoreData: \u{1B}[0msql: \u{1B}[1;33mSELECT COUNT(*) FROM ZITEM\u{1B}[0m
      user opened the inbox of anna@example.com
      CoreData: annotation: total count request execution time: 0.0002s for count of 190.
      CoreData: annotation: brand new words 'secret' 12
      CoreData: annotation: brand new words 'other' 13
      CoreData: annotation: sql connection fetch time: 0.0001s
      """
    )
    #expect(reading.fingerprints == ["SELECT COUNT(*) FROM ZITEM"])
    #expect(reading.statements[0].counted == 190)
    #expect(reading.report.foreign == 1)
    #expect(reading.report.unknown == ["brand new words": .init(count: 2, line: 4)])
    #expect(reading.report.orphans == 1)
  }

  @Test func `joins statements and values of several lines`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZN = 'first
      SELECT 0, t0.Z_PK FROM ZB t0
      last' ORDER BY t0.Z_PK
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZN = ? ORDER BY t0.Z_PK
      CoreData: details: SQLite bind[0] = "two
      lines"
      CoreData: annotation: sql connection fetch time: 0.0001s
      """
    )
    #expect(reading.statements.count == 2)
    #expect(Set(reading.fingerprints).count == 1)
    #expect(reading.statements[1].time == 100)
    #expect(reading.statements[1].longestValue == 11)
    #expect(reading.report.foreign == 0)
  }

  @Test func `counts the app's lines after a message that has no end`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE t0.ZA = ?
      CoreData: details: SQLite bind[0] = "never closed
      screen list
      CoreData: annotation: fetch using NSSQLiteStatement <0x6000> on entity 'Item' with sql text 'SEL
      screen detail
      screen list
      CoreData: sql: COMMIT
      """
    )
    #expect(reading.report.foreign == 3)
    #expect(reading.report.unknown.values.map(\.count) == [1])
    #expect(reading.statements.map(\.valueCount) == [1, 0])
  }

  @Test func `marks a log that ends within a statement`() throws {
    let reading = try LogFixture.read(
      "CoreData: sql: COMMIT\nCoreData: sql: DELETE FROM ZA WHERE ZN = 'a"
    )
    #expect(reading.report.isTruncated)
    #expect(reading.report.unfinished == [2])
    #expect(reading.kinds == [.commit, .delete])
  }

  @Test(arguments: [
    ("CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_O", true),
    ("CoreData: sql: INSERT INTO ZA(Z_PK, Z_ENT", true),
    ("CoreData: sql: SELECT 0, t0.Z_PK FROM ZA t0 WHERE  t0.ZB =", true),
    ("CoreData: sql: SELECT 0, t0.Z_PK FROM ZA t0 WHERE  t0.ZB = ?", false),
    ("CoreData: sql: COMMIT", false), ("app pri", false),
  ])
  func `notices a last line that is no whole statement`(last: String, isTruncated: Bool) throws {
    let reading = try LogFixture.read("CoreData: sql: COMMIT\n" + last)
    #expect(reading.report.isTruncated == isTruncated)
    // An editor appends a newline to a file that was cut off within a line.
    let ended = try LogFixture.read("CoreData: sql: COMMIT\n\(last)\n")
    #expect(ended.report.isTruncated == isTruncated)
  }

  @Test func `describes a batched fetch as one`() throws {
    let analysis = try LogFixture.analysis(
      [
        Lines.fetch("SELECT 0, t0.Z_PK FROM ZTASK t0 ORDER BY t0.ZCREATEDAT", rows: 60),
        Lines.fetch(
          "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.Z_PK IN (SELECT * FROM _Z_intarray0)  "
            + "LIMIT 20",
          rows: 20
        ),
      ].joined(separator: "\n")
    )
    #expect(analysis.operation(0) == "fetch of TASK sorted by createdat, batches of 20")
    #expect(analysis.operation(1) == "batch of TASK, 20 objects each")
  }

  // The form of level 3, where a list of values may span lines, is assumed.
  @Test func `leaves out the values of level 3 and reads level 4`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZAGE FROM ZPERSON t0 WHERE t0.ZAGE > ?
      CoreData: details: SQLite bind[0] = 18
      CoreData: annotation: sql connection fetch time: 0.0001s
      CoreData: annotation: fetch using NSSQLiteStatement <0x60c00009b620> on entity 'Person' with \
      sql text 'SELECT 0 FROM ZPERSON t0' returned 2 rows with values: (
          "<Person: 0x604000098470> (entity: Person; id: 0x1 <x-coredata://A/Person/p1>)",
          "<Person: 0x604000098471> (entity: Person; id: 0x2 <x-coredata://A/Person/p2>)"
      )
      CoreData: annotation: total fetch execution time: 0.0287s for 2 rows.
      CoreData: details: SQLite: EXPLAIN QUERY PLAN SELECT 0, t0.Z_PK FROM ZPERSON t0
      0 0 0 SCAN TABLE ZPERSON AS t0
      """
    )
    #expect(reading.statements.count == 1)
    #expect(reading.statements[0].rows == 2)
    #expect(reading.statements[0].plan == .scan(table: "ZPERSON"))
    #expect(reading.report.level == 4)
    #expect(reading.report.foreign == 0)
    #expect(reading.report.unknown.isEmpty)
  }

  @Test func `keeps threads apart where the lines show them`() throws {
    func line(_ thread: Int, _ text: String) -> String {
      "2014-07-31 15:29:04.797 App[7:\(thread)] CoreData: \(text)"
    }
    let reading = try LogFixture.read(
      [
        line(1, "sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZA t0"),
        line(2, "sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZB t0"),
        line(1, "annotation: sql connection fetch time: 0.0001s"),
        line(2, "annotation: sql connection fetch time: 0.0002s"),
        line(1, "annotation: total fetch execution time: 0.0003s for 1 rows."),
        line(2, "annotation: total fetch execution time: 0.0004s for 2 rows."),
      ].joined(separator: "\n")
    )
    #expect(reading.statements.map(\.time) == [300, 400])
    #expect(reading.statements.map(\.rows) == [1, 2])
    #expect(reading.statements.map(\.isNested) == [false, false])
  }

  // Line heads of old syslog, idevicesyslog, and `log` with its styles `syslog` and `default`.
  @Test(arguments: [
    "Aug 16 11:38:01 Phone App[PID] <Warning>: CoreData: ",
    "Aug 16 11:38:01 Phone App(CoreData)[PID] <Notice>: CoreData: ",
    "2024-01-10 11:14:38.831786-0800  localhost App[PID]: (CoreData) [com.apple.coredata:sql] ",
    "2024-01-10 11:14:38.831786-0800 0x7    Debug       0x0   PID   14   App: (CoreData) "
      + "[com.apple.coredata:sql] ",
  ])
  func `keeps processes apart where the lines show them`(head: String) throws {
    func line(_ process: Int, _ text: String) -> String {
      head.replacing("PID", with: "\(process)") + text
    }
    let reading = try LogFixture.read(
      [
        line(1, "sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZA t0"),
        line(2, "sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZB t0"),
        line(1, "annotation: total fetch execution time: 0.0003s for 1 rows."),
        line(2, "annotation: total fetch execution time: 0.0004s for 2 rows."),
      ].joined(separator: "\n")
    )
    #expect(reading.statements.map(\.process) == [1, 2])
    #expect(reading.statements.map(\.rows) == [1, 2])
  }

  /// The analysis passes statements in batches to a thread that counts them.
  @Test(arguments: [1, 511, 512, 513, 20_000])
  func `an analysis counts each statement once, in order, whatever the number`(count: Int) throws {
    let texts = (0..<count).map { number in
      let table = number < count / 2 ? "ZFIRST" : "ZLAST\(number % 7)"
      return "CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM \(table) t0\n"
        + "CoreData: annotation: sql connection fetch time: 0.000001s\n"
        + "CoreData: annotation: total fetch execution time: 0.000002s for \(number) rows."
    }
    let analysis = try LogFixture.analysis(texts.joined(separator: "\n"))
    #expect(analysis.digest.calls == count)
    #expect(analysis.digest.time == 2 * count)
    #expect(analysis.report.lines == 3 * count)
    #expect(analysis.report.forms == [.plain: 3 * count])
    #expect(analysis.digest.statements.map(\.calls).reduce(0, +) == count)
    #expect(analysis.digest.tables.values.map(\.rows.sum).reduce(0, +) == count * (count - 1) / 2)
    let first = analysis.digest.tables["ZFIRST"]
    #expect(first?.calls ?? 0 == count / 2)
    #expect(first?.lastLine ?? 1 == max(1, 3 * (count / 2) - 2))
  }

  @Test func `an analysis of several logs ends at a log that is none`() throws {
    let line = "CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZA t0"
    let good = try LogFixture(Array(repeating: line, count: 2_000).joined(separator: "\n"))
    let bad = try LogFixture("no statement", name: "other.log")
    #expect(throws: (any Error).self) { try LogAnalysis(of: [good.path, bad.path]) }
  }
}
