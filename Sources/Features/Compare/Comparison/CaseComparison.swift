import Runner

/// A case that both sides (the baseline and the result) have, or that failed in the result and is
/// missing from the baseline.
package struct CaseComparison: Hashable, Sendable {
  /// The outcome of comparing the case.
  package enum Finding: Hashable, Sendable {
    /// The metrics that both sides have, in name order.
    case compared([MetricComparison])
    /// The case failed in the result, regardless of whether it failed in the baseline.
    case failed(String)
    /// The case cannot be compared, because it ended differently on the two sides.
    case notCompared(String)
  }

  package var id: String
  package var finding: Finding
  /// The metrics of the case that only one side has, in name order.
  package var metricsOnlyInBaseline: [Metric]
  package var metricsOnlyInCandidate: [Metric]
  /// Whether the case worked on different content on the two sides, for a known reason.
  ///
  /// In such a case, costs without a budget are shown but not judged.
  package var hasOtherContent = false

  init(
    _ candidate: CaseResult,
    against baseline: CaseResult,
    _ change: ContentChange?,
    by rules: (Metric) -> (budget: Budget?, usual: UsualRange?)
  ) {
    id = baseline.id
    let (candidate, baseline) = (
      candidate.withIdleClasses(of: baseline), baseline.withIdleClasses(of: candidate)
    )
    let isOther = change?.changes(candidate, from: baseline) ?? false
    finding = CaseComparison.finding(of: candidate, against: baseline, by: rules) { metric in
      isOther || change?.concerns(metric) == true
    }
    hasOtherContent = isOther
    metricsOnlyInBaseline = CaseComparison.metrics(of: baseline, lackedBy: candidate)
    metricsOnlyInCandidate = CaseComparison.metrics(of: candidate, lackedBy: baseline)
  }

  /// Creates the comparison of a failed case that the baseline lacks; returns `nil` if the case did
  /// not fail.
  init?(failedIn candidate: CaseResult) {
    guard case .failed(let reason) = candidate.outcome else { return nil }
    id = candidate.id
    finding = .failed(reason)
    metricsOnlyInBaseline = []
    metricsOnlyInCandidate = []
  }

  /// Whether the case was compared, but costs without a budget were not judged, because the content
  /// changed.
  package var hasUnjudgedCosts: Bool {
    guard case .compared(let metrics) = finding else { return false }
    return hasOtherContent || metrics.contains(where: \.isOfOtherContent)
  }

  /// The metrics that both sides have, in name order; empty if the case itself was not compared.
  package var metrics: [MetricComparison] {
    guard case .compared(let metrics) = finding else { return [] }
    return metrics
  }

  /// The exact costs that only one side has, sorted by name; empty if the case cannot be compared.
  package var uncomparedCosts: [Metric] {
    guard case .compared = finding else { return [] }
    return (metricsOnlyInBaseline + metricsOnlyInCandidate).filter(\.isExactCost).sorted {
      $0.name < $1.name
    }
  }

  private static func metrics(of result: CaseResult, lackedBy other: CaseResult) -> [Metric] {
    let theirs = Set(other.samples.map(\.metric.name))
    return result.samples.map(\.metric).filter { !theirs.contains($0.name) }.sorted {
      $0.name < $1.name
    }
  }

  private static func finding(
    of candidate: CaseResult,
    against baseline: CaseResult,
    by rules: (Metric) -> (budget: Budget?, usual: UsualRange?),
    isOther: (Metric) -> Bool
  ) -> Finding {
    switch (baseline.outcome, candidate.outcome) {
    case (_, .failed(let reason)): .failed(reason)
    case (.failed(let reason), _): .notCompared("the baseline's case failed: \(reason)")
    case (.passed, .failedAsExpected):
      .notCompared("it passed in the baseline, but was refused in the result")
    case (.failedAsExpected, .passed):
      .notCompared("it was refused in the baseline, but passed in the result")
    case (.passed, .passed), (.failedAsExpected, .failedAsExpected):
      .compared(
        baseline.samples.sorted { $0.metric.name < $1.metric.name }.compactMap { sample in
          let (budget, usual) = rules(sample.metric)
          return candidate.sample(of: sample.metric.name).flatMap {
            MetricComparison(
              $0,
              against: sample,
              budget: budget,
              usual: usual,
              isOtherContent: isOther(sample.metric)
            )
          }
        }
      )
    }
  }
}

/// One metric of one case on both sides.
package struct MetricComparison: Hashable, Sendable {
  package var metric: Metric
  /// The baseline's value: for an exact metric, the total of a trial's iterations, provided all
  /// trials agree; otherwise the median.
  package var baseline: Double
  /// The result's value, determined in the same way as the baseline's.
  package var candidate: Double
  /// The verdict; `nil` if the metric is only shown.
  ///
  /// Some metrics are only shown: metrics other than costs, times without enough earlier results,
  /// and costs that have no budget in a case whose content changed.
  package var verdict: Verdict?
  /// The increase in the cost that the workload file allows, if any.
  package var budget: Budget?
  /// The usual range of the metric in earlier runs; `nil` if the metric is not judged by earlier
  /// runs.
  package var usual: UsualRange?
  /// Whether an exact cost differs because the content changed, and no budget limits the
  /// difference.
  package var isOfOtherContent = false

  /// Compares two samples of one metric; returns `nil` if either is empty.
  package init?(
    _ candidate: Sample,
    against baseline: Sample,
    budget: Budget? = nil,
    usual: UsualRange? = nil,
    isOtherContent: Bool = false
  ) {
    guard let ours = candidate.compared, let theirs = baseline.compared else { return nil }
    metric = baseline.metric
    self.baseline = theirs
    self.candidate = ours
    if metric.isExactCost {
      let isExact = candidate.repeatingTotal != nil && baseline.repeatingTotal != nil
      isOfOtherContent = isOtherContent && budget == nil && ours != theirs
      if !isOfOtherContent {
        verdict = isExact ? Self.verdict(ours, over: theirs, budget: budget) : .cannotTell
      }
      self.budget = budget
    } else if let usual, metric.direction == .cost, !isOtherContent {
      verdict = usual.verdict(of: ours)
      self.usual = usual
    }
  }

  /// The result's value divided by the baseline's; `nil` if the baseline's value is zero.
  package var ratio: Double? { baseline == 0 ? nil : candidate / baseline }

  /// Whether the values differ, or a verdict other than *unchanged* was reached.
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
  fileprivate var compared: Double? {
    metric.isExact ? repeatingTotal ?? median : median
  }
}

/// The verdict of a comparison on one metric of one case.
package enum Verdict: String, Codable, Hashable, Sendable {
  case improved
  case unchanged
  case regressed
  /// The cost rose within the budget of the workload file.
  case withinBudget
  /// The exact values differ between trials of one side, so a difference between the sides is
  /// meaningless.
  case cannotTell
}
