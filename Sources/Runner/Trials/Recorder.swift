import Measurement
import SQLite

/// Takes what a workload reports while it runs: phases, marks and counts.
///
/// The runner reads the registered connections' counters when `run` returns, before it closes
/// anything.
package final class Recorder {
  /// Nanoseconds of a clock that only rises; a closure, so that tests move time by hand.
  private let now: () -> UInt64
  private var start: UInt64 = 0
  private var phases: [String: UInt64] = [:]
  private var marks: [String: UInt64] = [:]
  private var counts: [String: Int64] = [:]
  private var connections: [(connection: Connection, before: Counters)] = []
  /// Whether registered connections time the steps of their statements.
  package let timesSteps: Bool

  package init(timesSteps: Bool = false, now: @escaping () -> UInt64) {
    self.timesSteps = timesSteps
    self.now = now
  }

  /// Counts what a connection does from here on.
  package func observe(_ connection: Connection) {
    connection.timesSteps = timesSteps
    connections.append((connection, connection.counters))
  }

  /// Starts the iteration's time.
  package func begin() {
    start = now()
  }

  /// Runs a part of the work and adds its time to the metric `phase.NAME`.
  package func phase<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
    let began = now()
    defer { phases[name, default: 0] += now() - began }
    return try body()
  }

  /// Records the time since the iteration began under the metric of that name, the first time.
  package func mark(_ metric: String) {
    if marks[metric] == nil { marks[metric] = now() - start }
  }

  /// Adds to an exact counter, named with its family: `objects.faultsFired`.
  package func count(_ counter: String, _ amount: Int = 1) {
    counts[counter, default: 0] += Int64(amount)
  }

  /// What was recorded, by metric name, in name order: seconds for times.
  package func measurements() -> [(metric: Metric, value: Double)] {
    var result: [(metric: Metric, value: Double)] = []
    for (name, nanoseconds) in phases {
      result.append((Metric("phase.\(name)", unit: .seconds), Double(nanoseconds) / 1e9))
    }
    for (name, nanoseconds) in marks {
      result.append((Metric(name, unit: .seconds), Double(nanoseconds) / 1e9))
    }
    for (name, count) in counts { result.append((.counter(name), Double(count))) }
    for (name, count) in sqliteCounters() {
      result.append((.counter("sqlite.\(name)"), Double(count)))
    }
    if timesSteps {
      let spent = connections.reduce(0) { $0 + $1.connection.stepNanoseconds }
      result.append((.sqliteTime, Double(spent) / 1e9))
    }
    return result.sorted { $0.metric.name < $1.metric.name }
  }

  private func sqliteCounters() -> [String: Int64] {
    var total: [String: Int64] = [:]
    for (connection, before) in connections {
      for (name, value) in (connection.counters - before).named { total[name, default: 0] += value }
    }
    return total
  }
}
