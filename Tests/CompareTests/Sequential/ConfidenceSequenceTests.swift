import Testing

@testable import Compare
@testable import Runner

@Suite struct ConfidenceSequenceTests {
  @Test func `covers the true change in 95 of 100 runs at least`() {
    var noise = NormalDraws(seed: 17)
    let runs = 40
    let covered = (0..<runs).count { _ in
      let interval = ConfidenceSequence(of: noise.values(20, mean: 0.02, deviation: 0.01))
      return interval.lower <= 0.02 && 0.02 <= interval.upper
    }
    #expect(covered >= 38)
  }

  // The simulation used to choose the test gives a half-width of 3.3 s/√n.
  @Test func `is as wide as the simulation says`() {
    var noise = NormalDraws(seed: 23)
    let widths = (0..<15).map { _ in
      let interval = ConfidenceSequence(of: noise.values(40, deviation: 0.01))
      return (interval.upper - interval.lower) / 2
    }
    let relative = RunningMedian(of: widths).value / (3.3 * 0.01 / 40.0.squareRoot())
    #expect(0.8...1.2 ~= relative)
  }

  @Test func `excludes nothing with seven blocks, and all that is far with eight`() {
    let seven = ConfidenceSequence(of: [1, 2, 3, 4, 5, 6, 7])
    #expect(seven.lower == -.infinity)
    #expect(seven.upper == .infinity)
    let eight = ConfidenceSequence(of: [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(eight.lower.isFinite && eight.upper.isFinite)
    #expect(eight.lower < 4.5 && eight.upper > 4.5)
  }

  @Test func `ends where the process reaches its level`() {
    var noise = NormalDraws(seed: 29)
    let values = noise.values(30, deviation: 0.01)
    let interval = ConfidenceSequence(of: values)
    for end in [interval.lower, interval.upper] {
      let evidence = SymmetryProcess(of: values, against: end).logEValue
      #expect(abs(evidence - 2.9957) < 0.01)
    }
  }

  @Test func `is mirrored when the sides are exchanged`() {
    var noise = NormalDraws(seed: 31)
    let values = noise.values(25, mean: 0.5)
    let interval = ConfidenceSequence(of: values)
    let exchanged = ConfidenceSequence(of: values.map { -$0 })
    #expect(interval.lower == -exchanged.upper)
    #expect(interval.upper == -exchanged.lower)
  }

  @Test func `is not widened by one block that something held up`() {
    var noise = NormalDraws(seed: 37)
    let values = noise.values(30, deviation: 0.01)
    let interval = ConfidenceSequence(of: values + [2])
    #expect(interval.upper < 0.02)
  }
}
