import Basics

/// What the median of one more run of unchanged code is, from the medians of earlier runs.
///
/// The prediction interval of the logarithms: mean ± t · s · √(1 + 1/k), t with k − 1 degrees of
/// freedom. Single measurements do not come in: within one run they scatter less than runs do.
package struct UsualRange: Hashable, Sendable {
  /// Fewer runs say too little of how runs scatter.
  package static let fewestRuns = 5
  /// A change that is smaller is none, however alike the runs were.
  package static let smallestChange = 0.01

  package let runs: Int
  package let lower: Double
  package let upper: Double

  /// The range that one more median leaves, above or below each, with a probability of `level`;
  /// `nil` for fewer than five medians and where one of them is not positive.
  package init?(medians: [Double], level: Double) {
    guard medians.count >= Self.fewestRuns, medians.allSatisfy({ $0 > 0 && $0.isFinite }),
      let spread = Summary(of: medians.map { log($0) }), let deviation = spread.standardDeviation
    else { return nil }
    runs = medians.count
    let t = StudentT(degrees: Double(runs - 1)).upperQuantile(level)
    let distance = max(
      t * deviation * (1 + 1 / Double(runs)).squareRoot(),
      log1p(Self.smallestChange)
    )
    lower = exp(spread.mean - distance)
    upper = exp(spread.mean + distance)
  }

  func verdict(of value: Double) -> Verdict {
    if value > upper { return .regressed }
    return value < lower ? .improved : .unchanged
  }
}
