import PersistentStore
import SQLite

/// Runs the trials of one case, one at a time, and combines them into its result.
struct CaseRunner {
  let planned: Case
  let file: WorkloadFile
  let original: PreparedStore
  let executor: any TrialExecutor
  /// Whether a profiled trial, which measures the time inside SQLite, follows the timed trials.
  let isProfiled: Bool
  let log: SQLDebugWriter.Options?
  let order: TrialOrder
  let times: TimeSpent
  let verified: VerifiedOutcomes
  let didFinishTrial: (_ count: Int, _ total: Int) throws -> Void

  private var traits: CaseTraits { planned.traits }

  private var iterations: Int { traits.onlyReads ? file.trials.iterations : 1 }

  /// The number of processes per timed trial: each cold iteration runs in its own process.
  private var runsPerTrial: Int { file.trials.cache == .cold ? iterations : 1 }

  private(set) var progress = Progress()
  private var trialCount: Int

  init(
    planned: Case,
    file: WorkloadFile,
    original: PreparedStore,
    executor: any TrialExecutor,
    isProfiled: Bool,
    log: SQLDebugWriter.Options?,
    order: TrialOrder,
    times: TimeSpent,
    verified: VerifiedOutcomes,
    didFinishTrial: @escaping (_ count: Int, _ total: Int) throws -> Void
  ) {
    self.planned = planned
    self.file = file
    self.original = original
    self.executor = executor
    self.isProfiled = isProfiled
    self.log = log
    self.order = order
    self.times = times
    self.verified = verified
    self.didFinishTrial = didFinishTrial
    trialCount = file.trials.trials
  }

  mutating func goOn(to count: Int) { trialCount = count }

  /// Runs a timed trial; does nothing if the case has already failed.
  ///
  /// The first trial of a read-only case is followed by a check that the store has not changed.
  mutating func runTrial(_ trial: Int, on stores: inout TrialStores) throws {
    guard !progress.hasFailed else { return }
    progress.table.beginTrial()
    for run in 0..<runsPerTrial where !progress.hasFailed {
      let response = try execute(trial: trial, on: &stores)
      progress.take(response, trial: trial, of: trialCount)
      try didFinishTrial(trial * runsPerTrial + run + 1, runCount)
    }
    if trial == 0, traits.onlyReads, let change = try stores.changeOfSharedCopy() {
      progress.failure = "it must only read, but \(change)"
    }
  }

  private var runCount: Int {
    trialCount * runsPerTrial + (isProfiled ? 1 : 0) + (log == nil ? 0 : 1)
  }

  mutating func runFurtherTrials(on stores: inout TrialStores) throws {
    if isProfiled, !progress.hasFailed {
      let response = try execute(trial: file.trials.trials, isProfiled: true, on: &stores)
      progress.takeProfile(response)
      try didFinishTrial(file.trials.trials * runsPerTrial + 1, runCount)
    }
    guard var log else { return }
    log.title = "storebench: case \(planned.id)"
    if progress.hasFailed {
      // Log a failed case up to the failure, on a separate copy of the store, because the trial may
      // change the store.
      var own = stores.separate
      defer { own.remove() }
      _ = try execute(trial: file.trials.trials, log: log, on: &own)
    } else {
      let response = try execute(trial: file.trials.trials, log: log, on: &stores)
      progress.takeLogged(response)
    }
    try didFinishTrial(runCount, runCount)
  }

  /// Marks the case as failed for a reason outside its trials; an earlier failure is kept.
  mutating func fail(_ cause: String) {
    progress.failure = progress.failure ?? cause
  }

  func execute(
    trial: Int,
    isProfiled: Bool = false,
    log: SQLDebugWriter.Options? = nil,
    on stores: inout TrialStores
  ) throws -> TrialResponse {
    let store = try times.copying {
      traits.onlyReads ? try stores.sharedCopy() : try stores.freshCopy()
    }
    let request = TrialRequest(
      kind: file.kind.name,
      parameters: planned.allParameters,
      trial: original.trial(
        on: store,
        start: stores.start,
        folder: try stores.workFolder(),
        file: file
      ),
      cache: file.trials.cache,
      iterations: isProfiled || log != nil || file.trials.cache == .cold ? 1 : iterations,
      warmUps: traits.onlyReads ? file.trials.warmUps : 0,
      isProfiled: isProfiled,
      log: log,
      verified: verified[planned, file, stores.start]
    )
    let (limits, next) = (file.limits(of: planned, trial: trial), order.next(after: planned, trial))
    let response = try times.executing {
      try executor.execute(request, within: limits, before: next)
    }
    if let found = response.verified { verified[planned, file, stores.start] = found }
    return response
  }

  var outcome: Outcome {
    let parameters = planned.shownParameters.values.filter { !$0.value.isUnnamedScript }
      .mapValues { $0.description }
    var result = CaseResult(
      id: planned.id,
      parameters: parameters,
      outcome: .passed,
      behaviours: traits.behaviours,
      notes: planned.notes + traits.notes,
      job: traits.goal,
      method: traits.method,
      variation: planned.variation
    )
    result.entities = file.entities(namedBy: planned)
    if !traits.onlyReads, file.trials.iterations > 1 {
      result.notes.append("one iteration per trial, because it changes its store")
    }
    result.notes += progress.notes.filter { !result.notes.contains($0) }
    if let failure = progress.failure {
      result.outcome = .failed(failure)
      return Outcome(result: result, endState: traits.endState, digest: nil)
    }
    let isRefused = progress.expectedFailure != nil
    if let expected = progress.expectedFailure { result.outcome = .failedAsExpected(expected) }
    result.losses = progress.losses
    let floor = ClockFloor(resolution: progress.clockResolution)
    let samples = floor.split(progress.table.samples)
    let isTimed = samples.reported.contains { $0.metric == .wallClock }
    result.samples = samples.reported + (isTimed ? progress.profile : [])
    // A case that failed as expected has no time, because it did not complete its work.
    if isRefused { result.samples.removeAll { $0.metric.unit == .seconds } }
    result.samples.sort { $0.metric.name < $1.metric.name }
    let unequal = result.unequalCounters(trials: trialCount)
    if !unequal.isEmpty {
      result.notes.append("not the same in every trial: " + unequal.joined(separator: ", "))
    }
    if !samples.tooShort.isEmpty {
      result.notes.append(
        "not reported, because below 100 times the clock's resolution: "
          + samples.tooShort.joined(separator: ", ")
      )
    }
    result.digest = isRefused ? nil : progress.digest
    return Outcome(result: result, endState: traits.endState, digest: progress.digest)
  }

  struct Outcome {
    var result: CaseResult
    let endState: String
    /// The digest of the store's content after the work, even if the work failed as expected.
    let digest: String?
  }

  struct Progress {
    var table = SampleTable()
    private(set) var profile: [Sample] = []
    var failure: String?
    private(set) var expectedFailure: String?
    private(set) var digest: String?
    private(set) var notes: [String] = []
    private(set) var losses: [String] = []
    private(set) var clockResolution = 0.0

    var hasFailed: Bool { failure != nil }

    mutating func take(_ response: TrialResponse, trial: Int, of count: Int) {
      let name = count == 1 ? "" : "trial \(trial + 1) of \(count): "
      guard judge(response, name: name) else { return }
      for iteration in response.iterations { table.add(iteration) }
      clockResolution = max(clockResolution, response.clockResolution)
    }

    /// Adds only the time inside SQLite and its share of the profiled trial's time, because
    /// profiling slows the trial down.
    mutating func takeProfile(_ response: TrialResponse) {
      guard judge(response, name: "the profiled trial: "), let taken = response.iterations.first,
        let inside = taken.first(where: { $0.name == Metric.sqliteTime.name })?.value
      else { return }
      profile = [Sample(metric: .sqliteTime, trials: [[inside]])]
      if let whole = taken.first(where: { $0.name == Metric.wallClock.name })?.value, whole > 0 {
        profile.append(Sample(metric: .sqliteShare, trials: [[min(inside / whole, 1)]]))
      }
    }

    mutating func takeLogged(_ response: TrialResponse) {
      _ = judge(response, name: "the logged trial: ")
    }

    private mutating func judge(_ response: TrialResponse, name: String) -> Bool {
      notes += response.notes.filter { !notes.contains($0) }
      let found: Verification
      switch response.outcome {
      case .failed(let cause):
        failure = name + cause
        return false
      case .passed(let verification):
        found = verification
      case .failedAsExpected(let cause, let verification):
        found = verification
        expectedFailure = cause
      }
      if let digest, digest != found.digest {
        failure = "\(name)it ended with the content \(found.digest), earlier trials with \(digest)"
        return false
      }
      digest = found.digest
      losses = found.losses
      return true
    }
  }

  struct SampleTable {
    private var metrics: [String: Metric] = [:]
    private var values: [String: [[Double]]] = [:]
    private var trialCount = 0

    mutating func beginTrial() {
      trialCount += 1
    }

    /// Adds an iteration to the current trial.
    ///
    /// If an iteration measured a metric twice, only the first value counts.
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

    /// The samples, sorted by metric name.
    ///
    /// Counters of a file class, such as `vfs.wal.`, are omitted if they are all zero: the totals
    /// already include them, and they would add dozens of rows.
    var samples: [Sample] {
      metrics.values.sorted { $0.name < $1.name }.map { metric in
        Sample(metric: metric, trials: (values[metric.name] ?? []).filter { !$0.isEmpty })
      }.filter { !$0.isIdleClass }
    }
  }
}

extension Sample {
  private static let classFamilies = FileClass.allCases.map { "vfs.\($0.name)." }

  fileprivate var isIdleClass: Bool { total != nil && values.allSatisfy { $0 == 0 } }

  /// The name of the total over all file classes, such as `vfs.syncs` for `vfs.wal.syncs`; `nil` if
  /// the metric is not a counter of a file class.
  fileprivate var total: String? {
    Self.classFamilies.first(where: metric.name.hasPrefix).map {
      "vfs." + metric.name.dropFirst($0.count)
    }
  }
}

extension CaseResult {
  /// Returns this result with zeros for the file-class counters that only the other result has.
  ///
  /// A result omits such a counter if all its values are zero. If the counter's total is absent
  /// too, it was not measured and stays absent.
  package func withIdleClasses(of other: CaseResult) -> CaseResult {
    let own = Set(samples.map(\.metric.name))
    var result = self
    for sample in other.samples where !own.contains(sample.metric.name) {
      guard let total = sample.total.flatMap(self.sample(of:)) else { continue }
      let zeros = total.trials.map { $0.map { _ in 0.0 } }
      result.samples.append(Sample(metric: sample.metric, trials: zeros))
    }
    return result
  }
}

extension CaseRunner {
  /// The shortest time that a clock can measure reliably: 100 times its resolution.
  struct ClockFloor {
    let wallClock: Double
    // The shortest processor time, in seconds: getrusage counts whole microseconds.
    private let processor = 100e-6

    init(resolution: Double) {
      wallClock = 100 * resolution
    }

    func split(_ samples: [Sample]) -> (reported: [Sample], tooShort: [String]) {
      var (reported, tooShort): ([Sample], [String]) = ([], [])
      for sample in samples {
        let isProcessor = [Metric.userCPU, .systemCPU].map(\.name).contains(sample.metric.name)
        let floor = isProcessor ? processor : wallClock
        if sample.metric.unit == .seconds, let median = sample.median, median < floor {
          // List each metric whose time is too short, except processor times, which need no note.
          if !isProcessor { tooShort.append(sample.metric.name) }
        } else {
          reported.append(sample)
        }
      }
      return (reported, tooShort)
    }
  }
}

extension WorkloadFile {
  /// Returns the limits of a case's trial; the first trial is 0.
  package func limits(of planned: Case, trial: Int) -> TrialLimits {
    let padding = SeededCoins.padding(seed: trials.seed, case: planned.id, trial: trial)
    return TrialLimits(time: trials.timeLimit, environmentPadding: padding)
  }
}
