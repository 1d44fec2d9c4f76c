import Basics

/// Intervals for the ratios of many pairs of cases, all of which hold together.
///
/// A pair's estimate is the median over the trials of the difference of the logarithms: trials of
/// one number ran next to each other, so that the machine's drift is in both. Its unit is the
/// largest of three standard deviations of logarithms: of either case, and the median one of the
/// family. The factor comes from a simulation of the whole procedure on equal cases: each with
/// the standard deviation of a random measured case, and with the tails of Student's t with four
/// degrees of freedom, as heavy as those of measured trials (Evidence/docs/comparing.md).
package struct TrialIntervals: Sendable {
  /// The probability that all intervals hold their ratios.
  package static let confidence = 0.98

  /// Two cases by their places in a family.
  package struct Pair: Hashable, Sendable {
    package var first: Int
    package var second: Int

    package init(_ first: Int, _ second: Int) {
      self.first = first
      self.second = second
    }
  }

  /// The cases of one metric, and which of them are compared.
  package struct Family: Sendable {
    /// The logarithms of the values, by case and trial; at least two trials each.
    package var cases: [[Double]] = []
    package var pairs: [Pair] = []
  }

  /// A ratio of two cases by its logarithm.
  package struct Difference: Hashable, Sendable {
    package var estimate: Double
    package var lower: Double
    package var upper: Double

    package init(estimate: Double, halfWidth: Double) {
      self.estimate = estimate
      lower = estimate - halfWidth
      upper = estimate + halfWidth
    }

    /// Whether the first case takes more, with that confidence.
    package var isAbove: Bool { lower > 0 }
    package var isBelow: Bool { upper < 0 }
    /// Whether no difference above the margin would have been missed.
    package var isWithinMargin: Bool { max(abs(lower), abs(upper)) <= log(1 + margin) }

    /// Differences below it do not matter.
    private var margin: Double { TrialIntervals.margin }
  }

  /// The relative difference up to which two cases take the same time.
  package static let margin = 0.03

  private let families: [Family]
  private let spreads: [Spreads]
  /// How many units the intervals reach to either side.
  package let factor: Double

  package init(_ families: [Family], seed: UInt64 = 1) {
    self.families = families
    spreads = families.map { Spreads(of: $0.cases) }
    factor = Self.factor(families, spreads, seed: seed)
  }

  /// The logarithm of the first case's value divided by the second one's.
  package func difference(_ pair: Pair, in family: Int) -> Difference {
    let cases = families[family].cases
    return Difference(
      estimate: Self.estimate(cases[pair.first], cases[pair.second]),
      halfWidth: factor * spreads[family].unit(of: pair)
    )
  }

  /// The standard deviations of a family's cases.
  private struct Spreads {
    /// No clock is better than a hundredth of a percent.
    static let least = 1e-4

    let own: [Double]
    let middle: Double

    init(of cases: [[Double]]) {
      own = cases.map { max(Spreads.deviation(of: $0), Spreads.least) }
      middle = own.isEmpty ? Spreads.least : TrialIntervals.median(own)
    }

    func unit(of pair: Pair) -> Double { max(own[pair.first], own[pair.second], middle) }

    private static func deviation(of values: [Double]) -> Double {
      guard values.count > 1 else { return 0 }
      let mean = values.reduce(0, +) / Double(values.count)
      let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return (squares / Double(values.count - 1)).squareRoot()
    }
  }

  private static func estimate(_ first: [Double], _ second: [Double]) -> Double {
    median(zip(first, second).map { $0 - $1 })
  }

  /// The middle value, or the mean of the two middle ones.
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let half = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
  }

  // MARK: Simulation

  private static func factor(
    _ families: [Family],
    _ spreads: [Spreads],
    seed: UInt64
  ) -> Double {
    let work = families.reduce(0) { sum, family in
      sum + family.cases.reduce(0) { $0 + $1.count } + 3 * family.pairs.count
    }
    guard families.contains(where: { !$0.pairs.isEmpty }) else { return 0 }
    let rounds = min(1999, max(399, 100_000 / max(1, work)))
    var random = SplitMix64(state: seed)
    var largest = [Double](repeating: 0, count: rounds)
    for (family, spread) in zip(families, spreads) where !family.pairs.isEmpty {
      var simulation = Simulation(of: family, spread.own)
      for round in largest.indices {
        largest[round] = max(largest[round], simulation.largestStatistic(&random))
      }
    }
    largest.sort()
    return largest[min(rounds, Int((confidence * Double(rounds + 1)).rounded(.up))) - 1]
  }

  /// Equal cases in the shape of a family, drawn again and again into the same memory.
  private struct Simulation {
    private let pairs: [Pair]
    private let spreads: [Double]
    /// Where the trials of each case begin in `trials`; one more at the end.
    private let starts: [Int]
    private var trials: [Double]
    private var own: [Double]
    private var sorted: [Double]
    private var differences: [Double]

    init(of family: Family, _ spreads: [Double]) {
      pairs = family.pairs
      self.spreads = spreads
      starts = family.cases.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
      trials = [Double](repeating: 0, count: starts[starts.count - 1])
      own = [Double](repeating: 0, count: family.cases.count)
      sorted = own
      differences = [Double](repeating: 0, count: family.cases.map(\.count).max() ?? 0)
    }

    mutating func largestStatistic(_ random: inout SplitMix64) -> Double {
      for index in own.indices {
        let scale = spreads[Int(random.next() % UInt64(spreads.count))]
        let range = starts[index]..<starts[index + 1]
        var (sum, squares) = (0.0, 0.0)
        for trial in range {
          let value = scale * TrialIntervals.heavyTailed(&random)
          trials[trial] = value
          sum += value
          squares += value * value
        }
        let count = Double(range.count)
        let variance = max(0, squares - sum * sum / count) / max(1, count - 1)
        own[index] = max(variance.squareRoot(), Spreads.least)
      }
      for index in own.indices { sorted[index] = own[index] }
      let middle = Self.median(of: &sorted, count: sorted.count)
      var most = 0.0
      for pair in pairs {
        let (first, second) = (starts[pair.first], starts[pair.second])
        let count = min(starts[pair.first + 1] - first, starts[pair.second + 1] - second)
        for trial in 0..<count {
          differences[trial] = trials[first + trial] - trials[second + trial]
        }
        let unit = max(own[pair.first], own[pair.second], middle)
        most = max(most, abs(Self.median(of: &differences, count: count)) / unit)
      }
      return most
    }

    /// Sorts the first values in place; they are few.
    private static func median(of values: inout [Double], count: Int) -> Double {
      guard count <= 16 else { return TrialIntervals.median(Array(values.prefix(count))) }
      for index in 1..<max(1, count) {
        let value = values[index]
        var place = index
        while place > 0, values[place - 1] > value {
          values[place] = values[place - 1]
          place -= 1
        }
        values[place] = value
      }
      let half = count / 2
      return count.isMultiple(of: 2) ? (values[half - 1] + values[half]) / 2 : values[half]
    }
  }

  /// Student's t with four degrees of freedom (Bailey, Mathematics of Computation 62, 1994).
  fileprivate static func heavyTailed(_ random: inout SplitMix64) -> Double {
    let first = (Double(random.next() >> 11) + 0.5) * 0x1p-53
    let second = Double(random.next() >> 11) * 0x1p-53
    return (4 * (1 / first.squareRoot() - 1)).squareRoot() * cos(2 * .pi * second)
  }
}
