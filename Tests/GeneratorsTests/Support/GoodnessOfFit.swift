/// Returns Pearson's chi-square statistic of observed counts.
func chiSquare(_ observed: [Int], expected: [Double]) -> Double {
  var sum = 0.0
  for (count, mean) in zip(observed, expected) where mean > 0 {
    let difference = Double(count) - mean
    sum += difference * difference / mean
  }
  return sum
}

/// A bound that a chi-square exceeds about once in a million times.
///
/// The bound is Wilson and Hilferty's cube-root approximation at 4.75 standard deviations.
func limit(freedom: Int) -> Double {
  let n = Double(max(freedom, 1))
  let root = 1 - 2 / (9 * n) + 4.75 * (2 / (9 * n)).squareRoot()
  return n * root * root * root
}

/// The Kolmogorov-Smirnov distance of a sample from a distribution function, times √n; it exceeds
/// 2.7 about once in a million times.
func distance(_ sample: [Double], from share: (Double) -> Double) -> Double {
  let sorted = sample.sorted()
  let n = Double(sorted.count)
  var largest = 0.0
  for (index, value) in sorted.enumerated() {
    let theory = share(value)
    largest = max(largest, theory - Double(index) / n, Double(index + 1) / n - theory)
  }
  return largest * n.squareRoot()
}
