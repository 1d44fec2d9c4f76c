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
  /// The run was told to stop.
  case interrupted
}

extension RunnerError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalid(let diagnostics): diagnostics.map(\.description).joined(separator: "\n")
    case .noSuchInput(let path): "no such file or folder: '\(path)'"
    case .noWorkloadFiles(let folder):
      "'\(folder)' has no workload files: YAML files outside its folders 'models' and 'recipes'"
    case .tooManyCases(let count, let limit):
      "the plan has \(count) cases, more than the \(limit) allowed; give its axes fewer values"
    case .cannotRead(let path, let reason): "cannot read '\(path)': \(reason)"
    case .cannotWrite(let path, let reason): "cannot write '\(path)': \(reason)"
    case .cannotCopy(let path, let reason): "cannot copy '\(path)': \(reason)"
    case .interrupted: "interrupted"
    case .noCaseMatches(let filter, let example):
      "no case matches '\(filter)'; case IDs look like '\(example)', and '*' stands for any text"
    }
  }
}
