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

  @Test(arguments: [
    ("CoreData: sql: COMMIT", "1 line read in full, and judged by the "),
    (
      "CoreData: sql: COMMIT\nCoreData: sql: DELETE FROM ZA WHERE ZN = 'a",
      "2 lines read, of which 1 with a statement that does not end, and judged by the "
    ),
    ("CoreData: sql: COMMIT\napp prints\n", "2 lines read, of which 1 not of Core Data, and"),
  ])
  func `says how much of the log was understood`(log: String, words: String) throws {
    let report = AnalysisView(of: try LogFixture.analysis(log)).report
    #expect(report.certainty?.plain.hasPrefix(words) == true, "\(report.certainty?.plain ?? "")")
  }

  @Test func `says that statements among readable ones are private`() throws {
    let analysis = try LogFixture.analysis(
      "CoreData: sql: COMMIT\nCoreData: sql: <private>\nscreen list\n"
    )
    #expect((analysis.report.hidden, analysis.report.foreign) == (1, 1))
    #expect(analysis.report.notes.map { $0.hasPrefix("hidden: 1 statement, which") } == [true])
    let text = AnalysisView(of: analysis).report.certainty?.plain ?? ""
    let words = "3 lines read, of which 1 not of Core Data, 1 shown as '<private>', and judged"
    #expect(text.hasPrefix(words), "\(text)")
  }

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
        Ordered by the time that the log records. Next: '--store STORE --replay'
        measures what each fix saves. docs/analyze.md documents the rules.

        Statements by time

        """
      ),
      "\(text)"
    )
    // In a table of eight columns, a statement is below its figures.
    let row = try #require(text.firstRange(of: /\n  fault on Project +30 +30\.0 +75 % .*\n/))
    #expect(text[row.upperBound...].hasPrefix("      SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME"))
    #expect(text.contains("  save of 2 TASKs (inserted), 1 Project"), "\(text)")
    #expect(text.contains("Not understood: 'brand new words…', 1 line, first line 130"), "\(text)")
    #expect(text.contains("Lines that are not Core Data's: 1\n"), "\(text)")
  }

  @Test func `says what a fix removes exactly, on each size, where its time is unsure`() throws {
    let analysis = try LogFixture.analysis(Self.log)
    let summary = analysis.findings[0].summary
    var repair = ReplayReport.Repair(
      rule: "faults-one-by-one",
      fix: "faults-one-by-one@4",
      summary: summary,
      comparison: "with the relationship prefetched",
      summaries: [summary]
    )
    var (before, after) = (ReplayReport.Counters(), ReplayReport.Counters())
    (before.statements, before.vmSteps) = (36, 2_000)
    (after.statements, after.vmSteps) = (7, 1_500)
    (repair.counters, repair.time) = (after, 0.01)
    repair.saved = ReplayReport.Saving((0..<9).map { Double($0 - 4) / 1_000 })
    let sizes = [90, 900].map { objects in
      ReplayReport.Size(
        scale: Double(objects) / 90,
        store: "a copy",
        objects: objects,
        isMapped: false,
        divergence: ReplayDivergence(),
        counters: before,
        time: 0.01,
        saves: 1,
        notes: [],
        repairs: [repair]
      )
    }
    let report = ReplayReport(hasGuessedValues: false, sizes: sizes)
    let text = AnalysisView(of: analysis, replay: report).report.text(width: 400)
    let removed = "29 of 36 statements, \(Figures.percent(0.25)) of SQLite's steps"
    #expect(
      text.hasPrefix("Saves \(removed): Fetch of TASK sorted by name (descending)"),
      "\(text)"
    )
    for objects in [90, 900] {
      #expect(
        text.contains("On \(objects) objects the fix shows no difference of the time (-3.00 ms to"),
        "\(text)"
      )
    }
    #expect(text.contains("; it removes \(removed)"), "\(text)")
    #expect(text.contains("Next: change the app"), "\(text)")
    // A repair that surely costs time has a lower rank than a repair without effect.
    repair.saved = ReplayReport.Saving((0..<9).map { Double($0 - 20) / 1_000 })
    #expect(repair.rank(from: before) < .useless && repair.rank(from: before) > .unknown)
    // A replay with a caveat does not affect the order of fixes and gives no exact saving.
    repair.caveat = "the replay differs too much from the log"
    #expect(repair.rank(from: before) == .unknown && repair.exactSaving(of: before).isEmpty)
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
