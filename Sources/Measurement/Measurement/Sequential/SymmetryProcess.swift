import Foundation

/// The evidence, block by block, that log ratios do not lie symmetrically around a value.
///
/// Which side of a block is called head was decided by a fair coin. So where both sides do the
/// same, the sign of a block's log ratio is a fair coin given its magnitude and all earlier blocks,
/// whatever the noise does. Each bet on the sign multiplies the wealth by `1 ± f`, whose expectation
/// is 1; `f` knows the magnitudes only. The mean wealth over the bets is a non-negative martingale
/// that starts at 1, and it ever reaches 1/α with probability α at most (Ville 1939), at any
/// stopping time. docs/measuring.md has the sources.
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

  /// No evidence yet against the true log ratio's being `center`.
  package init(against center: Double = 0, alternative: Alternative = .differs) {
    self.center = center
    signs = alternative.signs
    logWealths = Array(repeating: 0, count: alternative.signs.count * Self.shifts.count)
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

extension SymmetryProcess {
  /// The evidence of all blocks of a comparison.
  package init(
    of logRatios: [Double],
    against center: Double,
    alternative: Alternative = .differs
  ) {
    self.init(against: center, alternative: alternative)
    for logRatio in logRatios { add(logRatio) }
  }
}
