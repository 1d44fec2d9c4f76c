import Basics
import Foundation
import PersistentStore
import SQLite

/// The cases of a plan whose launches can be killed, each with its starting store.
package struct LaunchedCases {
  let plan: Plan
  let stores: any StoreProvider
  let launcher: any Launcher
  let scratch: ScratchFolder
  let isStopped: @Sendable () -> Bool

  package init(
    plan: Plan,
    stores: any StoreProvider,
    launcher: any Launcher,
    scratch: ScratchFolder,
    isStopped: @escaping @Sendable () -> Bool
  ) {
    self.plan = plan
    self.stores = stores
    self.launcher = launcher
    self.scratch = scratch
    self.isStopped = isStopped
  }

  var count: Int { plan.workloads.reduce(0) { $0 + $1.killableCases.count } }

  /// Calls the body with the index of each case, and with the case or the reason why its store
  /// cannot be made.
  ///
  /// - Returns: Whether the run was stopped.
  /// - Throws: any error from making a store, and any error that the body throws.
  func visit(
    _ body: (Int, Result<LaunchedCase, CaseKiller.Failure>, Case, WorkloadFile) throws -> Void
  ) throws -> Bool {
    do {
      try visitAll(body)
      return false
    } catch let error where error.isInterruption {
      return true
    }
  }

  private func visitAll(
    _ body: (Int, Result<LaunchedCase, CaseKiller.Failure>, Case, WorkloadFile) throws -> Void
  ) throws {
    var index = 0
    for workload in plan.workloads where !workload.killableCases.isEmpty {
      let original = try stores.store(for: workload.file, in: scratch)
      for planned in workload.killableCases {
        if isStopped() { throw Refusal.interrupted }
        let launched = try launched(planned, of: workload.file, from: original)
        try body(index, launched, planned, workload.file)
        index += 1
      }
    }
  }

  private func launched(
    _ planned: Case,
    of file: WorkloadFile,
    from original: PreparedStore
  ) throws -> Result<LaunchedCase, CaseKiller.Failure> {
    var start = original.store
    if planned.traits.startingStore != nil {
      let made = try original.startingStore(for: planned, of: file, in: scratch, executor: launcher)
      if let obstacle = made.obstacle { return .failure(.undisturbed(obstacle)) }
      start = made.store
    }
    return .success(
      LaunchedCase(
        planned: planned,
        file: file,
        original: original,
        start: start,
        launcher: launcher,
        scratch: scratch
      )
    )
  }
}

extension PlannedWorkload {
  /// The cases that write; a killed launch of a read-only case leaves nothing to check.
  package var killableCases: [Case] { cases.filter { !$0.traits.onlyReads } }
  /// Whether a later launch can continue the work of a killed launch.
  package var isRestartable: Bool { file.kind.description.remains != nil }
}

/// A case whose launches may be killed, with its stores and folders.
struct LaunchedCase {
  let planned: Case
  let file: WorkloadFile
  let original: PreparedStore
  let start: StoreFile
  let launcher: any Launcher
  let scratch: ScratchFolder

  var isRestartable: Bool { file.kind.description.remains != nil }

  /// The names of a trial's folders: one for its store, and one for its other files.
  static let parts = ["store", "work"]

  func makeTrial(in name: String) throws -> Trial {
    let folder = try scratch.emptyFolder(name)
    for part in Self.parts { _ = try scratch.emptyFolder(name + "/" + part) }
    _ = try StoreCopier.copy(start, into: "\(folder)/store")
    return trial(in: folder)
  }

  func copy(_ trial: Trial, into name: String) throws -> Trial {
    let folder = try scratch.emptyFolder(name)
    let source = URL(fileURLWithPath: trial.folder).deletingLastPathComponent().path
    do {
      for part in Self.parts {
        try FileManager.default.copyItem(atPath: "\(source)/\(part)", toPath: "\(folder)/\(part)")
      }
    } catch {
      throw Refusal.cannotCopy(path: source, reason: "\(error)")
    }
    return self.trial(in: folder)
  }

  private func trial(in folder: String) -> Trial {
    original.trial(
      on: StoreFile(path: "\(folder)/store/\(start.name)"),
      start: start,
      folder: folder + "/work",
      file: file
    )
  }

  func remains(of trial: Trial, beside finished: Trial, digest: String) throws -> Remains {
    guard let read = file.kind.description.remains else {
      throw VerificationFailure(["its kind cannot be begun again"])
    }
    return try read(planned.allParameters, trial, finished, digest)
  }

  func launch(
    _ trial: Trial,
    task: TrialRequest.Task = .measure,
    faults: FaultPlan? = nil,
    copies: String? = nil,
    seconds: Double? = nil
  ) throws -> LaunchEnding {
    var request = TrialRequest(
      task: task,
      kind: file.kind.name,
      parameters: planned.allParameters,
      trial: trial,
      faults: faults
    )
    request.commitCopies = copies
    let limits = TrialLimits(time: seconds ?? file.trials.timeLimit)
    return try launcher.launch(request, within: limits)
  }
}
