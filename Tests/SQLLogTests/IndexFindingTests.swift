import Basics
import Reporting
import SwiftModels
import Testing

@testable import SQLLog

@Suite struct IndexFindingTests {
  private func rules(_ parts: [String], _ schema: LogSchema? = nil) throws -> [FindingRule: Finding]
  {
    let analysis = try LogFixture.analysis(parts.joined(separator: "\n"), schema: schema)
    return Dictionary(keepingFirst: analysis.findings.map { ($0.rule, $0) })
  }

  private func schema(
    indexes: [String: [String]] = [:],
    rows: Int? = nil,
    binary: [String] = [],
    bytes: [String: Int] = [:]
  ) -> LogSchema {
    LogSchema(tables: [
      "ZTASK": .init(
        entity: "Task",
        properties: ["ZSTATE": "state", "ZNAME": "name", "ZPHOTO": "photo"],
        binaryColumns: binary,
        indexes: indexes.map {
          .init(name: $0, columns: $1, isFetchIndex: !$0.hasSuffix("_INDEX"))
        },
        rows: rows,
        meanBytes: bytes
      )
    ])
  }

  private static let byState =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZSTATE FROM ZTASK t0 WHERE  t0.ZSTATE = ? "

  @Test(arguments: ["NSCollateFinderlike", "NSCollateLocaleSensitive"])
  func `finds sorts by a collation that no index has`(collation: String) throws {
    let sql = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 ORDER BY t0.ZNAME COLLATE \(collation)"
    let found = try rules([Lines.fetch(sql, rows: 4_000)])
    #expect(found[.unindexedSort]?.confidence == .high)
    #expect(try rules([Lines.fetch(sql, rows: 12)])[.unindexedSort] == nil)
    let binary = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 ORDER BY t0.ZNAME"
    #expect(try rules([Lines.fetch(binary, rows: 4_000)])[.unindexedSort] == nil)
  }

  private func fixes(_ log: String) throws -> [Fix] {
    try LogFixture.analysis(log, schema: schema()).fixes
  }

  @Test func `advises the order of the collated column, in its direction`() throws {
    let sql =
      "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZSTATE > ?  ORDER BY t0.ZNAME COLLATE "
      + "NSCollateFinderlike DESC, t0.ZPHOTO"
    let fixes = try fixes(Lines.fetch(sql, rows: 4_000))
    let coreData = fixes.flatMap(\.coreData)
    let swiftData = fixes.flatMap(\.swiftData)
    #expect(coreData.contains("NSSortDescriptor(key: \"name\", ascending: false)"))
    #expect(swiftData.contains("SortDescriptor(\\.name, comparator: .lexical, order: .reverse)"))
    // An index that begins with the range's column could not serve the sort.
    #expect(swiftData.contains("#Index<Task>([\\.name, \\.photo])"))
  }

  @Test func `advises no index for the order of another entity's attribute`() throws {
    let sql =
      "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 LEFT OUTER JOIN ZPROJECT t1 ON t0.ZPROJECT = "
      + "t1.Z_PK ORDER BY t1.ZNAME COLLATE NSCollateFinderlike"
    let log = Lines.fetch(sql, rows: 4_000)
    #expect(try rules([log])[.unindexedSort]?.subject == .app)
    let fix = try fixes(log).first { $0.group.findings.contains { $0.rule == .unindexedSort } }
    #expect(fix?.coreData == [FindingRule.unindexedSort.remedy.coreData])
  }

  @Test func `advises a count where only the keys of a table are fetched`() throws {
    let fix = try #require(
      try fixes(Lines.fetch("SELECT 0, t0.Z_PK FROM ZTASK t0", rows: 5_000)).first
    )
    #expect(fix.coreData == ["try context.count(for: request)  // or request.fetchLimit = 1"])
  }

  @Test func `advises no common index for alternatives`() throws {
    func wanted(_ predicate: String) throws -> String? {
      let sql = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE \(predicate)"
      let log = [Lines.fetch(sql, rows: 3)]
      return try rules(log, schema(rows: 40_000))[.unindexedPredicate]?.wantedIndex?.swiftData
    }
    #expect(try wanted("( t0.ZSTATE = ? OR  t0.ZNAME = ?)") == nil)
    #expect(try wanted("( NOT ( t0.ZSTATE = ?))") == nil)
    // Alternatives of one column are served by an index on that column.
    #expect(try wanted("( t0.ZSTATE = ? OR  t0.ZSTATE IS NULL)") == "#Index<Task>([\\.state])")
    #expect(
      try wanted("(( t0.ZSTATE = ? OR  t0.ZNAME = ?) AND  t0.ZPHOTO = ?)")
        == "#Index<Task>([\\.photo])"
    )
  }

  @Test func `prints the index of a predicate as both frameworks declare it`() throws {
    let sql =
      "SELECT 0, t0.Z_PK FROM ZTASK t0 WHERE ( t0.ZNAME > ? AND  t0.ZSTATE = ?) "
    let log = [Lines.fetch(sql, rows: 3)]
    let found = try rules(log, schema(rows: 40_000))[.unindexedPredicate]
    // Properties compared with == come first in an index.
    #expect(found?.wantedIndex?.swiftData == "#Index<Task>([\\.state, \\.name])")
    let analysis = try LogFixture.analysis(log.joined(), schema: schema(rows: 40_000))
    let text = AnalysisView(of: analysis).report.text()
    #expect(text.contains("#Index<Task>([\\.state, \\.name])"))
    #expect(text.contains("Xcode's editor: select Task, Editor > Add Fetch Index"))
    #expect(text.contains("Stores that users have already"))
    // Without a schema, the property names are unknown and no declaration is proposed.
    #expect(try rules(log)[.unindexedPredicate]?.wantedIndex == nil)
  }

  @Test func `finds predicates without an index`() throws {
    let log = [Lines.fetch(Self.byState, rows: 3)]
    let large = schema(indexes: ["Z_Task_byName": ["ZNAME"]], rows: 40_000)
    #expect(try rules(log, large)[.unindexedPredicate]?.confidence == .high)
    #expect(
      try rules(log, large)[.unindexedPredicate]?.summary
        == "fetch of Task by state: no index on state, 40000 objects"
    )
    let indexed = schema(indexes: ["Z_Task_byState": ["ZSTATE", "ZNAME"]], rows: 40_000)
    #expect(try rules(log, indexed)[.unindexedPredicate] == nil)
    #expect(
      try rules([Lines.fetch(Self.byState, rows: 3, time: "0.0001")], schema(rows: 30))[
        .unindexedPredicate
      ] == nil
    )
    // Without a schema, the indexes are unknown.
    #expect(try rules(log)[.unindexedPredicate] == nil)
  }

  @Test func `reads plans of level 4`() throws {
    let explain = "CoreData: details: SQLite: EXPLAIN QUERY PLAN \(Self.byState)"
    let scan = [Lines.fetch(Self.byState, rows: 3), explain, "0 0 0 SCAN TABLE ZTASK AS t0"]
    #expect(try rules(scan)[.unindexedPredicate]?.confidence == .high)
    let entity = [
      Lines.fetch(Self.byState, rows: 3), explain,
      "0 0 0 SEARCH TABLE ZTASK AS t0 USING INDEX ZTASK_Z_ENT_INDEX (Z_ENT=?)",
    ]
    #expect(try rules(entity)[.wrongIndex] != nil)
    let right = [
      Lines.fetch(Self.byState, rows: 3), explain,
      "0 0 0 SEARCH TABLE ZTASK AS t0 USING INDEX Z_Task_byState (ZSTATE=?)",
    ]
    #expect(try rules(right)[.wrongIndex] == nil)
    #expect(try rules(right)[.unindexedPredicate] == nil)
  }

  @Test func `finds indexes that only slow saves`() throws {
    let saves = Array(repeating: Lines.save([Lines.insert("ZTASK")]), count: 210)
    let indexes = ["Z_Task_byName": ["ZNAME"], "ZTASK_ZPROJECT_INDEX": ["ZPROJECT"]]
    let reads = Array(repeating: Lines.fetch(Self.byState, rows: 3), count: 20)
    let found = try rules(saves + reads, schema(indexes: indexes))
    #expect(
      found[.unusedIndex]?.summary.hasPrefix("index Z_Task_byName: 210 writes to Task") == true
    )
    let sorted = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 ORDER BY t0.ZNAME"
    let used = try rules(saves + reads + [Lines.fetch(sorted, rows: 3)], schema(indexes: indexes))
    #expect(used[.unusedIndex] == nil)
  }

  @Test func `finds searches within texts of a large table`() throws {
    let search =
      "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  NSCoreDataStringSearch( t0.ZNAME, ?, 417, 1)"
    let count = Lines.count("SELECT COUNT(*) FROM ZTASK", 90_000)
    let found = try rules([count, Lines.fetch(search, rows: 4, time: "0.0800")])
    #expect(found[.textSearch]?.confidence == .high)
    #expect(found[.textSearch]?.time == 80_000)
    #expect(
      try rules([Lines.fetch(search, rows: 4, time: "0.0002")], schema(rows: 90))[.textSearch]
        == nil
    )
    // Results that reach their limit at each letter show that the table is larger than the limit.
    let typed = ["a", "ab", "abc"].map {
      Lines.fetch(search + " LIMIT 50", rows: 50, time: "0.0002", binds: ["\"\($0)\""])
    }
    #expect(try rules(typed)[.textSearch]?.confidence == .low)
    #expect(try rules(Array(typed.prefix(2)))[.textSearch] == nil)
    #expect(try rules(typed, schema(rows: 90))[.textSearch] == nil)
  }

  @Test func `finds large data that is read with the rows`() throws {
    let sql = "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME, t0.ZPHOTO FROM ZTASK t0 ORDER BY t0.ZNAME"
    let log = [Lines.fetch(sql, rows: 200)]
    let large = schema(binary: ["ZPHOTO"], bytes: ["ZPHOTO": 80_000])
    #expect(try rules(log, large)[.blobsWithRows]?.confidence == .high)
    #expect(try rules(log, schema(binary: ["ZPHOTO"]))[.blobsWithRows]?.confidence == .low)
    #expect(
      try rules(log, schema(binary: ["ZPHOTO"], bytes: ["ZPHOTO": 40]))[.blobsWithRows] == nil
    )
    #expect(try rules(log, schema())[.blobsWithRows] == nil)
  }
}
