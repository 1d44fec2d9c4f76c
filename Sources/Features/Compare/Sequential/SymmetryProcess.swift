import Basics

/// The evidence, block by block, that log ratios do not lie symmetrically around a value.
///
/// Which side of a block is called head was decided by a fair coin. So where both sides do the
/// same, the sign of a block's log ratio is a fair coin given its magnitude and all earlier blocks,
/// whatever the noise does. Each bet on the sign multiplies the wealth by `1 ± f`, whose expectation
/// is 1; `f` knows the magnitudes only. The mean wealth over the bets is a non-negative martingale
/// that starts at 1, and it ever reaches 1/α with probability α at most (Ville 1939), at any
/// stopping time. Evidence/docs/comparing.md has the sources.
package struct SymmetryProcess: Sendable {
  /// What is held against the hypothesis that the true log ratio is `center`.
  package enum Alternative: Sendable {
    case differs
    /// Against 'at least `center`'; for values above it this needs unimodal noise as well.
    case isLess
    /// Against 'at most `center`'.
    case isGreater

    fileprivate var signs: [Double] {
      switch self {
      case .differs: [1, -1]
      case .isLess: [-1]
      case .isGreater: [1]
      }
    }
  }

  /// The growth-optimal bets on normal shifts of these numbers of standard deviations.
  private static let shifts = [0.3, 0.6, 1.2, 2.4]
  /// No bet risks more: a single block can lose nine tenths at most.
  private static let largestBet = 0.9
  /// From how many scales on a block counts less, and from how many on not at all.
  private static let fullTrust = 3.0
  private static let noTrust = 6.0

  private let center: Double
  private let signs: [Double]
  private var magnitudes = RunningMedian()
  private var logWealths: [Double]

  /// The logarithm of the mean wealth: the evidence so far.
  package private(set) var logEValue = 0.0
  /// The most evidence at any block so far; its exponential is the inverse of a p-value.
  package private(set) var largestLogEValue = 0.0

  /// The evidence of blocks, none at first, against the true log ratio's being `center`.
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
    // Of no sign: it wins and loses nothing, but its magnitude counts.
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

  // The two bets on a shift are added first, whichever is the larger: exchanging the sides, which
  // exchanges them, gives the same last bit.
  private var logMeanWealth: Double {
    let largest = logWealths.max() ?? 0
    var sum = 0.0
    for start in stride(from: 0, to: logWealths.count, by: signs.count) {
      sum += (start..<start + signs.count).reduce(0) { $0 + exp(logWealths[$1] - largest) }
    }
    return largest + log(sum / Double(logWealths.count))
  }
}

/// The evidence that a change lies within a margin, on either side.
///
/// Two one-sided tests, each of which may reach its level at a block of its own: if the true change
/// lies at the margin or beyond, one of them is of a true hypothesis, so a false 'unchanged' has the
/// probability of one level.
package struct EquivalenceProcess: Sendable {
  private let margin: Double
  private let threshold: Double
  private var belowMargin: SymmetryProcess
  private var aboveMargin: SymmetryProcess

  /// No evidence yet for a change smaller than `margin` (a log ratio).
  package init(margin: Double, level: Double) {
    self.margin = margin
    threshold = -log(level)
    belowMargin = SymmetryProcess(against: margin, alternative: .isLess)
    aboveMargin = SymmetryProcess(against: -margin, alternative: .isGreater)
  }

  /// Whether both hypotheses of a change at the margin or beyond were rejected.
  package var isEstablished: Bool {
    belowMargin.largestLogEValue >= threshold && aboveMargin.largestLogEValue >= threshold
  }

  package mutating func add(_ logRatio: Double) {
    belowMargin.add(logRatio)
    aboveMargin.add(logRatio)
  }

  /// The smallest change, as a log ratio, that these blocks exclude on both sides, as they do every
  /// change from there to the margin; `nil` before equivalence is established.
  package func smallestExcluded(by logRatios: [Double]) -> Double? {
    excludedBounds(by: logRatios).map { max($0.upper, -$0.lower) }
  }

  /// The changes, as log ratios, from which on outwards to the margin these blocks exclude each
  /// side; `nil` before equivalence is established.
  package func excludedBounds(by logRatios: [Double]) -> (lower: Double, upper: Double)? {
    guard isEstablished else { return nil }
    return (
      -boundary { SymmetryProcess(of: logRatios, against: -$0, alternative: .isGreater) },
      boundary { SymmetryProcess(of: logRatios, against: $0, alternative: .isLess) }
    )
  }

  // Downwards from the margin to the first change that is not excluded: below it a smaller one
  // might be excluded again, which is no bound.
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

/// The median of the values so far, the mean of the middle two where their number is even.
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

/// A standard deviation that spikes do not move: 1.4826 times a median of distances.
package enum RobustScale {
  /// What makes the median distance of normal values their standard deviation.
  static let consistency = 1.4826
  /// The smallest scale of a log ratio: no clock tells 0.02 % of a few milliseconds.
  static let floor = 0.0002

  /// The scale that a median of distances stands for.
  static func scale(ofMedianDistance median: Double) -> Double {
    max(consistency * median, floor)
  }

  /// The scale of values around their own median.
  package static func scale(of values: [Double]) -> Double {
    let center = RunningMedian(of: values).value
    return scale(ofMedianDistance: RunningMedian(of: values.map { abs($0 - center) }).value)
  }
}
