import Basics
import SQLite

/// What reads clocks and usage around an iteration; closures, so that tests decide what they read.
package struct Probes: Sendable {
  /// Nanoseconds of a clock that only rises.
  package var now: @Sendable () -> UInt64
  /// The smallest step of that clock, in seconds.
  package var clockResolution: @Sendable () -> Double
  package var usage: @Sendable () -> ProcessorTime
  /// Whether the largest resident set counts from now on.
  package var resetPeakMemory: @Sendable () -> Bool
  /// Bytes; `nil` where the system does not tell.
  package var peakMemory: @Sendable () -> Int64?

  package init(
    now: @escaping @Sendable () -> UInt64,
    clockResolution: @escaping @Sendable () -> Double = { 0 },
    usage: @escaping @Sendable () -> ProcessorTime = { ProcessorTime() },
    resetPeakMemory: @escaping @Sendable () -> Bool = { true },
    peakMemory: @escaping @Sendable () -> Int64? = { nil }
  ) {
    self.now = now
    self.clockResolution = clockResolution
    self.usage = usage
    self.resetPeakMemory = resetPeakMemory
    self.peakMemory = peakMemory
  }

  /// The system's own: `CLOCK_MONOTONIC`, `getrusage`, and the peak of `/proc/self`.
  package static let system = Probes(
    now: MonotonicClock.now,
    clockResolution: MonotonicClock.resolution,
    usage: ProcessorTime.now,
    resetPeakMemory: PeakMemory.reset,
    peakMemory: PeakMemory.read
  )
}

/// Processor time of this process so far, in seconds.
package struct ProcessorTime: Hashable, Sendable {
  package var user: Double
  package var system: Double

  package init(user: Double = 0, system: Double = 0) {
    self.user = user
    self.system = system
  }

  static func now() -> ProcessorTime {
    var usage = rusage()
    getrusage(rusageSelf, &usage)
    let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return ProcessorTime(user: seconds(usage.ru_utime), system: seconds(usage.ru_stime))
  }

  #if canImport(Glibc)
    private static let rusageSelf = RUSAGE_SELF.rawValue
  #else
    private static let rusageSelf = RUSAGE_SELF
  #endif
}
