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
    case .count(let count, _): count
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
    } catch RunnerError.interrupted {
      return (report, true)
    }
    return (report, false)
  }

  private func kill(_ launched: LaunchedCase, index: Int, _ report: inout KillReport) throws {
    let id = launched.planned.id
    report.cases[index].isAtomic = launched.planned.traits.isAtomic
    progress(id, report.outcomes.count, total)
    let killer = CaseKiller(launched: launched)
    let undisturbed = try killer.runUndisturbed()
    let events = undisturbed.events
    report.cases[index].events = events
    for point in choice.points(of: id, index: index, among: cases.count, events: events) {
      if cases.isStopped() { throw RunnerError.interrupted }
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
  /// So many in all cases together, spread over each one's events.
  case count(Int, seed: UInt64)
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
    case .count(let total, let seed):
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
        return KillPoint(
          before: FileEvent.Place(kinds[place], number: min(event, all)),
          ending: (place + round).isMultiple(of: 2) ? .signal : loss
        )
      }
    }
  }
}

/// Kills launches of one case, looks at what they leave, and launches again.
struct CaseKiller {
  let launched: LaunchedCase

  /// An undisturbed trial: the others must end in the same state.
  struct Undisturbed {
    let trial: Trial
    let digest: String
    let events: [FileEvent.Kind: Int]
  }

  /// Runs the case to its end and counts its events.
  ///
  /// - Throws: ``CaseKiller/Failure/undisturbed(_:)`` where it failed.
  func runUndisturbed() throws -> Undisturbed {
    let trial = try launched.makeTrial(in: "undisturbed")
    let response = try finish(trial, faults: FaultPlan()) { .undisturbed($0) }
    guard let digest = response.digest else {
      throw CaseKiller.Failure.undisturbed("it has no digest")
    }
    return Undisturbed(trial: trial, digest: digest, events: response.events ?? [:])
  }

  /// Runs a launch that is not killed; throws the failure if it does not finish.
  private func finish(
    _ trial: Trial,
    faults: FaultPlan? = nil,
    orElse failure: (String) -> CaseKiller.Failure
  ) throws -> TrialResponse {
    switch try launched.launch(trial, faults: faults) {
    case .finished(let response): return response
    case .killed: throw failure("it took too long, or somebody killed it")
    case .failed(let cause): throw failure(cause)
    }
  }

  /// Kills one launch, and launches twice more.
  func kill(at point: KillPoint, beside undisturbed: Undisturbed) throws -> KillOutcome {
    let trial = try launched.makeTrial(in: "killed")
    var remains: Remains?
    do {
      try killLaunch(of: trial, at: point)
      let found = try look(at: trial, beside: undisturbed)
      remains = found
      try judge(found)
      try relaunch(trial, .restart, mustReach: undisturbed.digest)
      try relaunch(trial, .second, mustReach: undisturbed.digest)
      return KillOutcome(point: point, remains: remains, failure: nil)
    } catch let failure as CaseKiller.Failure {
      return KillOutcome(point: point, remains: remains, failure: failure.description)
    }
  }

  private func killLaunch(of trial: Trial, at point: KillPoint) throws {
    switch try launched.launch(trial, faults: FaultPlan(kill: point)) {
    case .killed: return
    case .finished: throw CaseKiller.Failure.notReached(point)
    case .failed(let cause): throw CaseKiller.Failure.killedLaunch(cause)
    }
  }

  /// Reads a copy, so that the next launch finds what the kill has left and not what a reader made
  /// of it.
  func look(at trial: Trial, beside undisturbed: Undisturbed) throws -> Remains {
    let copy = try launched.copy(trial, into: "read")
    do {
      return try launched.remains(
        of: copy,
        beside: undisturbed.trial,
        digest: undisturbed.digest
      )
    } catch {
      throw CaseKiller.Failure.unreadable("\(error)")
    }
  }

  private func judge(_ remains: Remains) throws {
    if remains.lost > 0 || remains.doubled > 0 {
      throw CaseKiller.Failure.notOnce(lost: remains.lost, doubled: remains.doubled)
    }
    if launched.planned.traits.isAtomic, remains.state == .between {
      throw CaseKiller.Failure.halfMigrated
    }
  }

  private func relaunch(
    _ trial: Trial,
    _ launch: CaseKiller.Failure.Launch,
    mustReach digest: String
  ) throws {
    let found = try finish(trial) { .laterLaunch(launch, $0) }.digest
    if found != digest { throw CaseKiller.Failure.otherContent(launch, found ?? "none", digest) }
  }
}

extension TrialResponse {
  /// The digest of what was reached, as passed or as expected to fail.
  fileprivate var digest: String? {
    switch outcome {
    case .passed(let verification), .failedAsExpected(_, let verification): verification.digest
    case .failed: nil
    }
  }
}

extension CaseKiller {
  /// What a kill has done that it must not do.
  enum Failure: Error, Equatable, CustomStringConvertible {
    /// Which launch after the killed one.
    enum Launch: String, Equatable {
      case restart = "the restart"
      case second = "the launch after the restart"
    }

    case undisturbed(String)
    case notReached(KillPoint)
    case killedLaunch(String)
    case unreadable(String)
    case notOnce(lost: Int, doubled: Int)
    case halfMigrated
    case laterLaunch(Launch, String)
    case otherContent(Launch, String, String)

    var description: String {
      switch self {
      case .undisturbed(let cause): "undisturbed, \(cause)"
      case .notReached(let point): "the launch ended without coming to \(point)"
      case .killedLaunch(let cause): "the launch failed before it was killed: \(cause)"
      case .unreadable(let cause): "what it left cannot be read: \(cause)"
      case .notOnce(let lost, let doubled): "\(lost) objects lost, \(doubled) doubled"
      case .halfMigrated: "an atomic strategy left neither what was before nor what comes after"
      case .laterLaunch(let launch, let cause): "\(launch.rawValue) failed: \(cause)"
      case .otherContent(let launch, let found, let wanted):
        "\(launch.rawValue) ended in the content \(found), an undisturbed run in \(wanted)"
      }
    }
  }
}
