import Basics
import Foundation
import PersistentStore

extension Run {
  /// Tests the claim of a workload whose cases have run.
  struct ClaimRun {
    let workload: WorkloadRunner
    let claim: Claim
    let results: [String: CaseResult]
    let stores: JobStores

    private var run: Run { workload.run }
    private var file: WorkloadFile { workload.file }

    func perform() throws -> ClaimResult {
      var cells = ClaimCell.cells(
        of: claim.notTestable == nil ? file.expectations : [],
        cases: workload.workload.cases,
        results: results
      )
      try leaveOutSameWork(&cells)
      let profiled = [Metric.sqliteTime, .sqliteShare].map(\.name)
      let isProfiled = cells.contains { profiled.contains($0.metric?.name ?? "") }
      let trials = ClaimTrials(
        scope: claim.scope,
        budget: run.claimBudget,
        seed: file.trials.seed,
        now: MonotonicClock.seconds,
        trial: { planned, round in
          try perform(planned) { runner, stores in
            try runner.execute(
              trial: file.trials.trials + round + 1,
              isProfiled: isProfiled,
              on: &stores
            )
          }
        },
        didFinishRound: { decided, count, left in
          run.events(.claimRound(file.name, decided: decided, cells: count, secondsLeft: left))
          try run.checkStop()
        }
      )
      let seconds = try trials.measure(&cells)
      let tried = workload.workload.cases.filter { planned in
        cells.contains { $0.cases.contains { $0.id == planned.id } }
      }
      try stores.checkShared(of: tried) { changed, change in
        for index in cells.indices where cells[index].cases.contains(where: { $0.id == changed.id })
        {
          cells[index].fail("it must only read, but \(change)")
        }
      }
      return ClaimJudge(claim: claim, cells: cells).judge(seconds: seconds, budget: run.claimBudget)
    }

    /// Equal exact counters and the same statements: a difference in time is none of the work.
    private func leaveOutSameWork(_ cells: inout [ClaimCell]) throws {
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

    /// The texts of a case's statements in their order, from a trial that logs them.
    private func statements(of planned: Case) throws -> [String] {
      let path = try run.scratch.emptyFolder("claim-log") + "/statements.log"
      let response = try perform(planned) { runner, stores in
        let log = SQLDebugWriter.Options(path: path, level: 1)
        return try runner.execute(trial: file.trials.trials, log: log, on: &stores)
      }
      // No statements equal those of a trial that failed.
      if case .failed = response.outcome { return [planned.id] }
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").compactMap { line in
        line.range(of: "CoreData: sql: ").map { String(line[$0.upperBound...]) }
      }
    }

    private func perform(
      _ planned: Case,
      _ work: (CaseRunner, inout TrialStores) throws -> TrialResponse
    ) throws -> TrialResponse {
      try stores.use(for: planned) { copies, obstacle in
        if let obstacle { return TrialResponse(outcome: .failed(obstacle)) }
        return try work(workload.caseRunner(planned), &copies)
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
