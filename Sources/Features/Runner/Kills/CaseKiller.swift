import Basics
import SQLite

/// Kills launches of one case (runs of its work in a separate process), inspects the files that
/// they leave, and launches again.
struct CaseKiller {
  let launched: LaunchedCase
  /// The contents of the databases after each commit; `nil` for a kind whose launches can be
  /// restarted.
  var states: CommittedStates?

  /// A trial without a kill; restarted trials must end in the state that it reaches.
  struct Undisturbed {
    let trial: Trial
    let digest: String
    let events: [FileEvent.Kind: Int]
  }

  /// Runs the case to its end and counts its file events.
  ///
  /// - Throws: ``CaseKiller/Failure/undisturbed(_:)`` if the case fails.
  func runUndisturbed() throws -> Undisturbed {
    let trial = try launched.makeTrial(in: "undisturbed")
    let copies = launched.isRestartable ? nil : try launched.scratch.emptyFolder(Self.copies)
    let faults = FaultPlan(commitLog: copies.map { $0 + "/log" })
    let response = try finish(trial, faults: faults, copies: copies) { .undisturbed($0) }
    guard let digest = response.digest else {
      throw CaseKiller.Failure.undisturbed("it has no digest")
    }
    return Undisturbed(trial: trial, digest: digest, events: response.events ?? [:])
  }

  private static let copies = "commits"

  func committedStates() throws -> CommittedStates {
    try CommittedStates(
      start: launched.makeTrial(in: "unworked"),
      copies: CommitCopies(folder: launched.scratch.path + "/" + Self.copies)
    )
  }

  private func finish(
    _ trial: Trial,
    faults: FaultPlan? = nil,
    copies: String? = nil,
    orElse failure: (String) -> CaseKiller.Failure
  ) throws -> TrialResponse {
    switch try launched.launch(trial, faults: faults, copies: copies) {
    case .finished(let response): return response
    case .killed: throw failure("it took too long, or another process killed it")
    case .failed(let cause): throw failure(cause)
    }
  }

  /// Kills one launch and, if the kind can be restarted, launches twice more.
  func kill(at point: KillPoint, beside undisturbed: Undisturbed) throws -> KillOutcome {
    let trial = try launched.makeTrial(in: "killed")
    var remains: Remains?
    do {
      try killLaunch(of: trial, at: point)
      let found = try look(at: trial, after: point, beside: undisturbed)
      remains = found
      guard launched.isRestartable else {
        return KillOutcome(point: point, remains: found, failure: nil)
      }
      try judge(found)
      try relaunch(trial, .restart, mustReach: undisturbed.digest)
      try relaunch(trial, .second, mustReach: undisturbed.digest)
      return KillOutcome(point: point, remains: remains, failure: nil)
    } catch let failure as CaseKiller.Failure {
      return KillOutcome(point: point, remains: remains, failure: failure.description)
    }
  }

  private func killLaunch(of trial: Trial, at point: KillPoint) throws {
    let faults = FaultPlan(kill: point, commitLog: launched.isRestartable ? nil : commitLog)
    let ending = try launched.launch(trial, faults: faults)
    switch (ending, point.ending) {
    // If the disk is full from the kill point on, a launch can still succeed if no file grows
    // later.
    case (.finished, .fullDisk), (.killed, .signal), (.killed, .powerLoss): return
    case (.finished, _): throw CaseKiller.Failure.notReached(point)
    case (.failed(let cause), .fullDisk):
      guard FullDisk.isNamed(in: cause) else { throw CaseKiller.Failure.otherMessage(cause) }
    case (.failed(let cause), _): throw CaseKiller.Failure.killedLaunch(cause)
    case (.killed, .fullDisk): throw CaseKiller.Failure.killedLaunch("it took too long")
    }
  }

  private var commitLog: String { launched.scratch.path + "/killed/commits.log" }

  /// Reads the state from a copy, so that reading does not change the files for the next launch.
  func look(
    at trial: Trial,
    after point: KillPoint? = nil,
    beside undisturbed: Undisturbed
  ) throws -> Remains {
    let copy = try launched.copy(trial, into: "read")
    do {
      if let states {
        let losesPower = point?.losesPower ?? false
        return try states.remains(of: copy, log: commitLog, losesPower: losesPower)
      }
      return try launched.remains(of: copy, beside: undisturbed.trial, digest: undisturbed.digest)
    } catch let failure as CaseKiller.Failure {
      throw failure
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
  fileprivate var digest: String? {
    switch outcome {
    case .passed(let verification), .failedAsExpected(_, let verification): verification.digest
    case .failed: nil
    }
  }
}

extension CaseKiller {
  enum Failure: Error, Equatable, CustomStringConvertible {
    /// One of the two launches that follow a killed launch.
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
    /// A database differs from every state that the undisturbed launch committed.
    case halfSaved(String)
    case otherSave(String, found: Int, least: Int)
    /// The disk was full, but the error message lacks the advice to free space.
    case otherMessage(String)
    case laterLaunch(Launch, String)
    case otherContent(Launch, String, String)

    var description: String {
      switch self {
      case .undisturbed(let cause): "undisturbed, \(cause)"
      case .notReached(let point): "the launch ended before it reached \(point)"
      case .killedLaunch(let cause): "the launch failed before it was killed: \(cause)"
      case .unreadable(let cause): "the files that it left cannot be read: \(cause)"
      case .notOnce(let lost, let doubled):
        "\(Figures.counted(lost, "object")) lost, \(doubled) doubled"
      case .halfMigrated: "an atomic strategy left a state that is neither the old nor the new one"
      case .halfSaved(let name): "'\(name)' holds a part of a save"
      case .otherSave(let name, let found, let least):
        "'\(name)' holds the saves up to number \(found), and number \(least) was committed"
      case .otherMessage(let cause):
        "on a full disk the message does not say what to free: \(cause)"
      case .laterLaunch(let launch, let cause): "\(launch.rawValue) failed: \(cause)"
      case .otherContent(let launch, let found, let wanted):
        "\(launch.rawValue) ended with the content \(found), a run without kills with \(wanted)"
      }
    }
  }
}
