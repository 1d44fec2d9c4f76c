import Basics
import Foundation
import Measurement
import PersistentStore

extension Run {
  /// Tests the claim of a workload whose cases have run.
  struct ClaimRun {
    let workload: WorkloadRunner
    let claim: Claim
    let results: [String: CaseResult]

    private var run: Run { workload.run }
    private var file: WorkloadFile { workload.file }

    func perform() throws -> ClaimResult {
      var cells = ClaimCell.cells(
        of: claim.notTestable == nil ? file.expectations : [],
        cases: workload.workload.cases,
        results: results
      )
      let stores = ClaimStores(workload)
      try leaveOutSameWork(&cells, stores)
      let profiled = [Metric.sqliteTime, .sqliteShare].map(\.name)
      let isProfiled = cells.contains { profiled.contains($0.metric?.name ?? "") }
      let trials = ClaimTrials(
        scope: claim.scope,
        budget: run.claimBudget,
        seed: file.trials.seed,
        now: MonotonicClock.seconds,
        trial: { planned, round in
          try stores.perform(planned, trial: round + 1, isProfiled: isProfiled)
        },
        didFinishRound: { decided, count, left in
          run.events(.claimRound(file.name, decided: decided, cells: count, secondsLeft: left))
          try run.checkStop()
        }
      )
      let seconds = try trials.measure(&cells)
      for (ids, change) in try stores.changes() {
        for index in cells.indices where cells[index].cases.contains(where: { ids.contains($0.id) })
        {
          cells[index].fail("it must only read, but \(change)")
        }
      }
      return ClaimJudge(claim: claim, cells: cells).judge(seconds: seconds, budget: run.claimBudget)
    }

    /// Equal exact counters and the same statements: a difference in time is none of the work.
    private func leaveOutSameWork(_ cells: inout [ClaimCell], _ stores: ClaimStores) throws {
      for index in cells.indices {
        guard let to = cells[index].to, let own = results[cells[index].of.id],
          let other = results[to.id], own.hasEqualCounters(to: other),
          try stores.statements(of: cells[index].of) == stores.statements(of: to)
        else { continue }
        cells[index].leaveOut()
      }
    }
  }
}

extension CaseResult {
  /// Whether both have the same exact metrics with the same values, and any at all.
  fileprivate func hasEqualCounters(to other: CaseResult) -> Bool {
    let values = { (result: CaseResult) in
      Dictionary(result.exactSamples.map { ($0.metric.name, $0.repeatingTotal) }) { $1 }
    }
    let own = values(self)
    return !own.isEmpty && !own.values.contains(nil) && own == values(other)
  }
}

/// The stores that a claim's trials work on, by starting store, and the trials themselves.
private final class ClaimStores {
  private let workload: Run.WorkloadRunner
  private var stores: [String: TrialStores] = [:]
  private var obstacles: [String: String] = [:]
  private var readers: [String: Set<String>] = [:]
  private var logged: [String: [String]] = [:]

  init(_ workload: Run.WorkloadRunner) {
    self.workload = workload
  }

  /// Runs one trial of a case, numbered after those of the run itself.
  func perform(_ planned: Case, trial: Int, isProfiled: Bool) throws -> TrialResponse {
    try perform(planned) { runner, stores in
      try runner.execute(
        trial: workload.file.trials.trials + trial,
        isProfiled: isProfiled,
        on: &stores
      )
    }
  }

  /// The texts of a case's statements in their order, from a trial that logs them.
  func statements(of planned: Case) throws -> [String] {
    if let known = logged[planned.id] { return known }
    let path = try workload.run.scratch.emptyFolder("claim-log") + "/statements.log"
    let response = try perform(planned) { runner, stores in
      let log = SQLDebugWriter.Options(path: path, level: 1)
      return try runner.execute(trial: workload.file.trials.trials, log: log, on: &stores)
    }
    guard case .failed = response.outcome else {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n").compactMap { line in
        line.range(of: "CoreData: sql: ").map { String(line[$0.upperBound...]) }
      }
      logged[planned.id] = lines
      return lines
    }
    // No statements equal those of a trial that failed.
    return [planned.id]
  }

  /// The cases that only read, with what has changed in the copy that they shared.
  func changes() throws -> [(cases: Set<String>, change: String)] {
    try stores.keys.sorted().compactMap { key in
      guard let change = try stores[key]?.changeOfSharedCopy() else { return nil }
      return (readers[key] ?? [], change)
    }
  }

  private func perform(
    _ planned: Case,
    _ work: (CaseRunner, inout TrialStores) throws -> TrialResponse
  ) throws -> TrialResponse {
    let key = planned.traits.startingStore ?? ""
    if let obstacle = obstacles[key] { return TrialResponse(outcome: .failed(obstacle)) }
    var own = try stores[key] ?? makeStores(for: planned, key)
    if let obstacle = obstacles[key] { return TrialResponse(outcome: .failed(obstacle)) }
    if planned.traits.onlyReads { readers[key, default: []].insert(planned.id) }
    defer { stores[key] = own }
    return try work(workload.caseRunner(planned), &own)
  }

  private func makeStores(for planned: Case, _ key: String) throws -> TrialStores {
    let (run, file) = (workload.run, workload.file)
    var start = workload.store.store
    if planned.traits.startingStore != nil {
      let made = try workload.store.startingStore(
        for: planned,
        of: file,
        in: run.scratch,
        named: "claim-start-\(stores.count)",
        executor: run.executor
      )
      start = made.store
      obstacles[key] = made.obstacle
    }
    return TrialStores(
      scratch: run.scratch,
      start: start,
      settings: file.settings,
      name: "claim-\(stores.count)-"
    )
  }
}
