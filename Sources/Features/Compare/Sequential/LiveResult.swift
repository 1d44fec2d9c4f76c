import Basics
import Foundation
import Runner

/// What a live comparison of two sides has found, with all that its verdicts were made of.
package struct LiveResult: Hashable, Sendable {
  package static let currentVersion = 1

  /// The sides by name; a change is that of the head against the base.
  package var base: String
  package var head: String
  /// Random seed of the side assignments.
  package var seed: UInt64
  /// Seconds for all cases together, as they were given and as they were spent on blocks.
  package var budget: Double
  package var seconds: Double
  package var policy: LivePolicy
  package var isInterrupted: Bool
  package var cases: [LiveCaseResult]
  /// In what the sides differ, as far as their files say.
  package var causes: [Cause] = []
  /// IDs of cases that only one side has.
  package var onlyInBase: [String] = []
  package var onlyInHead: [String] = []
  /// Where the head was measured; `nil` if not recorded.
  package var environment: Environment?

  /// The exit status: 1 a case failed, 2 one got slower by the floor or more, 3 cannot tell (where
  /// asked for), else 0.
  package func exitStatus(requiresVerdict: Bool = false) -> Int32 {
    if cases.contains(where: \.hasFailed) { return 1 }
    let verdicts = cases.compactMap(\.verdict)
    if verdicts.contains(where: \.isRegression) { return 2 }
    return requiresVerdict && verdicts.contains { !$0.isDecided } ? 3 : 0
  }
}

/// What a live comparison has found of one case.
package struct LiveCaseResult: Hashable, Sendable {
  package enum Finding: Hashable, Sendable {
    case verdict(LiveVerdict)
    /// One side's work or verification failed, for this cause.
    case failed(String)
  }

  /// How its blocks were cut.
  package enum Slicing: String, Hashable, Sendable, Codable {
    /// Between iterations.
    case iterations
    /// By time, within one long `run`.
    case quanta
    /// Hardly or not at all: what comes and goes on the machine is in the times.
    case coarse
  }

  /// One block, the unit that everything is computed from.
  package struct Block: Hashable, Sendable, Codable {
    /// The natural logarithm of head over base.
    package var logRatio: Double
    /// Whether the random assignment started the head's process first.
    package var isHeadFirst: Bool
    /// How much longer a slice takes after one of the other side than after its own, as a share.
    package var orderEffect: Double
    /// All that the block took, processes and verification included.
    package var seconds: Double
    /// `false` where a side of a cold case had over 5 % of its store in memory when its work began, or
    /// could not tell; `nil` for a warm case.
    package var isAsCold: Bool?
  }

  /// The name of the head's workload file, which the ID begins with.
  package var workload: String
  /// The head's ID.
  package var id: String
  package var baseID: String
  package var finding = Finding.failed("it was not run")
  package var slicing: Slicing
  /// `nil` for slices of time.
  package var iterationsPerSlice: Int?
  package var blocks: [Block]

  package var verdict: LiveVerdict? {
    if case .verdict(let verdict) = finding { verdict } else { nil }
  }

  package var hasFailed: Bool { verdict == nil }

  /// The blocks of a cold case whose check of the page cache has failed.
  package var notColdBlocks: Int { blocks.count { $0.isAsCold == false } }

  /// The robust standard deviation of the blocks' log ratios; `nil` with fewer than two.
  package var scatter: Double? {
    blocks.count < 2 ? nil : RobustScale.scale(of: blocks.map(\.logRatio))
  }

  /// All that its blocks took.
  package var seconds: Double { blocks.reduce(0) { $0 + $1.seconds } }

  /// The blocks' median of how much longer a slice takes after one of the other side, as a share.
  package var orderEffect: Double? { Summary(of: blocks.map(\.orderEffect))?.p50 }
}

extension LiveResult {
  /// For each case, the interval of the change that its verdict rests on, from its blocks; `nil` for
  /// a case without blocks.
  ///
  /// *Changed* means that this interval lies on one side of zero, *unchanged* that it lies within the
  /// margin. The 95 % interval of a verdict is another one: it holds for its case alone, while
  /// verdicts hold for the suite, or for an equivalence test.
  package var decidingIntervals: [ChangeInterval?] {
    let evidence = cases.map { found -> Double in
      let process = SymmetryProcess(of: found.blocks.map(\.logRatio))
      return process.largestLogEValue
    }
    let changed = cases.indices.filter { cases[$0].isChanged }
      .sorted { (evidence[$1], $0) < (evidence[$0], $1) }
    return cases.indices.map { index in
      let logRatios = cases[index].blocks.map(\.logRatio)
      guard !logRatios.isEmpty else { return nil }
      if case .verdict(.unchanged) = cases[index].finding,
        let bounds = equivalence(of: logRatios).excludedBounds(by: logRatios)
      {
        return ChangeInterval(lower: expm1(bounds.lower), upper: expm1(bounds.upper))
      }
      let rank = changed.firstIndex(of: index) ?? changed.count
      // At the level that decides the case which so many others precede by their evidence.
      let others = Double(max(1, cases.count - rank))
      return ChangeInterval(
        ConfidenceSequence(of: logRatios, level: policy.suiteLevel / others, isRunning: true)
      )
    }
  }

  private func equivalence(of logRatios: [Double]) -> EquivalenceProcess {
    var process = EquivalenceProcess(margin: log1p(policy.margin), level: policy.equivalenceLevel)
    for logRatio in logRatios { process.add(logRatio) }
    return process
  }
}

extension LiveCaseResult {
  fileprivate var isChanged: Bool {
    if case .verdict(.changed) = finding { true } else { false }
  }
}
