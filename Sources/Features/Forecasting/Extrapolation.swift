import Foundation
import Runner

/// Tests extrapolation within a ladder (runs on stores of increasing size): predicts the rungs
/// (sizes) above an origin from those up to it.
struct RollingOrigin {
  /// Logarithms of predicted costs by origin and target; `nil` if there is no prediction.
  typealias Predictions = [[Double?]]

  let rungs: [Rung]
  /// Runs with a smaller cache; a fit up to an origin uses only runs at or below the origin's size.
  let probes: [Rung]
  let points: [CurveFit.Point]
  let probed: [CurveFit.Point]

  /// The first rung from which to extrapolate: a fit needs several rungs below it.
  private var firstOrigin: Int { LadderData.fewestRungs - 1 }

  private var origins: Range<Int> { firstOrigin..<max(firstOrigin, rungs.count - 1) }

  /// The predictions of a family of explanations, fitted up to each origin, for the rungs above it.
  func predictions(by family: Family) -> Predictions {
    origins.map { origin in
      let known = probes.filter { $0.size <= rungs[origin].size * 1.01 }
      let curves = family.fit(Array(rungs[...origin]), known)
      return points.indices.map { target in
        guard target > origin, let value = curves?(points[target].size), value > 0 else {
          return nil
        }
        return log(value)
      }
    }
  }

  func errors(of families: [(predictions: Predictions, weight: Double)]) -> [ErrorGrowth.Trial] {
    origins.enumerated().flatMap { index, origin in
      points.indices.compactMap { target -> ErrorGrowth.Trial? in
        let known = families.compactMap { family in
          family.predictions[index][target].map { ($0, family.weight) }
        }
        let weight = known.reduce(0) { $0 + $1.1 }
        guard weight > 0 else { return nil }
        let mean = known.reduce(0) { $0 + $1.0 * $1.1 } / weight
        return ErrorGrowth.Trial(
          origin: origin,
          doublings: log2(points[target].size / points[origin].size),
          error: mean - log(points[target].value),
          noise: points[target].noise,
          weight: points[origin].weight * points[target].weight
        )
      }
    }
  }

  /// The weight of a family, from its misfit at the upper rungs and its extrapolation errors, in
  /// which distant targets count most.
  ///
  /// For noisy costs, the weight is inversely proportional to the extrapolation error. A likelihood
  /// would give too much influence to the noise of single targets, which several origins share.
  /// More equal weights also predict better (Stock and Watson 2004).
  func trust(in predictions: Predictions, fitted curves: SummedCurves) -> Double {
    let upper = points.suffix((points.count + 1) / 2)
    let errors =
      upper.map { log(max(curves($0.size), 1e-12) / $0.value) }
      + probed.map { log(max(curves.value(at: $0), 1e-12) / $0.value) }
    let misfit = errors.map { $0 * $0 }.mean
    // A normal likelihood with a fitted variance is that variance to the power of -n/2, where n is
    // the effective number of origins.
    let power = Double(min(max(origins.count, 1), 6)) / 2
    let inside = pow(misfit + Self.luck, -power)
    let trials = self.errors(of: [(predictions, 1)])
    guard !trials.isEmpty else { return inside }
    let weights = trials.reduce(0) { $0 + $1.doublings * $1.weight }
    let squares = trials.reduce(0) { $0 + $1.doublings * $1.weight * $1.error * $1.error }
    let isExact = points.allSatisfy { $0.noise == 0 }
    return inside * pow(squares / weights + Self.luck, isExact ? -power : -0.5)
  }

  /// An error of one percent, squared; smaller errors are considered noise.
  private static let luck = 0.01 * 0.01
}

/// The growth of the extrapolation error with the number h of size doublings: sd(h)² = a² + b² h.
package struct ErrorGrowth: Hashable, Sendable {
  struct Trial: Hashable, Sendable {
    let origin: Int
    /// The number of doublings from the origin to the target.
    let doublings: Double
    /// The logarithm of the ratio of predicted to measured cost.
    let error: Double
    /// The variance of the measured value itself, which is not an extrapolation error.
    var noise = 0.0
    /// The weight of the error; extrapolations between short runs have little weight because they
    /// carry little information.
    var weight = 1.0

    var square: Double { error * error - noise }
  }

  /// The standard deviation at the largest measured size.
  package let base: Double
  /// The square root of the variance that each doubling adds.
  package let perDoubling: Double
  /// The degrees of freedom: the number of origins, plus the degrees of freedom of the prior.
  package let freedom: Double

  /// The expected errors from other ladders, weighted like twelve origins.
  struct Prior: Hashable, Sendable {
    var base: Double
    var perDoubling: Double
    static let origins = 12.0
  }

  init(_ trials: [Trial], prior: Prior) {
    // The errors of one origin are correlated, so an origin counts as a single observation.
    let origins = Dictionary(trials.map { ($0.origin, $0.weight) }, uniquingKeysWith: max)
    let effective = min(origins.values.sorted().reduce(0, +), 6)
    let total = trials.reduce(0) { $0 + $1.weight }
    // Fit the squared errors by least squares on 1 and h; the prior counts as trials at one and
    // four doublings.
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

  /// The standard deviation of a prediction's logarithm at a number of doublings beyond the largest
  /// measured size.
  package func deviation(doublings: Double) -> Double {
    (base * base + perDoubling * perDoubling * max(0, doublings)).squareRoot()
  }

  /// Fits a line with a non-negative intercept and slope.
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

/// The batches of a migration that merges duplicates object by object.
///
/// Each further batch reads the keys of all related objects again, so the cost grows with objects
/// times batches. A ladder whose duplicates fit in a single batch does not show this.
struct DeletionBatches {
  static let counter = "objects.deleted"

  /// The number of objects in a store whose duplicates fill one batch.
  let size: Double

  /// Estimates the share of deleted objects from the ladder's largest size; returns `nil` if no
  /// objects are deleted or the migration does not use batches.
  init?(_ rungs: [Rung], batchSize: Int?) {
    guard let batchSize, batchSize > 0, let top = rungs.last,
      let deleted = top.counters[Self.counter], deleted > 0
    else { return nil }
    size = Double(batchSize) / deleted * top.size
  }

  /// The size at which the second batch begins.
  var bend: Forecast.Bend {
    Forecast.Bend(name: "duplicates are merged in several batches", size: size)
  }

  /// Returns ``size`` if enough of the ladder's sizes have several batches, otherwise `nil`.
  func seen(to top: Double) -> Double? { size < top * Forecast.Bend.seen ? size : nil }
}
