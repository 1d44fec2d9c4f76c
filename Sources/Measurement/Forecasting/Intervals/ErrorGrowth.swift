import Foundation

/// How the error of an extrapolation grows with the number of doublings: sd(h)² = a² + b² h.
package struct ErrorGrowth: Hashable, Sendable {
  /// An error that was made inside the ladder.
  struct Trial: Hashable, Sendable {
    /// From which rung the extrapolation started.
    let origin: Int
    /// Doublings of the size.
    let doublings: Double
    /// The logarithm of predicted by measured.
    let error: Double
    /// The variance that the measured value itself has, which is no error of extrapolating.
    var noise = 0.0
    /// How much it tells: extrapolating from short runs to short runs tells little.
    var weight = 1.0

    var square: Double { error * error - noise }
  }

  /// The standard deviation at the ladder's top.
  package let base: Double
  /// What each doubling adds to the variance, as a standard deviation.
  package let perDoubling: Double
  /// Degrees of freedom: the origins that took part, and the prior's.
  package let freedom: Double

  /// What other ladders lead one to expect; it counts as much as twelve origins.
  struct Prior: Hashable, Sendable {
    var base: Double
    var perDoubling: Double
    static let origins = 12.0
  }

  init(_ trials: [Trial], prior: Prior) {
    // The errors of one origin go together, so that they count as one.
    let origins = Dictionary(trials.map { ($0.origin, $0.weight) }, uniquingKeysWith: max)
    let effective = min(origins.values.sorted().reduce(0, +), 6)
    let total = trials.reduce(0) { $0 + $1.weight }
    // Least squares of squared errors on 1 and h, the prior as trials at one and four doublings.
    var points = trials.map {
      (h: $0.doublings, square: $0.square, weight: $0.weight * effective / total)
    }
    for doublings in [1.0, 4] {
      let square = prior.base * prior.base + prior.perDoubling * prior.perDoubling * doublings
      points.append((doublings, square, Prior.origins / 2))
    }
    (base, perDoubling) = Self.line(through: points)
    freedom = effective + Prior.origins
  }

  /// The standard deviation of the logarithm of a prediction so many doublings beyond the top.
  package func deviation(doublings: Double) -> Double {
    (base * base + perDoubling * perDoubling * max(0, doublings)).squareRoot()
  }

  /// A line with neither a negative start nor a negative slope.
  private static func line(
    through points: [(h: Double, square: Double, weight: Double)]
  ) -> (base: Double, perDoubling: Double) {
    let total = points.reduce(0) { $0 + $1.weight }
    let meanH = points.reduce(0) { $0 + $1.weight * $1.h } / total
    let mean = points.reduce(0) { $0 + $1.weight * $1.square } / total
    var (above, below, through) = (0.0, 0.0, 0.0)
    for point in points {
      above += point.weight * (point.h - meanH) * (point.square - mean)
      below += point.weight * (point.h - meanH) * (point.h - meanH)
      through += point.weight * point.h * point.h
    }
    let slope = below > 0 ? max(0, above / below) : 0
    let start = mean - slope * meanH
    if start >= 0 { return (start.squareRoot(), slope.squareRoot()) }
    let product = points.reduce(0) { $0 + $1.weight * $1.h * $1.square }
    return (0, max(product / through, 0).squareRoot())
  }
}
