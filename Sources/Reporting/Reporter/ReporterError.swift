/// What can go wrong with a result on its way to or from a file.
package enum ReporterError: Error, Equatable {
  /// There is no such file or folder.
  case missing(path: String)
  case cannotRead(path: String, reason: String)
  case cannotWrite(path: String, reason: String)
  /// The file is there, but holds no result that this build reads.
  case notAResult(path: String, reason: String)
  /// The file is there, but is no baseline that this build reads.
  case notABaseline(path: String, line: Int, reason: String)
  /// Several baselines of a folder hold workloads of the result.
  case severalBaselines([String])
  /// The text is no JSON, or not of a result's shape.
  case malformed(place: String, reason: String)
}

extension ReporterError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing(let path):
      "there is no result at '\(path)': name a result file or the folder of a run"
    case .cannotRead(let path, let reason):
      "cannot read '\(path)': \(reason)"
    case .cannotWrite(let path, let reason):
      "cannot write '\(path)': \(reason)"
    case .notAResult(let path, let reason):
      "'\(path)' is no result: \(reason)"
    case .notABaseline(let path, let line, let reason):
      "'\(path)' is no baseline: line \(line): \(reason)"
    case .severalBaselines(let paths):
      "\(paths.map { "'\($0)'" }.joined(separator: " and ")) hold workloads of the result: name"
        + " the one to compare with"
    case .malformed(let place, let reason):
      "\(reason) at \(place)"
    }
  }
}
