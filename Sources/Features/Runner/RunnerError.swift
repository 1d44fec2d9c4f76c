import Basics
import DataModel

extension Refusal {
  package static func noSuchInput(path: String) -> Refusal {
    Refusal.noInput("no such file or folder: '\(path)'\(didYouMean(fileAt: path))")
  }

  package static func tooManyCases(count: Int, limit: Int) -> Refusal {
    Refusal.badInput(
      "the plan has \(count) cases, more than the \(limit) allowed; give its "
        + "axes fewer values"
    )
  }

  static func cannotCopy(path: String, reason: String) -> Refusal {
    Refusal(.failedIO, "cannot copy '\(path)': \(reason)")
  }

  /// A store written by a framework or library that is newer than this build knows.
  static func newerFormat(path: String, detail: String) -> Refusal {
    Refusal.badInput("the store '\(path)' has a newer format than this version reads: \(detail)")
  }
}
