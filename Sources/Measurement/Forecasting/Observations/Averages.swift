extension [Double] {
  /// The middle value, of an even number the mean of the two; `nil` of none.
  package var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// 0 of none.
  var mean: Double { reduce(0, +) / Double(Swift.max(count, 1)) }

  /// About the mean, by one degree of freedom less; 0 of fewer than two.
  var variance: Double {
    let mean = mean
    return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(Swift.max(count - 1, 1))
  }

  /// 0 of none.
  var rootMeanSquare: Double { map { $0 * $0 }.mean.squareRoot() }
}
