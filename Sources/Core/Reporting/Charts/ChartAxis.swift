import Basics
import Foundation

/// The axis of a chart: it maps values to positions and chooses the values of grid lines.
package struct ChartAxis: Sendable {
  /// The kind of quantity that the axis shows, which determines the format of its labels.
  package enum Quantity: Sendable {
    case seconds
    case bytes
    /// The sizes of blobs, which are powers of two.
    case binaryBytes
    case count
    /// Relative changes, shown as percentages with a sign.
    case change

    /// Returns the label of a tick or a point with the given value.
    package func text(_ value: Double) -> String {
      switch self {
      case .seconds:
        // Show times such as 100 s, which are not whole minutes, in seconds.
        value >= 60 && value == value.rounded() && value.remainder(dividingBy: 60) != 0
          ? "\(Figures.grouped(value)) s" : Figures.seconds(value, .significant)
      case .bytes: Figures.bytes(value, .significant)
      case .binaryBytes: Self.binary(value)
      case .count:
        value >= 1e6
          ? "\(Figures.significant(value / 1e6)) million"
          : value >= 1000 ? Figures.grouped(value.rounded()) : Figures.significant(value)
      case .change: (value > 0 ? "+" : value < 0 ? "−" : "") + Self.percent(abs(value))
      }
    }

    private static func percent(_ share: Double) -> String {
      "\(Figures.significant(share * 100)) %"
    }

    private static func binary(_ bytes: Double) -> String {
      let scales = [("GiB", 1_073_741_824.0), ("MiB", 1_048_576), ("KiB", 1024)]
      let (name, factor) = scales.first { bytes >= $0.1 } ?? ("B", 1)
      return "\(Figures.significant(bytes / factor)) \(name)"
    }

    fileprivate func factor(of value: Double) -> Double {
      switch self {
      case .seconds: Figures.Scale.seconds.last { value >= $0.factor }?.factor ?? 1e-6
      case .bytes: Figures.Scale.bytes.last { value >= $0.factor }?.factor ?? 1
      case .binaryBytes: [1_073_741_824.0, 1_048_576, 1024].first { value >= $0 } ?? 1
      case .count, .change: 1
      }
    }
  }

  package let quantity: Quantity
  package let isLogarithmic: Bool
  package let low: Double
  package let high: Double
  /// The pixel position of the lowest value.
  package let start: Double
  package let end: Double

  /// Creates an axis with a margin around the values; it can be logarithmic only if all values are
  /// positive.
  package init(
    over values: [Double],
    _ quantity: Quantity,
    isLogarithmic: Bool,
    from start: Double,
    to end: Double
  ) {
    let values = values.filter(\.isFinite)
    let (least, most) = (values.min() ?? 0, values.max() ?? 1)
    self.quantity = quantity
    self.start = start
    self.end = end
    self.isLogarithmic = isLogarithmic && least > 0
    if self.isLogarithmic {
      // Show a range of at least a factor of two, so that noise does not fill the width.
      let middle = (least * most).squareRoot()
      let reach = max((most / least).squareRoot(), 2.0.squareRoot()) * 1.08
      (low, high) = (middle / reach, middle * reach)
    } else {
      low = min(least, 0) * 1.06
      high = most > 0 ? most * 1.06 : least < 0 ? 0 : 1
    }
  }

  /// Creates an axis with exactly the given range.
  package init(
    from low: Double,
    upTo high: Double,
    _ quantity: Quantity,
    isLogarithmic: Bool,
    from start: Double,
    to end: Double
  ) {
    self.quantity = quantity
    self.isLogarithmic = isLogarithmic
    (self.low, self.high, self.start, self.end) = (low, high, start, end)
  }

  /// The pixel position of a value, clamped to the ends of the axis.
  package func position(_ value: Double) -> Double {
    guard value < .infinity else { return value.isNaN ? start : end }
    let share =
      isLogarithmic
      ? log(max(value, low) / low) / log(high / low) : (value - low) / (high - low)
    return start + (end - start) * min(max(share.isFinite ? share : 0, 0), 1)
  }

  /// Up to six round values within the axis.
  package var ticks: [Double] {
    if isLogarithmic, high / low > 4 { return logarithmicTicks }
    let factor = quantity.factor(of: max(abs(low), abs(high)))
    let span = (high - low) / factor
    guard span > 0, span.isFinite else { return [] }
    // Choose a step that gives three to six ticks.
    let power = pow(10, floor(log10(span / 4)))
    let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { span / $0 <= 5 } ?? span
    let first = Int((low / factor / step).rounded(.up))
    let last = Int((high / factor / step).rounded(.down))
    guard first <= last else { return [] }
    return (first...last).map { Double($0) * step * factor }
  }

  private var logarithmicTicks: [Double] {
    let factor = quantity == .binaryBytes ? 1 : quantity.factor(of: low)
    let base = quantity == .binaryBytes ? 4.0 : 10.0
    let lowest = Int(floor(log(low / factor) / log(base)))
    let highest = Int(ceil(log(high / factor) / log(base)))
    let multiples: [[Double]] = quantity == .binaryBytes ? [[1]] : [[1, 2, 5], [1, 3], [1]]
    func values(_ multiples: [Double], every: Int) -> [Double] {
      (lowest...highest).filter { $0 % every == 0 }.flatMap { power in
        multiples.map { $0 * pow(base, Double(power)) * factor }
      }.filter { $0 >= low * 0.999 && $0 <= high * 1.001 }
    }
    for candidate in multiples {
      let found = values(candidate, every: 1)
      if found.count <= 6, found.count >= 2 { return found }
    }
    return (1...8).lazy.map { values([1], every: $0) }.first { $0.count <= 6 } ?? []
  }
}

extension Drawing {
  /// Draws vertical grid lines at the ticks of an axis or at named values.
  ///
  /// Labels are below the lines, and also above them if requested. Labels that would touch their
  /// neighbor are omitted.
  package mutating func verticalGrid(
    _ axis: ChartAxis,
    named: [(value: Double, name: String)]? = nil,
    top: Double,
    bottom: Double,
    isLabeledAbove: Bool = false
  ) {
    var free = -Double.infinity
    let ticks = named ?? axis.ticks.map { ($0, axis.quantity.text($0)) }
    lines(
      ticks.map { axis.position($0.value) }.map { (Point($0, top), Point($0, bottom)) },
      "grid"
    )
    for (value, label) in ticks {
      let x = axis.position(value)
      let half = TextWidth.of(label, size: TextWidth.tick) / 2
      let middle = min(max(x, half), width - half)
      guard middle - half > free + 6 else { continue }
      free = middle + half
      text(label, at: Point(middle, bottom + 16), "tick", .middle)
      if isLabeledAbove { text(label, at: Point(middle, top - 8), "tick", .middle) }
    }
  }

  /// Draws horizontal grid lines from `left` to `right`, with labels to the left of them.
  package mutating func horizontalGrid(_ axis: ChartAxis, left: Double, right: Double) {
    let places = axis.ticks.map(axis.position)
    lines(places.map { (Point(left, $0), Point(right, $0)) }, "grid")
    for (tick, y) in zip(axis.ticks, places) {
      text(axis.quantity.text(tick), at: Point(left - 6, y + 4), "tick", .end)
    }
  }
}
