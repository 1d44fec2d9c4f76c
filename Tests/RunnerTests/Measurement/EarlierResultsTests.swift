import Compare
import Reporting
import Runner
import Testing

@Suite struct EarlierResultsTests {
  /// A result of a run that started at `minute`; its times scatter around `seconds`.
  private func run(_ minute: Int, _ seconds: Double, _ steps: Double = 100) -> ResultDocument {
    var document = Fixture.document(
      Fixture.workload(
        "a",
        Fixture.result(
          "a/1",
          Fixture.sample(Fixture.vmSteps, steps),
          Fixture.sample(.userCPU, seconds),
          Fixture.sample(.wallClock, seconds * 0.9, seconds, seconds * 1.3)
        )
      )
    )
    document.environment.startedAt = "2026-04-01T09:\(minute):00Z"
    return document
  }

  private func earlier(than result: ResultDocument, _ runs: [ResultDocument]) -> EarlierResults {
    var results = EarlierResults(than: result)
    for run in runs { results.add(run) }
    return results
  }

  private let usual = [(10, 1.0), (11, 1.02), (12, 0.98), (13, 1.01), (14, 0.99)]

  @Test(arguments: [(1.01, Verdict.unchanged, 0), (1.5, .regressed, 2), (0.6, .improved, 0)])
  func `judges a time by the spread of run medians`(
    seconds: Double,
    verdict: Verdict,
    status: Int32
  ) throws {
    let (result, runs) = (run(30, seconds), usual.map { run($0.0, $0.1) })
    let comparison = try Comparison(
      of: result,
      against: runs[0],
      earlier: earlier(than: result, runs)
    )
    let metrics = try #require(comparison.workloads.first?.cases.first?.metrics)
    let time = try #require(metrics.first { $0.metric == .wallClock })
    #expect(time.verdict == verdict)
    #expect(time.usual?.runs == 5)
    #expect(metrics.first { $0.metric == .userCPU }?.verdict == nil)
    #expect(comparison.exitStatus(requiresVerdict: true) == status)
  }

  @Test(
    arguments: [
      (1.5, 101.0, "1 cost rose, 1 is above the usual range"),
      (1.5, 99, "1 cost is above the usual range, 1 fell"),
      (0.6, 100, "No cost rose, 1 is below the usual range"),
    ])
  func `a title does not say of a time that it rose or fell`(
    seconds: Double,
    steps: Double,
    title: String
  ) throws {
    let (result, runs) = (run(30, seconds, steps), usual.map { run($0.0, $0.1) })
    let comparison = try Comparison(
      of: result,
      against: runs[0],
      earlier: earlier(than: result, runs)
    )
    #expect(comparison.report().title.plain == title)
  }

  @Test func `four runs, one of them twice, and the result itself are not five`() throws {
    let result = run(30, 2)
    let runs = usual.dropLast().map { run($0.0, $0.1) }
    let earlier = earlier(than: result, runs + [runs[0], result])
    #expect(earlier.count == 4)
    let comparison = try Comparison(of: result, against: runs[0], earlier: earlier)
    #expect(comparison.tally.regressed == 0)
    #expect(comparison.tally.costs == 1)
  }

  @Test func `leaves out runs of other environments and of other work, and says why`() {
    var runs = usual.map { run($0.0, $0.1) }
    runs[0].environment.kernel = "Linux 5"
    runs[1].environment.sqliteSourceID = "another"
    runs[2].workloads[0].trialCount = 9
    runs[3].workloads[0].workload = "b"
    let earlier = earlier(than: run(30, 1), runs)
    #expect(earlier.count == 1)
    #expect(earlier.leftOut == ["kernel", "SQLite source id", "number of trials", "workloads"])
  }

  @Test func `takes no time of a case that read other content`() throws {
    var runs = usual.map { run($0.0, $0.1) }
    runs[4].workloads[0].cases[0].digest = "other"
    let result = run(30, 2)
    let comparison = try Comparison(
      of: result,
      against: runs[0],
      earlier: earlier(than: result, runs)
    )
    #expect(comparison.tally.regressed == 0)
  }

  @Test func `the more is judged, the more it takes to speak`() throws {
    func judged(_ count: Int) throws -> UsualRange {
      func document(_ minute: Int, _ seconds: Double) -> ResultDocument {
        var document = run(minute, seconds)
        document.workloads[0].cases = (0..<count).map { index in
          Fixture.result("a/\(index)", Fixture.sample(.wallClock, seconds))
        }
        return document
      }
      let result = document(30, 1)
      let runs = usual.map { document($0.0, $0.1) }
      let comparison = try Comparison(
        of: result,
        against: runs[0],
        earlier: earlier(than: result, runs)
      )
      return try #require(comparison.workloads.first?.cases.first?.metrics.first?.usual)
    }
    #expect(try judged(1).upper < judged(20).upper)
  }
}
