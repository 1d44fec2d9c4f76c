import Foundation
import PersistentStore
import SQLite

/// A case whose launches may be killed, with the folders that it works in.
struct LaunchedCase {
  let planned: Case
  let file: WorkloadFile
  let original: PreparedStore
  /// The store that the case starts from.
  let start: StoreFile
  let launcher: any Launcher
  let scratch: ScratchFolder

  /// A fresh copy of the starting store, in a folder of the scratch folder.
  func makeTrial(in name: String) throws -> Trial {
    let folder = try scratch.emptyFolder(name)
    _ = try scratch.emptyFolder(name + "/work")
    _ = try StoreCopier.copy(start, into: try scratch.emptyFolder(name + "/store"))
    return trial(in: folder)
  }

  /// A copy of all that a trial has on the disk.
  func copy(_ trial: Trial, into name: String) throws -> Trial {
    let folder = try scratch.emptyFolder(name)
    let source = URL(fileURLWithPath: trial.folder).deletingLastPathComponent().path
    do {
      for part in ["work", "store"] {
        try FileManager.default.copyItem(atPath: "\(source)/\(part)", toPath: "\(folder)/\(part)")
      }
    } catch {
      throw RunnerError.cannotCopy(path: source, reason: "\(error)")
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

  /// What the kind's own reader finds of a trial.
  func remains(of trial: Trial, beside finished: Trial, digest: String) throws -> Remains {
    try file.kind.init(parameters: planned.allParameters)
      .remains(of: trial, beside: finished, digest: digest)
  }

  /// Launches the work once.
  func launch(
    _ trial: Trial,
    task: TrialRequest.Task = .measure,
    faults: FaultPlan? = nil,
    seconds: Double? = nil
  ) throws -> LaunchEnding {
    let request = TrialRequest(
      task: task,
      kind: file.kind.kind,
      parameters: planned.allParameters,
      trial: trial,
      faults: faults
    )
    let limits = TrialLimits(time: seconds ?? file.trials.timeLimit)
    return try launcher.launch(request, within: limits)
  }
}
