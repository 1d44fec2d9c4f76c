import PersistentStore
import SQLite

/// Records what a workload reports while it runs: phases, marks and counts.
///
/// Each iteration has its own recorder. When `run` returns, the runner reads the counters of the
/// connections that are still observed, before they close.
public final class Recorder {
  private struct Observed {
    let connection: Connection
    let counters: Counters
  }

  private let now: () -> UInt64
  private let usage: () -> Probes.ProcessorTime
  private var start: UInt64 = 0
  private var phases: [Metric: UInt64] = [:]
  private var marks: [Metric: UInt64] = [:]
  private var counts: [Metric: Int] = [:]
  private var values: [(metric: Metric, value: Double)] = []
  private var observed: [Observed] = []
  private var hasObserved = false
  private var clocks: [(clock: CallClock, before: UInt64)] = []
  private var isPartial = false
  private var pause: (steps: Int32, place: () -> Void)?
  /// The remaining number of SQLite steps for observed connections; `nil` if unlimited.
  private var stepsLeft: Int?
  private static let stepsBetweenLooks: Int32 = 1_000
  /// Whether observed connections time their calls to SQLite.
  package let timesCalls: Bool
  /// The time spent outside the timed work, which is subtracted from the total.
  package private(set) var excluded = Exclusion()
  /// The store that the work left behind; `nil` if it is the trial's own store.
  package private(set) var remainingStore: StoreFile?

  package init(
    timesCalls: Bool = false,
    now: @escaping () -> UInt64,
    usage: @escaping () -> Probes.ProcessorTime = { Probes.ProcessorTime() }
  ) {
    self.timesCalls = timesCalls
    self.now = now
    self.usage = usage
  }

  /// Records every metric once in a scratch recorder, because the first use of declarations and
  /// dictionaries is slow and would otherwise be part of the timed work.
  package static func warmUp(for kind: any WorkloadKind.Type) {
    let recorder = Recorder(now: { 0 })
    for metric in Metric.catalogue + kind.metrics {
      recorder.phase(metric) {}
      recorder.mark(metric)
      recorder.count(metric)
    }
    _ = recorder.measurements()
  }

  // MARK: Called by the workload

  /// Counts the activity of a connection from now on or, if `sinceOpening` is set, since it was
  /// opened.
  package func observe(_ connection: Connection, sinceOpening: Bool = false) {
    if pause != nil || stepsLeft != nil {
      let steps = pause?.steps ?? Self.stepsBetweenLooks
      connection.interrupt(every: steps) { [weak self, pause] in
        pause?.place()
        return self?.spend(Int(steps)) ?? false
      }
    }
    let before = sinceOpening ? Counters() : connection.counters
    observed.append(Observed(connection: connection, counters: before))
    guard timesCalls else { return }
    connection.timesCalls = true
    let wasOpenedNow = connection.opening.at >= start
    let (clock, opening) = (connection.callClock, connection.opening.nanoseconds)
    // If the connection was opened during the work, its opening counts as time inside SQLite.
    clocks.append((clock, clock.nanoseconds &- (wasOpenedNow ? opening : 0)))
  }

  /// Limits the total number of SQLite steps of connections observed from now on; `nil` removes the
  /// limit.
  ///
  /// At the limit, their statements are interrupted, like a slow app that the watchdog terminates.
  package func limit(steps: Int?) {
    stepsLeft = steps
  }

  private func spend(_ steps: Int) -> Bool {
    guard let left = stepsLeft else { return false }
    stepsLeft = left - steps
    return left <= steps
  }

  /// Releases every observed connection as if its process had been killed: closing a connection
  /// then does not move the content of the WAL into the store.
  package func abandon() {
    while let last = observed.popLast() {
      last.connection.keepWALAtClose()
      take(last)
    }
  }

  /// Records the counters of a connection that `run` is about to close, and stops observing it.
  ///
  /// The recorder otherwise keeps an observed connection open until the iteration ends.
  package func settle(_ connection: Connection) {
    for index in observed.indices.reversed() where observed[index].connection === connection {
      take(observed.remove(at: index))
    }
  }

  /// Records that connections without counters do part of the work, so that the time inside SQLite
  /// is unknown.
  package func worksUnobserved() {
    isPartial = true
  }

  /// The wall clock time and processor time spent outside the timed work.
  package struct Exclusion: Hashable, Sendable {
    package var nanoseconds: UInt64 = 0
    /// The number of times that the clocks were stopped.
    package var count = 0
    var processor = Probes.ProcessorTime()
  }

  /// Runs a closure outside the timed work, for example to compute a digest of the data that was
  /// read.
  public func aside<Result>(_ body: () throws -> Result) rethrows -> Result {
    let began = now()
    let before = usage()
    defer {
      let used = usage()
      excluded.processor.user += used.user - before.user
      excluded.processor.system += used.system - before.system
      excluded.count += 1
      excluded.nanoseconds += now() - began
    }
    return try body()
  }

  private var workTime: UInt64 { now() - excluded.nanoseconds }

  /// Runs a part of the work and adds its time to the metric of its phase.
  public func phase<Result>(_ phase: Metric, _ body: () throws -> Result) rethrows -> Result {
    let began = workTime
    defer {
      phases[phase, default: 0] += workTime - began
      pause?.place()
    }
    return try body()
  }

  /// Records the time since the iteration began; only the first call per metric counts.
  public func mark(_ metric: Metric) {
    if marks[metric] == nil { marks[metric] = workTime - start }
    pause?.place()
  }

  /// Adds an amount to an exact counter.
  public func count(_ counter: Metric, _ amount: Int = 1) {
    counts[counter, default: 0] += amount
  }

  /// Replaces the value of a counter, for example the number of objects in memory after a repeated
  /// part of the work.
  package func set(_ metric: Metric, _ amount: Int) {
    counts[metric] = amount
  }

  /// Adds a connection's counters for one part of the work to the metrics of that part.
  package func count(_ counters: Counters, as part: SQLiteMetrics) {
    for (metric, value) in part.values(of: counters) { count(metric, Int(value)) }
  }

  /// Adds the increase in the counters of the case's own files since an earlier reading.
  package func count(
    _ files: FileBytes.Counters,
    since earlier: FileBytes.Counters = FileBytes().counters
  ) {
    count(.files.opens, files.opens - earlier.opens)
    count(.files.reads, files.reads - earlier.reads)
    count(.files.readBytes, files.readBytes - earlier.readBytes)
    count(.files.writes, files.writes - earlier.writes)
    count(.files.writeBytes, files.writeBytes - earlier.writeBytes)
    count(.files.syncs, files.syncs - earlier.syncs)
    count(.files.folderSyncs, files.folderSyncs - earlier.folderSyncs)
    count(.files.renames, files.renames - earlier.renames)
    count(.files.deletes, files.deletes - earlier.deletes)
  }

  /// Adds the increase in an object context's counters since an earlier reading, except inserted
  /// and held objects.
  package func count(
    _ objects: ObjectContext.Statistics,
    since earlier: ObjectContext.Statistics = .init()
  ) {
    count(.objects.materialised, objects.materialised - earlier.materialised)
    count(.objects.faultsFired, objects.faultsFired - earlier.faultsFired)
    count(.objects.saves, objects.saves - earlier.saves)
    count(.objects.saveStatements, objects.saveStatements - earlier.saveStatements)
    count(.objects.updated, objects.updated - earlier.updated)
    count(.objects.deleted, objects.deleted - earlier.deleted)
  }

  /// Adds all counters of an object context: objects, saves and files of external storage.
  package func count(_ context: ObjectContext) {
    let objects = context.statistics
    count(objects)
    count(.objects.inserted, objects.inserted)
    count(.objects.held, objects.held)
    count(context.fileCounters)
  }

  /// Records a value that the work itself determines, such as the size of a file between two
  /// phases.
  public func record(_ metric: Metric, _ value: Double) {
    values.append((metric, value))
  }

  /// Declares that the work left behind a store other than the trial's own; the bytes of that store
  /// are then reported.
  package func leaves(_ store: StoreFile) {
    remainingStore = store
  }

  // MARK: Called by the runner

  /// Calls a closure at every point at which a live comparison can pause the work.
  ///
  /// These points are after marks, after phases, and after every given number of steps of an
  /// observed connection's statements.
  package func pauses(every steps: Int32, at place: @escaping () -> Void) {
    pause = (steps, place)
  }

  /// Starts the clock of the iteration; must be the last call before `run`.
  package func begin() -> UInt64 {
    start = now()
    return start
  }

  /// Returns everything that was recorded, sorted by metric name, with times in seconds.
  package func measurements() -> [(metric: Metric, value: Double)] {
    while let last = observed.popLast() {
      take(last)
      last.connection.timesCalls = false
    }
    var result = values
    for times in [phases, marks] {
      result += times.map { ($0.key, Double($0.value) / 1e9) }
    }
    result += counts.map { ($0.key, Double($0.value)) }
    if timesCalls, hasObserved, !isPartial {
      let nanoseconds = clocks.reduce(0) { $0 &+ $1.clock.nanoseconds &- $1.before }
      result.append((.sqliteTime, Double(nanoseconds) / 1e9))
    }
    return result.sorted { $0.metric.name < $1.metric.name }
  }

  private func take(_ observed: Observed) {
    let work = observed.connection.counters - observed.counters
    hasObserved = true
    count(work, as: Metric.sqlite)
  }
}

extension SQLiteMetrics {
  fileprivate func values(of counters: Counters) -> [(metric: Metric, value: Int64)] {
    [
      (vmSteps, counters.vmSteps), (fullScanSteps, counters.fullScanSteps),
      (sorts, counters.sorts), (autoIndexRows, counters.autoIndexRows),
      (reprepares, counters.reprepares), (statementsPrepared, counters.statementsPrepared),
      (statementsRun, counters.statementsRun), (cacheHits, counters.cacheHits),
      (cacheMisses, counters.cacheMisses), (cacheWrites, counters.cacheWrites),
      (cacheSpills, counters.cacheSpills),
    ]
  }
}

/// The error thrown if a workload kind records metrics that it does not declare.
struct UndeclaredMetrics: Error, Hashable, CustomStringConvertible {
  let names: [String]
  let kind: String

  var description: String {
    let quoted = names.map { "'\($0)'" }.joined(separator: ", ")
    return "the kind '\(kind)' records \(quoted) without declaring it: add it to the kind's "
      + "'metrics'"
  }
}
