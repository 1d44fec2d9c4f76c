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

  @Test func `a small change of a size is shown with all digits`() {
    var before = line(0, "ci/bulk", "a=1", 41_943_040)
    var after = line(1, "ci/bulk", "a=1", 41_947_136)
    before.series.unit = .bytes
    after.series.unit = .bytes
    let text = History([before, after]).report().text(width: 200)
    for shown in ["41,943,040 B", "41,947,136 B", "+0.00977 %"] {
      #expect(text.contains(shown), "\(text)")
    }
  }

  @Test func `the days of the runs are in order, even if those of their commits are not`() {
    var first = line(0, "ci/fetch", "a=1", 100)
    first.startedAt = "2026-05-01T00:00:00Z"
    let child = SourceRevision(commit: commits[1], parents: [commits[0]])
    let report = History([first, line(1, "ci/fetch", "a=1", 100)], revisions: [child]).report()
    #expect(report.facts.first?.value.plain == "2026-04-02 to 2026-05-01")
  }

  @Test func `a workload that may be another one renamed is named`() {
    let text = History([
      line(0, "ci/fetch", "a=1", 100), line(1, "ci/find", "a=1", 150),
    ]).report().text(width: 200)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      words.contains(
        "'ci/find' begins at 2222222222 with the cases of 'ci/fetch', which ends at 1111111111."
      ),
      "\(text)"
    )
  }

  @Test func `the command that decides quotes the workload's file`() {
    let series = History.Series(
      workload: "my app/fetch",
      caseID: "my app/fetch/a=1",
      metric: "wallClock",
      unit: .seconds,
      environment: "e",
      isExact: false
    )
    let lines = (0..<10).map { number in
      HistoryLine(
        startedAt: "2026-04-1\(number)T00:00:00Z",
        commit: String(repeating: "\(number)", count: 40),
        series: series,
        value: number < 5 ? 1 : 3
      )
    }
    let text = History(lines).report().text(width: 200)
    #expect(text.contains("compare-live 'Workloads/my app/fetch.yaml' --filter"), "\(text)")
    #expect(text.contains("The commands assume Workloads/NAME.yaml"), "\(text)")
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
