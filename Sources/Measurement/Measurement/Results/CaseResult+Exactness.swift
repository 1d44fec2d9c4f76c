extension CaseResult {
  /// The samples of exact metrics.
  package var exactSamples: [Sample] { samples.filter(\.metric.isExact) }

  /// The names of exact metrics that are not the same in every trial, which nothing explains but a
  /// cause of change that was overlooked.
  package func unequalCounters(trials: Int) -> [String] {
    exactSamples.filter { $0.trials.count != trials || Set($0.trials).count != 1 }
      .map(\.metric.name)
  }
}
