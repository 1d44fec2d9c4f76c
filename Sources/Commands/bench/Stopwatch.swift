/// What the benches time with.
enum Stopwatch {
  /// Seconds that some work takes.
  static func seconds(_ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try work()
    return start.duration(to: clock.now) / .seconds(1)
  }
}
