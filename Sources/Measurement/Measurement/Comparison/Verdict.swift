/// What a comparison says of one metric of one case.
package enum Verdict: String, Codable, Hashable, Sendable {
  case improved
  case unchanged
  case regressed
  /// It rose, by no more than the workload file's budget allows.
  case withinBudget
  /// Exact values that do not repeat within one side: a difference between the sides says nothing.
  case cannotTell
}
