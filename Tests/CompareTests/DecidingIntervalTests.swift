import Basics
import Testing

@testable import Compare
@testable import Runner

@Suite struct DecidingIntervalTests {
  /// Compares cases with known true changes until each case has a verdict, for at most 400 blocks.
  private func result(_ changes: [Double], seed: UInt64) -> LiveResult {
    var suite = SuiteComparison(cases: changes.count, policy: LivePolicy())
    var noise = SplitMix64(state: seed)
    var blocks = [[LiveCaseResult.Block]](repeating: [], count: changes.count)
    for _ in 0..<400 * changes.count {
      guard let index = suite.nextCase else { break }
      let uniform = (0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -1...1, using: &noise) }
      let logRatio = changes[index] + 0.01 * uniform
      suite.add(logRatio, seconds: 1, to: index)
      blocks[index].append(.init(logRatio: logRatio, isHeadFirst: true, orderEffect: 0, seconds: 1))
    }
    return LiveResult(
      base: "base",
      head: "head",
      seed: seed,
      budget: 1,
      seconds: 1,
      policy: LivePolicy(),
      isInterrupted: false,
      cases: changes.indices.map { index in
        LiveCaseResult(
          workload: "w",
          id: "w/\(index)",
          baseID: "w/\(index)",
          finding: suite.verdict(of: index).map { .verdict($0) } ?? .failed("none"),
          slicing: .iterations,
          blocks: blocks[index]
        )
      }
    )
  }

  @Test(arguments: [UInt64(1), 2])
  func `lies on one side of zero for a change, and within the margin for none`(seed: UInt64) throws
  {
    let result = result([0.2, -0.1, 0.05, 0, 0, 0.001], seed: seed)
    var kinds: Set<String> = []
    for (found, interval) in zip(result.cases, result.decidingIntervals) {
      let interval = try #require(interval)
      switch found.verdict {
      case .changed(let estimate, _, _):
        kinds.insert("changed")
        #expect(estimate > 0 ? interval.lower > 0 : interval.upper < 0)
      case .unchanged:
        kinds.insert("unchanged")
        let margin = result.policy.margin * 1.000001
        #expect(interval.upper <= margin && interval.lower >= -margin)
      case .cannotTell, nil: Issue.record("undecided after 400 blocks")
      }
    }
    #expect(kinds == ["changed", "unchanged"])
  }

  @Test func `has none for a case without blocks`() {
    let empty = LiveCaseResult(
      workload: "w",
      id: "w/0",
      baseID: "w/0",
      slicing: .coarse,
      blocks: []
    )
    var result = result([], seed: 1)
    result.cases = [empty]
    #expect(result.decidingIntervals == [nil])
  }
}
