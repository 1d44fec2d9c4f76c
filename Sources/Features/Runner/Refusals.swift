import Basics
import DataModel

extension Refusal {
  package static func noSuchInput(path: String) -> Refusal {
    Refusal.noInput("no such file or folder: '\(path)'\(didYouMean(fileAt: path))")
  }

  package static func tooManyCases(count: Int, limit: Int) -> Refusal {
    Refusal.badInput(
      "the plan has \(count) cases, more than the \(limit) allowed; give its axes fewer values"
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

/// What can be wrong with a result, or with two that are to be compared.
extension Refusal {
  /// The document is of a version that this build does not know.
  static func unsupportedVersion(_ version: Int) -> Refusal {
    Refusal.badInput(
      "the result has version \(version), but this build reads version "
        + "\(ResultDocument.currentVersion): run the workloads again with this build"
    )
  }

  /// More elements than any run makes.
  static func tooMany(_ elements: String, limit: Int, place: String) -> Refusal {
    Refusal.badInput("more than \(limit) \(elements) at \(place), which no run writes")
  }

  /// A name that must be unique stands twice.
  static func repeated(_ what: String, name: String, place: String) -> Refusal {
    Refusal.badInput("duplicate \(what) '\(name)' at \(place)")
  }

  /// A value that no measurement gives: not a number, negative, or too large to add up.
  static func unusableValue(_ value: String, metric: String, place: String) -> Refusal {
    Refusal.badInput("'\(value)' is not a measurement of '\(metric)' at \(place)")
  }

  /// A text or number outside of what the field allows.
  package static func unusableField(_ field: String, problem: String, place: String) -> Refusal {
    Refusal.badInput("'\(field)' \(problem) at \(place)")
  }

  /// Results that are not merged, with the name of the reason.
  static func notMerged(_ name: String, _ reason: String) -> Refusal {
    Refusal.badInput("not merged (\(name)): \(reason)")
  }

  /// A plan whose hash is not that of its content.
  static let changedPlan = Refusal.badInput(
    "the plan was changed after it was written (its hash is wrong): plan again"
  )

  /// A result or plan of a fleet of users' stores, a feature that was removed.
  package static let fleet = Refusal.badInput(
    "it contains a fleet of users' stores, which this version no longer runs: 'forecast "
      + "--population' predicts the share of users over a budget"
  )
}

/// What plans of earlier versions have of a fleet: reading it is refused.
struct RemovedFleet: Codable, Hashable {
  init(from decoder: any Decoder) throws { throw Refusal.fleet }

  func encode(to encoder: any Encoder) throws {}
}
