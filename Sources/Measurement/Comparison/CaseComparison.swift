/// One case that both sides have, or that failed and only the result has.
package struct CaseComparison: Hashable, Sendable {
  /// What could be said of the case.
  package enum Finding: Hashable, Sendable {
    /// The metrics that both sides have, in name order.
    case compared([MetricComparison])
    /// The result's case failed; the baseline's did not, or did as well.
    case failed(String)
    /// The sides ended differently, so that their values are of different work.
    case notCompared(String)
  }

  package var id: String
  package var finding: Finding
  /// Names of metrics that one side lacks, in name order.
  package var metricsOnlyInBaseline: [String]
  package var metricsOnlyInCandidate: [String]

  /// Compares a case with the case of the same ID.
  package init(_ candidate: CaseResult, against baseline: CaseResult) {
    id = baseline.id
    finding = CaseComparison.finding(of: candidate, against: baseline)
    let ours = Set(candidate.samples.map(\.metric.name))
    let theirs = Set(baseline.samples.map(\.metric.name))
    metricsOnlyInBaseline = theirs.subtracting(ours).sorted()
    metricsOnlyInCandidate = ours.subtracting(theirs).sorted()
  }

  /// A case that failed and that the baseline does not have; `nil` for one that did not fail.
  init?(failedIn candidate: CaseResult) {
    guard case .failed(let reason) = candidate.outcome else { return nil }
    id = candidate.id
    finding = .failed(reason)
    metricsOnlyInBaseline = []
    metricsOnlyInCandidate = []
  }

  /// The comparisons by metric; none for a case that was not compared.
  package var metrics: [MetricComparison] {
    guard case .compared(let metrics) = finding else { return [] }
    return metrics
  }

  private static func finding(
    of candidate: CaseResult,
    against baseline: CaseResult
  ) -> Finding {
    switch (baseline.outcome, candidate.outcome) {
    case (_, .failed(let reason)): .failed(reason)
    case (.failed(let reason), _): .notCompared("the baseline's case failed: \(reason)")
    case (.passed, .failedAsExpected):
      .notCompared("it passed in the baseline, and failed as expected in the result")
    case (.failedAsExpected, .passed):
      .notCompared("it failed as expected in the baseline, and passed in the result")
    case (.passed, .passed), (.failedAsExpected, .failedAsExpected):
      .compared(compared(candidate, against: baseline))
    }
  }

  private static func compared(
    _ candidate: CaseResult,
    against baseline: CaseResult
  ) -> [MetricComparison] {
    baseline.samples.sorted { $0.metric.name < $1.metric.name }.compactMap { sample in
      candidate.sample(of: sample.metric.name).flatMap {
        MetricComparison($0, against: sample)
      }
    }
  }
}
