import Measurement
import SQLite

/// The measurements of a case's trials, gathered by metric.
struct SampleTable {
  private var metrics: [String: Metric] = [:]
  private var values: [String: [[Double]]] = [:]
  private var trialCount = 0

  /// Starts the next trial.
  mutating func beginTrial() {
    trialCount += 1
  }

  /// Adds an iteration to the trial that was begun last.
  ///
  /// Of measurements of one name in one iteration the first counts.
  mutating func add(_ iteration: [TakenMeasurement]) {
    var names: Set<String> = []
    for measurement in iteration where names.insert(measurement.name).inserted {
      let name = measurement.name
      metrics[name] = metrics[name] ?? measurement.metric
      var trials = values[name] ?? []
      while trials.count < trialCount { trials.append([]) }
      trials[trialCount - 1].append(measurement.value)
      values[name] = trials
    }
  }

  /// The samples in the order of the metrics' names.
  ///
  /// Without what a class of files never did: the totals say that it is zero, and a case would
  /// have dozens of such rows.
  var samples: [Sample] {
    metrics.values.sorted { $0.name < $1.name }.map { metric in
      Sample(metric: metric, trials: (values[metric.name] ?? []).filter { !$0.isEmpty })
    }.filter { !$0.isIdleClass }
  }
}

extension Sample {
  private static let classFamilies = FileClass.allCases.map { "vfs.\($0.name)." }

  fileprivate var isIdleClass: Bool {
    Self.classFamilies.contains(where: metric.name.hasPrefix) && values.allSatisfy { $0 == 0 }
  }
}
