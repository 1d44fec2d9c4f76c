/// What can be wrong with a result, or with two that are to be compared.
package enum MeasurementError: Error, Hashable, Sendable {
  /// The document is of a version that this build does not know.
  case unsupportedVersion(Int)
  /// More elements than any run makes.
  case tooMany(String, limit: Int, place: String)
  /// A name that must be unique stands twice.
  case repeated(String, name: String, place: String)
  /// A value that no measurement gives: not a number, negative, or too large to add up.
  case unusableValue(String, metric: String, place: String)
  /// A text or number outside of what the field allows.
  case unusableField(String, problem: String, place: String)
  /// Two results of unlike things.
  case incomparable([Mismatch])
  /// Two results that share no case.
  case nothingInCommon
  /// A result that no baseline can be made of, as a case of it failed.
  case failedCase
  /// A result that no baseline can be made of, as nothing in it repeats.
  case noExactCost
  /// A plan of a version that this build does not know.
  case unsupportedPlan(Int)
  /// A plan whose hash is not that of its content.
  case changedPlan
  /// A result or plan of a fleet of users' stores, a feature that was removed.
  case fleet
}

extension MeasurementError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unsupportedVersion(let version):
      "the result has version \(version), but this build reads version "
        + "\(ResultDocument.currentVersion): run the workloads again with this build"
    case .tooMany(let elements, let limit, let place):
      "more than \(limit) \(elements) at \(place), which no run writes"
    case .repeated(let what, let name, let place):
      "duplicate \(what) '\(name)' at \(place)"
    case .unusableValue(let value, let metric, let place):
      "'\(value)' is not a measurement of '\(metric)' at \(place)"
    case .unusableField(let field, let problem, let place):
      "'\(field)' \(problem) at \(place)"
    case .incomparable(let mismatches):
      "the results cannot be compared: \(MeasurementError.list(mismatches))"
    case .nothingInCommon:
      "the results cannot be compared: they have no case in common; run the same workload files"
    case .failedCase:
      "the result cannot become a baseline: one of its cases failed"
    case .noExactCost:
      "the result cannot become a baseline: no case has an exact cost that repeats"
    case .unsupportedPlan(let version):
      "the plan has version \(version), but this build reads version "
        + "\(PlanDocument.currentVersion): plan again with this build"
    case .changedPlan:
      "the plan was changed after it was written (its hash is wrong): plan again"
    case .fleet:
      "it contains a fleet of users' stores, which this version no longer runs: 'forecast "
        + "--population' predicts the share of users over a budget"
    }
  }

  private static let shownMismatches = 8

  private static func list(_ mismatches: [Mismatch]) -> String {
    let shown = mismatches.prefix(shownMismatches).map(\.description).joined(separator: "; ")
    let rest = mismatches.count - shownMismatches
    return rest > 0 ? "\(shown); and \(rest) more" : shown
  }
}
