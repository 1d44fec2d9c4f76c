import Compare
import Runner
import Testing

@Suite struct ComparisonTests {
  private func compare(_ baseline: CaseResult, _ candidate: CaseResult) throws -> CaseComparison {
    let comparison = try Comparison(
      of: Fixture.document(Fixture.workload("fetch/paging", candidate)),
      against: Fixture.document(Fixture.workload("fetch/paging", baseline))
    )
    return try #require(comparison.workloads.first?.cases.first)
  }

  private func metric(_ baseline: Sample, _ candidate: Sample) throws -> MetricComparison {
    let comparison = try compare(Fixture.result("a", baseline), Fixture.result("a", candidate))
    return try #require(comparison.metrics.first)
  }

  @Test(arguments: [(100, Verdict.unchanged, 1), (101, .regressed, 1.01), (99, .improved, 0.99)])
  func `compares an exact cost to the last digit`(
    value: Double,
    verdict: Verdict,
    ratio: Double
  ) throws {
    let metric = try metric(
      Fixture.sample(Fixture.vmSteps, 100, 100, 100),
      Fixture.sample(Fixture.vmSteps, value, value)
    )
    #expect(metric.verdict == verdict)
    #expect(metric.ratio == ratio)
  }

  @Test func `sees an iteration of which the median knows nothing`() throws {
    let metric = try metric(
      Sample(metric: Fixture.vmSteps, trials: [[5, 5, 9]]),
      Sample(metric: Fixture.vmSteps, trials: [[5, 5, 10]])
    )
    #expect(metric.verdict == .regressed)
    #expect(metric.isChanged)
  }

  @Test func `cannot tell where a counter does not repeat`() throws {
    let metric = try metric(
      Fixture.sample(Fixture.vmSteps, 100, 100),
      Fixture.sample(Fixture.vmSteps, 100, 101)
    )
    #expect(metric.verdict == .cannotTell)
  }

  @Test(arguments: [
    .wallClock, .peakMemory,
    Metric("objects.fetched", unit: .count, direction: .neutral, isExact: true),
  ])
  func `only shows times, memory and what is no cost`(metric: Metric) throws {
    let compared = try self.metric(Fixture.sample(metric, 1, 2, 3), Fixture.sample(metric, 4, 4, 4))
    #expect(compared.verdict == nil)
    #expect(compared.baseline == 2)
    #expect(compared.candidate == 4)
    #expect(compared.ratio == 2)
  }

  @Test func `has no ratio to zero`() throws {
    let metric = try metric(Fixture.sample(Fixture.vmSteps, 0), Fixture.sample(Fixture.vmSteps, 3))
    #expect(metric.ratio == nil)
    #expect(metric.verdict == .regressed)
  }

  @Test func `lists metrics that one side lacks`() throws {
    let compared = try compare(
      Fixture.result("a", Fixture.sample(.wallClock, 1), Fixture.sample(Fixture.vmSteps, 1)),
      Fixture.result("a", Fixture.sample(.userCPU, 1), Fixture.sample(Fixture.vmSteps, 1))
    )
    #expect(compared.metricsOnlyInBaseline.map(\.name) == ["wallClock"])
    #expect(compared.metricsOnlyInCandidate.map(\.name) == ["userCPU"])
    #expect(compared.metrics.map(\.metric.name) == ["sqlite.vmSteps"])
  }

  @Test func `cannot tell of a counter that one side lacks`() throws {
    let (steps, syncs) = (Fixture.vmSteps, Metric.counter("vfs.syncs"))
    let compared = try compare(
      Fixture.result("a", Fixture.sample(steps, 1), Fixture.sample(.wallClock, 1)),
      Fixture.result("a", Fixture.sample(syncs, 1))
    )
    #expect(compared.uncomparedCosts == [steps, syncs])
    let comparison = try Comparison(
      of: Fixture.document(Fixture.workload("a", Fixture.result("a"))),
      against: Fixture.document(
        Fixture.workload("a", Fixture.result("a", Fixture.sample(steps, 1)))
      )
    )
    #expect(comparison.exitStatus() == 0)
    #expect(comparison.exitStatus(requiresVerdict: true) == 3)
  }

  @Test func `shows what a whole trial gave, where each trial gave the same`() throws {
    let metric = try metric(
      Sample(metric: Fixture.vmSteps, trials: [[5, 5, 9], [5, 5, 9]]),
      Sample(metric: Fixture.vmSteps, trials: [[5, 5, 10]])
    )
    #expect(metric.baseline == 19)
    #expect(metric.candidate == 20)
  }

  @Test func `lists cases and workloads that one side lacks`() throws {
    let comparison = try Comparison(
      of: Fixture.document(
        Fixture.workload("a", Fixture.result("a/2"), Fixture.result("a/3")),
        Fixture.workload("c", Fixture.result("c/1"), Fixture.result("c/2"))
      ),
      against: Fixture.document(
        Fixture.workload("a", Fixture.result("a/1"), Fixture.result("a/2")),
        Fixture.workload("b", Fixture.result("b/1"))
      )
    )
    #expect(comparison.workloads.map(\.workload) == ["a", "b", "c"])
    #expect(comparison.workloads.map(\.onlyInBaseline) == [["a/1"], ["b/1"], []])
    #expect(comparison.workloads.map(\.onlyInCandidate) == [["a/3"], [], ["c/1", "c/2"]])
    #expect(comparison.workloads.map { $0.cases.map(\.id) } == [["a/2"], [], []])
    #expect(comparison.exitStatus() == 0)
    #expect(comparison.tally.undecidedCases == 5)
    #expect(comparison.exitStatus(requiresVerdict: true) == 3)
  }

  @Test func `a case that failed counts, also where the baseline does not have it`() throws {
    var (old, new) = (Fixture.result("a/3"), Fixture.result("c/1"))
    (old.outcome, new.outcome) = (.failed("lost a row"), .failed("doubled a row"))
    let comparison = try Comparison(
      of: Fixture.document(
        Fixture.workload("a", Fixture.result("a/2"), old),
        Fixture.workload("c", new)
      ),
      against: Fixture.document(Fixture.workload("a", Fixture.result("a/2")))
    )
    #expect(comparison.workloads.map { $0.cases.map(\.id) } == [["a/2", "a/3"], ["c/1"]])
    #expect(comparison.workloads.map(\.onlyInCandidate) == [[], []])
    #expect(comparison.workloads[1].cases[0].finding == .failed("doubled a row"))
    #expect(comparison.exitStatus() == 1)
  }

  @Test(
    arguments: [
      (
        CaseResult.Outcome.passed, CaseResult.Outcome.failed("lost a row"),
        CaseComparison.Finding.failed("lost a row")
      ),
      (.failed("lost a row"), .passed, .notCompared("the baseline's case failed: lost a row")),
      (
        .failedAsExpected("UNIQUE"), .passed,
        .notCompared("it was refused in the baseline, but passed in the result")
      ),
      (
        .passed, .failedAsExpected("UNIQUE"),
        .notCompared("it passed in the baseline, but was refused in the result")
      ),
      (.failedAsExpected("UNIQUE"), .failedAsExpected("UNIQUE"), .compared([])),
    ])
  func `compares only cases that ended alike`(
    baseline: CaseResult.Outcome,
    candidate: CaseResult.Outcome,
    finding: CaseComparison.Finding
  ) throws {
    let compared = try compare(
      Fixture.result("a", outcome: baseline),
      Fixture.result("a", outcome: candidate)
    )
    #expect(compared.finding == finding)
  }

  @Test(
    arguments: [
      (CaseResult.Outcome.passed, 100, 100, 0, 0),
      (.passed, 101, 101, 2, 2),
      (.passed, 99, 99, 0, 0),
      (.passed, 99, 100, 0, 3),
      (.failed("lost a row"), 101, 101, 1, 1),
    ] as [(CaseResult.Outcome, Double, Double, Int32, Int32)]
  )
  func `exits by the gravest fact`(
    outcome: CaseResult.Outcome,
    first: Double,
    second: Double,
    status: Int32,
    strict: Int32
  ) throws {
    let comparison = try Comparison(
      of: Fixture.document(
        Fixture.workload(
          "a",
          Fixture.result("a/1", outcome: outcome),
          Fixture.result("a/2", Fixture.sample(Fixture.vmSteps, first, second))
        )
      ),
      against: Fixture.document(
        Fixture.workload(
          "a",
          Fixture.result("a/1"),
          Fixture.result("a/2", Fixture.sample(Fixture.vmSteps, 100, 100))
        )
      )
    )
    #expect(comparison.exitStatus() == status)
    #expect(comparison.exitStatus(requiresVerdict: true) == strict)
  }
}
