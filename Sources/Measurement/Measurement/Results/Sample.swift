/// All measurements of one metric for one case.
package struct Sample: Hashable, Sendable {
  package var metric: Metric
  /// The values by trial, then by iteration.
  package var trials: [[Double]]

  package init(metric: Metric, trials: [[Double]]) {
    self.metric = metric
    self.trials = trials
  }

  /// All values, in the order of measurement.
  package var values: [Double] { trials.flatMap { $0 } }
}
