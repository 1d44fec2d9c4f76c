import Basics
import SQLite

/// Kills launches of a plan's cases at chosen points.
package struct KillRun {
  let cases: LaunchedCases
  let choice: KillChoice
  /// Told of the case and of how many kills are done, of how many.
  let progress: (_ id: String, _ done: Int, _ total: Int) -> Void

  package init(
    _ cases: LaunchedCases,
    choice: KillChoice,
    progress: @escaping (_ id: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) {
    self.cases = cases
    self.choice = choice
    self.progress = progress
  }

  private var total: Int {
    switch choice {
    case .count(let count, _, _): count
    case .point: cases.count
    }
  }

  /// Kills, case by case; what was tried is kept when it is told to stop.
  ///
  /// - Throws: what keeps a store from being made or copied.
  package func perform() throws -> (report: KillReport, isInterrupted: Bool) {
    var report = KillReport()
    do {
      try cases.visit { index, launched, planned, file in
        report.cases.append(KilledCase(id: planned.id, workload: file.name, path: file.path))
        switch launched {
        case .failure(let failure): report.cases[index].obstacle = failure.description
        case .success(let launched):
          do {
            try kill(launched, index: index, &report)
          } catch let failure as CaseKiller.Failure {
            report.cases[index].obstacle = failure.description
          }
        }
      }
    } catch let error where error.isInterruption {
      return (report, true)
    }
    return (report, false)
  }

  private func kill(_ launched: LaunchedCase, index: Int, _ report: inout KillReport) throws {
    let id = launched.planned.id
    report.cases[index].isAtomic = launched.planned.traits.isAtomic
    progress(id, report.outcomes.count, total)
    var killer = CaseKiller(launched: launched)
    let undisturbed = try killer.runUndisturbed()
    if !launched.isRestartable { killer.states = try killer.committedStates() }
    let events = undisturbed.events
    report.cases[index].events = events
    for point in choice.points(of: id, index: index, among: cases.count, events: events) {
      if cases.isStopped() { throw Refusal.interrupted }
      report.cases[index].outcomes.append(try killer.kill(at: point, beside: undisturbed))
      progress(id, report.outcomes.count, total)
    }
  }
}

/// What one launch that was killed has left.
package struct KillOutcome: Hashable, Sendable {
  package let point: KillPoint
  /// `nil` where nothing could be read.
  package let remains: Remains?
  /// What went wrong: in the killed launch, for the reader, or at the next launch.
  package let failure: String?
}

/// What became of one case's kills.
package struct KilledCase: Hashable, Sendable {
  package let id: String
  /// The workload file's name, with which the ID begins.
  package let workload: String
  /// The workload file's path.
  package let path: String
  package var isAtomic = false
  /// The events of an undisturbed launch.
  package var events: [FileEvent.Kind: Int] = [:]
  package var outcomes: [KillOutcome] = []
  /// Why there were no kills at all.
  package var obstacle: String?
}

/// The kills of all cases.
package struct KillReport: Hashable, Sendable {
  package var cases: [KilledCase] = []

  package var outcomes: [KillOutcome] { cases.flatMap(\.outcomes) }

  /// Whether a kill lost something, or a case could not be tried.
  package var hasFailed: Bool {
    cases.contains { $0.obstacle != nil } || outcomes.contains { $0.failure != nil }
  }
}

/// Which points a case's launches are killed at.
package enum KillChoice: Hashable, Sendable {
  /// So many in all cases together, spread over each one's events; with a full disk in place of
  /// signals and losses of power where asked for.
  case count(Int, seed: UInt64, fillsDisk: Bool = false)
  /// One in each case.
  case point(KillPoint)

  /// What says most first, for a case with few kills.
  private static let kinds: [FileEvent.Kind] = [
    .write, .sync, .commit, .rename, .marker, .folderSync, .delete, .truncate, .open,
  ]

  /// The points of one of several cases, whose events are known.
  ///
  /// Every kind of event has its turn, and each of a kind's points its own part of the run; half
  /// of them are signals, half losses of power.
  func points(
    of id: String,
    index: Int,
    among cases: Int,
    events: [FileEvent.Kind: Int]
  ) -> [KillPoint] {
    switch self {
    case .point(let point): return [point]
    case .count(let total, let seed, let fillsDisk):
      let count = total / cases + (index < total % cases ? 1 : 0)
      let kinds = Self.kinds.filter { events[$0, default: 0] > 0 }
      guard !kinds.isEmpty else { return [] }
      return (0..<count).map { number in
        // Cases with few kills begin with different kinds.
        let place = (number + index) % kinds.count
        let round = number / kinds.count
        let rounds = (count - number % kinds.count - 1) / kinds.count + 1
        var coins = SeededCoins(seed: seed, name: id, number: number)
        let all = events[kinds[place], default: 1]
        let (first, end) = (round * all / rounds, (round + 1) * all / rounds)
        let event = 1 + first + coins.number(below: UInt64(max(1, end - first)))
        // Short enough to be typed.
        let loss = KillPoint.Ending.powerLoss(seed: UInt64(coins.number(below: 100_000)))
        let kill = (place + round).isMultiple(of: 2) ? KillPoint.Ending.signal : loss
        return KillPoint(
          before: FileEvent.Place(kinds[place], number: min(event, all)),
          ending: fillsDisk ? .fullDisk : kill
        )
      }
    }
  }
}
