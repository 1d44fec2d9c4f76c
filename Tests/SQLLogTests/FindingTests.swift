import Basics
import Testing

@testable import SQLLog

/// Tests each rule with a log that must give its finding and with a log that must not.
@Suite struct FindingTests {
  private static let tasks =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME, t0.ZPROJECT FROM ZTASK t0 ORDER BY t0.ZCREATEDAT"
  private static let taskKeys = "SELECT t0.Z_ENT, t0.Z_PK FROM ZTASK t0"
  private static let batch =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZTASK t0 WHERE  t0.Z_PK IN "
    + "(SELECT * FROM _Z_intarray0)  LIMIT 20"

  private func rules(
    _ parts: [String],
    schema: LogSchema? = nil
  ) throws -> [FindingRule: Finding] {
    let analysis = try LogFixture.analysis(parts.joined(separator: "\n"), schema: schema)
    #expect(analysis.report.orphans == 0)
    #expect(analysis.report.unknown.isEmpty)
    return Dictionary(keepingFirst: analysis.findings.map { ($0.rule, $0) })
  }

  private static func toManyFault(_ item: Int, time: String = "0.0010") -> String {
    Lines.fetch(
      "SELECT 0, t0.Z_PK FROM Z_1TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_2TAGS WHERE  t1.Z_1ITEMS = ? ",
      rows: 2,
      time: time
    ) + "\nCoreData: annotation: to-many relationship fault \"tags\" for objectID 0x1 "
      + "<x-coredata://0783522F-0000/Item/p\(item)> fulfilled from database.  Got 2 rows"
  }

  // MARK: Faults

  @Test func `finds faults one by one after a fetch`() throws {
    let faults = (1...30).map { Lines.fault("ZPROJECT", entity: "Project", key: $0) }
    let found = try rules([Lines.fetch(Self.tasks, rows: 50)] + faults)
    let finding = try #require(found[.faultsOneByOne])
    #expect(finding.calls == 30)
    #expect(finding.time == 30_000)
    #expect(finding.confidence == .high)
    #expect(finding.lines == [4, 8, 12, 16, 20])
    #expect(
      finding.summary
        == "30 times fault on Project after the fetch of TASK sorted by createdat (line 1, 50 rows)"
    )
  }

  @Test(arguments: [(9, false), (25, true)])
  func `takes a few faults between actions for a person who opens objects`(
    opened: Int,
    isFound: Bool
  ) throws {
    let steps = (1...opened).map { number in
      Lines.fetch(Self.tasks + " LIMIT 1", rows: 1) + "\n"
        + Lines.fault("ZPROJECT", entity: "Project", key: number)
    }
    let found = try rules([Lines.fetch(Self.tasks, rows: 30)] + steps)
    #expect((found[.faultsOneByOne] != nil) == isFound)
  }

  @Test func `names the relationship of a fault by the model`() throws {
    let schema = LogSchema(tables: [
      "ZTASK": .init(
        entity: "Task",
        properties: ["ZPROJECT": "project", "ZCREATEDAT": "createdAt"],
        destinations: ["ZPROJECT": "Project"]
      ), "ZPROJECT": .init(entity: "Project"),
    ])
    let faults = (1...30).map { Lines.fault("ZPROJECT", entity: "Project", key: $0) }
    let found = try rules([Lines.fetch(Self.tasks, rows: 50)] + faults, schema: schema)
    #expect(
      found[.faultsOneByOne]?.summary
        == "30 times fault on Task.project after the fetch of Task sorted by createdAt "
        + "(line 1, 50 rows)"
    )
  }

  @Test func `leaves few faults, and faults of one object, alone`() throws {
    let few = (1...4).map { Lines.fault("ZPROJECT", entity: "Project", key: $0) }
    #expect(try rules([Lines.fetch(Self.tasks, rows: 50)] + few)[.faultsOneByOne] == nil)
    let same = (1...9).map { _ in Lines.fault("ZPROJECT", entity: "Project", key: 7) }
    #expect(try rules([Lines.fetch(Self.tasks, rows: 50)] + same)[.faultsOneByOne] == nil)
    // Opening 8 of 500 objects gives no finding.
    let opened = (1...8).map { Lines.fault("ZPROJECT", entity: "Project", key: $0) }
    #expect(try rules([Lines.fetch(Self.tasks, rows: 500)] + opened)[.faultsOneByOne] == nil)
  }

  @Test func `finds faults between batches, and is less sure without keys`() throws {
    let fault = Lines.fetch(
      "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZPROJECT t0 WHERE  t0.Z_PK = ? ",
      rows: 1
    )
    let parts =
      [Lines.fetch(Self.taskKeys, rows: 40), Lines.fetch(Self.batch, rows: 20)]
      + Array(repeating: fault, count: 20)
    let found = try rules(parts)
    #expect(found[.faultsOneByOne]?.calls == 20)
    #expect(found[.faultsOneByOne]?.confidence == .medium)
    #expect(try rules(Array(repeating: fault, count: 20))[.faultsOneByOne]?.confidence == .low)
  }

  @Test func `finds to-many faults one by one`() throws {
    let source = Lines.fetch("SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZITEM t0", rows: 20)
    let found = try rules([source] + (1...20).map { Self.toManyFault($0) })
    let finding = try #require(found[.toManyFaultsOneByOne])
    #expect(finding.summary.hasPrefix("20 times fault on Item.tags after the fetch of ITEM"))
    #expect(
      try rules([source] + (1...3).map { Self.toManyFault($0) })[.toManyFaultsOneByOne] == nil
    )
  }

  @Test func `finds batches that are all read at once`() throws {
    let batches = Array(repeating: Lines.fetch(Self.batch, rows: 20), count: 10)
    let found = try rules([Lines.fetch(Self.taskKeys, rows: 200)] + batches)
    #expect(
      found[.batchSizeWithoutEffect]?.summary
        == "10 batches of TASK read all 200 objects without a pause"
    )
    #expect(found[.batchSizeWithoutEffect]?.confidence == .low)
    // Batches of half the list give no finding.
    let half = try rules([Lines.fetch(Self.taskKeys, rows: 400)] + batches)
    #expect(half[.batchSizeWithoutEffect] == nil)
  }

  // MARK: Fetches

  @Test func `finds prefetched objects that nothing else touches`() throws {
    func prefetch(_ rows: Int) -> String {
      """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZITEM t0
      CoreData: annotation: sql connection fetch time: 0.0010s
      CoreData: annotation: Bound intarray _Z_intarray0
      \(Lines.fetch(
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZITEM FROM ZATTACHMENT t0 WHERE  t0.ZITEM IN "
          + "(SELECT * FROM _Z_intarray0)  ORDER BY t0.ZITEM", rows: rows))
      CoreData: annotation: Prefetching with key 'attachments'.  Got \(rows) rows.
      CoreData: annotation: total fetch execution time: 0.0053s for 190 rows.
      """
    }
    let found = try rules([prefetch(1581)])
    #expect(found[.unreadPrefetch]?.confidence == .low)
    #expect(found[.unreadPrefetch]?.doubt.isEmpty == false)
    let used = try rules([prefetch(1581), Lines.fault("ZATTACHMENT", entity: "Attachment", key: 4)])
    #expect(used[.unreadPrefetch] == nil)
    let empty = try rules([prefetch(0), prefetch(0), prefetch(0)])[.unreadPrefetch]
    #expect(empty?.confidence == .medium)
    #expect(
      empty?.summary
        == "3 prefetches of attachments (ATTACHMENT) for the fetch of ITEM found no object"
    )
    let sorted = { (order: String) in
      prefetch(0).replacing("FROM ZITEM t0", with: "FROM ZITEM t0 ORDER BY t0.\(order)")
    }
    let apart =
      Array(repeating: prefetch(0), count: 3) + [sorted("ZA").replacing(" 0 rows", with: " 9 rows")]
    #expect(try rules(apart)[.unreadPrefetch]?.calls == 3)
    #expect(try rules(["ZA", "ZB", "ZC"].map(sorted))[.unreadPrefetch] == nil)
  }

  @Test func `finds whole tables that are fetched for nothing that the log shows`() throws {
    let whole = Lines.fetch(Self.taskKeys, rows: 5_000)
    #expect(try rules([whole])[.wholeTableFetch]?.confidence == .high)
    #expect(try rules([Lines.fetch(Self.tasks, rows: 5_000)])[.wholeTableFetch]?.confidence == .low)
    // No finding for fetches with batches or a limit, of a small table, or for a count.
    #expect(try rules([whole, Lines.fetch(Self.batch, rows: 20)])[.wholeTableFetch] == nil)
    #expect(try rules([Lines.fetch(Self.tasks + " LIMIT 1", rows: 1)])[.wholeTableFetch] == nil)
    #expect(try rules([Lines.fetch(Self.tasks, rows: 100)])[.wholeTableFetch] == nil)
    #expect(try rules([Lines.count("SELECT COUNT(*) FROM ZTASK", 5_000)])[.wholeTableFetch] == nil)
  }

  @Test func `finds a fetch that is repeated without a change between`() throws {
    let fetch = Lines.fetch(Self.tasks, rows: 10)
    let found = try rules(Array(repeating: fetch, count: 6))
    #expect(found[.repeatedFetch]?.calls == 6)
    // Only five of the six fetches are needless.
    #expect(found[.repeatedFetch]?.time == 5_000)
    let save = Lines.save([Lines.insert("ZTASK")])
    let changed = Array(repeating: [fetch, save], count: 6).flatMap(\.self)
    #expect(try rules(changed)[.repeatedFetch] == nil)
    let search = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZNAME = ? "
    let different = (1...6).map { Lines.fetch(search, rows: 1, binds: ["\"name \($0)\""]) }
    #expect(try rules(different)[.repeatedFetch] == nil)
    // Without logged values, fetches may differ, so there is no finding.
    let unknown = Array(repeating: Lines.fetch(search, rows: 1), count: 6)
    #expect(try rules(unknown)[.repeatedFetch] == nil)
    let same = Array(repeating: Lines.fetch(search, rows: 1, binds: ["\"name\""]), count: 6)
    #expect(try rules(same)[.repeatedFetch]?.calls == 6)
  }

  @Test func `finds a fetch after every save`() throws {
    let save = Lines.save([Lines.insert("ZTASK"), Lines.insert("ZTASK")])
    let fetch = Lines.fetch(Self.tasks, rows: 10)
    let always = Array(repeating: [save, fetch], count: 6).flatMap(\.self)
    #expect(try rules(always)[.fetchAfterEverySave]?.calls == 6)
    let once = Array(repeating: save, count: 6) + [fetch]
    #expect(try rules(once)[.fetchAfterEverySave] == nil)
    // Reloading one of many screens after each edit gives a finding.
    let editing = Array(repeating: [save, fetch], count: 8).flatMap(\.self)
    let mixed = try rules(once + editing + Array(repeating: save, count: 20))
    #expect(mixed[.fetchAfterEverySave]?.calls == 9)
    #expect(mixed[.fetchAfterEverySave]?.summary.hasPrefix("9 saves in a row") == true)
    let few = Array(repeating: [save, fetch], count: 6).flatMap(\.self)
    #expect(try rules(few + Array(repeating: save, count: 20))[.fetchAfterEverySave] == nil)
  }

  // MARK: Saves

  @Test func `finds saves of one object each`() throws {
    let single = Array(repeating: Lines.save([Lines.insert("ZTASK")]), count: 12)
    let found = try rules(single)
    #expect(found[.oneSavePerObject]?.summary == "12 saves in a row of 1 TASK each (inserted)")
    #expect(found[.oneSavePerObject]?.time == nil)
    let together = Array(
      repeating: Lines.save([Lines.insert("ZTASK"), Lines.insert("ZTASK")]),
      count: 12
    )
    #expect(try rules(together)[.oneSavePerObject] == nil)
    // Saves with a screen opened between them give no finding.
    let edited = single.flatMap { [$0, Lines.fetch(Self.tasks, rows: 3)] }
    #expect(try rules(edited)[.oneSavePerObject] == nil)
  }

  @Test func `does not count a batch request as one object`() throws {
    let deletion = "DELETE FROM ZTASK WHERE Z_PK IN (SELECT * FROM _Z_intarray0)"
    let saves = Array(repeating: Lines.save([deletion]), count: 12)
    let analysis = try LogFixture.analysis(saves.joined(separator: "\n"))
    #expect(!analysis.findings.contains { $0.rule == .oneSavePerObject })
    let writes = try #require(analysis.digest.saveGroups.keys.first)
    #expect(
      analysis.vocabulary.save(of: writes) == "save of TASK by 1 batch request (deleted)"
    )
  }

  @Test func `takes saves apart by the time of day`() throws {
    func save(_ second: Int) -> String {
      ["BEGIN EXCLUSIVE", Lines.insert("ZTASK"), "COMMIT"]
        .map { "2024-01-10 11:00:\(second).000 App[1:2] CoreData: sql: \($0)" }
        .joined(separator: "\n")
    }
    #expect(try rules((10...40).map { save($0 / 5 + 20) })[.oneSavePerObject]?.confidence == .high)
    #expect(try rules((10...40).filter { $0 % 2 == 0 }.map(save))[.oneSavePerObject] == nil)
  }

  @Test(arguments: [
    "Aug 16 11:00:20 Phone App[93] <Warning>: CoreData:",
    "default\t11:00:20.250+0200\tApp\tCoreData:",
  ])
  func `knows the time of day of syslog and Console`(head: String) throws {
    let save = Lines.save([Lines.insert("ZTASK")]).replacing("CoreData:", with: head)
    let found = try rules(Array(repeating: save, count: 12))
    #expect(found[.oneSavePerObject]?.confidence == .high)
    #expect(found[.oneSavePerObject]?.doubt == "")
  }

  @Test func `finds checkpoints and vacuums after saves`() throws {
    let save = Lines.save([Lines.insert("ZTASK")])
    let upkeep = "CoreData: annotation: PostSaveMaintenance: wal_checkpoint(TRUNCATE)"
    #expect(
      try rules([save, upkeep, save, upkeep, save, upkeep])[.maintenanceAfterSaves]?.calls == 3
    )
    #expect(try rules(Array(repeating: save, count: 9) + [upkeep])[.maintenanceAfterSaves] == nil)
  }

  @Test func `finds slow statements on the main thread`() throws {
    func fetch(_ thread: Int, _ time: String) -> String {
      Lines.fetch(Self.tasks, rows: 10, time: time)
        .replacing("CoreData:", with: "2024-01-10 11:00:00.000 App[1:\(thread)] CoreData:")
    }
    let found = try rules([fetch(100, "0.0200"), fetch(205, "0.5000")])
    #expect(found[.mainThread]?.time == 20_000)
    #expect(found[.mainThread]?.confidence == .medium)
    #expect(try rules([fetch(100, "0.0010"), fetch(205, "0.5000")])[.mainThread] == nil)
    #expect(
      found[.mainThread]?.summary.hasSuffix("the longest a fetch of TASK sorted by createdat")
        == true
    )
    // The only thread of a log may be any thread, unless its work follows a person's pauses.
    let paced = (0..<4).map { fetch(100, "0.0200").replacing(":00.000", with: ":0\($0 * 2).000") }
    #expect(try rules(paced)[.mainThread]?.confidence == .medium)
    #expect(try rules(Array(paced.prefix(3)))[.mainThread]?.confidence == .low)
    // A log without thread numbers gives no finding.
    #expect(try rules([Lines.fetch(Self.tasks, rows: 10, time: "0.5000")])[.mainThread] == nil)
  }
}
