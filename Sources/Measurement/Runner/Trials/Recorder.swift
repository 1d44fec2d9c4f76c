import Measurement
import PersistentStore
import SQLite

/// Takes what a workload reports while it runs: phases, marks and counts.
///
/// One recorder serves one iteration. When `run` returns, the runner reads the counters of the
/// connections that are still observed, before anything is closed.
package final class Recorder {
  private struct Observed {
    let connection: Connection
    let counters: Counters
    let stepNanoseconds: UInt64
  }

  /// Nanoseconds of a clock that only rises; a closure, so that tests move time by hand.
  private let now: () -> UInt64
  private var start: UInt64 = 0
  private var phases: [String: UInt64] = [:]
  private var marks: [String: UInt64] = [:]
  private var counts: [String: Int64] = [:]
  private var values: [(metric: Metric, value: Double)] = []
  private var observed: [Observed] = []
  private var settled: [String: Int64] = [:]
  private var stepNanoseconds: UInt64 = 0
  private var isPartial = false
  /// Where the work may be made to wait, and how many steps of a statement lie between two places.
  private var pause: (steps: Int32, place: () -> Void)?
  /// Whether observed connections time the steps of their statements.
  package let timesSteps: Bool
  /// The store that the work left, where it is not the trial's own.
  package private(set) var remainingStore: StoreFile?

  package init(timesSteps: Bool = false, now: @escaping () -> UInt64) {
    self.timesSteps = timesSteps
    self.now = now
  }

  // MARK: What a workload calls

  /// Counts what a connection does from here on.
  package func observe(_ connection: Connection) {
    if let pause {
      connection.interrupt(every: pause.steps) {
        pause.place()
        return false
      }
    }
    connection.timesSteps = timesSteps
    observed.append(
      Observed(
        connection: connection,
        counters: connection.counters,
        stepNanoseconds: connection.stepNanoseconds
      )
    )
  }

  /// Takes the counters of a connection that `run` closes, and lets go of it.
  ///
  /// An observed connection stays open until the iteration has ended, whoever else gives it up.
  package func settle(_ connection: Connection) {
    for index in observed.indices.reversed() where observed[index].connection === connection {
      take(observed.remove(at: index))
    }
  }

  /// Says that connections which nobody observes do a part of the work: how long all of it is
  /// inside SQLite is then not known.
  package func worksUnobserved() {
    isPartial = true
  }

  /// Runs a part of the work and adds its time to the metric `phase.NAME`.
  package func phase<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
    let began = now()
    defer {
      phases[name, default: 0] += now() - began
      pause?.place()
    }
    return try body()
  }

  /// Records the time since the iteration began under the metric of that name, the first time.
  package func mark(_ metric: String) {
    if marks[metric] == nil { marks[metric] = now() - start }
    pause?.place()
  }

  /// Adds to an exact counter, named with its family: `objects.faultsFired`.
  package func count(_ counter: String, _ amount: Int = 1) {
    counts[counter, default: 0] += Int64(amount)
  }

  /// Records a value that the work knows itself, such as a size between two of its phases.
  package func record(_ metric: Metric, _ value: Double) {
    values.append((metric, value))
  }

  /// Says that the work left another store than the trial's own, whose bytes are then reported.
  package func leaves(_ store: StoreFile) {
    remainingStore = store
  }

  // MARK: What the runner calls

  /// Calls a closure wherever the work can be made to wait: after marks and phases, and within the
  /// statements of observed connections after every so many steps.
  func pauses(every steps: Int32, at place: @escaping () -> Void) {
    pause = (steps, place)
  }

  /// Starts the iteration's time; the last thing before `run`.
  package func begin() -> UInt64 {
    start = now()
    return start
  }

  /// What was recorded, in the order of the metrics' names; times in seconds.
  package func measurements() -> [(metric: Metric, value: Double)] {
    while let last = observed.popLast() { take(last) }
    var result = values
    for (name, nanoseconds) in phases {
      result.append((.phase(name), Double(nanoseconds) / 1e9))
    }
    for (name, nanoseconds) in marks {
      result.append((Metric.known(name, unit: .seconds), Double(nanoseconds) / 1e9))
    }
    for (name, count) in counts { result.append((.known(name, unit: .count), Double(count))) }
    for (name, count) in settled {
      result.append((.known("sqlite.\(name)", unit: .count), Double(count)))
    }
    if timesSteps, !settled.isEmpty, !isPartial {
      result.append((.sqliteTime, Double(stepNanoseconds) / 1e9))
    }
    return result.sorted { $0.metric.name < $1.metric.name }
  }

  private func take(_ observed: Observed) {
    let counters = observed.connection.counters - observed.counters
    for (name, value) in counters.named { settled[name, default: 0] += value }
    stepNanoseconds += observed.connection.stepNanoseconds - observed.stepNanoseconds
    observed.connection.timesSteps = false
  }
}

extension Metric {
  /// The catalogue's metric of a name; an unknown one is a cost, exact where it is a count.
  fileprivate static func known(_ name: String, unit: Unit) -> Metric {
    named(name) ?? Metric(name, unit: unit, isExact: unit == .count)
  }
}
