import SQLite

/// Kills launches of one case, looks at what they leave, and launches again.
struct CaseKiller {
  let launched: LaunchedCase

  /// A trial that nobody disturbed: what the others must end in.
  struct Undisturbed {
    let trial: Trial
    let digest: String
    let events: [FileEvent.Kind: Int]
  }

  /// Runs the case to its end and counts its events.
  ///
  /// - Throws: ``KillFailure/undisturbed(_:)`` where it failed.
  func runUndisturbed() throws -> Undisturbed {
    let trial = try launched.makeTrial(in: "undisturbed")
    let response = try finish(trial, faults: FaultPlan()) { .undisturbed($0) }
    guard let digest = response.digest else { throw KillFailure.undisturbed("it has no digest") }
    return Undisturbed(trial: trial, digest: digest, events: response.events ?? [:])
  }

  /// Launches what nobody is to kill; throws the failure of why it came to no end.
  private func finish(
    _ trial: Trial,
    faults: FaultPlan? = nil,
    orElse failure: (String) -> KillFailure
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
    } catch let failure as KillFailure {
      return KillOutcome(point: point, remains: remains, failure: failure.description)
    }
  }

  private func killLaunch(of trial: Trial, at point: KillPoint) throws {
    switch try launched.launch(trial, faults: FaultPlan(kill: point)) {
    case .killed: return
    case .finished: throw KillFailure.notReached(point)
    case .failed(let cause): throw KillFailure.killedLaunch(cause)
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
      throw KillFailure.unreadable("\(error)")
    }
  }

  private func judge(_ remains: Remains) throws {
    if remains.lost > 0 || remains.doubled > 0 {
      throw KillFailure.notOnce(lost: remains.lost, doubled: remains.doubled)
    }
    if launched.planned.traits.isAtomic, remains.state == .between {
      throw KillFailure.halfMigrated
    }
  }

  private func relaunch(
    _ trial: Trial,
    _ launch: KillFailure.Launch,
    mustReach digest: String
  ) throws {
    let found = try finish(trial) { .laterLaunch(launch, $0) }.digest
    if found != digest { throw KillFailure.otherContent(launch, found ?? "none", digest) }
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
