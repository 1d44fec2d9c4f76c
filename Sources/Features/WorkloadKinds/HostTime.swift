import Runner

/// The time that functions of the frameworks took inside statements, and how often they were called:
/// what stands for them is this Foundation's, so that their time is assumed.
final class HostTime {
  /// What was counted up to some moment.
  struct Reading {
    var nanoseconds: UInt64 = 0
    var calls = 0
  }

  private(set) var reading = Reading()

  /// Adds a call.
  func add(_ nanoseconds: UInt64) {
    reading.nanoseconds += nanoseconds
    reading.calls += 1
  }

  /// Records what came since a reading; nothing where there was no call.
  func report(since earlier: Reading, as time: Metric, _ calls: Metric, to recorder: Recorder) {
    guard reading.calls > earlier.calls else { return }
    recorder.record(time, Double(reading.nanoseconds - earlier.nanoseconds) / 1e9)
    recorder.count(calls, reading.calls - earlier.calls)
  }
}
