import PersistentStore
import SQLite

/// Runs the trials of one case, one at a time, and makes its result of them.
struct CaseRunner {
  let planned: Case
  let file: WorkloadFile
  /// The workload's own store.
  let original: PreparedStore
  let executor: any TrialExecutor
  /// Whether a profiled trial follows the timed ones.
  let isProfiled: Bool
  /// Where a further trial logs its statements.
  let log: SQLDebugWriter.Options?
  let order: TrialOrder
  let times: TimeSpent
  let verified: VerifiedOutcomes
  let didFinishTrial: (_ count: Int, _ total: Int) throws -> Void

  private var traits: CaseTraits { planned.traits }

  /// A case that changes its store runs one iteration on each copy.
  private var iterations: Int { traits.onlyReads ? file.trials.iterations : 1 }

  /// How many processes the timed trials take: a cold iteration has one of its own.
  private var runsPerTrial: Int { file.trials.cache == .cold ? iterations : 1 }

  private(set) var progress = Progress()
  /// How many trials the case has when it is done: more than its file's where it goes on.
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

  /// Lets further trials follow, up to so many.
  mutating func goOn(to count: Int) { trialCount = count }

  /// Runs a timed trial; nothing where the case has failed before.
  ///
  /// After the first one it checks that a case which must only read has changed nothing.
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

  /// Runs the trials that are not timed: the profiled and the logged one.
  mutating func runFurtherTrials(on stores: inout TrialStores) throws {
    if isProfiled, !progress.hasFailed {
      let response = try execute(trial: file.trials.trials, isProfiled: true, on: &stores)
      progress.takeProfile(response)
      try didFinishTrial(file.trials.trials * runsPerTrial + 1, runCount)
    }
    if var log, !progress.hasFailed {
      log.title = "storebench: case \(planned.id)"
      let response = try execute(trial: file.trials.trials, log: log, on: &stores)
      progress.takeLogged(response)
      try didFinishTrial(runCount, runCount)
    }
  }

  /// Makes the case one that failed, for a reason from outside of its trials.
  mutating func fail(_ cause: String) {
    progress.failure = progress.failure ?? cause
  }

  /// Runs one trial, or one iteration of a cold one, in a process.
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

  /// What the trials that were run give.
  var outcome: Outcome {
    let parameters = planned.shownParameters.values.filter { !$0.value.isUnnamedScript }
      .mapValues { $0.description }
    var result = CaseResult(
      id: planned.id,
      parameters: parameters,
      outcome: .passed,
      behaviours: traits.behaviours,
      notes: planned.notes + traits.notes,
      job: traits.job,
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
    // How long work takes that ends in nothing is no cost of the work.
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

  /// A case's result with what other cases of its workload are held against.
  struct Outcome {
    var result: CaseResult
    let endState: String
    /// The digest of the content reached, that of an expected failure included.
    let digest: String?
  }

  /// What the trials of a case have given so far.
  struct Progress {
    var table = SampleTable()
    /// The samples of the profiled trial.
    private(set) var profile: [Sample] = []
    var failure: String?
    private(set) var expectedFailure: String?
    private(set) var digest: String?
    private(set) var notes: [String] = []
    private(set) var losses: [String] = []
    private(set) var clockResolution = 0.0

    var hasFailed: Bool { failure != nil }

    /// Takes a timed trial's response; a failure names the trial.
    mutating func take(_ response: TrialResponse, trial: Int, of count: Int) {
      let name = count == 1 ? "" : "trial \(trial + 1) of \(count): "
      guard judge(response, name: name) else { return }
      for iteration in response.iterations { table.add(iteration) }
      clockResolution = max(clockResolution, response.clockResolution)
    }

    /// Takes the time inside SQLite from the profiled trial, which was slowed by taking it.
    mutating func takeProfile(_ response: TrialResponse) {
      guard judge(response, name: "the profiled trial: "), let taken = response.iterations.first,
        let inside = taken.first(where: { $0.name == Metric.sqliteTime.name })?.value
      else { return }
      profile = [Sample(metric: .sqliteTime, trials: [[inside]])]
      if let whole = taken.first(where: { $0.name == Metric.wallClock.name })?.value, whole > 0 {
        profile.append(Sample(metric: .sqliteShare, trials: [[min(inside / whole, 1)]]))
      }
    }

    /// Takes nothing from the logged trial but that it went as the others did.
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
}

extension Sample {
  private static let classFamilies = FileClass.allCases.map { "vfs.\($0.name)." }

  fileprivate var isIdleClass: Bool {
    Self.classFamilies.contains(where: metric.name.hasPrefix) && values.allSatisfy { $0 == 0 }
  }
}

extension CaseRunner {
  /// What a clock is too coarse for: below 100 times its resolution no time is reported.
  struct ClockFloor {
    /// Seconds.
    let wallClock: Double
    // getrusage counts whole microseconds.
    private let processor = 100e-6

    init(resolution: Double) {
      wallClock = 100 * resolution
    }

    /// Splits samples into those to report and the names of the times that are too short.
    func split(_ samples: [Sample]) -> (reported: [Sample], tooShort: [String]) {
      var (reported, tooShort): ([Sample], [String]) = ([], [])
      for sample in samples {
        let isProcessor = [Metric.userCPU, .systemCPU].map(\.name).contains(sample.metric.name)
        let floor = isProcessor ? processor : wallClock
        if sample.metric.unit == .seconds, let median = sample.median, median < floor {
          // Processor times this short say nothing; that the wall clock's is missing does.
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
  /// What a trial of a case is given besides its request.
  func limits(of planned: Case, trial: Int) -> TrialLimits {
    let padding = SeededCoins.padding(seed: trials.seed, case: planned.id, trial: trial)
    return TrialLimits(time: trials.timeLimit, environmentPadding: padding)
  }
}
