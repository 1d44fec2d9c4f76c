import Foundation

/// How runs of one size scatter: by a share of their time, and by an amount that all of them have.
///
/// A sync or a neighbour takes its few milliseconds from a short run as from a long one, so that
/// short runs tell less (Rocke and Lorenzato 1995: two components of error).
package struct Scatter: Hashable, Sendable {
  /// The relative deviation of long runs.
  package let share: Double
  /// The deviation that short runs have beside it, in seconds.
  package let jitter: Double

  /// A scatter below this is luck.
  private static let least = 0.02

  /// Reads it off rungs with several runs: the share off the larger half, the jitter off the other.
  ///
  /// Middle deviations, so that a run that something else disturbed does not make a scatter.
  init(_ rungs: [Rung]) {
    let known = rungs.filter { $0.runs.count > 1 }.map { rung in
      (seconds: rung.seconds, deviation: Self.deviation(of: rung.runs.map { log($0) }))
    }
    let share = known.suffix((known.count + 1) / 2).map(\.deviation).mean
    let jitters = known.prefix(known.count / 2).map { rung in
      max(rung.deviation * rung.deviation - share * share, 0) * rung.seconds * rung.seconds
    }
    self.share = share
    jitter = (jitters.median ?? 0).squareRoot()
  }

  /// The relative variance of a run that takes so long.
  func variance(seconds: Double) -> Double {
    // A logarithm's deviation: what is shorter than the jitter is not known to more than its factor.
    let short = seconds > 0 ? min(jitter / seconds, 1) : 0
    return share * share + short * short
  }

  /// The relative variance of the median of a rung's runs.
  func variance(ofMedian rung: Rung) -> Double {
    // A median scatters by pi/2 times the variance of a mean.
    variance(seconds: rung.seconds) * .pi / 2 / Double(max(rung.runs.count, 2))
  }

  /// How much a run that takes so long tells beside a long one.
  func weight(seconds: Double) -> Double {
    let long = max(share, Self.least) * max(share, Self.least)
    let short = seconds > 0 ? jitter / seconds : 0
    return long / (long + short * short)
  }

  /// The median of absolute deviations from the median, as the deviation of a normal distribution.
  private static func deviation(of logs: [Double]) -> Double {
    let middle = logs.median ?? 0
    let absolute = logs.map { abs($0 - middle) }.median ?? 0
    // Of few values it is too small by these (Croux and Rousseeuw 1992, table 1).
    let corrections = [1.196, 1.495, 1.363, 1.206, 1.2, 1.14, 1.129, 1.107]
    let count = Double(logs.count)
    let index = logs.count - 2
    let correction = index < corrections.count ? corrections[index] : count / (count - 0.8)
    return 1.4826 * correction * absolute
  }
}
