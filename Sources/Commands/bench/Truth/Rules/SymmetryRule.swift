import Foundation
import Measurement

/// The test of this project, of one case in a suite of twenty: an e-value of 4,000.
enum SymmetryRule: Rule {
  static let shortName = "StoreBench 4,000"
  private static let threshold = log(4_000.0)

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    let logRatios = zip(base, head).map { log($1) - log($0) }
    let process = SymmetryProcess(of: logRatios, against: 0)
    guard process.logEValue >= threshold else { return .none }
    let sorted = logRatios.sorted()
    return sorted[sorted.count / 2] > 0 ? .slower : .faster
  }
}
