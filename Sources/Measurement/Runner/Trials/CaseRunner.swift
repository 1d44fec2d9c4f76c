import Measurement
import PersistentStore

/// Runs the trials of one case and makes its result of them.
struct CaseRunner {
  let planned: Case
  let file: WorkloadFile
  /// The workload's own store.
  let original: PreparedStore
  let executor: any TrialExecutor
  /// Whether a profiled trial follows the timed ones.
  let isProfiled: Bool
  let environmentPadding: (_ trial: Int) -> Int
  let didFinishTrial: (_ count: Int, _ total: Int) throws -> Void

  private var traits: Case.Traits { planned.traits }

  /// A case that changes its store runs one iteration on each copy.
  private var iterations: Int { traits.onlyReads ? file.trials.iterations : 1 }

  /// How many processes the timed trials take: a cold iteration has one of its own.
  private var runsPerTrial: Int { file.trials.cache == .cold ? iterations : 1 }

  func run(on stores: inout TrialStores) throws -> CaseRun {
    var progress = CaseProgress()
    let total = file.trials.trials * runsPerTrial + (isProfiled ? 1 : 0)
    for trial in 0..<file.trials.trials {
      progress.table.beginTrial()
      for run in 0..<runsPerTrial where !progress.hasFailed {
        let response = try execute(trial: trial, isProfiled: false, on: &stores)
        progress.take(response, trial: trial, of: file.trials.trials)
        try didFinishTrial(trial * runsPerTrial + run + 1, total)
      }
    }
    if isProfiled, !progress.hasFailed {
      let response = try execute(trial: file.trials.trials, isProfiled: true, on: &stores)
      progress.takeProfile(response)
      try didFinishTrial(total, total)
    }
    if traits.onlyReads, let change = try stores.changeOfSharedCopy() {
      progress.failure = "it must only read, but \(change)"
    }
    return result(of: progress)
  }

  private func execute(
    trial: Int,
    isProfiled: Bool,
    on stores: inout TrialStores
  ) throws -> TrialResponse {
    let store = traits.onlyReads ? try stores.sharedCopy() : try stores.freshCopy()
    let request = TrialRequest(
      kind: file.kind.kind,
      parameters: planned.allParameters,
      trial: original.trial(
        on: store,
        start: stores.start,
        folder: try stores.workFolder(),
        file: file
      ),
      cache: file.trials.cache,
      iterations: isProfiled || file.trials.cache == .cold ? 1 : iterations,
      warmUps: traits.onlyReads ? file.trials.warmUps : 0,
      isProfiled: isProfiled
    )
    let limits = TrialLimits(
      time: file.trials.timeLimit,
      environmentPadding: environmentPadding(trial)
    )
    return try executor.execute(request, within: limits)
  }

  func result(of progress: CaseProgress) -> CaseRun {
    let parameters = planned.shownParameters.values.mapValues { $0.description }
    var result = CaseResult(
      id: planned.id,
      parameters: parameters,
      outcome: .passed,
      behaviours: traits.behaviours,
      notes: planned.notes + traits.notes
    )
    if !traits.onlyReads, file.trials.iterations > 1 {
      result.notes.append("one iteration a trial: it changes its store")
    }
    result.notes += progress.notes.filter { !result.notes.contains($0) }
    if let failure = progress.failure {
      result.outcome = .failed(failure)
      return CaseRun(result: result, endState: traits.endState, digest: nil)
    }
    if let expected = progress.expectedFailure { result.outcome = .failedAsExpected(expected) }
    result.losses = progress.losses
    let floor = ClockFloor(resolution: progress.clockResolution)
    let samples = floor.split(progress.table.samples)
    let isTimed = samples.reported.contains { $0.metric == .wallClock }
    result.samples = samples.reported + (isTimed ? progress.profile : [])
    result.samples.sort { $0.metric.name < $1.metric.name }
    let unequal = result.unequalCounters(trials: file.trials.trials)
    if !unequal.isEmpty {
      result.notes.append("not the same in every trial: " + unequal.joined(separator: ", "))
    }
    if !samples.tooShort.isEmpty {
      result.notes.append(
        "under 100 times the clock's resolution, not reported: "
          + samples.tooShort.joined(separator: ", ")
      )
    }
    result.digest = progress.expectedFailure == nil ? progress.digest : nil
    return CaseRun(result: result, endState: traits.endState, digest: progress.digest)
  }
}

/// A case's result with what other cases of its workload are held against.
struct CaseRun {
  var result: CaseResult
  let endState: String
  /// The digest of the content reached, that of an expected failure included.
  let digest: String?
}
