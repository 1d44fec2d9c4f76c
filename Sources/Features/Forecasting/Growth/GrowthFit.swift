import Basics
import Runner

/// The growth of an exact cost over three store sizes with a constant ratio, compared with the
/// declared growth.
///
/// Differences between neighboring sizes cancel the constant part: for a cost a + b·n^k and sizes
/// in a ratio of 4, successive differences have a ratio of 4^k. Counters repeat exactly, so one run
/// per size is enough; a tolerance allows for rounding to pages.
package struct GrowthFit: Hashable, Sendable {
  /// A cost on a store of one size.
  package struct Point: Hashable, Sendable {
    package let objects: Int
    package let cost: Double
    /// The duration of the case in seconds, used to convert costs into times.
    package let seconds: Double?

    package init(objects: Int, cost: Double, seconds: Double? = nil) {
      (self.objects, self.cost, self.seconds) = (objects, cost, seconds)
    }
  }

  package enum Verdict: Hashable, Sendable {
    case asDeclared
    /// The cost grows faster than declared: approximately as the number of objects raised to this
    /// power.
    case faster(Double)
    /// The cost does not grow with the store, although growth was declared.
    case constant
  }

  /// The amount by which the measured exponent may exceed that of the declared growth.
  ///
  /// B-trees become deeper in steps, and on small stores n log n looks like n to the power of 1.2.
  private static let tolerance = 0.25
  /// The differences that rounding to pages may cause, in bytes and in counts.
  private static let roundedBytes = 8_192.0
  private static let roundedCount = 4.0

  package let caseID: String
  package let metric: Metric
  package let declared: CostGrowth
  package let points: [Point]

  package init(caseID: String, metric: Metric, declared: CostGrowth, points: [Point]) {
    (self.caseID, self.metric, self.declared, self.points) = (caseID, metric, declared, points)
  }

  package var verdict: Verdict {
    guard points.count == 3 else { return .asDeclared }
    let (first, second) = differences
    let slack = rounding
    guard second > slack || first > slack else {
      return declared == .constant || declared == .logarithmic ? .asDeclared : .constant
    }
    // The smallest exponent that is consistent with costs rounded to pages.
    let least = exponent(of: max(second - slack, 0), over: max(first, 0) + slack)
    guard least > expected + Self.tolerance else { return .asDeclared }
    return .faster(exponent ?? least)
  }

  /// The exponent of the cost's growth with the number of objects; `nil` if the cost does not
  /// increase.
  package var exponent: Double? {
    let (first, second) = differences
    return first > 0 && second > 0 ? exponent(of: second, over: first) : nil
  }

  /// The cost for a larger store, extrapolated in two ways: by the measured growth, and by the
  /// declared growth from the smallest store.
  package func cost(at objects: Double) -> (now: Double, declared: Double) {
    guard let first = points.first, let last = points.last, last.objects > 0 else { return (0, 0) }
    let ratio = max(objects / Double(last.objects), 1)
    let now = last.cost * pow(ratio, max(exponent ?? 0, 0))
    let allowed =
      first.cost * declared.relative(objects) / declared.relative(Double(max(first.objects, 1)))
    return (now, min(allowed, now))
  }

  /// The seconds for a larger store, in proportion to its cost; `nil` if no time was measured.
  package func seconds(at objects: Double) -> (now: Double, declared: Double)? {
    guard let last = points.last, let seconds = last.seconds, last.cost > 0 else { return nil }
    let cost = cost(at: objects)
    return (seconds * cost.now / last.cost, seconds * cost.declared / last.cost)
  }

  private var differences: (first: Double, second: Double) {
    (points[1].cost - points[0].cost, points[2].cost - points[1].cost)
  }

  private var rounding: Double { metric.unit == .bytes ? Self.roundedBytes : Self.roundedCount }

  private var step: Double {
    Double(points[2].objects) / Double(max(points[1].objects, 1))
  }

  /// The exponent that corresponds to the declared growth between the measured sizes.
  private var expected: Double {
    let values = points.map { declared.relative(Double($0.objects)) }
    let (first, second) = (values[1] - values[0], values[2] - values[1])
    return first > 0 && second > 0 ? exponent(of: second, over: first) : 0
  }

  private func exponent(of second: Double, over first: Double) -> Double {
    first > 0 && second > 0 && step > 1 ? log(second / first) / log(step) : 0
  }
}
