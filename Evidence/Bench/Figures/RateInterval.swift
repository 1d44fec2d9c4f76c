import Basics

/// The rates that a count of hits among tries does not exclude, exact at every number of tries
/// (Clopper and Pearson, Biometrika 26, 1934).
struct RateInterval: Hashable, Sendable {
  let lower: Double
  let upper: Double

  /// Half of the level lies beyond each end; with no hits, or nothing but hits, one end is certain.
  init(hits: Int, of tries: Int, level: Double = 0.05) {
    let tail = level / 2
    lower =
      hits <= 0 ? 0 : Self.rate { Self.atLeast(hits, of: tries, rate: $0) < tail }
    upper =
      hits >= tries ? 1 : Self.rate { 1 - Self.atLeast(hits + 1, of: tries, rate: $0) >= tail }
  }

  /// The largest rate for which something holds that holds for small rates only.
  private static func rate(_ holds: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    // Below the last bit of a rate that anybody prints.
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if holds(middle) { low = middle } else { high = middle }
    }
    return low
  }

  /// The probability of so many hits or more.
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
