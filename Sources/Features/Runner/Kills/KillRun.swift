import Basics
import SQLite

/// Kills launches of a plan's cases (runs of their work in a separate process) at selected points.
package struct KillRun {
  let cases: LaunchedCases
  let choice: KillChoice
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

  /// Kills launches case by case; if the run is stopped, returns the results so far.
  ///
  /// - Throws: an error if a store cannot be made or copied.
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

/// The outcome of one killed launch.
package struct KillOutcome: Hashable, Sendable {
  package let point: KillPoint
  /// The state that the killed launch left; `nil` if it could not be read.
  package let remains: Remains?
  /// The failure of the killed launch, of reading its files, or of a later launch; `nil` if nothing
  /// failed.
  package let failure: String?
}

/// The results of one case's kills.
package struct KilledCase: Hashable, Sendable {
  package let id: String
  /// The workload's name, which is the prefix of the case's ID.
  package let workload: String
  /// The workload file's path.
  package let path: String
  package var outcomes: [KillOutcome] = []
  /// The reason why the case could not be tested; `nil` if it was tested.
  package var obstacle: String?
}

/// The results of all cases.
package struct KillReport: Hashable, Sendable {
  package var cases: [KilledCase] = []

  package var outcomes: [KillOutcome] { cases.flatMap(\.outcomes) }

  /// Whether any kill caused a failure, or any case could not be tested.
  package var hasFailed: Bool {
    cases.contains { $0.obstacle != nil } || outcomes.contains { $0.failure != nil }
  }
}

/// The points at which launches are killed.
package enum KillChoice: Hashable, Sendable {
  /// The total number of kills, divided among the cases and spread over the events of each case.
  ///
  /// With `fillsDisk`, each kill fills the disk instead of sending a signal or simulating a power
  /// loss.
  case count(Int, seed: UInt64, fillsDisk: Bool = false)
  /// One kill per case, at the given point.
  case point(KillPoint)

  /// The kinds of events, the most informative first, for cases with few kills.
  private static let kinds: [FileEvent.Kind] = [
    .write, .sync, .commit, .rename, .marker, .folderSync, .delete, .truncate, .open,
  ]

  /// Returns the kill points of one case, given the number of its events by kind.
  ///
  /// The points alternate between the kinds of events, and the points of one kind are spread evenly
  /// over the run. Half of the kills send a signal, and half simulate a power loss.
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
        // Start each case with a different kind of event, so that together the cases cover all
        // kinds even with few kills per case.
        let place = (number + index) % kinds.count
        let round = number / kinds.count
        let rounds = (count - number % kinds.count - 1) / kinds.count + 1
        var coins = SeededCoins(seed: seed, name: id, number: number)
        let all = events[kinds[place], default: 1]
        let (first, end) = (round * all / rounds, (round + 1) * all / rounds)
        let event = 1 + first + coins.number(below: UInt64(max(1, end - first)))
        // Keep the seed short enough to type.
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

/// Kills each launch after a number of seconds and launches again, as a watchdog and a user do.
package struct WatchdogRun {
  /// The number of launches after the first killed launch.
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

  /// Tests the cases one by one; if the run is stopped, returns the results so far.
  ///
  /// - Throws: an error if a store cannot be made or copied.
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

  /// Returns the time of a launch in seconds, from the start of its process to its end; `nil` if
  /// the launch does not finish.
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
  fileprivate var objects: Int { original.description.objects.values.reduce(0, +) }
}

/// The result for a case whose launches are killed at a time limit.
package struct WatchedCase: Hashable, Sendable {
  package enum Ending: Hashable, Sendable {
    /// The launch with this number, counted from 1, finished.
    case finished(launch: Int)
    /// All launches were killed, but the last launch still made progress.
    case goesOn(launches: Int)
    /// All launches were killed, and the last launch made no progress.
    case neverFinishes(launches: Int)
    /// The case could not be tested, for the given reason.
    case failed(String)
  }

  package let id: String
  /// The number of objects in the store.
  package let objects: Int
  /// The time of a launch without a kill, in seconds; `nil` if the launch did not finish.
  package var undisturbed: Double?
  package var ending: Ending

  /// Estimates how many objects a launch can process in the given seconds, if time is proportional
  /// to objects; `nil` if the time of a launch is unknown.
  package func objects(within seconds: Double) -> Int? {
    guard let undisturbed, undisturbed > 0 else { return nil }
    return Int(min(Double(objects) * seconds / undisturbed, 1e15))
  }

  /// Whether the case failed, or no number of launches lets it finish.
  package var hasFailed: Bool {
    switch ending {
    case .finished, .goesOn: false
    case .neverFinishes, .failed: true
    }
  }
}
