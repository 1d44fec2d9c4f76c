import Basics
import Foundation
import Runner

/// The result of a live comparison of two sides, with all the data on which its verdicts are based.
package struct LiveResult: Hashable, Sendable {
  package static let currentVersion = 1

  /// The names of the sides; a change is the change from the base to the head (the side under
  /// test).
  package var base: String
  package var head: String
  /// The random seed of the side assignments.
  package var seed: UInt64
  /// The time budget for all cases together, and the time spent on blocks (alternating slices of
  /// both sides), in seconds.
  package var budget: Double
  package var seconds: Double
  package var policy: LivePolicy
  package var isInterrupted: Bool
  package var cases: [LiveCaseResult]
  /// The differences between the sides that their files record.
  package var causes: [Cause] = []
  /// IDs of cases that only one side has.
  package var onlyInBase: [String] = []
  package var onlyInHead: [String] = []
  /// The environment in which the head was measured; `nil` if not recorded.
  package var environment: Environment?

  /// The exit status: 1 if a case failed, 2 if a case got slower by the policy's floor or more, 3
  /// if a required verdict is missing, otherwise 0.
  package func exitStatus(requiresVerdict: Bool = false) -> Int32 {
    if cases.contains(where: \.hasFailed) { return 1 }
    let verdicts = cases.compactMap(\.verdict)
    if verdicts.contains(where: \.isRegression) { return 2 }
    return requiresVerdict && verdicts.contains { !$0.isDecided } ? 3 : 0
  }
}

/// The result of a live comparison for one case.
package struct LiveCaseResult: Hashable, Sendable {
  package enum Finding: Hashable, Sendable {
    case verdict(LiveVerdict)
    /// One side's work or verification failed, for the given reason.
    case failed(String)
  }

  /// The way in which blocks were divided into slices (short timed parts that alternate between the
  /// sides).
  package enum Slicing: String, Hashable, Sendable, Codable {
    /// Slices end between iterations.
    case iterations
    /// Slices end by time, within one long `run`.
    case quanta
    /// A block has a single slice or a few slices, so that the times include fluctuations in the
    /// machine's load.
    case coarse
  }

  /// A block (alternating slices of both sides in two fresh processes), the unit from which all
  /// results are computed.
  package struct Block: Hashable, Sendable, Codable {
    /// The natural logarithm of the ratio of the head's time to the base's.
    package var logRatio: Double
    /// Whether the head's process was started first, according to the random assignment.
    package var isHeadFirst: Bool
    /// The relative increase in a slice's time if it follows a slice of the other side instead of
    /// its own.
    package var orderEffect: Double
    /// The total duration of the block, including starting processes and verification.
    package var seconds: Double
    /// Whether the store was cold; `nil` for a warm case.
    ///
    /// It is `false` if a side of a cold case had more than 5 % of its store in memory when its
    /// work began, or could not determine the share.
    package var isAsCold: Bool?
  }

  /// The name of the head's workload file, with which the ID begins.
  package var workload: String
  /// The ID of the head's case.
  package var id: String
  package var baseID: String
  package var finding = Finding.failed("it was not run")
  package var slicing: Slicing
  /// The number of iterations per slice; `nil` if slices end by time.
  package var iterationsPerSlice: Int?
  package var blocks: [Block]

  package var verdict: LiveVerdict? {
    if case .verdict(let verdict) = finding { verdict } else { nil }
  }

  package var hasFailed: Bool { verdict == nil }

  /// The number of blocks of a cold case whose check of the page cache failed.
  package var notColdBlocks: Int { blocks.count { $0.isAsCold == false } }

  /// The robust standard deviation of the blocks' log ratios; `nil` with fewer than two blocks.
  package var scatter: Double? {
    blocks.count < 2 ? nil : RobustScale.scale(of: blocks.map(\.logRatio))
  }

  /// The total duration of the case's blocks.
  package var seconds: Double { blocks.reduce(0) { $0 + $1.seconds } }

  /// The median of the blocks' order effects: the relative increase in a slice's time if it follows
  /// a slice of the other side.
  package var orderEffect: Double? { Summary(of: blocks.map(\.orderEffect))?.p50 }
}

extension LiveResult {
  /// For each case, the interval of the change on which its verdict is based; `nil` for a case
  /// without blocks.
  ///
  /// *Changed* means that this interval lies on one side of zero, *unchanged* that it lies within
  /// the margin. It differs from the verdict's 95 % interval, which holds for a single case,
  /// whereas verdicts hold for the suite or for an equivalence test.
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
      // Holm's procedure ranks the cases by evidence, and divides the suite's level by the number
      // of cases that are not ranked higher.
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
