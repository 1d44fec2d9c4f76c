import Basics

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
    do {
      try cases.visit { _, launched, planned, _ in
        switch launched {
        case .failure(let failure):
          let ending = WatchedCase.Ending.failed(failure.description)
          watched.append(WatchedCase(id: planned.id, objects: 0, ending: ending))
        case .success(let launched): watched.append(try watch(launched))
        }
      }
    } catch let error where error.isInterruption {
      return (watched, true)
    }
    return (watched, false)
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
