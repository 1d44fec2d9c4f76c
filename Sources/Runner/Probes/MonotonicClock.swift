#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's clock that only rises.
enum MonotonicClock {
  @Sendable static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// The same in seconds, for deadlines and what takes long.
  static func seconds() -> Double { Double(now()) / 1e9 }

  /// Seconds between two readings that differ, the least of many, or what the system states if more.
  ///
  /// Systems state 1 ns, which no reading is as quick as.
  @Sendable static func resolution() -> Double {
    var stated = timespec()
    clock_getres(CLOCK_MONOTONIC, &stated)
    var smallest = UInt64.max
    for _ in 0..<100 {
      let first = now()
      var second = now()
      while second == first { second = now() }
      smallest = min(smallest, second - first)
    }
    return max(Double(stated.tv_nsec), Double(smallest)) / 1e9
  }
}
