import Basics
import Foundation
import Runner

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
    var process = EquivalenceProcess(
      margin: log1p(policy.margin),
      level: policy.equivalenceLevel
    )
    for logRatio in logRatios { process.add(logRatio) }
    return process
  }
}

extension LiveCaseResult {
  fileprivate var isChanged: Bool {
    if case .verdict(.changed) = finding { true } else { false }
  }
}
