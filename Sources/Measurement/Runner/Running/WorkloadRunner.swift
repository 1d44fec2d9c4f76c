import Measurement
import PersistentStore
import SQLite

/// Runs the cases of one workload file.
struct WorkloadRunner {
  let run: Run
  let workload: PlannedWorkload
  let store: PreparedStore

  private var file: WorkloadFile { workload.file }

  /// The result before the first case.
  var emptyResult: WorkloadResult {
    WorkloadResult(
      workload: file.name,
      kind: file.kind.kind,
      store: store.description,
      pragmas: pragmas,
      cache: file.trials.cache.rawValue,
      trialCount: file.trials.trials,
      iterationCount: file.trials.iterations,
      seed: file.trials.seed,
      defaults: defaults,
      budget: file.budget
    )
  }

  private var defaults: [String: String] {
    let own = Set(file.parameters.map(\.axis.name))
    return file.defaults.filter { !own.contains($0.key) }.mapValues(\.description)
  }

  /// What is set, but for what is fixed in the store's file.
  private var pragmas: [String: String] {
    var pragmas = Dictionary(file.settings.pragmas.map { ($0.name, $0.value) }) { $1 }
    if let header = StoreHeader(path: store.store.path) {
      pragmas["page_size"] = String(header.pageSize)
      pragmas["auto_vacuum"] = header.autoVacuum
    }
    pragmas.merge(StoreFacts(of: store.store).named) { $1 }
    return pragmas
  }

  /// Runs every case, those of one starting store together, and saves after each.
  func perform(casesBefore: Int, save: (WorkloadResult) throws -> Void) throws {
    var endStates = EndStates()
    var finished = 0
    for group in groups {
      var stores = TrialStores(
        scratch: run.scratch,
        start: store.store,
        settings: file.settings
      )
      var obstacle: String?
      if group.startingStore != nil, let first = group.cases.first {
        (stores, obstacle) = try makeStartingStore(for: first)
      }
      for planned in group.cases {
        try run.checkStop()
        finished += 1
        run.events(.caseStarted(id: planned.id, index: casesBefore + finished))
        let runner = caseRunner(planned)
        let caseRun = try obstacle.map { runner.failed($0) } ?? runner.run(on: &stores)
        endStates.add(caseRun)
        run.events(.caseFinished(caseRun.result))
        try save(result(of: endStates, isComplete: finished == workload.cases.count))
      }
    }
  }

  private func caseRunner(_ planned: Case) -> CaseRunner {
    CaseRunner(
      planned: planned,
      file: file,
      original: store,
      executor: run.executor,
      isProfiled: run.isProfiled,
      environmentPadding: { trial in
        EnvironmentPadding.length(seed: file.trials.seed, case: planned.id, trial: trial)
      },
      didFinishTrial: { count, total in
        run.events(.trialFinished(id: planned.id, count: count, total: total))
        try run.checkStop()
      }
    )
  }

  private func result(of endStates: EndStates, isComplete: Bool) -> WorkloadResult {
    var result = emptyResult
    let results = Dictionary(endStates.results.map { ($0.id, $0) }) { $1 }
    result.cases = workload.cases.compactMap { results[$0.id] }
    if isComplete, let claim = file.claim {
      result.claim = ClaimJudge(
        claim: claim,
        expectations: file.expectations,
        cases: workload.cases,
        results: result.cases
      ).judge()
    }
    return result
  }

  // MARK: Starting stores

  private struct Group {
    let startingStore: String?
    var cases: [Case]
  }

  /// The cases by starting store, in the order in which the plan comes to each.
  private var groups: [Group] {
    var groups: [Group] = []
    for planned in workload.cases {
      let name = planned.traits.startingStore
      if let index = groups.firstIndex(where: { $0.startingStore == name }) {
        groups[index].cases.append(planned)
      } else {
        groups.append(Group(startingStore: name, cases: [planned]))
      }
    }
    return groups
  }

  /// The stores of a group, or why its starting store could not be made.
  private func makeStartingStore(
    for planned: Case
  ) throws -> (TrialStores, obstacle: String?) {
    let (copy, obstacle) = try StartingStore(scratch: run.scratch, folderName: "start").make(
      for: planned,
      of: file,
      from: store,
      executor: run.executor
    )
    return (TrialStores(scratch: run.scratch, start: copy, settings: file.settings), obstacle)
  }
}

extension CaseRunner {
  /// The run of a case that could not begin.
  func failed(_ cause: String) -> CaseRun {
    var progress = CaseProgress()
    progress.failure = cause
    return result(of: progress)
  }
}
