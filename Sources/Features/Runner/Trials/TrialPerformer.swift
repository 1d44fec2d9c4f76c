import Basics
import PersistentStore
import SQLite

/// Runs trials, either in this process or in one process per trial.
package protocol TrialExecutor: Sendable {
  /// Runs a trial; problems of the trial are reported as a failed outcome.
  ///
  /// - Throws: ``Refusal/interrupted`` if the run is asked to stop.
  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse

  /// Runs a trial, and may prepare the next one once all clocks of this trial have stopped.
  ///
  /// - Throws: ``Refusal/interrupted`` if the run is asked to stop.
  func execute(
    _ request: TrialRequest,
    within limits: TrialLimits,
    before next: NextTrial?
  ) throws -> TrialResponse
}

extension TrialExecutor {
  /// Runs a trial without preparing the next one.
  package func execute(
    _ request: TrialRequest,
    within limits: TrialLimits,
    before next: NextTrial?
  ) throws -> TrialResponse {
    try execute(request, within: limits)
  }
}

/// The next trial, which may be prepared while the outcome of the current one is checked.
package struct NextTrial {
  package let limits: TrialLimits
  /// Copies the trial's store in advance, if possible.
  package let copyStore: () -> Void

  package init(limits: TrialLimits, copyStore: @escaping () -> Void = {}) {
    (self.limits, self.copyStore) = (limits, copyStore)
  }
}

/// Runs trials in the current process, in tests and inside a worker.
package struct InProcessExecutor: TrialExecutor {
  package let kinds: [any WorkloadKind.Type]
  package let probes: Probes
  private let didMeasure: @Sendable () -> Void

  /// Creates an executor that calls `didMeasure` after a trial's last clock reading, before the
  /// outcome is checked.
  package init(
    kinds: [any WorkloadKind.Type],
    probes: Probes = .system,
    didMeasure: @escaping @Sendable () -> Void = {}
  ) {
    self.kinds = kinds
    self.probes = probes
    self.didMeasure = didMeasure
  }

  package func execute(
    _ request: TrialRequest,
    within limits: TrialLimits
  ) throws -> TrialResponse {
    guard let kind = kinds.first(where: { $0.name == request.kind }) else {
      return TrialResponse(outcome: .failed("there is no workload kind '\(request.kind)'"))
    }
    return perform(kind, request)
  }

  private func perform<Kind: WorkloadKind>(_ kind: Kind.Type, _ request: TrialRequest)
    -> TrialResponse
  {
    TrialPerformer(
      workload: kind.init(parameters: request.parameters),
      request: request,
      probes: probes,
      didMeasure: didMeasure
    ).perform()
  }
}

/// One trial of a workload, from preparation to verification.
package struct TrialPerformer<Kind: WorkloadKind> {
  fileprivate struct Outcome {
    var measurements: [TakenMeasurement]
    var notes: [String]
    var error: (any Error)?
  }

  package let workload: Kind
  package let request: TrialRequest
  package let probes: Probes

  private let traits: CaseTraits
  private let didMeasure: () -> Void
  private var trial: Trial { request.trial }

  package init(
    workload: Kind,
    request: TrialRequest,
    probes: Probes,
    didMeasure: @escaping () -> Void = {}
  ) {
    (self.workload, self.request, self.probes) = (workload, request, probes)
    self.didMeasure = didMeasure
    traits = workload.traits
  }

  package func perform() -> TrialResponse {
    switch request.task {
    case .makeStartingStore: trial.naming(makeStartingStore())
    case .measure, .launch: trial.naming(measure())
    }
  }

  private func makeStartingStore() -> TrialResponse {
    do {
      try workload.makeStartingStore(trial)
      return TrialResponse(outcome: .passed(Verification(digest: "")))
    } catch {
      return TrialResponse(outcome: .failed("while making its starting store: \(described(error))"))
    }
  }

  private func measure() -> TrialResponse {
    let began = MonotonicClock.seconds()
    // Create the page cache before a connection opens. For a cold trial, the pages that `prepare`
    // reads are dropped again.
    let cache = PageCache(of: trial.store)
    switch request.cache {
    case .cold: cache.drop()
    case .warm: cache.warm()
    }
    Recorder.warmUp(for: Kind.self)
    let session: Kind.Session
    do {
      session = try workload.prepare(trial)
    } catch {
      return TrialResponse(outcome: .failed("preparing: \(described(error))"))
    }
    var response = iterate(session, cache)
    if case .failed = response.outcome { response.iterations = [] }
    response.clockResolution = probes.clockResolution()
    response.times?.endPreparation(after: MonotonicClock.seconds() - began)
    return response
  }

  private func iterate(_ session: Kind.Session, _ cache: PageCache) -> TrialResponse {
    var (iterations, notes): ([[TakenMeasurement]], [String]) = ([], [])
    let start = MonotonicClock.seconds()
    for index in -request.warmUps..<request.iterations {
      let iteration = runOnce(session, cache, isWarmUp: index < 0)
      if index >= 0 { iterations.append(iteration.measurements) }
      notes += iteration.notes.filter { !notes.contains($0) }
      guard let error = iteration.error else { continue }
      return checked(session, failure: error, iterations, notes, since: start)
    }
    return checked(session, failure: nil, iterations, notes, since: start)
  }

  private func checked(
    _ session: Kind.Session,
    failure: (any Error)?,
    _ iterations: [[TakenMeasurement]],
    _ notes: [String],
    since start: Double
  ) -> TrialResponse {
    let middle = MonotonicClock.seconds()
    didMeasure()
    var response = response(session, failure: failure, iterations, notes)
    let end = MonotonicClock.seconds()
    response.times = TrialResponse.Times(work: middle - start, checks: end - middle)
    return response
  }

  private func runOnce(
    _ session: Kind.Session,
    _ cache: PageCache,
    isWarmUp: Bool
  ) -> Outcome {
    let log = isWarmUp ? nil : Connection.commonObserver as? SQLDebugWriter
    let recorder = Recorder(timesCalls: request.isProfiled, now: probes.now, usage: probes.usage)
    var outcome = Outcome(measurements: [], notes: [], error: nil)
    if request.cache == .cold { dropAgain(cache, &outcome) }
    if !probes.resetPeakMemory() {
      outcome.notes.append(
        "peak memory is measured since the process began: this system does not allow a reset"
      )
    }
    _ = Library.memoryHighWater(reset: true)
    let files = Probes.FileProbe(vfs: CountingVFS.installed, trial: request.trial)
    let usage = probes.usage()
    log?.begin(request.trial.store)
    // Read the clock last before the work and first after it, so that the measured time excludes
    // the other measurements.
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
    do { try log?.end() } catch { outcome.error = error }
    let aside = recorder.excluded
    outcome.take(.wallClock, Double(end - start - aside.nanoseconds) / 1e9)
    outcome.take(.userCPU, max(0, used.user - usage.user - aside.processor.user))
    outcome.take(.systemCPU, max(0, used.system - usage.system - aside.processor.system))
    if let peak { outcome.take(.peakMemory, Double(peak)) }
    outcome.take(.sqliteMemory, Double(Library.memoryHighWater()))
    for (metric, value) in recorder.measurements() { outcome.take(metric, value) }
    outcome.take(activity)
    outcome.takeBytes(of: recorder.remainingStore ?? request.trial.store)
    if let undeclared = outcome.undeclared(by: Kind.self) { outcome.error = undeclared }
    if traits.isConcurrent { outcome.makeInexact() }
    return outcome
  }

  /// Drops the pages that `prepare` has read.
  ///
  /// SQLite does not memory-map files, so only its own page cache, which holds the schema, stays
  /// warm.
  private func dropAgain(_ cache: PageCache, _ outcome: inout Outcome) {
    cache.drop()
    let share = cache.residentShare()
    outcome.take(.residentShare, share)
    if !PageCache.isCold(share) { outcome.notes.append(CaseResult.notCold) }
  }

  /// Checks that the work succeeded or failed as the case expects, and verifies the outcome.
  package func response(
    _ session: Kind.Session,
    failure: (any Error)?,
    _ iterations: [[TakenMeasurement]] = [],
    _ notes: [String] = []
  ) -> TrialResponse {
    let failed = { (cause: String) in TrialResponse(outcome: .failed(cause), notes: notes) }
    if let failure {
      guard let expected = traits.expectedFailure else { return failed(described(failure)) }
      guard "\(failure)".contains(expected) else {
        return failed("expected the error '\(expected)', got: \(described(failure))")
      }
    }
    // Stop injecting faults, because the work is over.
    CountingVFS.installed?.faults?.rest()
    if failure == nil, let expected = traits.expectedFailure {
      return failed("it had to fail with '\(expected)', but did not")
    }
    guard request.task != .launch else {
      return TrialResponse(outcome: .passed(Verification(digest: "")), iterations: iterations)
    }
    do {
      let evidence = try evidence(session, failure)
      let found: Verification
      if let verified = request.verified, verified.evidence == evidence {
        found = verified.verification
      } else {
        found = try workload.verify(session, trial)
      }
      let outcome: TrialResponse.Outcome =
        failure.map { .failedAsExpected(Self.cause(of: $0), found) } ?? .passed(found)
      var response = TrialResponse(
        outcome: outcome,
        iterations: iterations,
        notes: notes + found.notes
      )
      response.evidence = evidence
      return response
    } catch {
      return failed(described(error))
    }
  }

  private func described(_ error: any Error) -> String {
    guard error.hasFullDisk else { return "\(error)" }
    let needed = traits.diskBytes(from: trial.original.bytes)
    return FullDisk.advice(error, folder: trial.folder, needed: needed)
  }

  private func evidence(_ session: Kind.Session, _ failure: (any Error)?) throws -> String? {
    guard var evidence = workload.evidence(session, trial) else { return nil }
    evidence.facts.append(failure.map { "\($0)" } ?? "")
    return try evidence.digest()
  }

  /// Returns the cause of an expected failure, without the statement, which may be long.
  private static func cause(of error: any Error) -> String {
    (error as? SQLiteError).map { "SQLite error \($0.code): \($0.message)" } ?? "\(error)"
  }
}

extension TrialPerformer.Outcome {
  package mutating func take(_ metric: Metric, _ value: Double) {
    measurements.append(TakenMeasurement(metric, value))
  }

  /// Returns the measured metrics that neither the catalog nor the kind declares, or `nil` if there
  /// are none.
  package func undeclared(by kind: Kind.Type) -> UndeclaredMetrics? {
    let declared = Set(Metric.catalogue + kind.metrics)
    let names = measurements.map(\.metric).filter {
      !declared.contains($0) && !(kind.description.namesParts && $0.isOfNamedPart)
    }.map(\.name)
    return names.isEmpty ? nil : UndeclaredMetrics(names: names, kind: kind.name)
  }

  /// Marks all measurements as inexact, because the timing of threads affects the counters of
  /// concurrent work.
  package mutating func makeInexact() {
    for index in measurements.indices { measurements[index].isExact = false }
  }

  package mutating func take(_ activity: Probes.FileProbe.Measurements?) {
    guard let activity else { return }
    for (metric, value) in activity.values { take(metric, value) }
    if let note = activity.note { notes.append(note) }
  }

  package mutating func takeBytes(of store: StoreFile) {
    take(.storeBytes, Double(store.storeBytes))
    take(.walBytes, Double(store.walBytes))
    take(.externalBytes, Double(store.externalBytes))
    take(.allocatedBytes, Double(store.allocatedBytes))
  }
}
