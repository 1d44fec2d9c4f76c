import Foundation

/// The measurements of one migration on stores of increasing size (a ladder), grouped into sizes
/// (rungs).
package struct LadderData: Hashable, Sendable {
  /// The minimum number of sizes for a forecast.
  package static let fewestRungs = 5

  /// The rungs in ascending order of size; runs whose sizes differ by less than one percent share a
  /// rung.
  package let rungs: [Rung]
  /// Runs with a smaller page cache and log, and with smaller batches if the migration uses
  /// batches.
  package let probes: [Rung]
  /// The run-to-run variation at a constant machine pace.
  package let scatter: Scatter
  package let drift: Drift
  package let pace: Pace

  /// Combines observations, given in the order in which they were made.
  ///
  /// Their times are normalized to their usual pace, or to the given pace.
  package init(_ observations: [Observation], pace known: Pace? = nil) {
    let sound = observations.filter(\.isSound)
    let pace = known ?? Pace(sound)
    let normalized = sound.map { pace.normalized($0) }
    let scatter = Scatter(Self.rungs(of: normalized.filter { $0.cacheDivisor == 1 }))
    func weighted(_ divisor: Int) -> [Rung] {
      Self.rungs(of: normalized.filter { $0.cacheDivisor == divisor }).map { rung in
        var weighted = rung
        weighted.weight = scatter.weight(seconds: rung.seconds)
        return weighted
      }
    }
    self.pace = pace
    self.scatter = scatter
    rungs = weighted(1)
    drift = Drift(anchors: normalized.filter(\.isAnchor).map(\.seconds))
    probes = Set(sound.map(\.cacheDivisor)).subtracting([1]).sorted().flatMap(weighted)
  }

  private static func rungs(of observations: [Observation]) -> [Rung] {
    var groups: [[Observation]] = []
    for observation in observations.sorted(by: { $0.size < $1.size }) {
      if let last = groups.last?.first, observation.size <= last.size * 1.01 {
        groups[groups.count - 1].append(observation)
      } else {
        groups.append([observation])
      }
    }
    return groups.compactMap { Rung($0) }
  }

  /// The number of objects in the largest store that a probe (a run with a smaller cache) imitates;
  /// `nil` if there are no probes.
  package var largestImitation: Double? { probes.map(\.imitatedSize).max() }

  /// The largest measured size.
  package var top: Double { rungs.last?.size ?? 0 }

  /// Whether the largest measured size is close to the largest size of a quick ladder.
  var isQuick: Bool { top < Double(LadderDesign.quickTop) * 1.5 }

  /// The maximum size that a forecast may reach, as a multiple of the largest measured size.
  ///
  /// In the latest preregistered evaluation, no migration beyond this multiple finished within the
  /// interval that a quick ladder predicted; full ladders were not evaluated beyond it
  /// (Evidence/docs/forecasting.md).
  var reach: Double { isQuick ? Self.quickReach : Self.fullReach }
  package static let (quickReach, fullReach) = (40.0, 25.0)
}

/// The machine's pace during each run, from a yardstick (a fixed piece of work) that is measured
/// before and after the run.
///
/// A processor that shares its core with another process may run at half its pace for seconds or
/// minutes. Times are normalized to the ladder's usual pace before any fit, in proportion to how
/// much this migration slows down with the yardstick; a migration that waits for the disk slows
/// down less.
package struct Pace: Hashable, Sendable {
  /// The median time of the yardstick over all runs, in seconds; `nil` if it was not measured.
  package let usual: Double?
  /// The exponent that relates the migration's time to the yardstick's; 1 if the migration only
  /// computes.
  package let sensitivity: Double
  /// The variation of the pace from run to run, as the standard deviation of the logarithms of the
  /// migration's times.
  package let scatter: Double

  /// The weight of the prior estimate of the sensitivity, in the same units as a sum of squared
  /// logarithms of paces.
  private static let priorWeight = 0.02

  /// Estimates the sensitivity from runs of the same size.
  package init(_ observations: [Observation]) {
    let known = observations.filter { $0.yardstick != nil }
    usual = known.compactMap(\.yardstick).median
    guard let usual else {
      (sensitivity, scatter) = (0, 0)
      return
    }
    func paces(_ observations: [Observation]) -> [Double] {
      observations.compactMap { $0.yardstick.map { log($0 / usual) } }
    }
    // Only runs of the same size separate the effect of the pace from the effect of the size.
    var (product, square) = (Self.priorWeight, Self.priorWeight)
    let groups = Dictionary(grouping: known) { [$0.size, Double($0.cacheDivisor)] }
    for (_, group) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let (paces, times) = (paces(group), group.map { log($0.seconds) })
      let (pace, time) = (paces.mean, times.mean)
      for (own, seconds) in zip(paces, times) {
        product += (own - pace) * (seconds - time)
        square += (own - pace) * (own - pace)
      }
    }
    let sensitivity = min(max(product / square, 0), 1.2)
    self.sensitivity = sensitivity
    scatter = paces(known).map { sensitivity * $0 }.variance.squareRoot()
  }

  func normalized(_ observation: Observation) -> Observation {
    guard let usual, let yardstick = observation.yardstick else { return observation }
    let factor = pow(usual / yardstick, sensitivity)
    var normalized = observation
    normalized.seconds *= factor
    normalized.phases = observation.phases.mapValues { $0 * factor }
    return normalized
  }
}

/// The run-to-run variation at one size: a share of the time, plus an amount of time that is the
/// same for all runs.
///
/// A sync or another process adds the same few milliseconds to short and long runs, so short runs
/// carry less information (Rocke and Lorenzato 1995: two components of error).
package struct Scatter: Hashable, Sendable {
  /// The relative standard deviation of long runs.
  package let share: Double
  /// The additional standard deviation of short runs, in seconds.
  package let jitter: Double

  /// The minimum variation; smaller values are attributed to chance.
  private static let least = 0.02

  /// Estimates the variation from sizes with several runs: the share from the larger half of the
  /// sizes, the jitter from the smaller.
  ///
  /// Median deviations are used, so that a single disturbed run has little effect.
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

  func variance(seconds: Double) -> Double {
    // Limit the variance of the logarithm for runs that are shorter than the jitter.
    let short = seconds > 0 ? min(jitter / seconds, 1) : 0
    return share * share + short * short
  }

  func variance(ofMedian rung: Rung) -> Double {
    // The variance of a median is pi/2 times that of a mean.
    variance(seconds: rung.seconds) * .pi / 2 / Double(max(rung.runs.count, 2))
  }

  func weight(seconds: Double) -> Double {
    let long = max(share, Self.least) * max(share, Self.least)
    let short = seconds > 0 ? jitter / seconds : 0
    return long / (long + short * short)
  }

  /// The median absolute deviation from the median, scaled to the standard deviation of a normal
  /// distribution.
  private static func deviation(of logs: [Double]) -> Double {
    let middle = logs.median ?? 0
    let absolute = logs.map { abs($0 - middle) }.median ?? 0
    // Correction factors for small samples, in which the estimate is too small (Croux and Rousseeuw
    // 1992, table 1).
    let corrections = [1.196, 1.495, 1.363, 1.206, 1.2, 1.14, 1.129, 1.107]
    let count = Double(logs.count)
    let index = logs.count - 2
    let correction = index < corrections.count ? corrections[index] : count / (count - 0.8)
    return 1.4826 * correction * absolute
  }
}

/// The drift of the machine's speed while the ladder was measured, from the times of its anchor
/// (the size that is measured again and again).
package struct Drift: Hashable, Sendable {
  /// The drift above which intervals are widened.
  package static let tolerated = 0.05
  /// The drift above which the time is not predicted.
  package static let bearable = 0.75

  /// The relative change from the first to the last run, from the median slope of the anchor's
  /// times.
  package let share: Double
  /// The number of runs of the anchor.
  package let count: Int

  /// Estimates the drift from the anchor's times, in the order in which they were measured.
  package init(anchors: [Double]) {
    count = anchors.count
    guard anchors.count > 2 else {
      share = 0
      return
    }
    let logs = anchors.map { log($0) }
    // The Theil–Sen slope, which a single disturbed run hardly changes.
    var slopes: [Double] = []
    for early in logs.indices {
      for late in logs.indices where late > early {
        slopes.append((logs[late] - logs[early]) / Double(late - early))
      }
    }
    let isLuck = Self.isLuck(rising: slopes.count { $0 > 0 }, of: slopes.count, anchors: count)
    share = isLuck ? 0 : exp(abs(slopes.median ?? 0) * Double(logs.count - 1)) - 1
  }

  /// Whether a random order would have this excess of rising or falling pairs with a probability of
  /// more than one in ten (Kendall 1938, normal approximation).
  private static func isLuck(rising: Int, of pairs: Int, anchors: Int) -> Bool {
    let count = Double(anchors)
    let excess = abs(Double(2 * rising - pairs))
    let deviation = (count * (count - 1) * (2 * count + 5) / 18).squareRoot()
    return excess < 1.645 * deviation
  }

  package var isTolerable: Bool { share <= Self.tolerated }
}

extension [Double] {
  /// The median: for an even number of values, the mean of the two middle values; `nil` if there
  /// are no values.
  package var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// The mean; 0 if there are no values.
  var mean: Double { reduce(0, +) / Double(Swift.max(count, 1)) }

  /// The sample variance, with n - 1 degrees of freedom; 0 for fewer than two values.
  var variance: Double {
    let mean = mean
    return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(Swift.max(count - 1, 1))
  }

  /// The root mean square; 0 if there are no values.
  var rootMeanSquare: Double { map { $0 * $0 }.mean.squareRoot() }
}
