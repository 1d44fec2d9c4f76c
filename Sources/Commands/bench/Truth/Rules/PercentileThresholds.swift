/// The default thresholds of ordo-one's package-benchmark: 5 % at the 25th, 50th and 75th
/// percentile, any of which speaks; no test.
enum PercentileThresholds: Rule {
  static let shortName = "ordo-one 5 %"
  private static let percentiles = [25, 50, 75]
  private static let threshold = 5.0

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    let (left, right) = (base.sorted(), head.sorted())
    let changes = percentiles.map { percent in
      100 - 100 * rank(percent, of: left) / rank(percent, of: right)
    }
    if changes.contains(where: { $0 > threshold }) { return .slower }
    return changes.contains { $0 < -threshold } ? .faster : .none
  }

  private static func rank(_ percent: Int, of sorted: [Double]) -> Double {
    sorted[(percent * sorted.count + 99) / 100 - 1]
  }
}
