import Synchronization

/// A running sum of what files have grown by, and its largest value.
///
/// Atomic, since files of several threads share it.
struct DiskGauge: ~Copyable {
  private let growth = Atomic<Int64>(0)
  private let peak = Atomic<Int64>(0)

  var reading: (growth: Int64, peak: Int64) {
    (growth.load(ordering: .relaxed), peak.load(ordering: .relaxed))
  }

  func add(_ bytes: Int64) {
    let sum = growth.wrappingAdd(bytes, ordering: .relaxed).newValue
    if bytes > 0 { _ = peak.max(sum, ordering: .relaxed) }
  }

  /// Lets the peak count from now on.
  func resetPeak() {
    peak.store(growth.load(ordering: .relaxed), ordering: .relaxed)
  }
}
