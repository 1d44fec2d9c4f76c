/// Halving the distance between a value that is kept and one that is excluded.
enum Bisection {
  private static let halvings = 20

  /// The excluded end after twenty halvings.
  static func boundary(
    between kept: Double,
    and excluded: Double,
    _ isExcluded: (Double) -> Bool
  ) -> Double {
    var (kept, excluded) = (kept, excluded)
    for _ in 0..<halvings {
      let middle = (kept + excluded) / 2
      if isExcluded(middle) { excluded = middle } else { kept = middle }
    }
    return excluded
  }
}
