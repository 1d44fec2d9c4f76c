import Foundation
import PersistentStore
import Synchronization
import Testing

@testable import Forecasting
@testable import Runner

struct PaceTests {
  private final class Number: Sendable {
    private let value = Mutex(0.0)

    func add(_ other: Double) -> Double {
      value.withLock {
        $0 += other
        return $0
      }
    }
  }

  /// A ladder with background load during two periods.
  private let disturbed = SyntheticLadder(
    seconds: { 0.01 + 25e-6 * $0 },
    slowing: { (8..<26).contains($0) || (50..<70).contains($0) ? 1.6 : 1 },
    hasYardstick: true
  )

  @Test func `a yardstick takes a neighbour out of the times`() throws {
    let forecast = disturbed.forecast()
    #expect(abs(forecast.data.pace.sensitivity - 1) < 0.15)
    #expect(forecast.data.scatter.share < 0.06)
    let interval = try forecast.predict(.time, objects: 1e6).get()
    #expect(abs(interval.value / disturbed.truth(1e6) - 1) < 0.06)
    #expect(interval.halfWidth < 0.3)

    var blind = disturbed
    blind.hasYardstick = false
    #expect(blind.forecast().data.scatter.share > 2 * forecast.data.scatter.share)
  }

  @Test func `a migration that waits for the disk is normalized less than the yardstick changes`() {
    var waiting = disturbed
    waiting.sensitivity = 0.2
    let pace = waiting.forecast().data.pace
    #expect(abs(pace.sensitivity - 0.2) < 0.15)
  }

  @Test func `without a yardstick every time stays as it was`() {
    let plain = SyntheticLadder(seconds: { 25e-6 * $0 })
    let pace = Pace(plain.observations(seed: 1))
    #expect(pace.usual == nil)
    #expect(plain.observations(seed: 1).allSatisfy { pace.normalized($0) == $0 })
  }

  @Test func `phases are normalized with their sum`() throws {
    let observations = disturbed.observations(seed: 2)
    let pace = Pace(observations)
    let slow = try #require(observations.first { $0.yardstick ?? 0 > 0.006 })
    let normalized = pace.normalized(slow)
    #expect(normalized.seconds < slow.seconds)
    #expect(
      abs((normalized.phases["migrate"] ?? 0) / normalized.seconds - 0.9) < 1e-9,
      "\(normalized.phases)"
    )
  }

  @Test func `a yardstick just measured after a trial serves the next trial, too`() throws {
    let (readings, time) = (Number(), Number())
    let paced = PacedExecutor(
      InProcessExecutor(kinds: []),
      read: { readings.add(1) },
      now: { time.add(0) }
    )
    let store = StoreFile(path: "/s/a.sqlite")
    let request = TrialRequest(
      kind: "",
      parameters: ParameterValues(),
      trial: Trial(store: store, start: store, original: store, folder: "/s", workloadsFolder: "/s")
    )
    var means: [Double?] = []
    for seconds in [0, 0.1, 0.11] {
      _ = time.add(seconds)
      _ = try paced.execute(request, within: TrialLimits())
      means.append(paced.lastReading)
    }
    // The third trial begins 0.11 s after the second one's last reading, so it takes two readings.
    #expect(means == [1.5, 2.5, 4.5])
  }
}
