import Foundation
import Testing

@testable import Compare
@testable import Runner

@Suite struct SuiteComparisonTests {
  private func run(
    changes: [Double],
    deviation: Double = 0.01,
    blocks: Int = 2000,
    policy: LivePolicy = LivePolicy(),
    seed: UInt64 = 61
  ) -> SuiteComparison {
    var noise = NormalDraws(seed: seed)
    var suite = SuiteComparison(cases: changes.count, policy: policy)
    for _ in 0..<blocks {
      guard let index = suite.nextCase else { break }
      suite.add(noise.next(mean: changes[index], deviation: deviation), seconds: 0.25, to: index)
    }
    return suite
  }

  @Test func `finds the changed cases and calls the others unchanged`() {
    let suite = run(changes: [0, 0.05, 0, -0.05, 0])
    #expect(suite.nextCase == nil)
    for index in 0..<5 {
      switch (index, suite.verdict(of: index)) {
      case (1, .changed(let estimate, let interval, false)):
        #expect(estimate > 0.03)
        #expect(interval.lower > 0)
      case (3, .changed(let estimate, let interval, false)):
        #expect(estimate < -0.03)
        #expect(interval.upper < 0)
      case (0, .unchanged), (2, .unchanged), (4, .unchanged): break
      default: Issue.record("\(index): \(String(describing: suite.verdict(of: index)))")
      }
    }
  }

  @Test func `measures each case in turn before it prefers any`() {
    var suite = SuiteComparison(cases: 3, policy: LivePolicy())
    var order: [Int] = []
    for block in 0..<9 {
      guard let index = suite.nextCase else { break }
      order.append(index)
      suite.add(block.isMultiple(of: 2) ? 0.1 : -0.1, seconds: 1, to: index)
    }
    #expect(order == [0, 1, 2, 0, 1, 2, 0, 1, 2])
  }

  @Test func `then spends its time where a verdict is near`() {
    var suite = SuiteComparison(cases: 2, policy: LivePolicy())
    var noise = NormalDraws(seed: 67)
    for _ in 0..<8 {
      suite.add(noise.next(deviation: 0.3), seconds: 1, to: 0)
      suite.add(noise.next(mean: 0.04, deviation: 0.01), seconds: 1, to: 1)
    }
    #expect(suite.nextCase == 1)
  }

  @Test func `runs no more blocks of a decided case, and takes none in`() {
    var suite = run(changes: [0.05])
    let blocks = suite.comparisons[0].logRatios.count
    let verdict = suite.verdict(of: 0)
    suite.add(-1, seconds: 1, to: 0)
    #expect(suite.comparisons[0].logRatios.count == blocks)
    #expect(suite.verdict(of: 0) == verdict)
    #expect(verdict?.isDecided == true)
  }

  @Test func `leaves out a case that failed, at the same level for the others`() {
    var suite = SuiteComparison(cases: 2, policy: LivePolicy())
    suite.remove(0)
    #expect(suite.verdict(of: 0) == nil)
    #expect(suite.nextCase == 1)
    suite.remove(1)
    #expect(suite.nextCase == nil)
  }

  @Test func `cannot tell within too few blocks, and says what is missing`() throws {
    let suite = run(changes: [0, 0], deviation: 0.1, blocks: 24)
    guard case .cannotTell(let shortfall) = try #require(suite.verdict(of: 0)) else {
      Issue.record("noise of 10 % hides everything")
      return
    }
    #expect(try #require(shortfall.blocks) > 100)
    #expect(try #require(shortfall.seconds) > 25)
  }

  @Test func `has nothing to say before the first block`() {
    let suite = SuiteComparison(cases: 1, policy: LivePolicy())
    let nothing = Shortfall(blocks: nil, seconds: nil, scale: nil)
    #expect(suite.verdict(of: 0) == .cannotTell(nothing))
    #expect(suite.nextCase == 0)
  }

  @Test func `alarms in no more whole suites than the level says`() {
    var policy = LivePolicy()
    policy.suiteLevel = 0.2
    let alarms = (0..<25).count { seed in
      let suite = run(
        changes: [0, 0, 0, 0],
        blocks: 160,
        policy: policy,
        seed: 1000 + UInt64(seed)
      )
      return (0..<4).contains {
        if case .changed = suite.verdict(of: $0) { true } else { false }
      }
    }
    // The seeds are fixed, so the bound is the error rate itself, without a tolerance for chance.
    #expect(alarms <= 5)
  }

  /// The error rate is 20 % instead of 0.5 %, so that there are enough false alarms to count.
  @Test func `pairs without a change raise an alarm in no larger share of runs than one pair may`()
    throws
  {
    var policy = LivePolicy()
    policy.suiteLevel = 0.2
    func runsWithAlarm(_ policy: LivePolicy) -> Int {
      (0..<40).count { run in
        (0..<8).contains { pair in
          let suite = self.run(
            changes: [0],
            deviation: 0.05,
            blocks: 30,
            policy: policy,
            seed: UInt64(1_000 * run + pair)
          )
          if case .changed = suite.verdict(of: 0) { return true }
          return false
        }
      }
    }
    // An alarm is permitted in 20 % of 40 runs: in 8 runs, plus two standard deviations.
    #expect(runsWithAlarm(policy.divided(among: 8)) <= 13)
    #expect(runsWithAlarm(policy) > 13)
  }
}

@Suite struct HolmTests {
  private func logs(_ values: [Double]) -> [Int: Double] {
    let logs = values.map { log($0 * 1.000001) }
    return Dictionary(uniqueKeysWithValues: zip(logs.indices, logs))
  }

  // A level of 0.01 and four cases give Holm's thresholds of 400, 300, 200 and 100.
  @Test(
    arguments: [
      ([399, 399, 399, 399], []),
      ([400, 299, 299, 1], [0]),
      ([1, 300, 400, 199], [1, 2]),
      ([100, 200, 300, 400], [0, 1, 2, 3]),
      ([400, 100, 100, 100], [0]),
    ] as [([Double], Set<Int>)]
  )
  func `steps down through the suite by Holm`(values: [Double], rejected: Set<Int>) {
    #expect(Holm(suite: 4, level: 0.01).rejected(logs(values)) == rejected)
  }

  @Test func `keeps the size of the suite when a case is gone`() {
    let procedure = Holm(suite: 4, level: 0.01)
    #expect(procedure.rejected([1: log(399)]).isEmpty)
    #expect(procedure.nextLogThreshold(rejected: 1) == log(300))
  }

  /// `history run --confirm` measures several pairs of commits and reads all verdicts together.
  @Test func `several comparisons that share one error need what one of them all would need`() {
    let part = LivePolicy().divided(among: 7)
    let alone = Holm(suite: 3, level: part.suiteLevel).nextLogThreshold(rejected: 0)
    let joined = Holm(suite: 21, level: LivePolicy().suiteLevel).nextLogThreshold(rejected: 0)
    #expect(abs(alone - joined) < 1e-12)
    #expect(LivePolicy().divided(among: 1) == LivePolicy())
  }
}
