import Runner
import Synchronization

/// A clock that advances by one step at each reading.
final class ManualClock: Sendable {
  private let nanoseconds = Mutex<UInt64>(0)
  private let step: UInt64

  init(step: UInt64 = 1_000_000_000) {
    self.step = step
  }

  func now() -> UInt64 {
    nanoseconds.withLock { time in
      time += step
      return time
    }
  }

  var probes: Probes {
    Probes(now: now, clockResolution: { 1e-9 }, peakMemory: { 4096 })
  }
}
