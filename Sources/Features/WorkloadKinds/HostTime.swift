import Runner

/// The number of times that statements called the functions that Core Data adds to SQLite, and the
/// total time of the calls.
///
/// The functions are implemented with Foundation on Linux, so the time is an assumption.
final class HostTime {
  struct Reading {
    var nanoseconds: UInt64 = 0
    var calls = 0
  }

  private(set) var reading = Reading()

  func add(_ nanoseconds: UInt64) {
    reading.nanoseconds += nanoseconds
    reading.calls += 1
  }

  func report(since earlier: Reading, as time: Metric, _ calls: Metric, to recorder: Recorder) {
    guard reading.calls > earlier.calls else { return }
    recorder.record(time, Double(reading.nanoseconds - earlier.nanoseconds) / 1e9)
    recorder.count(calls, reading.calls - earlier.calls)
  }
}
