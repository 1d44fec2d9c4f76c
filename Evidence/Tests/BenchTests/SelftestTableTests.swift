import Basics
import Compare
import Runner
import TestSupport
import Testing

@testable import bench

struct SelftestTableTests {
  private var report: SelftestReport {
    var report = SelftestReport(suiteLevel: 0.005, casesPerSuite: 20, slowed: [0.1, 0.01])
    (report.suites, report.suitesWithAlarm) = (4, 0)
    (report.null.count, report.null.seconds) = (80, 96)
    (report.slowed[0].count, report.slowed[0].changed, report.slowed[0].seconds) = (6, 6, 9.6)
    var (found, missed) = (
      SelftestReport.Planted(name: "a", words: "A batch size of 1"),
      SelftestReport.Planted(name: "b", words: "Nothing")
    )
    found.metric = .counter("sqlite.statementsRun")
    (found.base, found.head, found.repeats) = (11, 1001, true)
    missed.repeats = true
    report.planted = [found, missed]
    (report.scatter, report.blockSeconds, report.seconds) = (0.008, 0.085, 190.2)
    report.environment = Environment.example
    return report
  }

  @Test func `shows rates with their bounds, and what they mean`() {
    #expect(SelftestTable().text(of: report) == Self.table)
  }

  @Test(arguments: [60, 80, 120])
  func `fits the terminal`(width: Int) {
    for line in SelftestTable(width: width).text(of: report).split(separator: "\n") {
      #expect(TerminalText.width(String(line)) <= width, "\(line)")
    }
  }

  @Test func `judges the machine and the tool`() {
    var report = report
    #expect(report.judgement == .missedPlanted)
    #expect(report.exitStatus == 1)
    report.planted.removeLast()
    #expect(report.judgement == .good)
    #expect(report.exitStatus == 0)
    report.scatter = 0.3
    #expect(report.exitStatus == 3)
    #expect(SelftestTable().text(of: report).contains("too noisy"))
    report.scatter = nil
    #expect(report.judgement == .unknown)
    (report.suites, report.suitesWithAlarm) = (300, 3)
    #expect(report.judgement == .unknown)
    report.suitesWithAlarm = 8
    #expect(report.judgement == .tooManyAlarms)
    report.failures = ["a: it failed"]
    #expect(report.judgement == .failedCases)
  }

  private static let table = """
    Self-test of live comparisons
    2026-04-01T09:12:44Z · release build · AMD EPYC 7B13 · 2 cores · SQLite 3.40.1
    3 min 10 s

      the time of a case                    changed    of  rate, 95 % bounds    each
      equal on both sides, suites of 20           0     4        0.0 to 60 %  24.0 s
      equal on both sides, cases                  0    80       0.0 to 4.5 %   1.2 s
      10 % more time on one side                  6     6        54 to 100 %   1.6 s
      1 % more time on one side                   0     0                  –       –

      injected in the work, found by counters: 1 of 2 found
      A batch size of 1
        found: sqlite.statementsRun 11 → 1,001
      Nothing
        NOT FOUND: no exact cost rose

    An injected change of counters was not found, or counters did not repeat.
    Blocks of 85 ms vary by 0.80 %; with this variation, four of five changes would
    be found: 5 % in 1 s, 2 % in 2 s, 1 % in 3 s. If nothing changed, a suite of 20
    cases raises an alarm with a probability of at most 0.5 %, whatever the noise.
    So few suites can confirm this only within the bounds above: a longer run
    narrows them.

    """
}
