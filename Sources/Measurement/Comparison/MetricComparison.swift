/// One metric of one case on both sides.
package struct MetricComparison: Hashable, Sendable {
  package var metric: Metric
  /// The median of the baseline's sample.
  package var baseline: Double
  /// The median of the result's sample.
  package var candidate: Double
  /// `nil` for what is only shown: times, and counters where more is no cost.
  package var verdict: Verdict?

  /// Compares two samples of one metric; `nil` where one of them is empty.
  package init?(_ candidate: Sample, against baseline: Sample) {
    guard let ours = candidate.median, let theirs = baseline.median else { return nil }
    metric = baseline.metric
    self.baseline = theirs
    self.candidate = ours
    verdict = MetricComparison.verdict(of: candidate, against: baseline)
  }

  /// The candidate's value as a multiple of the baseline's; `nil` where that is zero.
  package var ratio: Double? { baseline == 0 ? nil : candidate / baseline }

  /// Whether the values differ, whatever is said of it.
  package var isChanged: Bool { baseline != candidate || isJudgedChanged }

  private var isJudgedChanged: Bool {
    switch verdict {
    case .improved, .regressed, .cannotTell: true
    case .unchanged, nil: false
    }
  }

  // Exact means that every trial gives the same values, iteration by iteration. Where they are
  // not, the metric was not exact here, and no difference can be told from its scatter.
  private static func verdict(of candidate: Sample, against baseline: Sample) -> Verdict? {
    guard baseline.metric.isExact, baseline.metric.direction == .cost else { return nil }
    guard let ours = candidate.repeatingTrial, let theirs = baseline.repeatingTrial,
      ours.count == theirs.count
    else { return .cannotTell }
    let (sum, baselineSum) = (ours.reduce(0, +), theirs.reduce(0, +))
    if sum == baselineSum { return .unchanged }
    return sum > baselineSum ? .regressed : .improved
  }
}

extension Sample {
  /// The values that every trial gave; `nil` where two trials differ or there is none.
  fileprivate var repeatingTrial: [Double]? {
    guard let first = trials.first, !first.isEmpty else { return nil }
    return trials.allSatisfy { $0 == first } ? first : nil
  }
}
