import Reporting
import Runner
import Testing

@testable import Compare

@Suite struct HistoryViewTests {
  private let commits = ["1", "2"].map { String(repeating: $0, count: 40) }

  private func line(_ commit: Int, _ workload: String, _ id: String, _ value: Double) -> HistoryLine
  {
    HistoryLine(
      startedAt: "2026-04-0\(commit + 1)T00:00:00Z",
      commit: commits[commit],
      series: .init(
        workload: workload,
        caseID: "\(workload)/\(id)",
        metric: "sqlite.vmSteps",
        unit: .count,
        environment: "e",
        isExact: true
      ),
      value: value
    )
  }

  private var report: Report {
    History(
      [
        ("ci/bulk", "engine=core,objects=10"), ("ci/bulk", "engine=core,objects=20"),
        ("ci/fetch", "a=1"),
      ]
      .enumerated().flatMap { index, name in
        [line(0, name.0, name.1, 100), line(1, name.0, name.1, 150 + Double(index))]
      }
    ).report()
  }

  @Test func `what one cause changed at a commit is one finding, in however many workloads`() throws
  {
    let claim = try #require(report.findings.first?.claim.plain)
    #expect(report.findings.count == 1)
    #expect(
      claim.contains("ci/bulk, ci/fetch, 3 changes in 3 cases, most SQLite steps of ci/fetch +52 %")
    )
  }

  @Test func `the chart begins with the first commit, by its name, and its title has no settings`()
    throws
  {
    guard case .charts(let figures, _, _)? = report.lead.first else {
      Issue.record("no chart")
      return
    }
    #expect(figures[0].title == "SQLite steps of ci/fetch")
    let summary = figures[0].chart.drawing.summary
    #expect(summary == "SQLite steps: 1111111111: 100, 2222222222: 152.")
  }

  @Test func `says nothing of times where it has none`() {
    #expect(
      report.certainty?.plain
        == "Counters are exact, so each change means that the work has changed."
    )
  }

  @Test func `a cause is the same in another workload`() {
    let cause = Cause(kind: .model, file: "m.yaml", changes: ["new index"], workloads: ["a"])
    var other = cause
    other.workloads = ["b"]
    #expect(cause != other && cause.isSame(as: other))
    other.changes = ["no index"]
    #expect(!cause.isSame(as: other))
  }
}
