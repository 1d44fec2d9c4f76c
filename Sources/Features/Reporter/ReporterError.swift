import Basics
import DataModel

/// What can go wrong with a result on its way to or from a file.
package enum ReporterError: ErrorWithStatus, Equatable {
  /// There is no such file or folder.
  case missing(path: String)
  case cannotRead(path: String, reason: String)
  case cannotWrite(path: String, reason: String)
  /// The file is there, but holds no result that this build reads.
  case notAResult(path: String, reason: String)
  /// The file is there, but is no baseline that this build reads.
  case notABaseline(path: String, line: Int, reason: String)
  /// A file of a history's folder is none that this build reads.
  case notAHistory(path: String, line: Int, reason: String)
  /// Several baselines of a folder hold workloads of the result.
  case severalBaselines([String])
}

extension ReporterError: CustomStringConvertible {
  package var status: CommandStatus {
    switch self {
    case .missing, .cannotRead: .noInput
    case .cannotWrite: .cannotWrite
    default: .badInput
    }
  }

  package var description: String {
    switch self {
    case .missing(let path):
      "there is no result at '\(path)': name a result file or the folder of a run"
        + didYouMean(fileAt: path)
    case .cannotRead(let path, let reason):
      "cannot read '\(path)': \(reason)"
    case .cannotWrite(let path, let reason):
      "cannot write '\(path)': \(reason)"
    case .notAResult(let path, let reason):
      "'\(path)' is not a result: \(reason)"
    case .notABaseline(let path, let line, let reason):
      "'\(path)' is not a baseline: line \(line): \(reason)"
    case .notAHistory(let path, let line, let reason):
      "'\(path)' is not a file of a history: line \(line): \(reason)"
    case .severalBaselines(let paths):
      "\(paths.map { "'\($0)'" }.joined(separator: " and ")) contain workloads of the result: name "
        + "the file to compare with"
    }
  }
}

extension ReporterError {
  /// Hands on what a file's reading gives, with the path in its failures.
  package static func reading<Result>(
    _ path: String,
    _ read: () throws(InputFile.Failure) -> Result
  ) throws(ReporterError) -> Result {
    do {
      return try read()
    } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .unreadable(let reason): throw .cannotRead(path: path, reason: reason)
      case .notRegular:
        throw .notAResult(path: path, reason: "it is neither a file nor a folder")
      default: throw .notAResult(path: path, reason: error.reason)
      }
    }
  }

  /// Whether the path is a folder; throws for what is neither a folder nor a regular file.
  package static func isFolder(_ path: String) throws(ReporterError) -> Bool {
    try reading(path) { () throws(InputFile.Failure) in try InputFile.isFolder(path) }
  }
}
