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
  /// - Returns: the trial, or why it failed.
  func runUndisturbed() throws -> Result<Undisturbed, KillFailure> {
    let trial = try launched.makeTrial(in: "undisturbed")
    switch try launched.launch(trial, faults: FaultPlan()) {
    case .finished(let response):
      guard let digest = response.digest else { return .failure(.undisturbed("it has no digest")) }
      return .success(
        Undisturbed(trial: trial, digest: digest, events: response.events ?? [:])
      )
    case .killed: return .failure(.undisturbed("it took too long, or somebody killed it"))
    case .failed(let cause): return .failure(.undisturbed(cause))
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
    switch try launched.launch(trial, faults: point.plan) {
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
      return try launched.workload.remains(
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
    if launched.workload.isAtomic, remains.state == .between { throw KillFailure.halfMigrated }
  }

  private func relaunch(
    _ trial: Trial,
    _ launch: KillFailure.Launch,
    mustReach digest: String
  ) throws {
    switch try launched.launch(trial) {
    case .finished(let response):
      guard response.digest != digest else { return }
      throw KillFailure.otherContent(launch, response.digest ?? "none", digest)
    case .killed: throw KillFailure.laterLaunch(launch, "it took too long, or somebody killed it")
    case .failed(let cause): throw KillFailure.laterLaunch(launch, cause)
    }
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
