import Runner

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
  /// The metrics that one side lacks, in name order.
  package var metricsOnlyInBaseline: [Metric]
  package var metricsOnlyInCandidate: [Metric]
  /// Whether the case worked on other content for a known cause: what has no budget is only shown.
  package var hasOtherContent = false

  /// Compares a case with the case of the same ID.
  init(
    _ candidate: CaseResult,
    against baseline: CaseResult,
    _ change: ContentChange? = nil,
    by rules: (Metric) -> (budget: Budget?, usual: UsualRange?) = { _ in (nil, nil) }
  ) {
    id = baseline.id
    let isOther = change?.changes(candidate, from: baseline) ?? false
    finding = CaseComparison.finding(of: candidate, against: baseline, by: rules) { metric in
      isOther || change?.concerns(metric) == true
    }
    hasOtherContent = isOther
    metricsOnlyInBaseline = CaseComparison.metrics(of: baseline, lackedBy: candidate)
    metricsOnlyInCandidate = CaseComparison.metrics(of: candidate, lackedBy: baseline)
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

  /// The exact costs that one side alone has, in name order: nothing can be told of them.
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
  /// What one trial of the baseline gave in all its iterations, where each trial gave the same;
  /// else the median.
  package var baseline: Double
  /// The same of the result.
  package var candidate: Double
  /// `nil` for what is only shown: what is no cost, times without enough earlier results, and costs
  /// of other content that have no budget.
  package var verdict: Verdict?
  /// How much growth the workload file allows, where it says so.
  package var budget: Budget?
  /// What earlier runs make usual, of a metric that is judged by them.
  package var usual: UsualRange?
  /// Whether an exact cost differs because the content changed, and nothing says how much it may.
  package var isOfOtherContent = false

  /// Compares two samples of one metric; `nil` where one of them is empty.
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
  fileprivate var compared: Double? {
    metric.isExact ? repeatingTotal ?? median : median
  }
}

/// What a comparison says of one metric of one case.
package enum Verdict: String, Codable, Hashable, Sendable {
  case improved
  case unchanged
  case regressed
  /// It rose, by no more than the workload file's budget allows.
  case withinBudget
  /// Exact values that do not repeat within one side: a difference between the sides says nothing.
  case cannotTell
}
