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
    let isInterrupted = try cases.visit { index, launched, planned, file in
      report.cases.append(KilledCase(id: planned.id, workload: file.name, path: file.path))
      do {
        try kill(launched.get(), index: index, &report)
      } catch let failure as CaseKiller.Failure {
        report.cases[index].obstacle = failure.description
      }
    }
    return (report, isInterrupted)
  }

  private func kill(_ launched: LaunchedCase, index: Int, _ report: inout KillReport) throws {
    let id = launched.planned.id
    progress(id, report.outcomes.count, total)
    var killer = CaseKiller(launched: launched)
    let undisturbed = try killer.runUndisturbed()
    if !launched.isRestartable { killer.states = try killer.committedStates() }
    let events = undisturbed.events
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

/// Kills each launch after some seconds and launches again, as a system's watchdog and a user do.
package struct WatchdogRun {
  /// Launches after the first one that was killed.
  package static let relaunches = 5

  let cases: LaunchedCases
  let seconds: Double
  let progress: (_ id: String, _ launch: Int) -> Void

  package init(
    _ cases: LaunchedCases,
    seconds: Double,
    progress: @escaping (_ id: String, _ launch: Int) -> Void = { _, _ in }
  ) {
    self.cases = cases
    self.seconds = seconds
    self.progress = progress
  }

  /// Watches case by case; what was tried is kept when it is told to stop.
  ///
  /// - Throws: what keeps a store from being made or copied.
  package func perform() throws -> (cases: [WatchedCase], isInterrupted: Bool) {
    var watched: [WatchedCase] = []
    let isInterrupted = try cases.visit { _, launched, planned, _ in
      switch launched {
      case .failure(let failure):
        let ending = WatchedCase.Ending.failed(failure.description)
        watched.append(WatchedCase(id: planned.id, objects: 0, ending: ending))
      case .success(let launched): watched.append(try watch(launched))
      }
    }
    return (watched, isInterrupted)
  }

  private func watch(_ launched: LaunchedCase) throws -> WatchedCase {
    let id = launched.planned.id
    progress(id, 0)
    var result = WatchedCase(id: id, objects: launched.objects, ending: .goesOn(launches: 0))
    do {
      let killer = CaseKiller(launched: launched)
      let undisturbed = try killer.runUndisturbed()
      result.undisturbed = try time(launched)
      result.ending = try watch(launched, killer, undisturbed)
    } catch let failure as CaseKiller.Failure {
      result.ending = .failed(failure.description)
    }
    return result
  }

  /// Seconds of a launch, from the start of its process to its end.
  private func time(_ launched: LaunchedCase) throws -> Double? {
    let trial = try launched.makeTrial(in: "timed")
    let start = MonotonicClock.seconds()
    guard case .finished = try launched.launch(trial, task: .launch) else { return nil }
    return MonotonicClock.seconds() - start
  }

  private func watch(
    _ launched: LaunchedCase,
    _ killer: CaseKiller,
    _ undisturbed: CaseKiller.Undisturbed
  ) throws -> WatchedCase.Ending {
    let trial = try launched.makeTrial(in: "killed")
    var digests: [String] = []
    for launch in 1...Self.relaunches + 1 {
      progress(launched.planned.id, launch)
      switch try launched.launch(trial, task: .launch, seconds: seconds) {
      case .finished: return .finished(launch: launch)
      case .failed(let cause): return .failed(cause)
      case .killed:
        digests.append(try killer.look(at: trial, beside: undisturbed).digest)
      }
    }
    let isStuck = digests.last == digests.dropLast().last
    return isStuck
      ? .neverFinishes(launches: digests.count) : .goesOn(launches: digests.count)
  }
}

extension LaunchedCase {
  /// Objects of the workload's own store.
  fileprivate var objects: Int { original.description.objects.values.reduce(0, +) }
}

/// What becomes of a case that is killed when it takes longer than a launch may take.
package struct WatchedCase: Hashable, Sendable {
  package enum Ending: Hashable, Sendable {
    /// In the launch of that number, counted from 1.
    case finished(launch: Int)
    /// Launches were killed one after the other, and each had added something.
    case goesOn(launches: Int)
    /// The last launch had added nothing to what the one before had left.
    case neverFinishes(launches: Int)
    /// It could not be tried, for this cause.
    case failed(String)
  }

  package let id: String
  /// Objects of the store.
  package let objects: Int
  /// Seconds of a launch without a kill; `nil` if it did not finish.
  package var undisturbed: Double?
  package var ending: Ending

  /// The objects that a launch of some seconds gets done, where time grows as objects do; `nil`
  /// where it is not known.
  package func objects(within seconds: Double) -> Int? {
    guard let undisturbed, undisturbed > 0 else { return nil }
    return Int(min(Double(objects) * seconds / undisturbed, 1e15))
  }

  /// Whether users with so many objects are never let in again.
  package var hasFailed: Bool {
    switch ending {
    case .finished, .goesOn: false
    case .neverFinishes, .failed: true
    }
  }
}
