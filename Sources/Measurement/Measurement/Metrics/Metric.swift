/// What is measured: a name, a unit, and what a change of it means.
///
/// Names with a dot belong to one family: the times `phase.`, and the counters `sqlite.`, `vfs.`,
/// `files.` and `objects.`.
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

  /// Whether a rise of it is a regression, to the last digit.
  package var isExactCost: Bool { isExact && direction == .cost }

  /// An exact counter where more is worse.
  package static func counter(_ name: String) -> Metric {
    Metric(name, unit: .count, isExact: true)
  }
}
