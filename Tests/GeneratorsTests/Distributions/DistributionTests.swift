import Foundation
import Testing

@testable import Generators

struct DistributionTests {
  private func sample(_ distribution: some Distribution, count: Int = 20_000) -> [Double] {
    let key = StreamKey(seed: 42)
    return (0..<count).map { row in
      var draws = key.draws(row: row)
      return distribution.value(row: row, draws: &draws)
    }
  }

  @Test func `uniform reals fill their range evenly`() {
    let values = sample(UniformDistribution(low: -3, high: 5, isWhole: false))
    #expect(distance(values) { ($0 + 3) / 8 } < 2.7)
  }

  @Test func `uniform whole numbers reach both ends`() {
    let values = sample(UniformDistribution(low: -2, high: 4, isWhole: true))
    let counts = (-2...4).map { number in values.count { $0 == Double(number) } }
    let expected = [Double](repeating: Double(values.count) / 7, count: 7)
    #expect(chiSquare(counts, expected: expected) < limit(freedom: 6))
  }

  @Test func `normal numbers follow the bell curve`() {
    let values = sample(NormalDistribution(mean: 10, deviation: 3))
    #expect(distance(values) { erfc(($0 - 10) / 3 * -0.5.squareRoot()) / 2 } < 2.7)
  }

  @Test(arguments: [1e-300, 1e-16, 0.001, 0.025, 0.075, 0.3, 0.5, 0.9, 0.999_999])
  func `normal quantiles are exact`(p: Double) {
    let x = NormalDistribution.quantile(p)
    #expect(abs(erfc(-x * 0.5.squareRoot()) / 2 / p - 1) < 1e-12)
  }

  @Test(arguments: [
    (1e-300, -0x1.286074064c26ep+5), (1e-16, -0x1.071b4c29e9b5ap+3),
    (0.001, -0x1.8b8cbb7204470p+1), (0.025, -0x1.f5c0331eeff83p+0),
    (0.3, -0x1.0c7e39582c5fap-1), (0.5, 0), (0.9, 0x1.4813c36e26d34p+0),
    (0.999_999, 0x1.30381a97985f1p+2),
  ])
  func `normal quantiles agree with Python's`(p: Double, expected: Double) {
    #expect(abs(NormalDistribution.quantile(p) - expected) <= abs(expected) * 1e-14)
  }

  @Test func `log-normal numbers are normal in their logarithm`() {
    let values = sample(LogNormalDistribution(median: 50, sigma: 0.8))
    #expect(distance(values) { erfc(log($0 / 50) / 0.8 * -0.5.squareRoot()) / 2 } < 2.7)
  }

  @Test func `exponential numbers wait without memory`() {
    let values = sample(ExponentialDistribution(mean: 4))
    #expect(distance(values) { 1 - exp(-$0 / 4) } < 2.7)
  }

  @Test(arguments: [0.1, 2, 9.9, 10, 37.5, 1_000, 250_000])
  func `poisson counts have the poisson shape`(mean: Double) {
    let values = sample(PoissonDistribution(mean: mean))
    // A cell is a third of a standard deviation wide, so that each has enough values.
    let width = max(1, (mean.squareRoot() / 3).rounded())
    let first = max(0, ((mean - 5 * mean.squareRoot()) / width).rounded(.down))
    let cells = Int((10 * mean.squareRoot() + 6) / width) + 1
    var counts = [Int](repeating: 0, count: cells)
    for value in values {
      counts[min(max(Int(value / width - first), 0), cells - 1)] += 1
    }
    var expected = [Double](repeating: 0, count: cells)
    for cell in 0..<cells {
      for offset in 0..<Int(width) {
        let count = (first + Double(cell)) * width + Double(offset)
        expected[cell] +=
          Double(values.count) * exp(count * log(mean) - mean - lgamma(count + 1))
      }
    }
    let filled = expected.indices.filter { expected[$0] >= 5 }
    let statistic = chiSquare(filled.map { counts[$0] }, expected: filled.map { expected[$0] })
    #expect(statistic < limit(freedom: filled.count))
  }

  @Test func `poisson with mean 0 never happens`() {
    #expect(sample(PoissonDistribution(mean: 0), count: 100).allSatisfy { $0 == 0 })
  }

  @Test(arguments: [0.2, 0.99, 1, 1.000_000_001, 1.5, 3.5])
  func `zipfian ranks have the zipfian shape`(exponent: Double) {
    let count = 100
    let values = sample(ZipfianDistribution(exponent: exponent, count: count), count: 50_000)
    var counts = [Int](repeating: 0, count: count)
    for value in values { counts[Int(value) - 1] += 1 }
    let weights = (1...count).map { pow(Double($0), -exponent) }
    let sum = weights.reduce(0, +)
    let expected = weights.map { $0 / sum * 50_000 }
    let filled = expected.indices.filter { expected[$0] >= 5 }
    let statistic = chiSquare(filled.map { counts[$0] }, expected: filled.map { expected[$0] })
    #expect(statistic < limit(freedom: filled.count))
  }

  @Test(arguments: [(0.7, 1_000_000_000), (1, 1_000_000_000), (1.1, 1_000_000_000), (2, 1_000_000)])
  func `zipfian ranks keep their shape up to a thousand million`(exponent: Double, count: Int) {
    let values = sample(ZipfianDistribution(exponent: exponent, count: count))
    // Beyond 1,000 terms, the harmonic sum is Euler and Maclaurin's approximation.
    func harmonic(_ n: Double) -> Double {
      var sum = 0.0
      for k in 1...1_000 where Double(k) <= n { sum += pow(Double(k), -exponent) }
      guard n > 1_000 else { return sum }
      let integral =
        exponent == 1
        ? log(n / 1_000) : (pow(n, 1 - exponent) - pow(1_000, 1 - exponent)) / (1 - exponent)
      return sum + integral + (pow(n, -exponent) - pow(1_000, -exponent)) / 2
    }
    let total = harmonic(Double(count))
    // The ranks have ties, so the shares are compared at a few ranks only.
    let borders = [1, 2, 5, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8].filter { $0 < Double(count) }
    for border in borders {
      let share = harmonic(border) / total
      let observed = Double(values.count { $0 <= border }) / Double(values.count)
      let error = (share * (1 - share) / Double(values.count)).squareRoot()
      #expect(abs(observed - share) < 5 * error + 1e-9)
    }
    #expect(values.allSatisfy { $0 >= 1 && $0 <= Double(count) })
  }

  @Test func `weighted choices follow their weights`() {
    let weights: [Double] = [5, 0, 1, 3, 0.5, 100, -2]
    var counts = [Int](repeating: 0, count: weights.count)
    for value in sample(WeightedChoice(weights: weights)) { counts[Int(value)] += 1 }
    #expect(counts[1] == 0 && counts[6] == 0)
    let expected = weights.map { max($0, 0) / 109.5 * 20_000 }
    #expect(chiSquare(counts, expected: expected) < limit(freedom: 4))
  }

  @Test func `weights that are all nothing count as equal`() {
    let counts = sample(WeightedChoice(weights: [0, 0]), count: 100)
    #expect(Set(counts) == [0, 1])
  }

  @Test func `constants stay and sequences rise`() {
    #expect(sample(ConstantDistribution(constant: 7), count: 3) == [7, 7, 7])
    #expect(sample(SequenceDistribution(start: 10, step: -2), count: 3) == [10, 8, 6])
  }

  // If a value changes, every generated store changes.
  @Test func `draws of every distribution have fixed bits`() {
    let values: [Double] = [
      sample(UniformDistribution(low: 0, high: 1, isWhole: false), count: 1)[0],
      sample(NormalDistribution(mean: 0, deviation: 1), count: 1)[0],
      sample(LogNormalDistribution(median: 1, sigma: 1), count: 1)[0],
      sample(ExponentialDistribution(mean: 1), count: 1)[0],
      sample(PoissonDistribution(mean: 3), count: 1)[0],
      sample(PoissonDistribution(mean: 300), count: 1)[0],
      sample(ZipfianDistribution(exponent: 1.1, count: 1_000), count: 1)[0],
      sample(WeightedChoice(weights: [1, 2, 3]), count: 1)[0],
    ]
    let bits: [UInt64] = [
      0x3FE8_B4AF_D02E_5E15, 0x3FE7_DC41_1B91_BA45, 0x4000_DCBD_255F_4FC8,
      0x3FD0_8E80_3321_A2DF, 0x4010_0000_0000_0000, 0x4073_B000_0000_0000,
      0x4000_0000_0000_0000, 0x4000_0000_0000_0000,
    ]
    #expect(values.map(\.bitPattern) == bits)
  }
}
