import Basics
import Measurement

/// A median with the least and the most that was measured, of one case or of two divided.
struct MeasuredFigure {
  let name: String
  let unit: Metric.Unit
  let median: Double
  let range: ClosedRange<Double>

  private init(name: String, unit: Metric.Unit, median: Double, range: ClosedRange<Double>) {
    self.name = name
    self.unit = unit
    self.median = median
    self.range = range
  }

  /// The median of a sample; `nil` of an empty one.
  init?(_ sample: Sample, of planned: Case) {
    guard let median = sample.median, let least = sample.values.min(),
      let most = sample.values.max()
    else { return nil }
    self.init(
      name: "\(sample.metric.name) of '\(planned.id)'",
      unit: sample.metric.unit,
      median: median,
      range: least...most
    )
  }

  /// The ratio of two figures of one unit.
  func divided(by other: MeasuredFigure) throws -> MeasuredFigure {
    guard other.range.lowerBound > 0 else { throw NoFigure(reason: "\(other.name) is 0") }
    return MeasuredFigure(
      name: "\(name) against '\(other.name.split(separator: "'").last ?? "")'",
      unit: .ratio,
      median: median / other.median,
      range: range.lowerBound / other.range.upperBound...range.upperBound / other.range.lowerBound
    )
  }

  /// Whether the median keeps within the bounds, how near it comes, and a sentence that says so.
  func held(
    against expectation: Expectation
  ) throws -> (holds: Bool, nearness: Double, text: String) {
    let bounds = [expectation.above, expectation.below].compactMap { $0 }
    guard bounds.allSatisfy({ $0.dimension == dimension }) else {
      throw NoFigure(
        reason: "the bound has another unit than \(name), which is in \(unit.rawValue)"
      )
    }
    var nearness = 0.0
    if let below = expectation.below { nearness = max(nearness, median / below.value) }
    if let above = expectation.above {
      nearness = max(nearness, median > 0 ? above.value / median : .infinity)
    }
    let isBelow = expectation.below.map { median < $0.value } ?? true
    let isAbove = expectation.above.map { median > $0.value } ?? true
    let straddled = bounds.first { $0.value >= range.lowerBound && $0.value <= range.upperBound }
    let words = [
      expectation.above.map { "above \(Figure.text($0))" },
      expectation.below.map { "below \(Figure.text($0))" },
    ].compactMap { $0 }.joined(separator: " and ")
    let spread = straddled == nil ? "" : ", within the spread of the measurements"
    return (
      isBelow && isAbove, nearness,
      "\(name) is \(Figure.text(median, unit: unit)), expected \(words)\(spread)"
    )
  }

  private var dimension: Quantity.Dimension {
    switch unit {
    case .seconds: .seconds
    case .bytes: .bytes
    case .count, .ratio: .plain
    }
  }
}
