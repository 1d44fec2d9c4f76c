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

  static func newerFormat(path: String, detail: String) -> Refusal {
    Refusal.badInput("the store '\(path)' has a newer format than this version reads: \(detail)")
  }
}

extension Refusal {
  static func unsupportedVersion(_ version: Int) -> Refusal {
    Refusal.badInput(
      "the result has version \(version), but this build reads version "
        + "\(ResultDocument.currentVersion): run the workloads again with this build"
    )
  }

  static func tooMany(_ elements: String, limit: Int, place: String) -> Refusal {
    Refusal.badInput("more than \(limit) \(elements) at \(place), which no run writes")
  }

  static func repeated(_ what: String, name: String, place: String) -> Refusal {
    Refusal.badInput("duplicate \(what) '\(name)' at \(place)")
  }

  /// The value is not a possible measurement: it is not a number, negative, or too large to add up.
  static func unusableValue(_ value: String, metric: String, place: String) -> Refusal {
    Refusal.badInput("'\(value)' is not a measurement of '\(metric)' at \(place)")
  }

  /// A string or number is not allowed as a field's value.
  package static func unusableField(_ field: String, problem: String, place: String) -> Refusal {
    Refusal.badInput("'\(field)' \(problem) at \(place)")
  }

  static func notMerged(_ name: String, _ reason: String) -> Refusal {
    Refusal.badInput("not merged (\(name)): \(reason)")
  }

  static let changedPlan = Refusal.badInput(
    "the plan was changed after it was written (its hash is wrong): plan again"
  )

  /// The result or plan uses a removed feature: a fleet of users' stores.
  package static let fleet = Refusal.badInput(
    "it contains a fleet of users' stores, which this version no longer runs: 'forecast "
      + "--population' predicts the share of users over a budget"
  )
}

/// A placeholder for the removed fleet in plans of earlier versions; reading it throws an error.
struct RemovedFleet: Codable, Hashable {
  init(from decoder: any Decoder) throws { throw Refusal.fleet }

  func encode(to encoder: any Encoder) throws {}
}
