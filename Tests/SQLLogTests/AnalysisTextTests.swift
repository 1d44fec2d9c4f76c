import Basics
import Foundation
import Reporting
import Testing

@testable import SQLLog

@Suite struct AnalysisTextTests {
  private static let log =
    ([
      Lines.fetch(
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZTASK t0 ORDER BY t0.ZNAME DESC",
        rows: 50,
        time: "0.0100"
      )
    ]
    + (1...30).map { Lines.fault("ZPROJECT", entity: "Project", key: $0) }
    + [
      Lines.save([
        Lines.insert("ZTASK"), Lines.insert("ZTASK"),
        "UPDATE ZPROJECT SET ZNAME = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?",
      ])
    ]
    + ["tapped a cell", "CoreData: annotation: brand new words 'x'"]).joined(separator: "\n")

  @Test func `prints findings first and no line beyond 80 columns`() throws {
    let text = AnalysisView(of: try LogFixture.analysis(Self.log), logs: ["app.log"]).report.text()
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(
      text.hasPrefix(
        """
        30 times fault on Project after the fetch of TASK sorted by name (descending)
        (line 1, 50 rows)
        1 finding in 36 statements and 1 save (SQLDebug level 1). Time unknown: 5 of 36
        statements, because the log records no time for them. Core Data prints no times
        for saves.

        Recorded time  40.0 ms
        Lines          130
        Statements     36
        Saves          1

        1. 30 times fault on Project after the fetch of TASK sorted by name (descending)
           (line 1, 50 rows)
           faults-one-by-one: 30.0 ms (75 %), high confidence, lines 4 8 12 16 20
           Core Data: name the relationship in relationshipKeyPathsForPrefetching of the
           fetch
           SwiftData: name the key path in relationshipKeyPathsForPrefetching of the
           FetchDescriptor
           No problem if a person opened the objects one after another, or few of the
           fetched objects need the relationship
        Ordered by the time that the log records; docs/analyze.md documents the rules.

        Statements by time

        """
      ),
      "\(text)"
    )
    // The statement below its figures, in a table of eight columns.
    let row = try #require(text.firstRange(of: /\n  fault on Project +30 +30\.0 +75 % .*\n/))
    #expect(text[row.upperBound...].hasPrefix("      SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME"))
    #expect(text.contains("  save of 2 TASKs (inserted), 1 Project"), "\(text)")
    #expect(text.contains("Not understood: 'brand new words…', 1 line, first line 130"), "\(text)")
    #expect(text.contains("Lines that are not Core Data's: 1\n"), "\(text)")
  }

  @Test func `writes the same figures as JSON`() throws {
    let text = try AnalysisView(of: try LogFixture.analysis(Self.log)).jsonText()
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    )
    #expect(object["kind"] as? String == "storebench-analysis")
    #expect(object["calls"] as? Int == 36)
    #expect(object["untimed"] as? Int == 5)
    #expect(object["microseconds"] as? Int == 40_000)
    let findings = try #require(object["findings"] as? [[String: Any]])
    #expect(findings.first?["rule"] as? String == "faults-one-by-one")
    #expect(findings.first?["lines"] as? [Int] == [4, 8, 12, 16, 20])
    let saves = try #require(object["saves"] as? [[String: Any]])
    #expect(saves.first?["line"] as? Int == 124)
    // A time that the log does not record is absent, not 0.
    #expect(saves.first?["microseconds"] == nil)
  }
}
