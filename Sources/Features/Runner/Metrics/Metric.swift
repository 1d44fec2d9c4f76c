/// What is measured: a name, a unit, what a change of it means, and words for the reader.
///
/// Its owner declares it once, as a property of a `MetricFamily`; what is recorded, budgeted,
/// listed and printed refers to that declaration. Names with a dot belong to one family: the times
/// `phase.`, and the counters `sqlite.`, `vfs.`, `files.` and `objects.`.
public struct Metric: Sendable {
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

  /// The name in results, such as `phase.save`.
  public var name: String
  package var unit: Unit
  package var direction: Direction
  /// Whether the value repeats to the last digit for the same SQLite build and settings.
  package var isExact: Bool
  /// What the value is, as a noun phrase; empty where the metric was read from a result.
  public var description: String
  /// The title of the metric's column in tables.
  package var column: String

  package init(
    _ name: String,
    unit: Unit,
    direction: Direction = .cost,
    isExact: Bool = false,
    column: String? = nil,
    _ description: String = ""
  ) {
    self.name = name
    self.unit = unit
    self.direction = direction
    self.isExact = isExact
    self.description = description
    self.column = column ?? name.split(separator: ".").last.map(String.init) ?? name
  }

  /// Whether a rise of it is a regression, to the last digit.
  package var isExactCost: Bool { isExact && direction == .cost }

  /// A time, which no two runs repeat.
  public static func time(_ name: String, column: String? = nil, _ description: String) -> Metric {
    Metric(name, unit: .seconds, column: column, description)
  }

  /// The time of a named part of the operation: `phase.backup`, `phase.migrate`.
  public static func phase(_ name: String, _ description: String = "") -> Metric {
    time("phase." + name, description)
  }

  /// A part of a whole, neither good nor bad.
  public static func share(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .ratio, direction: .neutral, description)
  }

  /// Exact bytes on the disk, by their apparent size.
  public static func size(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .bytes, isExact: true, description)
  }

  /// An exact counter where more is worse, of bytes where the name says so.
  public static func counter(_ name: String, _ description: String = "") -> Metric {
    let unit: Unit = name.hasSuffix("Bytes") ? .bytes : .count
    return Metric(name, unit: unit, isExact: true, description)
  }

  /// An exact counter where more is neither better nor worse.
  public static func tally(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .count, direction: .neutral, isExact: true, description)
  }
}

extension Metric: Hashable {
  /// A result carries no words: metrics are equal by what their values mean.
  public static func == (first: Metric, second: Metric) -> Bool {
    first.name == second.name && first.unit == second.unit && first.direction == second.direction
      && first.isExact == second.isExact
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Metrics that one owner declares: every stored property is one.
package protocol MetricFamily: Sendable {}

extension MetricFamily {
  /// The metrics in the order of their declaration.
  package var all: [Metric] {
    Mirror(reflecting: self).children.compactMap { $0.value as? Metric }
  }
}
