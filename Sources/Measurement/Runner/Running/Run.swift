import Measurement

/// Runs a plan from its first case to its last.
///
/// It prints nothing and knows no file format: it tells of events and hands the document so far to
/// `save` after every case, since a later one may fail.
package struct Run {
  package let plan: Plan
  package let environment: Environment
  package let stores: any StoreProvider
  package let executor: any TrialExecutor
  package let scratch: ScratchFolder
  /// Whether each case has a profiled trial besides the timed ones.
  package let isProfiled: Bool
  /// Whether the run was told to stop, asked between trials.
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
    self.isStopped = isStopped
    self.save = save
    self.events = events
  }

  /// Runs every case; a case that fails does not end the run.
  ///
  /// Throws ``RunnerError/interrupted`` when told to stop, with everything finished saved, and
  /// whatever keeps a store from being made or a result from being saved.
  package func perform() throws -> ResultDocument {
    var document = ResultDocument(environment: environment)
    events(.started(cases: plan.caseCount))
    var casesBefore = 0
    for workload in plan.workloads {
      try checkStop()
      events(.preparingStore(workload: workload.file.name))
      let store = try stores.store(for: workload.file, in: scratch)
      events(.storeReady(store.description))
      let runner = WorkloadRunner(run: self, workload: workload, store: store)
      let index = document.workloads.count
      document.workloads.append(runner.emptyResult)
      try runner.perform(casesBefore: casesBefore) { result in
        document.workloads[index] = result
        try save(document)
      }
      events(.workloadFinished(document.workloads[index]))
      casesBefore += workload.cases.count
    }
    return document
  }

  func checkStop() throws {
    if isStopped() { throw RunnerError.interrupted }
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
