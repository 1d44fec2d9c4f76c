/// What a rule says of the head.
enum Claim {
  case slower
  case faster
  case none
}

/// A rule by which some tool or text-book tells a change from noise, on the times of both sides.
protocol Rule {
  /// As the table names it, within 18 characters.
  static var shortName: String { get }
  /// Says something from the first values of both sides, which are as many.
  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim
}

extension Rule {
  /// Before that no rule is asked.
  private static var fewestValues: Int { 5 }

  /// What the rule claims of all values.
  static func claimAtEnd(base: [Double], head: [Double]) -> Claim {
    claim(base: base[...], head: head[...])
  }

  /// What the rule claims at first, when it is asked after every pair of values.
  static func firstClaim(base: [Double], head: [Double]) -> Claim {
    for count in stride(from: fewestValues, through: base.count, by: 1) {
      let claim = claim(base: base.prefix(count), head: head.prefix(count))
      if claim != .none { return claim }
    }
    return .none
  }
}
