import Basics
import PersistentStore
import SQLite

/// Runs a plan from its first case to its last.
///
/// A run prints nothing and writes no files; it sends events. It passes the current document to
/// `save` after every case, because a later case may fail. ``ResultSaving`` writes the document.
package struct Run {
  package let plan: Plan
  package let environment: Environment
  package let stores: any StoreProvider
  package let executor: any TrialExecutor
  package let scratch: ScratchFolder
  /// Whether each case has a profiled trial in addition to the timed trials.
  package let isProfiled: Bool
  /// The options for logging the statements of an extra, unmeasured trial of each case; `nil` if no
  /// trial is logged.
  package let log: SQLDebugWriter.Options?
  /// The pattern that selected the plan's cases; `nil` if there was no pattern.
  package let filter: String?
  /// The starting stores that were already made, kept for other runs that use the same stores.
  package let startingStores: StartingStores
  /// The part of a plan document (a plan that several machines share) that this run executes; `nil`
  /// if the run executes no plan document.
  package let assignment: PlannedRun.Assignment?
  /// The time limit for extra rounds of undecided comparisons; `nil` if there are no extra rounds.
  package let rounds: FurtherRounds?
  /// The time spent on each kind of activity.
  package let times: TimeSpent
  /// Whether the user has asked the run to stop; checked between trials.
  package let isStopped: @Sendable () -> Bool
  package let save: (ResultDocument) throws -> Void
  package let events: (RunEvent) -> Void

  package init(
    plan: Plan,
    environment: Environment,
    stores: any StoreProvider,
    executor: any TrialExecutor,
    scratch: ScratchFolder,
    isProfiled: Bool = true,
    log: SQLDebugWriter.Options? = nil,
    filter: String? = nil,
    startingStores: StartingStores = StartingStores(),
    assignment: PlannedRun.Assignment? = nil,
    rounds: FurtherRounds? = nil,
    times: TimeSpent = TimeSpent(),
    isStopped: @escaping @Sendable () -> Bool = { false },
    save: @escaping (ResultDocument) throws -> Void = { _ in },
    events: @escaping (RunEvent) -> Void = { _ in }
  ) {
    self.plan = plan
    self.environment = environment
    self.stores = stores
    self.executor = executor
    self.scratch = scratch
    self.isProfiled = isProfiled
    self.log = log
    self.filter = filter
    self.startingStores = startingStores
    self.assignment = assignment
    // The comparisons of a plan document can only be decided after all its parts are merged.
    self.rounds = assignment == nil ? rounds : nil
    self.times = times
    self.isStopped = isStopped
    self.save = save
    self.events = events
  }

  /// Runs every case, even if some cases fail, and returns the result.
  ///
  /// - Throws: ``Refusal/interrupted`` if the run is asked to stop (finished cases are saved), and
  ///   errors that prevent making a store or saving a result.
  package func perform() throws -> ResultDocument {
    var document = ResultDocument(environment: environment)
    document.filter = filter
    document.missing = plan.workloads.flatMap(\.cases).map(\.id)
    if let assignment {
      // Save the plan before anything can fail, so that the file lists the planned cases.
      document.plan = PlanRecord(assignment.document, run: assignment.run)
      try save(document)
    }
    events(.started(cases: plan.caseCount))
    func save(_ document: ResultDocument) throws {
      try self.times.keepingResults { try self.save(document) }
    }
    var casesBefore = 0
    for (place, workload) in plan.workloads.enumerated() {
      try checkStop()
      events(.preparingStore(workload: workload.file.name))
      let store = try times.makingStores { try stores.store(for: workload.file, in: scratch) }
      events(.storeReady(store.description))
      rounds?.share(among: plan.workloads[place...].map(\.file.trials))
      let runner = WorkloadRunner(run: self, workload: workload, store: store)
      let index = document.workloads.count
      document.workloads.append(runner.emptyResult)
      try runner.perform(casesBefore: casesBefore) { result in
        let previous = document.workloads[index]
        document.workloads[index] = result
        let finished = Set(result.cases.map(\.id))
        document.missing.removeAll(where: finished.contains)
        try assignment?.note(result, after: previous, in: &document)
        try save(document)
      } begin: { id in
        guard let assignment else { return }
        document.plan?.note(PlannedCase.Attempt(run: assignment.run.id), of: id)
        try save(document)
      }
      events(.workloadFinished(document.workloads[index]))
      casesBefore += workload.cases.count
    }
    guard assignment != nil else { return document }
    let merged = try ResultMerge.merge([("the result", document)])
    try save(merged)
    return merged
  }

  func checkStop() throws {
    if isStopped() { throw Refusal.interrupted }
  }
}

extension ResultDocument {
  /// The cases that failed, in order.
  package var failedCases: [CaseResult] {
    workloads.flatMap(\.cases).filter {
      if case .failed = $0.outcome { true } else { false }
    }
  }
}

/// An event in the progress of a run, which the command line prints.
package enum RunEvent: Sendable {
  case started(cases: Int)
  /// A workload's store is about to be made, copied or looked up.
  case preparingStore(workload: String)
  case storeReady(StoreDescription)
  /// A case has started; `index` is its position among all cases, counted from 1.
  case caseStarted(id: String, index: Int)
  case trialFinished(id: String, count: Int, total: Int)
  /// A case has finished. Its result is preliminary, because a later case with the same end state
  /// may still contradict it.
  case caseFinished(CaseResult)
  case workloadFinished(WorkloadResult)
}

extension Run {
  struct WorkloadRunner {
    let run: Run
    let workload: PlannedWorkload
    let store: PreparedStore
    private let startingResult: WorkloadResult

    /// The result before any case has run.
    ///
    /// The looks (numbers of trials after which findings are evaluated) may change after the first
    /// trials, whose durations decide whether extra rounds are possible.
    var emptyResult: WorkloadResult {
      var result = startingResult
      result.looks = run.rounds?.looks(after: file.trials.trials) ?? []
      return result
    }

    var file: WorkloadFile { workload.file }

    init(run: Run, workload: PlannedWorkload, store: PreparedStore) {
      (self.run, self.workload, self.store) = (run, workload, store)
      startingResult = Self.startingResult(of: workload.file, store)
    }

    private static func startingResult(
      of file: WorkloadFile,
      _ store: PreparedStore
    ) -> WorkloadResult {
      WorkloadResult(
        workload: file.name,
        kind: file.kind.name,
        store: store.description,
        pragmas: pragmas(of: file, store),
        cache: file.trials.cache.rawValue,
        trialCount: file.trials.trials,
        iterationCount: file.trials.iterations,
        seed: file.trials.seed,
        defaults: file.shownDefaults,
        budget: file.budget,
        question: file.question,
        inputs: file.inputs,
        mix: file.mix
      )
    }

    /// Returns the pragmas that the file sets, overridden by properties of the store file, such as
    /// its page size.
    private static func pragmas(of file: WorkloadFile, _ store: PreparedStore) -> [String: String] {
      var pragmas = Dictionary(file.settings.pragmas.map { ($0.name, $0.value) }) { $1 }
      if let header = StoreHeader(path: store.store.path) {
        pragmas["page_size"] = String(header.pageSize)
        pragmas["auto_vacuum"] = header.autoVacuum
      }
      pragmas.merge(StoreHeader.Facts(of: store.store).named) { $1 }
      return pragmas
    }

    /// Runs every case and saves after each; then runs extra rounds for undecided comparisons.
    ///
    /// The trials of each job (a group of alternative cases) alternate.
    func perform(
      casesBefore: Int,
      save: (WorkloadResult) throws -> Void,
      begin: (_ caseID: String) throws -> Void
    ) throws {
      var endStates = EndStates()
      var started = casesBefore
      let stores = JobStores(runner: self)
      let jobs = JobOrder(workload.cases).jobs
      let order = TrialOrder { step in
        NextTrial(limits: file.limits(of: step.planned, trial: step.trial)) {
          stores.copyAhead(for: step.planned)
        }
      }
      order.expect(jobs.flatMap(steps))
      var finished: [FinishedJob] = []
      for job in jobs {
        var runners = job.cases.map { caseRunner($0, order) }
        var seconds = [Double](repeating: 0, count: runners.count)
        for (index, trial) in job.turns(in: 0..<file.trials.trials, seed: file.trials.seed) {
          try run.checkStop()
          if trial == 0 {
            started += 1
            run.events(.caseStarted(id: job.cases[index].id, index: started))
            try begin(job.cases[index].id)
          }
          let start = run.rounds?.now() ?? 0
          try stores.use(for: job.cases[index]) { store, obstacle in
            if let obstacle { return runners[index].fail(obstacle) }
            try runners[index].runTrial(trial, on: &store)
          }
          seconds[index] += (run.rounds?.now() ?? 0) - start
        }
        for index in runners.indices {
          try run.checkStop()
          try stores.use(for: job.cases[index]) { store, obstacle in
            guard obstacle == nil else { return }
            try runners[index].runFurtherTrials(on: &store)
          }
        }
        try stores.checkShared(of: job.cases) { changed, change in
          for index in job.cases.indices where job.cases[index].id == changed.id {
            runners[index].fail("a case of its job must only read, but \(change)")
          }
        }
        for runner in runners {
          let outcome = runner.outcome
          endStates.add(outcome)
          run.events(.caseFinished(outcome.result))
          let isComplete = endStates.runs.count == workload.cases.count
          try save(result(of: endStates, isComplete: isComplete))
        }
        stores.remove(job.lastUses)
        let perTrial = seconds.map { $0 / Double(file.trials.trials) }
        finished.append(FinishedJob(job: job, runners: runners, secondsPerTrial: perTrial))
      }
      try goOn(with: finished, endStates, stores, save: save)
    }

    private func steps(of job: JobOrder.Job) -> [TrialOrder.Step] {
      let (count, seed) = (file.trials.trials, file.trials.seed)
      let timed = job.turns(in: 0..<count, seed: seed).map {
        TrialOrder.Step(planned: job.cases[$0.index], trial: $0.round)
      }
      let further = (run.isProfiled ? 1 : 0) + (run.log == nil ? 0 : 1)
      return timed
        + job.cases.flatMap { planned in
          (0..<further).map { _ in TrialOrder.Step(planned: planned, trial: count) }
        }
    }

    private func caseRunner(_ planned: Case, _ order: TrialOrder) -> CaseRunner {
      CaseRunner(
        planned: planned,
        file: file,
        original: store,
        executor: run.executor,
        isProfiled: run.isProfiled,
        log: run.log,
        order: order,
        times: run.times,
        verified: run.startingStores.verified,
        didFinishTrial: { count, total in
          run.events(.trialFinished(id: planned.id, count: count, total: total))
          try run.checkStop()
        }
      )
    }

    func result(of endStates: EndStates, isComplete: Bool) -> WorkloadResult {
      var result = emptyResult
      let results = Dictionary(endStates.results.map { ($0.id, $0) }) { $1 }
      result.cases = workload.cases.compactMap { results[$0.id] }
      // Findings of a plan document need the cases of all its parts, so only a merge derives them.
      if isComplete, run.assignment == nil {
        let analysis = run.times.keepingResults { FindingAnalysis(result, file.inquiry) }
        (result.findings, result.leads) = (analysis.findings, analysis.leads)
      }
      return result
    }
  }

  /// Compares the content digests of a workload's cases: cases with the same end state must have
  /// equal digests.
  struct EndStates {
    private(set) var runs: [CaseRunner.Outcome] = []

    mutating func add(_ run: CaseRunner.Outcome) {
      runs.append(run)
    }

    mutating func replace(_ run: CaseRunner.Outcome) {
      runs = runs.map { $0.result.id == run.result.id ? run : $0 }
    }

    /// The results of the cases.
    ///
    /// If the digests of an end state differ, all its cases fail, because any of them may be wrong.
    var results: [CaseResult] {
      runs.map { run in
        guard let other = contradiction(of: run), let digest = run.digest else { return run.result }
        var result = run.result
        result.outcome = .failed(
          "its content is \(digest), but '\(other.result.id)', which must reach the same end state "
            + "'\(run.endState)', has \(other.digest ?? "none")"
        )
        result.samples = []
        return result
      }
    }

    private func contradiction(of run: CaseRunner.Outcome) -> CaseRunner.Outcome? {
      guard let digest = run.digest else { return nil }
      return runs.first { other in
        guard let theirs = other.digest else { return false }
        return other.endState == run.endState && theirs != digest
      }
    }
  }
}
