import Runner
import Testing

struct ExactnessTests {
  private func unequal(_ metric: Metric, _ trials: [[Double]]) -> [String] {
    CaseResult(
      id: "a/b",
      parameters: [:],
      outcome: .passed,
      samples: [Sample(metric: metric, trials: trials)]
    ).unequalCounters(trials: 3)
  }

  @Test func `a counter that one trial has otherwise is named`() {
    let steps = Metric.counter("sqlite.vmSteps")
    #expect(unequal(steps, [[5, 3], [5, 3], [5, 3]]) == [])
    #expect(unequal(steps, [[5, 3], [5, 3], [3, 5]]) == ["sqlite.vmSteps"])
    #expect(unequal(steps, [[5], [5]]) == ["sqlite.vmSteps"])
  }

  @Test func `what is not exact may differ`() {
    #expect(unequal(.peakMemory, [[1], [2], [3]]) == [])
  }
}
