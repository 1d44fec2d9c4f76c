import Measurement
import PersistentStore
import SQLite

/// One call of `run` between its probes.
struct Iteration<Kind: Workload> {
  struct Outcome {
    var measurements: [TakenMeasurement]
    var notes: [String]
    /// What `run` threw.
    var error: (any Error)?
  }

  let workload: Kind
  let request: TrialRequest
  let probes: Probes
  let cache: PageCache

  func run(_ session: Kind.Session) -> Outcome {
    let recorder = Recorder(timesSteps: request.isProfiled, now: probes.now)
    var outcome = Outcome(measurements: [], notes: [], error: nil)
    if request.cache == .cold { dropAgain(&outcome) }
    if !probes.resetPeakMemory() {
      outcome.notes.append("peak memory since the process began: its reset is not allowed here")
    }
    _ = Library.memoryHighWater(reset: true)
    let files = FileProbe(vfs: CountingVFS.installed, trial: request.trial)
    let usage = probes.usage()
    // The clock is read last before the work and first after it.
    let start = recorder.begin()
    do {
      try workload.run(session, recorder)
    } catch {
      outcome.error = error
    }
    let end = probes.now()
    let used = probes.usage()
    let peak = probes.peakMemory()
    let activity = files?.measurements()
    outcome.take(.wallClock, Double(end - start) / 1e9)
    outcome.take(.userCPU, used.user - usage.user)
    outcome.take(.systemCPU, used.system - usage.system)
    if let peak { outcome.take(.peakMemory, Double(peak)) }
    outcome.take(.sqliteMemory, Double(Library.memoryHighWater()))
    for (metric, value) in recorder.measurements() { outcome.take(metric, value) }
    outcome.take(activity)
    outcome.takeBytes(of: recorder.remainingStore ?? request.trial.store)
    if let undeclared = outcome.undeclared(by: Kind.self) { outcome.error = undeclared }
    if workload.isConcurrent { outcome.makeInexact() }
    return outcome
  }

  /// Drops what `prepare` has read: SQLite maps no file, so that only its own page cache, which
  /// holds the schema, stays warm.
  private func dropAgain(_ outcome: inout Outcome) {
    cache.drop()
    let share = cache.residentShare()
    outcome.take(.residentShare, share)
    if share > 0.05 { outcome.notes.append(Self.unverified) }
  }

  private static var unverified: String {
    "cold, unverified: over 5 % of the store stayed in memory"
  }
}

extension Iteration.Outcome {
  mutating func take(_ metric: Metric, _ value: Double) {
    measurements.append(TakenMeasurement(metric, value))
  }

  /// What was recorded that neither the common catalog nor the kind declares; `nil` for nothing.
  func undeclared(by kind: Kind.Type) -> UndeclaredMetrics? {
    let declared = Set(Metric.catalogue + kind.metrics)
    let names = measurements.map(\.metric).filter { !declared.contains($0) }.map(\.name)
    return names.isEmpty ? nil : UndeclaredMetrics(names: names, kind: kind.kind)
  }

  /// Who came first decides the counters of work that is done side by side.
  mutating func makeInexact() {
    for index in measurements.indices { measurements[index].isExact = false }
  }

  mutating func take(_ activity: FileProbe.Measurements?) {
    guard let activity else { return }
    for (metric, value) in activity.values { take(metric, value) }
    if let note = activity.note { notes.append(note) }
  }

  mutating func takeBytes(of store: StoreFile) {
    take(.storeBytes, Double(store.storeBytes))
    take(.walBytes, Double(store.walBytes))
    take(.externalBytes, Double(store.externalBytes))
    take(.allocatedBytes, Double(store.allocatedBytes))
  }
}
