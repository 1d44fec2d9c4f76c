import Basics

/// The evidence, block by block (alternating slices of both sides), that log ratios are not
/// symmetric around a value.
///
/// A fair coin decides which side of a block is called the head. If both sides do the same work,
/// the sign of a block's log ratio is therefore a fair coin toss, given its magnitude and all
/// earlier blocks, however the noise is distributed. Each bet on the sign multiplies the wealth by
/// `1 ± f`, whose expectation is 1, because `f` depends on the magnitudes only. The mean wealth
/// over the bets is a non-negative martingale that starts at 1, so the probability that it ever
/// reaches 1/α is at most α (Ville 1939), at any stopping time. Evidence/docs/comparing.md has the
/// sources.
package struct SymmetryProcess: Sendable {
  /// The alternative to the hypothesis about the true log ratio.
  package enum Alternative: Sendable {
    case differs
    /// Evidence against 'at least `center`'.
    ///
    /// To reject values above `center`, it also assumes unimodal noise.
    case isLess
    /// Evidence against 'at most `center`'.
    case isGreater

    fileprivate var signs: [Double] {
      switch self {
      case .differs: [1, -1]
      case .isLess: [-1]
      case .isGreater: [1]
      }
    }
  }

  /// The shifts of a normal distribution, in standard deviations, for which the bets maximize
  /// expected growth.
  private static let shifts = [0.3, 0.6, 1.2, 2.4]
  /// The maximum bet, which limits the loss from a single block to nine tenths of the wealth.
  private static let largestBet = 0.9
  /// The deviations, in robust standard deviations, above which a block counts less (`fullTrust`)
  /// and from which it no longer counts (`noTrust`).
  private static let fullTrust = 3.0
  private static let noTrust = 6.0

  private let center: Double
  private let signs: [Double]
  private var magnitudes = RunningMedian()
  private var logWealths: [Double]

  /// The logarithm of the mean wealth, which is the current evidence.
  package private(set) var logEValue = 0.0
  /// The maximum of ``logEValue`` so far; its exponential is the inverse of a p-value.
  package private(set) var largestLogEValue = 0.0

  /// Creates a process for the hypothesis that the true log ratio is `center`, and adds the given
  /// blocks.
  package init(
    of logRatios: [Double] = [],
    against center: Double = 0,
    alternative: Alternative = .differs
  ) {
    self.center = center
    signs = alternative.signs
    logWealths = Array(repeating: 0, count: alternative.signs.count * Self.shifts.count)
    for logRatio in logRatios { add(logRatio) }
  }

  /// Bets on a block's log ratio.
  package mutating func add(_ logRatio: Double) {
    let distance = logRatio - center
    magnitudes.add(abs(distance))
    // A log ratio equal to `center` has no sign to bet on, but its magnitude has already been
    // counted.
    guard distance != 0 else { return }
    let scale = RobustScale.scale(ofMedianDistance: magnitudes.value)
    let deviation = abs(distance) / scale
    let trust = Self.trust(in: deviation)
    guard trust > 0 else { return }
    let direction: Double = distance > 0 ? 1 : -1
    for (index, shift) in Self.shifts.enumerated() {
      let bet = min(Self.largestBet, tanh(shift * deviation)) * trust
      for (place, sign) in signs.enumerated() {
        logWealths[index * signs.count + place] += log1p(sign * direction * bet)
      }
    }
    logEValue = logMeanWealth
    largestLogEValue = max(largestLogEValue, logEValue)
  }

  private static func trust(in deviation: Double) -> Double {
    min(1, max(0, (noTrust - deviation) / (noTrust - fullTrust)))
  }

  // In the two-sided process, the two bets on each shift (one per sign) are added first. Swapping
  // the sides of a comparison swaps these bets, so the result stays the same to the last bit.
  private var logMeanWealth: Double {
    let largest = logWealths.max() ?? 0
    var sum = 0.0
    for start in stride(from: 0, to: logWealths.count, by: signs.count) {
      sum += (start..<start + signs.count).reduce(0) { $0 + exp(logWealths[$1] - largest) }
    }
    return largest + log(sum / Double(logWealths.count))
  }
}

/// The evidence that a change lies within a margin in both directions.
///
/// It consists of two one-sided tests, which may reach their significance level at different
/// blocks. If the true change is at the margin or beyond, one of the two hypotheses is true, so a
/// false 'unchanged' is no more probable than an error of a single test.
package struct EquivalenceProcess: Sendable {
  private let margin: Double
  private let threshold: Double
  private var belowMargin: SymmetryProcess
  private var aboveMargin: SymmetryProcess

  /// Creates a process without evidence; `margin` is a log ratio.
  package init(margin: Double, level: Double) {
    self.margin = margin
    threshold = -log(level)
    belowMargin = SymmetryProcess(against: margin, alternative: .isLess)
    aboveMargin = SymmetryProcess(against: -margin, alternative: .isGreater)
  }

  /// Whether a change at the margin or beyond has been rejected in both directions.
  package var isEstablished: Bool {
    belowMargin.largestLogEValue >= threshold && aboveMargin.largestLogEValue >= threshold
  }

  package mutating func add(_ logRatio: Double) {
    belowMargin.add(logRatio)
    aboveMargin.add(logRatio)
  }

  /// The smallest log ratio that the given blocks exclude in both directions, with all larger ones
  /// up to the margin; `nil` before equivalence is established.
  package func smallestExcluded(by logRatios: [Double]) -> Double? {
    excludedBounds(by: logRatios).map { max($0.upper, -$0.lower) }
  }

  /// For each direction, the smallest log ratio that the given blocks exclude, with all larger ones
  /// up to the margin; `nil` before equivalence is established.
  package func excludedBounds(by logRatios: [Double]) -> (lower: Double, upper: Double)? {
    guard isEstablished else { return nil }
    return (
      -boundary { SymmetryProcess(of: logRatios, against: -$0, alternative: .isGreater) },
      boundary { SymmetryProcess(of: logRatios, against: $0, alternative: .isLess) }
    )
  }

  // Search from the margin inward to the first change that is not excluded. Smaller changes might
  // be excluded again, but they would not be bounds.
  private func boundary(_ process: (Double) -> SymmetryProcess) -> Double {
    func isExcluded(_ change: Double) -> Bool {
      process(change).largestLogEValue >= threshold
    }
    let steps = 50
    var excluded = margin
    for step in (0..<steps).reversed() {
      let change = margin * Double(step) / Double(steps)
      guard isExcluded(change) else {
        return ConfidenceSequence.boundary(between: change, and: excluded, isExcluded)
      }
      excluded = change
    }
    return excluded
  }
}

/// The running median of values; the mean of the middle two values if their number is even.
package struct RunningMedian: Sendable {
  private var sorted: [Double]

  package init(of values: [Double] = []) {
    sorted = values.sorted()
  }

  /// The median; 0 before the first value.
  package var value: Double {
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  package mutating func add(_ value: Double) {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    sorted.insert(value, at: low)
  }
}

/// A robust standard deviation that outliers hardly affect: 1.4826 times the median distance from a
/// center.
package enum RobustScale {
  /// The ratio of a normal distribution's standard deviation to its median distance from the
  /// center.
  static let consistency = 1.4826
  /// The minimum scale of a log ratio: 0.02 %, because no clock resolves less in a few
  /// milliseconds.
  static let floor = 0.0002

  static func scale(ofMedianDistance median: Double) -> Double {
    max(consistency * median, floor)
  }

  /// The scale of values around their own median.
  package static func scale(of values: [Double]) -> Double {
    let center = RunningMedian(of: values).value
    return scale(ofMedianDistance: RunningMedian(of: values.map { abs($0 - center) }).value)
  }
}
