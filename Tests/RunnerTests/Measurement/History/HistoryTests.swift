import Runner
import TestSupport
import Testing

@testable import Compare

struct HistoryTests {
  private func line(
    _ commit: String,
    at day: Int,
    _ value: Double,
    metric: String = "sqlite.vmSteps",
    environment: String = "e",
    isExact: Bool = true
  ) -> HistoryLine {
    HistoryLine(
      startedAt: "2026-04-\(day < 10 ? "0" : "")\(day)T00:00:00Z",
      commit: commit,
      series: History.Series(
        workload: "fetch",
        caseID: "fetch/a",
        metric: metric,
        unit: .count,
        environment: environment,
        isExact: isExact
      ),
      value: value
    )
  }

  @Test func `every step of an exact counter is a change, shown with its commit`() {
    let history = History([
      line("c", at: 3, 101), line("a", at: 1, 100), line("b", at: 2, 100), line("d", at: 4, 101),
      line("e", at: 5, 100),
    ])
    #expect(history.commits == ["a", "b", "c", "d", "e"])
    #expect(
      history.steps.map { [$0.before.commit, $0.after.commit] } == [["b", "c"], ["d", "e"]]
    )
    let change = history.lastChange(of: "sqlite.vmSteps", in: "fetch/a")
    #expect(change.map { [$0.before.commit, $0.after.commit] } == ["d", "e"])
    #expect(change?.before.value == 101)
    #expect(history.lastChange(of: "vfs.syncs", in: "fetch/a") == nil)
  }

  @Test func `a commit is compared with its nearest measured ancestor, else by date`() {
    let parents = [
      "f1": ["m0"], "m1": ["m0"], "m2": ["m1", "f1"], "m3": ["unknown"], "m4": ["m3"],
      "m5": ["m4"],
    ]
    let history = History(
      [
        line("m0", at: 1, 100), line("f1", at: 2, 120), line("m1", at: 3, 100),
        line("m2", at: 4, 120), line("m3", at: 5, 130), line("m4", at: 6, 1, metric: "vfs.syncs"),
        line("m5", at: 7, 140),
      ],
      revisions: parents.map { SourceRevision(commit: $0.key, parents: $0.value) }
    )
    #expect(
      history.steps.map { "\($0.before.commit) \($0.after.commit) \($0.isByDate)" } == [
        "m0 f1 false", "m1 m2 false", "m2 m3 true", "m3 m5 false",
      ]
    )
  }

  @Test func `a different build of SQLite is no change of a counter`() {
    let lines = [line("a", at: 1, 100), line("b", at: 2, 120, environment: "other")]
    #expect(History(lines).steps.isEmpty)
  }

  @Test func `two runs of a commit are one point of its times, and never mix environments`() {
    let history = History([
      line("a", at: 1, 1, metric: "wallClock", isExact: false),
      line("a", at: 2, 3, metric: "wallClock", isExact: false),
      line("b", at: 3, 2, metric: "wallClock", isExact: false),
      line("b", at: 4, 9, metric: "wallClock", environment: "other", isExact: false),
    ])
    #expect(history.times.map { $0.points.map(\.value) } == [[2, 2], [9]])
    #expect(history.steps.isEmpty)
  }

  @Test func `the order in which lines are read makes no difference`() {
    let lines = (1...20).map { line("c\($0 / 2)", at: $0, Double($0 % 3)) }
    #expect(History(lines.shuffled() + lines) == History(lines))
  }

  @Test func `keeps exact costs and the median of each judged time`() {
    var result = Fixture.result(
      "fetch/a",
      Fixture.sample(Fixture.vmSteps, 7, 7, 7),
      Fixture.sample(.counter("vfs.syncs"), 1, 2, 1),
      Fixture.sample(.wallClock, 3, 1, 2)
    )
    result.parameters = [:]
    let lines = HistoryLine.lines(
      of: Fixture.document(Fixture.workload("fetch", result)),
      commit: "abc"
    )
    #expect(
      Set(lines.map { "\($0.series.metric) \($0.value)" }) == [
        "sqlite.vmSteps 7.0", "wallClock 2.0",
      ]
    )
    #expect(lines.first { $0.series.isExact }?.series.environment.contains("EPYC") == false)
    #expect(lines.first { !$0.series.isExact }?.series.environment.contains("EPYC") == true)
  }
}
