import Basics

/// Simulates the trials of a family's cases (the cases of one metric) as if all cases were equally
/// fast.
package struct TrialSimulation {
  /// The distribution of the simulated values.
  package enum Tails: Sendable {
    /// Student's t with four degrees of freedom.
    case heavy
    case normal

    /// Draws a value (Box and Muller; Bailey, Mathematics of Computation 62, 1994).
    package func draw(_ random: inout SplitMix64) -> Double {
      let first = (Double(random.next() >> 11) + 0.5) * 0x1p-53
      let second = Double(random.next() >> 11) * 0x1p-53
      let radius =
        switch self {
        case .heavy: 4 * (1 / first.squareRoot() - 1)
        case .normal: -2 * log(first)
        }
      return radius.squareRoot() * cos(2 * .pi * second)
    }
  }

  private let pairs: [TrialIntervals.Pair]
  /// The standard deviations, one of which is drawn at random for each case.
  private let spreads: [Double]
  private let tails: Tails
  private let least: Double
  /// The numbers of trials after which cases are evaluated; if empty, all trials are evaluated
  /// once.
  private let looks: [Int]
  /// The index in `trials` at which each case begins, followed by the end of the last case.
  private let starts: [Int]
  private var trials: [Double]
  /// The standard deviations, by look (interim evaluation) and then by case.
  private var own: [Double]
  private var sorted: [Double]
  private var differences: [Double]
  /// The largest difference of any pair at each look, in units of the pair's standard deviation.
  private(set) var largest: [Double]

  init(
    of family: TrialIntervals.Family,
    _ looks: [Int],
    _ spreads: [Double],
    _ tails: Tails,
    least: Double
  ) {
    pairs = family.pairs
    self.spreads = spreads
    self.tails = tails
    self.least = least
    self.looks = looks
    // Every case is simulated up to the last look, so that the factors hold no matter which cases
    // get further trials.
    starts = family.cases.reduce(into: [0]) {
      $0.append($0[$0.count - 1] + (looks.last ?? $1.count))
    }
    trials = [Double](repeating: 0, count: starts[starts.count - 1])
    largest = [Double](repeating: 0, count: max(1, looks.count))
    own = [Double](repeating: 0, count: family.cases.count * largest.count)
    sorted = [Double](repeating: 0, count: family.cases.count)
    let longest = zip(starts, starts.dropFirst()).map { $1 - $0 }.max() ?? 0
    differences = [Double](repeating: 0, count: longest)
  }

  /// Draws the trials of all cases, and computes the largest difference at each look.
  mutating func draw(_ random: inout SplitMix64) {
    let count = sorted.count
    for index in 0..<count {
      let scale = spreads[Int(random.next() % UInt64(spreads.count))]
      let start = starts[index]
      var (sum, squares, look) = (0.0, 0.0, 0)
      for trial in start..<starts[index + 1] {
        let value = scale * tails.draw(&random)
        trials[trial] = value
        sum += value
        squares += value * value
        let taken = trial + 1 - start
        guard taken == (looks.isEmpty ? starts[index + 1] - start : looks[look]) else { continue }
        let variance = max(0, squares - sum * sum / Double(taken)) / Double(max(1, taken - 1))
        own[look * count + index] = max(variance.squareRoot(), least)
        look += 1
      }
    }
    for index in 0..<count { sorted[index] = own[index] }
    sorted.sort()
    let middle =
      count.isMultiple(of: 2)
      ? (sorted[count / 2 - 1] + sorted[count / 2]) / 2 : sorted[count / 2]
    for look in largest.indices { largest[look] = 0 }
    for pair in pairs { compare(pair, middle: middle, count) }
  }

  /// Inserts a pair's differences into a sorted list one by one, and takes their median at each
  /// look.
  private mutating func compare(_ pair: TrialIntervals.Pair, middle: Double, _ count: Int) {
    let (first, second) = (starts[pair.first], starts[pair.second])
    let length = min(starts[pair.first + 1] - first, starts[pair.second + 1] - second)
    var look = 0
    for trial in 0..<length {
      let value = trials[first + trial] - trials[second + trial]
      var place = trial
      while place > 0, differences[place - 1] > value {
        differences[place] = differences[place - 1]
        place -= 1
      }
      differences[place] = value
      let taken = trial + 1
      guard taken == (looks.isEmpty ? length : looks[look]) else { continue }
      let half = taken / 2
      let median =
        taken.isMultiple(of: 2)
        ? (differences[half - 1] + differences[half]) / 2 : differences[half]
      let both = max(own[look * count + pair.first], own[look * count + pair.second])
      let unit = look == 0 ? max(both, middle) : both
      largest[look] = max(largest[look], abs(median) / unit)
      look += 1
    }
  }
}
