/// What is measured: a name, a unit, and what a change of it means.
///
/// Names with a dot are counters of one family: `sqlite.`, `vfs.`, `files.`, `objects.`.
package struct Metric: Hashable, Sendable {
  /// The unit of a metric's values.
  package enum Unit: String, Codable, Hashable, Sendable {
    case seconds = "s"
    case bytes = "B"
    case count = "count"
    case ratio = "ratio"
  }

  /// What a rising value means.
  package enum Direction: String, Codable, Hashable, Sendable {
    /// More is worse.
    case cost
    /// More is neither better nor worse.
    case neutral
  }

  package var name: String
  package var unit: Unit
  package var direction: Direction
  /// Whether the value repeats to the last digit for the same SQLite build and settings.
  package var isExact: Bool

  package init(_ name: String, unit: Unit, direction: Direction = .cost, isExact: Bool = false) {
    self.name = name
    self.unit = unit
    self.direction = direction
    self.isExact = isExact
  }

  /// An exact counter where more is worse.
  package static func counter(_ name: String) -> Metric {
    Metric(name, unit: .count, isExact: true)
  }
}

extension Metric {
  package static let wallClock = Metric("wallClock", unit: .seconds)
  package static let userCPU = Metric("userCPU", unit: .seconds)
  package static let systemCPU = Metric("systemCPU", unit: .seconds)
  /// The largest resident set of the worker process within the timed region.
  package static let peakMemory = Metric("peakMemory", unit: .bytes)
  /// Apparent size of the main store file after the operation.
  package static let storeBytes = Metric("storeBytes", unit: .bytes, isExact: true)
  package static let walBytes = Metric("walBytes", unit: .bytes, isExact: true)
  /// Apparent size of the external storage folder or of the files beside the store.
  package static let externalBytes = Metric("externalBytes", unit: .bytes, isExact: true)
  /// The time inside SQLite's own calls, of `wallClock`.
  package static let sqliteTime = Metric("sqliteTime", unit: .seconds)
}
