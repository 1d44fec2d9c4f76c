import Basics
import Compare
import Runner
import TestSupport
import Testing

@testable import Reporter

/// What a self-test prints.
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
    #expect(SelftestTable().text(of: report) == TableSnapshot.selftest)
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
}
