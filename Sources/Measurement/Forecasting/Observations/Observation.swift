/// What one run of a migration cost on a store of one size.
package struct Observation: Codable, Hashable, Sendable {
  /// Objects by entity name.
  package var objects: [String: Int]
  package var seconds: Double
  /// Seconds by phase; phases do not overlap.
  package var phases: [String: Double]
  /// Bytes; `nil` where it was not measured.
  package var peakMemory: Double?
  /// Bytes of all files together, the old store's among them; `nil` where it was not measured.
  package var peakDisk: Double?
  /// Bytes of the store before the migration, with all that belongs to it.
  package var storeBytes: Double
  /// Exact counters by metric name.
  package var counters: [String: Double]
  /// Whether the run belongs to the anchor, which comes again and again.
  package var isAnchor: Bool
  /// By what the page cache was made smaller; 1 as a rule.
  package var cacheDivisor: Int
  /// Seconds that a fixed piece of work took just before and after; `nil` where it was not measured.
  package var yardstick: Double?

  package init(
    objects: [String: Int],
    seconds: Double,
    phases: [String: Double] = [:],
    peakMemory: Double? = nil,
    peakDisk: Double? = nil,
    storeBytes: Double = 0,
    counters: [String: Double] = [:],
    isAnchor: Bool = false,
    cacheDivisor: Int = 1,
    yardstick: Double? = nil
  ) {
    self.objects = objects
    self.seconds = seconds
    self.phases = phases
    self.peakMemory = peakMemory
    self.peakDisk = peakDisk
    self.storeBytes = storeBytes
    self.counters = counters
    self.isAnchor = isAnchor
    self.cacheDivisor = cacheDivisor
    self.yardstick = yardstick
  }

  /// The objects of all entities together.
  package var size: Double { objects.values.reduce(0) { $0 + Double($1) } }

  /// Whether every number can be reckoned with.
  package var isSound: Bool {
    let costs = [seconds, storeBytes] + [peakMemory, peakDisk].compactMap { $0 }
    let others = phases.values.map { $0 } + counters.values.map { $0 }
    return size >= 1 && cacheDivisor >= 1 && seconds > 0 && objects.values.allSatisfy { $0 >= 0 }
      && yardstick.map { $0.isFinite && $0 > 0 } ?? true
      && (costs + others).allSatisfy { $0.isFinite && $0 >= 0 }
  }
}
