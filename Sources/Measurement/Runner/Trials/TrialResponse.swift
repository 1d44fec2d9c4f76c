import Measurement
import SQLite

/// What a worker answers.
package struct TrialResponse: Codable, Hashable, Sendable {
  /// How the work ended.
  package enum Outcome: Codable, Hashable, Sendable {
    case passed(Verification)
    /// The work threw this error, as its case said it must.
    case failedAsExpected(String, Verification)
    /// The work or its verification failed, for this cause.
    case failed(String)
  }

  package var outcome: Outcome
  /// The measurements of each iteration; none of a failed trial.
  package var iterations: [[TakenMeasurement]]
  package var notes: [String]
  /// The smallest step of the clock that the times were taken with, in seconds.
  package var clockResolution: Double
  /// What happened to files until the work was done, where faults were asked for.
  package var events: [FileEvent.Kind: Int]?

  package init(
    outcome: Outcome,
    iterations: [[TakenMeasurement]] = [],
    notes: [String] = [],
    clockResolution: Double = 0
  ) {
    self.outcome = outcome
    self.iterations = iterations
    self.notes = notes
    self.clockResolution = clockResolution
  }
}

/// One number from one iteration, with all that is known of its metric.
package struct TakenMeasurement: Codable, Hashable, Sendable {
  package var name: String
  package var unit: Metric.Unit
  package var direction: Metric.Direction
  package var isExact: Bool
  package var value: Double

  package init(_ metric: Metric, _ value: Double) {
    name = metric.name
    unit = metric.unit
    direction = metric.direction
    isExact = metric.isExact
    self.value = value
  }

  package var metric: Metric {
    Metric(name, unit: unit, direction: direction, isExact: isExact)
  }
}
