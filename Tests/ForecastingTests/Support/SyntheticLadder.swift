import Basics
import Foundation

@testable import Forecasting

/// A ladder of a migration whose true cost is known.
struct SyntheticLadder: Sendable {
  /// The true time, in seconds, without page-cache misses.
  var seconds: @Sendable (_ size: Double) -> Double
  /// The time, in seconds, per page-cache miss.
  ///
  /// `misses` returns the number of misses with a page cache of `cache` times its default size.
  var secondsPerMiss = 0.0
  var misses: @Sendable (_ size: Double, _ cache: Double) -> Double = { _, _ in 0 }
  var memory: @Sendable (_ size: Double) -> Double = { 30e6 + 100 * $0 }
  /// The bytes of a page cache that has `cache` times its default size.
  var pageCache: @Sendable (_ size: Double, _ cache: Double) -> Double = { _, _ in 0 }
  /// The peak disk usage, in bytes, beyond three copies of the store.
  var logs: @Sendable (_ size: Double) -> Double = { _ in 0 }
  /// The factor by which background load slows the yardstick of the run `turn`: a fixed piece of
  /// work that is timed with each run.
  var slowing: @Sendable (_ turn: Int) -> Double = { _ in 1 }
  var hasYardstick = false
  /// The exponent that converts the yardstick's slowdown into the migration's.
  var sensitivity = 1.0
  var bytesPerObject = 500.0
  var counters: @Sendable (_ size: Double) -> [String: Double] = { _ in [:] }
  /// The relative standard deviation of a run's time.
  var noise = 0.03
  /// The relative slowdown from the first to the last run.
  var drift = 0.0
  var design = LadderDesign.full(seed: 7)

  func observations(seed: UInt64) -> [Observation] {
    var generator = SplitMix64(state: seed)
    let turns = design.turns
    return turns.enumerated().map { index, turn in
      let size = Double(turn.objects)
      let misses = misses(size, 1 / Double(turn.cacheDivisor))
      let seconds = seconds(size) + secondsPerMiss * misses
      let pace = slowing(index)
      let slowing =
        pow(pace, sensitivity) * (1 + drift * Double(index) / Double(max(turns.count - 1, 1)))
      let scatter = exp(noise * generator.normal())
      return Observation(
        objects: ["Task": turn.objects - turn.objects / 5, "Project": turn.objects / 5],
        seconds: seconds * scatter * slowing,
        phases: ["migrate": seconds * scatter * slowing * 0.9],
        peakMemory: (memory(size) + pageCache(size, 1 / Double(turn.cacheDivisor)))
          * exp(0.003 * generator.normal()),
        peakDisk: 1e6 + size * bytesPerObject * 3 + logs(size),
        storeBytes: 200_000 + size * bytesPerObject,
        counters: counters(size).merging(["sqlite.cacheMisses": 20 + 0.1 * size + misses]) { $1 },
        isAnchor: turn.isAnchor,
        cacheDivisor: turn.cacheDivisor,
        yardstick: hasYardstick ? 0.005 * pace : nil
      )
    }
  }

  func truth(_ size: Double) -> Double { seconds(size) + secondsPerMiss * misses(size, 1) }

  func forecast(seed: UInt64 = 1, bends: [Forecast.Bend] = [], batchSize: Int? = nil) -> Forecast {
    Forecast(LadderData(observations(seed: seed)), bends: bends, batchSize: batchSize)
  }
}

extension SplitMix64 {
  /// A number from the standard normal distribution, as a sum of twelve uniform random numbers.
  mutating func normal() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double(next() >> 11) / 9_007_199_254_740_992 }
  }
}
