/// What a comparison says of one metric of one case.
package enum Verdict: String, Codable, Hashable, Sendable {
  case improved
  case unchanged
  case regressed
  /// The values do not repeat within one side, so a difference between the sides says nothing.
  case cannotTell
}
