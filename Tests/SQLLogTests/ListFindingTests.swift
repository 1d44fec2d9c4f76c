import Basics
import Reporting
import Testing

@testable import SQLLog

/// Tests findings on long lists and on loops of fetches, and findings that share a fix.
@Suite struct ListFindingTests {
  private static let list =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME, t0.ZPROJECT FROM ZTASK t0 ORDER BY t0.ZCREATEDAT"

  private func analysis(_ parts: [String], schema: LogSchema? = nil) throws -> LogAnalysis {
    let analysis = try LogFixture.analysis(parts.joined(separator: "\n"), schema: schema)
    #expect(analysis.report.orphans == 0)
    return analysis
  }

  private func faults(_ count: Int) -> [String] {
    (0..<count).map { Lines.fault("ZPROJECT", entity: "Project", key: $0 + 1) }
  }

  @Test(arguments: [10, 601, 5_000, 100_000])
  func `finds the faults of a screen however long its list is`(rows: Int) throws {
    let found = try analysis([Lines.fetch(Self.list, rows: rows)] + faults(min(rows, 60)))
    let finding = try #require(found.findings.first { $0.rule == .faultsOneByOne })
    #expect(finding.calls == min(rows, 60))
    // Nine objects of a long list, which a person may open, give no finding.
    let few = try analysis([Lines.fetch(Self.list, rows: 5_000)] + faults(9))
    #expect(!few.findings.contains { $0.rule == .faultsOneByOne })
  }

  @Test func `finds complete rows of a long list without a limit or a batch size`() throws {
    let found = try analysis([Lines.fetch(Self.list, rows: 5_000)] + faults(20))
    let finding = try #require(found.findings.first { $0.rule == .fetchWithoutLimit })
    #expect(
      finding.summary
        == "fetch of TASK sorted by createdat: 5000 complete rows at once, without a limit or a batch "
        + "size"
    )
    #expect(finding.confidence == .medium)
    func isFound(_ parts: [String]) throws -> Bool {
      try analysis(parts).findings.contains { $0.rule == .fetchWithoutLimit }
    }
    #expect(try !isFound([Lines.fetch(Self.list, rows: 499)]))
    #expect(try !isFound([Lines.fetch(Self.list + " LIMIT 900", rows: 900)]))
    let keys = "SELECT t0.Z_ENT, t0.Z_PK FROM ZTASK t0 ORDER BY t0.ZCREATEDAT"
    #expect(try !isFound([Lines.fetch(keys, rows: 5_000)]))
    // A job that changes the fetched objects needs complete rows.
    let update = "UPDATE ZTASK SET ZNAME = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?"
    let job = [
      Lines.fetch(Self.list, rows: 500), Lines.save(Array(repeating: update, count: 100)),
    ]
    #expect(try !isFound(job))
    #expect(try isFound([job[0], Lines.save([update])]))
  }

  @Test func `finds look-ups and counts in a loop, and leaves typing alone`() throws {
    let count = "SELECT COUNT( DISTINCT t0.Z_PK) FROM ZTASK t0 WHERE  t0.ZPROJECT = ? "
    func rules(_ parts: [String]) throws -> Set<FindingRule> {
      Set(try analysis(parts).findings.map(\.rule))
    }
    func bound(_ value: Int) -> String {
      "CoreData: sql: \(count)\nCoreData: details: SQLite bind[0] = \(value)\n"
        + "CoreData: annotation: total count request execution time: 0.0001s for count of 3."
    }
    #expect(try rules((1...10).map(bound)).contains(.fetchesOneByOne))
    #expect(try !rules((1...9).map(bound)).contains(.fetchesOneByOne))
    // Fetches of the same value are a repeated fetch, not a loop.
    let same = try rules(Array(repeating: bound(4), count: 12))
    #expect(!same.contains(.fetchesOneByOne) && same.contains(.repeatedFetch))
    // Fetches with hidden values may be a loop.
    let unknown = try analysis(Array(repeating: Lines.count(count, 3), count: 12))
    #expect(unknown.findings.first { $0.rule == .fetchesOneByOne }?.confidence == .medium)
    let typed = (1...12).map { letters in
      Lines.fetch(
        "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZNAME >= ? AND  t0.ZNAME < ? LIMIT 20",
        rows: 20,
        binds: ["\"\(String(repeating: "a", count: letters))\"", "\"b\""]
      )
    }
    #expect(try !rules(typed).contains(.fetchesOneByOne))
    // Faults between the fetches show that a person opens the objects.
    let opened = (1...20).flatMap { [bound($0)] + faults(1) }
    #expect(try !rules(opened).contains(.fetchesOneByOne))
  }

  @Test func `finds saves in a loop that looks each object up`() throws {
    let lookUp = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZNAME = ?  LIMIT 1"
    let loop = (1...12).flatMap {
      [Lines.fetch(lookUp, rows: 0, binds: ["\"\($0)\""]), Lines.save([Lines.insert("ZTASK")])]
    }
    let found = try analysis(loop).findings
    #expect(found.first { $0.rule == .oneSavePerObject }?.calls == 12)
  }

  @Test func `takes an unread prefetch for a question, unless another relationship fires`() throws {
    let prefetch = """
      CoreData: sql: \(Self.list)
      CoreData: annotation: sql connection fetch time: 0.0010s
      CoreData: annotation: Bound intarray _Z_intarray0
      \(Lines.fetch(
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTASK FROM ZPART t0 WHERE  t0.ZTASK IN "
          + "(SELECT * FROM _Z_intarray0)  ORDER BY t0.ZTASK", rows: 200))
      CoreData: annotation: Prefetching with key 'parts'.  Got 200 rows.
      CoreData: annotation: total fetch execution time: 0.0053s for 90 rows.
      """
    let alone = try analysis([prefetch])
    #expect(alone.findings.map(\.isQuestion) == [true] && alone.fixes.isEmpty)
    let text = AnalysisView(of: alone).report.text()
    #expect(
      text.hasPrefix("No finding; 1 question that no log answers\n0 findings in 2"),
      "\(text)"
    )
    let wrong = try analysis([prefetch] + faults(30))
    let finding = try #require(wrong.findings.first { $0.rule == .unreadPrefetch })
    #expect(!finding.isQuestion && finding.confidence == .medium)
    // The two findings are about one fetch request, so they have one fix.
    #expect(wrong.fixes.count == 1)
    #expect(
      wrong.fixes[0].title
        == "Fetch of TASK sorted by createdat: prefetch what its rows show; do not prefetch parts"
    )
  }

  // MARK: Fixes

  private static let schema = LogSchema(tables: [
    "ZTASK": .init(
      entity: "Task",
      properties: ["ZPROJECT": "project", "ZCREATEDAT": "createdAt", "ZNAME": "name"],
      destinations: ["ZPROJECT": "Project"],
      rows: 5_000
    ), "ZPROJECT": .init(entity: "Project", rows: 400),
  ])

  @Test func `puts findings on one fetch request into one fix with its code`() throws {
    let found = try analysis(
      [Lines.fetch(Self.list, rows: 5_000, time: "0.0900")] + faults(60),
      schema: Self.schema
    )
    let rules: Set<FindingRule> = [.faultsOneByOne, .fetchWithoutLimit]
    let fix = try #require(found.fixes.first)
    #expect(rules.isSubset(of: Set(fix.group.findings.map(\.rule))) && found.fixes.count == 1)
    #expect(
      fix.title == "Fetch of Task sorted by createdAt: batches of 20; prefetch project"
    )
    // The fetch counts once, although two findings are about it.
    #expect(fix.group.time == 150_000)
    #expect(
      fix.coreData == [
        "request.fetchBatchSize = 20  // or fetchLimit",
        #"request.relationshipKeyPathsForPrefetching = ["project"]"#,
      ]
    )
    #expect(
      fix.swiftData.last == #"descriptor.relationshipKeyPathsForPrefetching = [\.project]"#
    )
    let text = AnalysisView(of: found).report.text()
    #expect(text.contains("Together: 150 ms (100 %) of "), "\(text)")
  }

  @Test func `asks for one index where one serves several findings`() throws {
    let by = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZNAME = ? "
    let found = try analysis(
      [
        Lines.fetch(by, rows: 3, time: "0.0300"),
        Lines.fetch(by + "ORDER BY t0.ZCREATEDAT", rows: 3, time: "0.0400"),
        Lines.fetch(
          "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZCREATEDAT > ? ",
          rows: 3,
          time: "0.0100"
        ),
      ],
      schema: Self.schema
    )
    #expect(found.findings.map(\.rule) == Array(repeating: .unindexedPredicate, count: 3))
    #expect(
      found.fixes.map(\.title) == [
        "Index of Task on name, createdAt", "Index of Task on createdAt",
      ]
    )
    #expect(found.fixes[0].swiftData == [#"#Index<Task>([\.name, \.createdAt])"#])
    #expect(found.fixes[0].group.time == 70_000)
    #expect(found.fixes[0].notes.contains { $0.contains("new model version") })
  }

  @Test func `puts work on the main thread behind what causes it`() throws {
    let slow = Lines.fetch(Self.list, rows: 5_000, time: "0.5000")
      .replacing("CoreData:", with: "2024-01-10 11:00:00.000 App[1:100] CoreData:")
    let other = Lines.fetch(Self.list, rows: 5_000, time: "0.0010")
      .replacing("CoreData:", with: "2024-01-10 11:00:00.000 App[1:205] CoreData:")
    let found = try analysis([slow, other])
    #expect(found.findings.last?.rule == .mainThread && found.findings.count > 1)
    #expect(found.findings.last?.isQuestion == false)
  }
}
