import Basics
import Reporting
import Testing

@testable import SQLLog

@Suite struct LogComparisonTests {
  private static let list = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 ORDER BY t0.ZNAME"
  private static let search = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZNAME = ? "

  private func comparison(_ before: [String], _ after: [String]) throws -> LogComparison {
    try LogComparison(
      LogFixture.analysis(before.joined(separator: "\n")),
      LogFixture.analysis(after.joined(separator: "\n"))
    )
  }

  @Test func `lists statements that are new, removed, more frequent and slower`() throws {
    let found = try comparison(
      [
        Lines.fetch(Self.list, rows: 9, time: "0.0020"),
        Lines.count("SELECT COUNT(*) FROM ZTASK", 9),
      ],
      Array(repeating: Lines.fetch(Self.list, rows: 9, time: "0.0060"), count: 8)
        + [Lines.fetch(Self.search, rows: 1)]
    )
    let changes = Dictionary(uniqueKeysWithValues: found.items.map { ($0.operation, $0.changes) })
    #expect(
      changes == [
        "fetch of TASK sorted by name": [.moreFrequent, .slower],
        "fetch of TASK by name": [.new], "count of TASK": [.removed],
      ]
    )
    #expect(found.items[0].added == 46_000)
    #expect(found.unchanged == 0)
  }

  @Test func `finds no difference between a log and itself, in any order`() throws {
    let parts = [
      Lines.fetch(Self.list, rows: 9), Lines.fetch(Self.search, rows: 1),
      Lines.save([Lines.insert("ZTASK")]),
    ]
    let found = try comparison(parts, parts.reversed())
    #expect(found.items.isEmpty)
    #expect(found.unchanged == 5)
    #expect(found.report.text() == "No statement differs; 5 statements unchanged\n")
  }

  @Test func `refuses a log of Core Data beside one of an app's own statements`() {
    let error = #expect(throws: Refusal.self) {
      try comparison([Lines.fetch(Self.list, rows: 9)], ["SQL> SELECT * FROM player"])
    }
    #expect(error?.message.contains("are logs of different kinds") == true)
  }

  @Test func `prints changes within 80 columns`() throws {
    let found = try comparison(
      [Lines.fetch(Self.list, rows: 9, time: "0.0020")],
      Array(repeating: Lines.fetch(Self.list, rows: 9, time: "0.0060"), count: 8)
    )
    let text = found.report.text()
    #expect(text.hasPrefix("1 more frequent, 1 slower; 0 statements unchanged\n\nStatements\n"))
    #expect(text.contains(/\n +fetch of TASK.* +1 +8 +2\.00 +6\.00 +more frequent/), "\(text)")
    #expect(text.contains("SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 ORDER BY t0.ZNAME\n"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(try found.jsonText().contains("\"more frequent\""))
  }
}
