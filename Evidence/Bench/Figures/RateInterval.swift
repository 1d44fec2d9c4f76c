import Basics

/// The confidence interval of a rate from a count of hits, exact for any number of tries.
///
/// The method is that of Clopper and Pearson (Biometrika 26, 1934).
struct RateInterval: Hashable, Sendable {
  let lower: Double
  let upper: Double

  /// Computes the 95 % interval; without hits `lower` is 0, and without misses `upper` is 1.
  init(hits: Int, of tries: Int) {
    let tail = 0.025
    lower =
      hits <= 0 ? 0 : Self.rate { Self.atLeast(hits, of: tries, rate: $0) < tail }
    upper =
      hits >= tries ? 1 : Self.rate { 1 - Self.atLeast(hits + 1, of: tries, rate: $0) >= tail }
  }

  /// Returns the largest rate that meets a condition; all smaller rates must also meet it.
  private static func rate(_ holds: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    // 60 bisections are more precise than any printed rate.
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if holds(middle) { low = middle } else { high = middle }
    }
    return low
  }

  private static func atLeast(_ hits: Int, of tries: Int, rate: Double) -> Double {
    guard rate > 0 else { return hits <= 0 ? 1 : 0 }
    guard rate < 1 else { return 1 }
    var logTerm = Double(tries) * log1p(-rate)
    var sum = hits <= 0 ? exp(logTerm) : 0
    for count in 0..<tries {
      logTerm += log(Double(tries - count) / Double(count + 1)) + log(rate) - log1p(-rate)
      if count + 1 >= hits { sum += exp(logTerm) }
    }
    return min(1, sum)
  }
}
