import Basics
import DataModel

/// Why nothing was run, or why a run ended early.
package enum RunnerError: Error, Equatable {
  /// Everything wrong with the workload files.
  case invalid([Diagnostic])
  case noSuchInput(path: String)
  /// A folder without a single workload file.
  case noWorkloadFiles(folder: String)
  case tooManyCases(count: Int, limit: Int)
  case noCaseMatches(filter: String, example: String)
  case cannotRead(path: String, reason: String)
  case cannotWrite(path: String, reason: String)
  case cannotCopy(path: String, reason: String)
  /// Bytes.
  case notEnoughDisk(folder: String, needed: Int64, free: Int64)
  /// A store written by a framework or library that is newer than this build knows.
  case newerFormat(path: String, detail: String)
  /// A store that somebody wrote to while it was copied.
  case changedMeanwhile(path: String, change: String)
  /// The files that a plan was made of give another plan now.
  case otherPlan(path: String, change: String)
  /// The machine is not one that the plan allows.
  case otherMachine(fact: String, required: String, found: String)
  /// The plan has no task of that case or number.
  case noSuchTask(name: String, example: String)
  /// The run was told to stop.
  case interrupted
}

extension RunnerError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalid(let diagnostics): diagnostics.map(\.description).joined(separator: "\n")
    case .noSuchInput(let path): "no such file or folder: '\(path)'\(didYouMean(fileAt: path))"
    case .noWorkloadFiles(let folder):
      "'\(folder)' has no workload files (YAML files outside its folders 'models' and 'recipes')"
    case .tooManyCases(let count, let limit):
      "the plan has \(count) cases, more than the \(limit) allowed; give its axes fewer values"
    case .cannotRead(let path, let reason): "cannot read '\(path)': \(reason)"
    case .cannotWrite(let path, let reason): "cannot write '\(path)': \(reason)"
    case .cannotCopy(let path, let reason): "cannot copy '\(path)': \(reason)"
    case .notEnoughDisk(let folder, let needed, let free):
      "the disk of '\(folder)' has \(Figures.bytes(free, .significant)) free, but the plan needs "
        + "\(Figures.bytes(needed, .significant)), including copies and backups: free some space, "
        + "use another disk with --work-folder, or run fewer cases"
    case .newerFormat(let path, let detail):
      "the store '\(path)' has a newer format than this version reads: \(detail)"
    case .changedMeanwhile(let path, let change):
      "the store '\(path)' changed while it was copied (\(change)); close the app that uses it"
    case .otherPlan(let path, let change):
      "the plan '\(path)' does not match its workload files: \(change); check out the files from "
        + "which it was made, or plan again"
    case .otherMachine(let fact, let required, let found):
      "the plan needs \(fact) \(required), but this machine has \(found): use the image on which "
        + "the plan was made, or plan again here"
    case .noSuchTask(let name, let example):
      "the plan has no case and no task '\(name)'; case IDs look like '\(example)'"
    case .interrupted: "interrupted"
    case .noCaseMatches(let filter, let example):
      "no case matches '\(filter)'; case IDs look like '\(example)', and '*' stands for any text"
    }
  }
}
