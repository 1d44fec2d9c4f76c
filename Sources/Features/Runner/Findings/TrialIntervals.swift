import Basics

/// Simultaneous confidence intervals for the ratios of many pairs of cases, valid at every look
/// (interim evaluation of the samples).
///
/// A pair's estimate is the median, over the trials, of the difference of the logarithms. Trials
/// with the same number ran next to each other, so that the machine's drift affects both. The unit
/// of a pair's interval is the larger of the two cases' standard deviations of the logarithms. At
/// the first look, the unit is at least the median standard deviation of all cases, because a few
/// trials may agree by chance. The factors come from a simulation of the whole procedure on equal
/// cases. Each simulated case has the standard deviation of a random measured case. Its values
/// follow Student's t with four degrees of freedom, which has tails as heavy as measured trials
/// have (Evidence/docs/comparing.md). A second simulation uses normally distributed cases with
/// equal standard deviations. With many trials, the medians of normal values vary more in units of
/// the standard deviation. At each look, the larger of the two factors applies.
///
/// The numbers of trials at the looks are fixed in advance. The simulation takes all pairs to the
/// last look and spends the same share of the error at each look. A pair's interval depends only on
/// its own trials and on the first look at all other pairs. So no rule for adding trials to pairs,
/// or for stopping, can use more pairs or looks than the simulation does.
package struct TrialIntervals: Sendable {
  /// The probability that all intervals contain their true ratios at all looks.
  package static let confidence = 0.98

  /// Two cases, by their indexes in a family (the cases of one metric).
  package struct Pair: Hashable, Sendable {
    package var first: Int
    package var second: Int

    package init(_ first: Int, _ second: Int) {
      self.first = first
      self.second = second
    }
  }

  /// The cases of one metric, and the pairs that are compared.
  package struct Family: Sendable {
    /// The logarithms of the values, by case and trial.
    ///
    /// Each case has at least two trials, and at least as many as the first look needs.
    package var cases: [[Double]] = []
    package var pairs: [Pair] = []
  }

  /// The logarithm of the ratio of two cases, with its interval.
  package struct Difference: Hashable, Sendable {
    package var estimate: Double
    package var lower: Double
    package var upper: Double

    package init(estimate: Double, halfWidth: Double) {
      self.estimate = estimate
      lower = estimate - halfWidth
      upper = estimate + halfWidth
    }

    /// Whether the first case has the larger value, with the joint confidence.
    package var isAbove: Bool { lower > 0 }
    package var isBelow: Bool { upper < 0 }
    /// Whether the interval excludes every difference larger than the margin.
    package var isWithinMargin: Bool {
      max(abs(lower), abs(upper)) <= log(1 + TrialIntervals.margin)
    }

    /// Returns the intersection with an earlier interval.
    ///
    /// If the intervals do not overlap, one of them is wrong; the later interval is kept, because
    /// it uses more trials.
    fileprivate func narrowed(by earlier: Difference?) -> Difference {
      guard let earlier, max(lower, earlier.lower) <= min(upper, earlier.upper) else { return self }
      var both = self
      both.lower = max(lower, earlier.lower)
      both.upper = min(upper, earlier.upper)
      both.estimate = min(max(estimate, both.lower), both.upper)
      return both
    }
  }

  /// The largest relative difference at which two cases count as taking the same time.
  package static let margin = 0.03

  private let families: [Family]
  private let looks: [Int]
  private let spreads: [Spreads]
  /// The half-widths of the intervals at each look, in units of the pair's standard deviation.
  package let factors: [Double]

  /// Computes intervals at the given looks (numbers of trials); without looks, evaluates all trials
  /// once.
  ///
  /// The factors depend on the first look only, so a caller that already has the factors can pass
  /// them and skip the simulation.
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

  /// The logarithm of the first case's value divided by the second case's value.
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

  /// The standard deviations of the cases in a family.
  private struct Spreads {
    /// The minimum standard deviation to assume, because no timing is more precise than 0.01 %.
    static let least = 1e-4

    /// The standard deviations by look and case; 0 if a case has fewer trials than the look needs.
    let own: [[Double]]
    /// The median standard deviation at the first look, when all cases have run equally often.
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

  /// The median; for an even count, the mean of the two middle values.
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
    // Each look gets only a share of the error probability, so several looks need more simulated
    // rounds.
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
        // The normal simulation uses equal standard deviations, because few trials exaggerate how
        // much the cases' standard deviations differ.
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

  /// Returns one boundary per look, each exceeded in the same number of rounds.
  ///
  /// At least one boundary is exceeded in at most the share of rounds that the error probability
  /// allows.
  private static func boundaries(_ largest: [[Double]], _ rounds: Int) -> [Double] {
    var least = [Int](repeating: rounds, count: rounds)
    for values in largest {
      let order = values.indices.sorted { values[$0] > values[$1] }
      for (rank, round) in order.enumerated() { least[round] = min(least[round], rank) }
    }
    let allowed = rounds - min(rounds, Int((confidence * Double(rounds + 1)).rounded(.up)))
    // With several looks, the boundaries are fitted to the same rounds that test them. Therefore,
    // allow two standard errors fewer rounds to exceed a boundary.
    let reserve = largest.count > 1 ? 2 * Double(allowed).squareRoot() : 0
    let rank = least.sorted()[max(0, allowed - Int(reserve))]
    return largest.map { $0.sorted(by: >)[rank] }
  }
}
