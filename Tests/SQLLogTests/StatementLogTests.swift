import Basics
import Foundation
import Testing

@testable import SQLLog

/// Tests logs in the format of SQLite's test_sqllog.c.
@Suite struct StatementLogTests {
  private static let log = """
    -- Main database is '/tmp/logs/sqllog_04711_00.db'
    BEGIN EXCLUSIVE; -- clock=0
    INSERT INTO ZTASK(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(1, 2, 1, 'it''s; a
    second -- line'); -- clock=1
    COMMIT; -- clock=2
    SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZNAME = 'x' LIMIT 20; -- clock=3
    SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZNAME = 'y' LIMIT 20; -- clock=4
    """

  @Test func `reads statements with their values in the text`() throws {
    let reading = try LogFixture.read(Self.log, name: "sqllog_04711_00001.sql")
    #expect(reading.kinds == [.begin, .insert, .commit, .fetch, .fetch])
    #expect(reading.statements.map(\.line) == [2, 3, 5, 6, 7])
    #expect(Set(reading.fingerprints).count == 4)
    #expect(reading.statements[3].values != reading.statements[4].values)
    #expect(reading.statements[3].limit == 20)
    #expect(reading.report.level == nil)
    #expect(reading.report.foreign == 0)
  }

  @Test func `finds the starting database beside the log`() throws {
    let fixture = try LogFixture(Self.log, name: "sqllog_04711_00001.sql")
    try Data().write(to: URL(fileURLWithPath: fixture.path(of: "sqllog_04711_00.db")))
    let database = try StatementLog.startDatabase(of: fixture.path)
    #expect(database == fixture.path(of: "sqllog_04711_00.db"))
    #expect(StatementLog.logs(at: fixture.path(of: "")) == [fixture.path])
    #expect(StatementLog.logs(at: fixture.path) == [fixture.path])
  }

  @Test func `marks a statement that the log cuts off`() throws {
    let reading = try LogFixture.read(
      "BEGIN EXCLUSIVE; -- clock=0\nINSERT INTO ZTASK(ZNAME) VALUES('abc",
      name: "sqllog_1_1.sql"
    )
    #expect(reading.report.isTruncated)
    #expect(reading.kinds == [.begin, .insert])
  }
}

@Suite struct BadInputTests {
  private func error(_ text: String, name: String = "app.log") -> Refusal? {
    #expect(throws: Refusal.self) { try LogFixture.read(text, name: name) }
    do {
      _ = try LogFixture.read(text, name: name)
      return nil
    } catch {
      return error as? Refusal
    }
  }

  @Test func `refuses a file that is no log`() {
    for (text, lines) in [("Loading error: none\nINFO sql: ok\n", 2), ("", 0)] {
      #expect(error(text)?.message.contains("none of its \(lines) lines") == true)
    }
  }

  // Core Data logs this line of RealmVsSwiftData even without SQLDebug.
  @Test func `tells a log of Core Data without statements from one of another product`() {
    let refusal = error(
      """
      CoreData: debug: PostSaveMaintenance: fileSize 9743832 greater than prune threshold
      CoreData: annotation: PostSaveMaintenance: wal_checkpoint(TRUNCATE)
      """
    )
    #expect(refusal?.message.contains("is a log of Core Data or SwiftData without") == true)
  }

  @Test(arguments: ["SQLite format 3\0", "\u{1F}\u{8B}\u{8}", "a\0b", "bplist00"])
  func `refuses binary files`(text: String) {
    #expect(error(text)?.message.contains(", not a log") == true)
  }

  @Test func `refuses what is not there, and folders`() {
    #expect(throws: Refusal.noSuchLog(path: "/nowhere/app.log")) {
      try LogAnalysis(of: ["/nowhere/app.log"])
    }
    #expect(throws: Refusal.cannotRead("/tmp", reason: "it is a folder")) {
      try LogAnalysis(of: ["/tmp"])
    }
  }

  @Test func `notices mixed levels`() throws {
    let sql = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZNAME = ? "
    let bound = Array(repeating: Lines.fetch(sql, rows: 1, binds: ["1"]), count: 4)
    let unbound = Array(repeating: Lines.fetch(sql, rows: 1), count: 4)
    let mixed = try LogFixture.read((bound + unbound).joined(separator: "\n"))
    #expect(mixed.report.isMixed)
    #expect(mixed.report.firstBound == 1)
    #expect(mixed.report.firstUnbound == 17)
    #expect(try !LogFixture.read(bound.joined(separator: "\n")).report.isMixed)
  }

  @Test func `refuses a store of another app`() throws {
    let analysis = try LogFixture.analysis(Lines.count("SELECT COUNT(*) FROM ZTASK", 3))
    let other = LogSchema(tables: ["ZNOTE": .init(entity: "Note")])
    #expect(
      throws: Refusal.badInput(
        "'x' has none of the log's tables "
          + "(\((["ZTASK"]).joined(separator: ", "))): pass the store or model of the "
          + "app that wrote the log"
      )
    ) {
      try analysis.check(other, path: "x")
    }
    try analysis.check(LogSchema(tables: ["ZTASK": .init(entity: "Task")]), path: "x")
  }

  @Test func `reads lines of any length in bounded memory`() throws {
    let long = String(repeating: "x", count: 3 << 20)
    let reading = try LogFixture.read(
      "CoreData: sql: COMMIT\n\(long)\nCoreData: sql: SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZB = "
        + "'\(long)'\nCoreData: sql: COMMIT\r\n"
    )
    #expect(reading.report.lines == 4)
    #expect(reading.report.cut == 2)
    #expect(reading.kinds.last == .commit)
    #expect(reading.statements.count == 3)
  }
}

@Suite struct HistogramTests {
  @Test func `keeps percentiles within the width of a bin`() {
    var histogram = Histogram()
    for value in 1...100_000 { histogram.add(value) }
    for share in [0.01, 0.5, 0.9, 0.99] {
      let exact = share * 100_000
      let found = Double(histogram.percentile(share))
      #expect(found >= exact)
      #expect(found <= exact * 1.0625 + 1)
    }
    #expect(histogram.percentile(1) == 100_000)
    #expect(histogram.sum == 5_000_050_000)
    #expect(Histogram().percentile(0.5) == 0)
  }

  @Test func `is exact for small values`() {
    var histogram = Histogram()
    for value in [0, 0, 1, 5, 31] { histogram.add(value) }
    #expect(histogram.percentile(0.4) == 0)
    #expect(histogram.percentile(0.5) == 1)
    #expect(histogram.percentile(0.8) == 5)
    #expect(histogram.largest == 31)
  }
}
