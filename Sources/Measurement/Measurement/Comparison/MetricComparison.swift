/// One metric of one case on both sides.
package struct MetricComparison: Hashable, Sendable {
  package var metric: Metric
  /// What one trial of the baseline gave in all its iterations, where each trial gave the same;
  /// else the median.
  package var baseline: Double
  /// The same of the result.
  package var candidate: Double
  /// `nil` for what is only shown: what is no cost, and times without enough earlier results.
  package var verdict: Verdict?
  /// How much growth the workload file allows, where it says so.
  package var budget: Budget?
  /// What earlier runs make usual, of a metric that is judged by them.
  package var usual: UsualRange?

  /// Compares two samples of one metric; `nil` where one of them is empty.
  package init?(
    _ candidate: Sample,
    against baseline: Sample,
    budget: Budget? = nil,
    usual: UsualRange? = nil
  ) {
    guard let ours = candidate.compared, let theirs = baseline.compared else { return nil }
    metric = baseline.metric
    self.baseline = theirs
    self.candidate = ours
    if metric.isExactCost {
      let isExact = candidate.repeatingTotal != nil && baseline.repeatingTotal != nil
      verdict = isExact ? Self.verdict(ours, over: theirs, budget: budget) : .cannotTell
      self.budget = budget
    } else if let usual, metric.direction == .cost {
      verdict = usual.verdict(of: ours)
      self.usual = usual
    }
  }

  /// The candidate's value as a multiple of the baseline's; `nil` where that is zero.
  package var ratio: Double? { baseline == 0 ? nil : candidate / baseline }

  /// Whether the values differ, whatever is said of it.
  package var isChanged: Bool {
    baseline != candidate || (verdict != nil && verdict != .unchanged)
  }

  private static func verdict(
    _ candidate: Double,
    over baseline: Double,
    budget: Budget?
  ) -> Verdict {
    if candidate == baseline { return .unchanged }
    if candidate < baseline { return .improved }
    return budget?.allows(candidate, over: baseline) == true ? .withinBudget : .regressed
  }
}

extension Sample {
  /// What every trial gave, its iterations added up; `nil` where two trials differ in any of them.
  ///
  /// Exact means that every trial gives the same values. Where they do not, no difference between
  /// two results can be told from their scatter.
  package var repeatingTotal: Double? {
    guard let first = trials.first, !first.isEmpty, trials.allSatisfy({ $0 == first }) else {
      return nil
    }
    return first.reduce(0, +)
  }

  fileprivate var compared: Double? {
    metric.isExact ? repeatingTotal ?? median : median
  }
}
