import Basics
import Compare
import Foundation
import PersistentStore
import Runner

/// Tests one claim: runs its workload file, then interleaved trials of the compared cases.
struct ClaimRun {
  let claim: PublishedClaim
  let workload: PlannedWorkload
  /// The time limit of the interleaved trials, in seconds.
  let budget: Double
  let scratch: ScratchFolder
  let executable: String
  private let stores: LiveStores
  private let executor: WorkerProcess

  init(
    _ claim: PublishedClaim,
    _ workload: PlannedWorkload,
    budget: Double,
    stores: any StoreProvider,
    scratch: ScratchFolder,
    executable: String
  ) {
    (self.claim, self.workload, self.budget) = (claim, workload, budget)
    (self.scratch, self.executable) = (scratch, executable)
    self.stores = LiveStores(provider: stores, scratch: scratch, isStopped: { false })
    executor = WorkerProcess(executable: executable, isStopped: { false })
  }

  private var file: WorkloadFile { workload.file }

  func perform(on results: [CaseResult]) throws -> ClaimResult {
    let results = Dictionary(uniqueKeysWithValues: results.map { ($0.id, $0) })
    var cells = ClaimCell.cells(
      of: claim.notTestable == nil ? claim.expectations : [],
      cases: workload.cases,
      results: results
    )
    try leaveOutSameWork(&cells, results)
    let profiled = [Metric.sqliteTime, .sqliteShare].map(\.name)
    let isProfiled = cells.contains { profiled.contains($0.metric?.name ?? "") }
    let trials = ClaimTrials(
      scope: claim.scope,
      budget: budget,
      seed: file.trials.seed,
      now: MonotonicClock.seconds,
      trial: { planned, round in
        try execute(planned, trial: file.trials.trials + round + 1, isProfiled: isProfiled)
      }
    )
    let seconds = try trials.measure(&cells)
    for planned in workload.cases {
      let own = cells.indices.filter { cells[$0].cases.contains { $0.id == planned.id } }
      guard !own.isEmpty, let change = try stores.change(by: arm(planned)) else { continue }
      for index in own { cells[index].fail("it must only read, but \(change)") }
    }
    return ClaimJudge(claim: claim, cells: cells).judge(seconds: seconds, budget: budget)
  }

  /// Leaves out comparisons whose sides have equal exact counters and run the same statements.
  private func leaveOutSameWork(_ cells: inout [ClaimCell], _ results: [String: CaseResult]) throws
  {
    var logged: [String: [String]] = [:]
    func statements(of planned: Case) throws -> [String] {
      if let known = logged[planned.id] { return known }
      let texts = try self.statements(of: planned)
      logged[planned.id] = texts
      return texts
    }
    for index in cells.indices {
      guard let to = cells[index].to, let own = results[cells[index].of.id],
        let other = results[to.id], own.hasEqualCounters(to: other),
        try statements(of: cells[index].of) == statements(of: to)
      else { continue }
      cells[index].leaveOut()
    }
  }

  private func statements(of planned: Case) throws -> [String] {
    let path = try scratch.emptyFolder("claim-log") + "/statements.log"
    let log = SQLDebugWriter.Options(path: path, level: 1)
    let response = try execute(planned, trial: file.trials.trials, log: log)
    // For a failed trial, return the case's ID, which equals no other case's statements.
    if case .failed = response.outcome { return [planned.id] }
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      line.range(of: "CoreData: sql: ").map { String(line[$0.upperBound...]) }
    }
  }

  private func arm(_ planned: Case) -> LiveArm {
    LiveArm(
      file: file,
      planned: planned,
      worker: LiveWorker(name: "itself", executable: executable)
    )
  }

  private func execute(
    _ planned: Case,
    trial: Int,
    isProfiled: Bool = false,
    log: SQLDebugWriter.Options? = nil
  ) throws -> TrialResponse {
    do {
      let isSingle = isProfiled || log != nil || file.trials.cache == .cold
      let onlyReads = planned.traits.onlyReads
      let request = TrialRequest(
        kind: file.kind.name,
        parameters: planned.allParameters,
        trial: try stores.trial(of: arm(planned), at: .first),
        cache: file.trials.cache,
        iterations: isSingle || !onlyReads ? 1 : file.trials.iterations,
        warmUps: onlyReads ? file.trials.warmUps : 0,
        isProfiled: isProfiled,
        log: log
      )
      let limits = TrialLimits(
        time: file.trials.timeLimit,
        environmentPadding: SeededCoins.padding(
          seed: file.trials.seed,
          case: planned.id,
          trial: trial
        )
      )
      return try executor.execute(request, within: limits)
    } catch LiveError.failed(let cause) {
      return TrialResponse(outcome: .failed(cause))
    }
  }
}

extension CaseResult {
  /// Whether two results have exact metrics, and have the same ones with the same values.
  fileprivate func hasEqualCounters(to other: CaseResult) -> Bool {
    let values = { (result: CaseResult) in
      Dictionary(result.exactSamples.map { ($0.metric.name, $0.repeatingTotal) }) { $1 }
    }
    let own = values(self)
    return !own.isEmpty && !own.values.contains(nil) && own == values(other)
  }
}
