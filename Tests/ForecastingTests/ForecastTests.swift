import Basics
import Foundation
import Testing

@testable import Forecasting

struct ForecastTests {
  private static let laws: [(name: String, ladder: SyntheticLadder)] = [
    ("streaming", SyntheticLadder(seconds: { 0.01 + 25e-6 * $0 })),
    ("sorted", SyntheticLadder(seconds: { 0.02 + 2e-6 * $0 + 4e-7 * $0 * log2($0) })),
    (
      "random keys",
      SyntheticLadder(
        seconds: { 0.01 + 8e-6 * $0 },
        secondsPerMiss: 6e-6,
        misses: { Term.misses(bend: 8000 * $1)($0) }
      )
    ),
    (
      "random keys beyond the ladder",
      SyntheticLadder(
        seconds: { 0.01 + 8e-6 * $0 },
        secondsPerMiss: 6e-6,
        misses: { 4 * Term.misses(bend: 150_000 * $1)($0) }
      )
    ),
  ]

  @Test func `intervals of 90 % hold about nine of ten outcomes, and are narrow enough`() throws {
    var (held, count) = (0, 0)
    var widths: [Double] = []
    for (_, ladder) in Self.laws {
      for seed in 1...4 {
        let forecast = ladder.forecast(seed: UInt64(seed))
        var generator = SplitMix64(state: UInt64(seed) + 1000)
        for size in [128_000.0, 256_000, 1_024_000] {
          let interval = try forecast.predict(.time, objects: size).get()
          let outcome = ladder.truth(size) * exp(ladder.noise * generator.normal())
          held += interval.contains(outcome) ? 1 : 0
          count += 1
          widths.append(interval.halfWidth)
        }
      }
    }
    let coverage = Double(held) / Double(count)
    #expect((0.85...1).contains(coverage), "\(coverage)")
    #expect(try #require(widths.median) < 0.25)
  }

  @Test(arguments: laws.indices)
  func `the prediction at 16 times is near the truth`(law: Int) throws {
    let ladder = Self.laws[law].ladder
    let errors = try (UInt64(1)...5).map { seed in
      let predicted = try ladder.forecast(seed: seed).predict(.time, objects: 1_024_000).get()
      return abs(predicted.value / ladder.truth(1_024_000) - 1)
    }
    #expect(try #require(errors.median) < 0.1, "\(Self.laws[law].name): \(errors)")
  }

  @Test func `memory follows the steps of doubling tables`() throws {
    let tables = { @Sendable (size: Double) -> Double in
      var power = 1.0
      while power < size * 0.8 / 0.75 { power *= 2 }
      var small = 1.0
      while small < size * 0.2 / 0.75 { small *= 2 }
      return power + small
    }
    let ladder = SyntheticLadder(seconds: { 1e-5 * $0 }, memory: { 30e6 + 48 * tables($0) })
    let forecast = ladder.forecast()
    // Both tables of the memory model double at 983,040 objects.
    for size in [900_000.0, 1_000_000] {
      let memory = try forecast.predict(.memory, objects: size).get()
      #expect(abs(memory.value / ladder.memory(size) - 1) < 0.1, "\(size)")
      #expect(memory.contains(ladder.memory(size)), "\(size)")
    }
  }

  @Test func `memory that a full cache bounds stays where it is`() throws {
    let ladder = SyntheticLadder(seconds: { 1e-5 * $0 }, memory: { 30e6 + 700 * min($0, 12_000) })
    let memory = try ladder.forecast().predict(.memory, objects: 1e6).get()
    #expect(abs(memory.value / 38.4e6 - 1) < 0.1)
  }

  @Test func `disk is told to three percent, best where the store's bytes are known`() throws {
    let ladder = SyntheticLadder(seconds: { 1e-5 * $0 })
    let truth = 1e6 + 1e6 * ladder.bytesPerObject * 3
    let guessed = try ladder.forecast().predict(.disk, objects: 1e6).get()
    let known = try ladder.forecast().predict(.disk, objects: 1e6, bytes: 200_000 + 5e8).get()
    #expect(abs(guessed.value / truth - 1) < 0.03)
    #expect(abs(known.value / truth - 1) < 0.03)
  }

  @Test func `what is measured is predicted as well, and never narrower than five percent`() throws
  {
    let forecast = SyntheticLadder(seconds: { 1e-5 * $0 }, noise: 0).forecast()
    let interval = try forecast.predict(.time, objects: 32_000).get()
    #expect(abs(interval.value - 0.32) < 0.01)
    #expect(interval.low <= interval.value * 0.95 && interval.high >= interval.value * 1.05)
  }
}
