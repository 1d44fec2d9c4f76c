import PersistentStore
import SQLite

/// Takes what a workload reports while it runs: phases, marks and counts.
///
/// One recorder serves one iteration. When `run` returns, the runner reads the counters of the
/// connections that are still observed, before anything is closed.
public final class Recorder {
  private struct Observed {
    let connection: Connection
    let counters: Counters
  }

  /// Nanoseconds of a clock that only rises; a closure, so that tests move time by hand.
  private let now: () -> UInt64
  private let usage: () -> Probes.ProcessorTime
  private var start: UInt64 = 0
  private var phases: [Metric: UInt64] = [:]
  private var marks: [Metric: UInt64] = [:]
  private var counts: [Metric: Int] = [:]
  private var values: [(metric: Metric, value: Double)] = []
  private var observed: [Observed] = []
  private var hasObserved = false
  /// The clocks of the connections that were observed, with what each had before.
  private var clocks: [(clock: CallClock, before: UInt64)] = []
  private var isPartial = false
  /// Where the work may be made to wait, and how many steps of a statement lie between two places.
  private var pause: (steps: Int32, place: () -> Void)?
  /// Steps of SQLite's that observed connections may still run; `nil` for any number.
  private var stepsLeft: Int?
  /// Steps between two looks at what is left.
  private static let stepsBetweenLooks: Int32 = 1_000
  /// Whether observed connections time SQLite's calls.
  package let timesCalls: Bool
  /// What `aside` took, to be taken from the time of the work.
  package private(set) var excluded = Exclusion()
  /// The store that the work left, where it is not the trial's own.
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

  /// Records each metric once and forgets it: the runtime makes declarations and dictionaries at
  /// their first use, which would otherwise lie in the timed work.
  package static func warmUp(for kind: any WorkloadKind.Type) {
    let recorder = Recorder(now: { 0 })
    for metric in Metric.catalogue + kind.metrics {
      recorder.phase(metric) {}
      recorder.mark(metric)
      recorder.count(metric)
    }
    _ = recorder.measurements()
  }

  // MARK: What a workload calls

  /// Counts what a connection does from here on, or since it was opened.
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
    // What opening took is work of SQLite's as well, where it was a part of the work.
    clocks.append((clock, clock.nanoseconds &- (wasOpenedNow ? opening : 0)))
  }

  /// Gives up statements of connections observed from now on, once they have run so many steps of
  /// SQLite's together, as a watchdog ends an app that takes too long; `nil` gives up none.
  package func limit(steps: Int?) {
    stepsLeft = steps
  }

  /// Whether no step is left after so many more.
  private func spend(_ steps: Int) -> Bool {
    guard let left = stepsLeft else { return false }
    stepsLeft = left - steps
    return left <= steps
  }

  /// Lets go of every observed connection as a process does that is ended: what a WAL holds stays
  /// there.
  package func abandon() {
    while let last = observed.popLast() {
      last.connection.keepWALAtClose()
      take(last)
    }
  }

  /// Takes the counters of a connection that `run` closes, and lets go of it.
  ///
  /// An observed connection stays open until the iteration has ended, whoever else gives it up.
  package func settle(_ connection: Connection) {
    for index in observed.indices.reversed() where observed[index].connection === connection {
      take(observed.remove(at: index))
    }
  }

  /// Records that connections without counters do a part of the work: the time inside SQLite is
  /// then unknown.
  package func worksUnobserved() {
    isPartial = true
  }

  /// Nanoseconds and seconds of the processor that are no part of the work.
  package struct Exclusion: Hashable, Sendable {
    package var nanoseconds: UInt64 = 0
    /// How often the clocks stopped.
    package var count = 0
    var processor = Probes.ProcessorTime()
  }

  /// Does what is no part of the work, such as digesting what was read: the clocks stop meanwhile.
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

  /// The time of the work: it stands still in `aside`.
  private var workTime: UInt64 { now() - excluded.nanoseconds }

  /// Runs a part of the work and adds its time to the metric of that phase.
  public func phase<Result>(_ phase: Metric, _ body: () throws -> Result) rethrows -> Result {
    let began = workTime
    defer {
      phases[phase, default: 0] += workTime - began
      pause?.place()
    }
    return try body()
  }

  /// Records the time since the iteration began, the first time.
  public func mark(_ metric: Metric) {
    if marks[metric] == nil { marks[metric] = workTime - start }
    pause?.place()
  }

  /// Adds to an exact counter.
  public func count(_ counter: Metric, _ amount: Int = 1) {
    counts[counter, default: 0] += amount
  }

  /// Records a whole number in place of an earlier one, such as what is in memory after a part of the
  /// work that is done several times.
  package func set(_ metric: Metric, _ amount: Int) {
    counts[metric] = amount
  }

  /// Adds what a connection did within a part of the work to that part's own counters.
  package func count(_ counters: Counters, as part: SQLiteMetrics) {
    for (metric, value) in part.values(of: counters) { count(metric, Int(value)) }
  }

  /// Adds what was done to files of the case's own, from an earlier reading on.
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

  /// Adds what a context has done to objects that were there, from an earlier reading on.
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

  /// Counts all that a context has done to objects and to files of external storage.
  package func count(_ context: ObjectContext) {
    let objects = context.statistics
    count(objects)
    count(.objects.inserted, objects.inserted)
    count(.objects.held, objects.held)
    count(context.fileCounters)
  }

  /// Records a value that the work knows itself, such as a size between two of its phases.
  public func record(_ metric: Metric, _ value: Double) {
    values.append((metric, value))
  }

  /// Says that the work left another store than the trial's own, whose bytes are then reported.
  package func leaves(_ store: StoreFile) {
    remainingStore = store
  }

  // MARK: What the runner calls

  /// Calls a closure wherever the work can be made to wait: after marks and phases, and within the
  /// statements of observed connections after every so many steps.
  package func pauses(every steps: Int32, at place: @escaping () -> Void) {
    pause = (steps, place)
  }

  /// Starts the iteration's time; the last thing before `run`.
  package func begin() -> UInt64 {
    start = now()
    return start
  }

  /// What was recorded, in the order of the metrics' names; times in seconds.
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

/// Metrics that the work recorded and that nothing declares: a mistake in the kind.
struct UndeclaredMetrics: Error, Hashable, CustomStringConvertible {
  let names: [String]
  let kind: String

  var description: String {
    let quoted = names.map { "'\($0)'" }.joined(separator: ", ")
    return "the kind '\(kind)' records \(quoted) without declaring it: add it to the kind's "
      + "'metrics'"
  }
}
