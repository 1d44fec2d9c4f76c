import Basics

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

extension Metric.Unit {
  /// A value with the unit that suits it: `12.4 ms`, `41.2 MB`.
  package func text(_ value: Double, _ rounding: Figures.Rounding = .aligned) -> String {
    switch self {
    case .seconds: Figures.seconds(value, rounding)
    case .bytes: Figures.bytes(value, rounding)
    case .count, .ratio:
      rounding == .significant ? Figures.significant(value) : Figures.grouped(value)
    }
  }

  /// The scales that values of the unit are shown in; none for what is only counted.
  package var scales: [Figures.Scale] {
    switch self {
    case .seconds: Figures.Scale.seconds
    case .bytes: Figures.Scale.bytes
    case .count, .ratio: []
    }
  }
}
