import Basics
import Runner

/// How an exact cost grows over three sizes of a store, in equal ratios, beside what is declared.
///
/// Differences of neighboring sizes leave out what is constant: of a cost a + b·n^k with sizes in a
/// ratio of 4 they differ by a factor of 4^k. Counters repeat to the last digit, so one run of each
/// size tells; what rounding to pages moves is allowed for.
package struct GrowthFit: Hashable, Sendable {
  /// A cost on a store of one size.
  package struct Point: Hashable, Sendable {
    package let objects: Int
    package let cost: Double
    /// Seconds of the case, which costs are translated by.
    package let seconds: Double?

    package init(objects: Int, cost: Double, seconds: Double? = nil) {
      (self.objects, self.cost, self.seconds) = (objects, cost, seconds)
    }
  }

  package enum Verdict: Hashable, Sendable {
    case asDeclared
    /// It grows faster, with about this exponent of the number of objects.
    case faster(Double)
    /// It does not grow with the store, though it may.
    case constant
  }

  /// How far an exponent may be above the declared growth: B-trees become deeper in steps, and
  /// n log n looks like n to the power of 1.2 on small stores.
  private static let tolerance = 0.25
  /// Pages that a file may have more or fewer by rounding.
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
    // The least exponent that rounding leaves possible.
    let least = exponent(of: max(second - slack, 0), over: max(first, 0) + slack)
    guard least > expected + Self.tolerance else { return .asDeclared }
    return .faster(exponent ?? least)
  }

  /// The exponent of the number of objects that the costs grow with; `nil` where they do not rise.
  package var exponent: Double? {
    let (first, second) = differences
    return first > 0 && second > 0 ? exponent(of: second, over: first) : nil
  }

  /// The cost of a larger store, as it grows now and as it was declared to grow from the smallest
  /// one on.
  package func cost(at objects: Double) -> (now: Double, declared: Double) {
    guard let first = points.first, let last = points.last, last.objects > 0 else { return (0, 0) }
    let ratio = max(objects / Double(last.objects), 1)
    let now = last.cost * pow(ratio, max(exponent ?? 0, 0))
    let allowed =
      first.cost * declared.relative(objects) / declared.relative(Double(max(first.objects, 1)))
    return (now, min(allowed, now))
  }

  /// Seconds of a larger store in proportion to its cost; `nil` where no time was measured.
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

  /// What the declared growth itself gives on these sizes.
  private var expected: Double {
    let values = points.map { declared.relative(Double($0.objects)) }
    let (first, second) = (values[1] - values[0], values[2] - values[1])
    return first > 0 && second > 0 ? exponent(of: second, over: first) : 0
  }

  private func exponent(of second: Double, over first: Double) -> Double {
    first > 0 && second > 0 && step > 1 ? log(second / first) / log(step) : 0
  }
}
