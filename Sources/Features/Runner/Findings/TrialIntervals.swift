import Basics

/// Intervals for the ratios of many pairs of cases, all of which hold together, at every look.
///
/// A pair's estimate is the median over the trials of the difference of the logarithms: trials of
/// one number ran next to each other, so that the machine's drift is in both. Its unit is the
/// larger standard deviation of the two cases' logarithms and, at the first look, the family's
/// median one if that is larger: few trials may look alike by chance. The factors come from a
/// simulation of the whole procedure on equal cases: each with the standard deviation of a random
/// measured case, and with the tails of Student's t with four degrees of freedom, as heavy as those
/// of measured trials (Evidence/docs/comparing.md). With several looks it is done again on cases
/// that scatter alike and without such tails, whose medians of many trials scatter more, in
/// standard deviations: at each look the larger factor counts.
///
/// Samples that grow are looked at after numbers of trials that were fixed before. The simulation
/// takes all pairs to the last look and spends the same share of the error at each. What a pair
/// shows depends on its own trials and on the first look at all others, so whoever gets further
/// trials, and whenever they end, no more than these pairs and looks are seen.
package struct TrialIntervals: Sendable {
  /// The probability that all intervals hold their ratios, at all looks.
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
    /// The logarithms of the values, by case and trial; at least two trials each, and those of the
    /// first look.
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
    package var isWithinMargin: Bool {
      max(abs(lower), abs(upper)) <= log(1 + TrialIntervals.margin)
    }

    /// What holds if an earlier interval holds as well.
    ///
    /// Where the two exclude each other, one of them is wrong; the later one is of more trials.
    fileprivate func narrowed(by earlier: Difference?) -> Difference {
      guard let earlier, max(lower, earlier.lower) <= min(upper, earlier.upper) else { return self }
      var both = self
      both.lower = max(lower, earlier.lower)
      both.upper = min(upper, earlier.upper)
      both.estimate = min(max(estimate, both.lower), both.upper)
      return both
    }
  }

  /// The relative difference up to which two cases take the same time.
  package static let margin = 0.03

  private let families: [Family]
  private let looks: [Int]
  private let spreads: [Spreads]
  /// How many units the intervals reach to either side, at each look.
  package let factors: [Double]

  /// Intervals of trials that are looked at after such numbers of them; once, after all, where none
  /// are given.
  ///
  /// The factors depend on the first look only: whoever has them need not simulate again.
  package init(
    _ families: [Family],
    looks: [Int] = [],
    factors: [Double]? = nil,
    seed: UInt64 = 1
  ) {
    self.families = families
    self.looks = looks
    spreads = families.map { Spreads(of: $0.cases, looks) }
    self.factors = factors ?? Self.factors(families, looks, spreads, seed: seed)
  }

  /// The logarithm of the first case's value divided by the second one's.
  package func difference(_ pair: Pair, in family: Int) -> Difference {
    let (first, second) = (families[family].cases[pair.first], families[family].cases[pair.second])
    let count = min(first.count, second.count)
    var found: Difference?
    for (look, length) in (looks.isEmpty ? [count] : looks).enumerated() where length <= count {
      let differences = (0..<length).map { first[$0] - second[$0] }
      let own = Difference(
        estimate: Self.median(differences),
        halfWidth: factors[look] * spreads[family].unit(of: pair, at: look)
      )
      found = own.narrowed(by: found)
    }
    return found ?? Difference(estimate: 0, halfWidth: .greatestFiniteMagnitude)
  }

  /// The standard deviations of a family's cases.
  private struct Spreads {
    /// No clock is better than a hundredth of a percent.
    static let least = 1e-4

    /// By look and case; zero where a case has not as many trials.
    let own: [[Double]]
    /// The median one at the first look, when all cases have run equally often.
    let middle: Double

    init(of cases: [[Double]], _ looks: [Int]) {
      let ends = looks.isEmpty ? [Int.max] : looks
      own = ends.map { end in
        cases.map { values in
          guard looks.isEmpty || end <= values.count else { return 0 }
          return max(Spreads.deviation(of: values.prefix(end)), Spreads.least)
        }
      }
      middle = cases.isEmpty ? Spreads.least : TrialIntervals.median(own[0])
    }

    func unit(of pair: Pair, at look: Int) -> Double {
      let own = max(own[look][pair.first], own[look][pair.second])
      return look == 0 ? max(own, middle) : own
    }

    private static func deviation(of values: ArraySlice<Double>) -> Double {
      guard values.count > 1 else { return 0 }
      let mean = values.reduce(0, +) / Double(values.count)
      let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return (squares / Double(values.count - 1)).squareRoot()
    }
  }

  /// The middle value, or the mean of the two middle ones.
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let half = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
  }

  // MARK: Simulation

  private static func factors(
    _ families: [Family],
    _ looks: [Int],
    _ spreads: [Spreads],
    seed: UInt64
  ) -> [Double] {
    let work = families.reduce(0) { sum, family in
      let trials = looks.last.map { $0 * family.cases.count }
      return sum + (trials ?? family.cases.reduce(0) { $0 + $1.count })
        + 3 * family.pairs.count * max(1, looks.count)
    }
    guard families.contains(where: { !$0.pairs.isEmpty }) else {
      return [Double](repeating: 0, count: max(1, looks.count))
    }
    guard looks.count > 1 else {
      let rounds = min(1999, max(399, 100_000 / max(1, work)))
      return factors(families, looks, spreads, .heavy, rounds: rounds, seed: seed)
    }
    // Each look has only a share of the error, so looks take more rounds.
    let rounds = min(1999, max(399, 1_000_000 / max(1, work)))
    let both = [TrialSimulation.Tails.heavy, .normal].map {
      factors(families, looks, spreads, $0, rounds: rounds, seed: seed)
    }
    return zip(both[0], both[1]).map(max)
  }

  private static func factors(
    _ families: [Family],
    _ looks: [Int],
    _ spreads: [Spreads],
    _ tails: TrialSimulation.Tails,
    rounds: Int,
    seed: UInt64
  ) -> [Double] {
    var random = SplitMix64(state: seed)
    var largest = [[Double]](
      repeating: [Double](repeating: 0, count: rounds),
      count: max(1, looks.count)
    )
    for (family, spread) in zip(families, spreads) where !family.pairs.isEmpty {
      var simulation = TrialSimulation(
        of: family,
        looks,
        // A few trials make cases look more different than they are.
        tails == .normal ? [1] : spread.own[0],
        tails,
        least: Spreads.least
      )
      for round in 0..<rounds {
        simulation.draw(&random)
        for look in largest.indices {
          largest[look][round] = max(largest[look][round], simulation.largest[look])
        }
      }
    }
    return boundaries(largest, rounds)
  }

  /// For each look the value that is exceeded in so few rounds, equally few at all looks, that one
  /// look or another exceeds its own in the error's share of the rounds.
  private static func boundaries(_ largest: [[Double]], _ rounds: Int) -> [Double] {
    var least = [Int](repeating: rounds, count: rounds)
    for values in largest {
      let order = values.indices.sorted { values[$0] > values[$1] }
      for (rank, round) in order.enumerated() { least[round] = min(least[round], rank) }
    }
    let allowed = rounds - min(rounds, Int((confidence * Double(rounds + 1)).rounded(.up)))
    // Boundaries fit the rounds that they come from: with several, two standard errors are kept.
    let reserve = largest.count > 1 ? 2 * Double(allowed).squareRoot() : 0
    let rank = least.sorted()[max(0, allowed - Int(reserve))]
    return largest.map { $0.sorted(by: >)[rank] }
  }
}
