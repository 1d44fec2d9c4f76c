import Foundation

/// The measurements of one migration, by rungs.
package struct LadderData: Hashable, Sendable {
  /// The fewest sizes that a forecast needs.
  package static let fewestRungs = 5

  /// By size, rising; runs of sizes that differ by less than a percent share one.
  package let rungs: [Rung]
  /// Runs with a smaller page cache and log, and with smaller batches where there are any.
  package let probes: [Rung]
  /// How runs of one size scatter at an even pace.
  package let scatter: Scatter
  package let drift: Drift
  package let pace: Pace

  /// Sums up observations, given in the order in which they were made.
  ///
  /// Their times are normalized to the baseline speed among them, or to a known one.
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

  /// The objects of the largest store that a probe imitates; `nil` without any.
  package var largestImitation: Double? { probes.map(\.imitatedSize).max() }

  /// The largest size that was measured.
  package var top: Double { rungs.last?.size ?? 0 }

  /// Whether it ends where a quick ladder does.
  var isQuick: Bool { top < Double(LadderDesign.quickTop) * 1.5 }

  /// How many times its largest size a forecast may reach.
  ///
  /// Of the last registered migrations beyond it none ended within its interval on a quick ladder,
  /// and none was measured on a full one (Evidence/docs/forecasting.md).
  var reach: Double { isQuick ? Self.quickReach : Self.fullReach }
  package static let (quickReach, fullReach) = (40.0, 25.0)
}

/// How fast the machine was during each run, by a yardstick taken around it.
///
/// A processor whose core a neighbour shares runs at half its pace for seconds or minutes. Times are
/// normalized to the ladder's baseline speed before any fit: as much as this migration
/// itself slows down with the yardstick, which one that waits for the disk does less.
package struct Pace: Hashable, Sendable {
  /// Median seconds of the yardstick over all runs; `nil` if none was taken.
  package let usual: Double?
  /// The power of the yardstick's time by which the migration's changes: 1 if it only computes.
  package let sensitivity: Double
  /// How the usual pace scatters from run to run, as a deviation of the migration's logarithms.
  package let scatter: Double

  /// The prior of the sensitivity, as squares of logarithms.
  private static let priorWeight = 0.02

  /// Learns the pace from runs of the same sizes.
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
    // Only runs of one size separate the effect of the pace from that of the size.
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

  /// The run as it would have been at the usual pace.
  func normalized(_ observation: Observation) -> Observation {
    guard let usual, let yardstick = observation.yardstick else { return observation }
    let factor = pow(usual / yardstick, sensitivity)
    var normalized = observation
    normalized.seconds *= factor
    normalized.phases = observation.phases.mapValues { $0 * factor }
    return normalized
  }
}

/// How runs of one size scatter: by a share of their time, and by an amount that all of them have.
///
/// A sync or a neighbour takes its few milliseconds from a short run as from a long one, so that
/// short runs tell less (Rocke and Lorenzato 1995: two components of error).
package struct Scatter: Hashable, Sendable {
  /// The relative deviation of long runs.
  package let share: Double
  /// The additional deviation of short runs, in seconds.
  package let jitter: Double

  /// A smaller scatter is assumed to be luck.
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

  /// The weight of a run that takes so long, compared with a long one.
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

/// How far the machine has drifted while the ladder was measured, seen at its anchor.
package struct Drift: Hashable, Sendable {
  /// A drift beyond this widens the intervals.
  package static let tolerated = 0.05
  /// Beyond this drift the time is not predicted.
  package static let bearable = 0.75

  /// The relative change from the first to the last run, by the anchor's middle slope.
  package let share: Double
  /// How often the anchor was run.
  package let count: Int

  /// Reads the drift off the anchor's times, in the order in which they were taken.
  package init(anchors: [Double]) {
    count = anchors.count
    guard anchors.count > 2 else {
      share = 0
      return
    }
    let logs = anchors.map { log($0) }
    // Theil and Sen's slope: one run that something else disturbed does not make a drift.
    var slopes: [Double] = []
    for early in logs.indices {
      for late in logs.indices where late > early {
        slopes.append((logs[late] - logs[early]) / Double(late - early))
      }
    }
    let isLuck = Self.isLuck(rising: slopes.count { $0 > 0 }, of: slopes.count, anchors: count)
    share = isLuck ? 0 : exp(abs(slopes.median ?? 0) * Double(logs.count - 1)) - 1
  }

  /// Whether so many rising pairs come from an order without meaning in more than one of ten times:
  /// Kendall's test (1938), by its normal approximation.
  private static func isLuck(rising: Int, of pairs: Int, anchors: Int) -> Bool {
    let count = Double(anchors)
    let excess = abs(Double(2 * rising - pairs))
    let deviation = (count * (count - 1) * (2 * count + 5) / 18).squareRoot()
    return excess < 1.645 * deviation
  }

  package var isTolerable: Bool { share <= Self.tolerated }
}

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
