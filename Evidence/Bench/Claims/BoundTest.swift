import Basics
import Compare

/// Decides from repeated measurements whether a positive value lies within its bounds.
///
/// The logarithms of the measurements feed a ``ConfidenceSequence``, so the verdict holds at any
/// stopping time: the probability of a wrong verdict is at most `level`, even for a value on a
/// bound.
struct BoundTest: Sendable {
  enum Verdict {
    case holds
    case doesNotHold
    case cannotTell
  }

  let above: Double?
  let below: Double?
  let level: Double
  private(set) var values: [Double] = []
  private var logs: [Double] = []
  private(set) var verdict = Verdict.cannotTell
  /// The evidence against each bound, which is cheaper to update than the confidence interval.
  private var processes: [SymmetryProcess]

  init(above: Double?, below: Double?, level: Double) {
    (self.above, self.below, self.level) = (above, below, level)
    processes = [above, below].compactMap { $0 }.map { SymmetryProcess(against: log($0)) }
  }

  /// Adds a measurement; ignores values that are not positive and finite.
  mutating func add(_ value: Double) {
    guard value > 0, value.isFinite else { return }
    values.append(value)
    logs.append(log(value))
    for index in processes.indices { processes[index].add(log(value)) }
    verdict = currentVerdict
  }

  var estimate: Double? {
    logs.isEmpty ? nil : exp(RunningMedian(of: logs).value)
  }

  /// The confidence interval of the value; an end is `nil` if it is unbounded.
  var interval: (lower: Double?, upper: Double?) {
    let sequence = ConfidenceSequence(of: logs, level: level)
    return (
      sequence.lower.isFinite ? exp(sequence.lower) : nil,
      sequence.upper.isFinite ? exp(sequence.upper) : nil
    )
  }

  private var currentVerdict: Verdict {
    // Without enough evidence against any bound, the interval excludes none of them.
    guard processes.contains(where: { $0.logEValue >= -log(level) }) else { return .cannotTell }
    let (lower, upper) = interval
    let isAbove = above.map { bound in lower.map { $0 > bound } ?? false } ?? true
    let isBelow = below.map { bound in upper.map { $0 < bound } ?? false } ?? true
    if isAbove, isBelow { return .holds }
    let isNotAbove = above.map { bound in upper.map { $0 < bound } ?? false } ?? false
    let isNotBelow = below.map { bound in lower.map { $0 > bound } ?? false } ?? false
    return isNotAbove || isNotBelow ? .doesNotHold : .cannotTell
  }

  /// The estimated number of further measurements until a verdict; `nil` before the second one.
  var missing: Double? {
    guard logs.count > 1, let estimate else { return nil }
    let forecast = BlockForecast(
      scale: RobustScale.scale(of: logs),
      logThreshold: -log(level)
    )
    let distances = [above, below].compactMap { $0 }.map { abs(log(estimate) - log($0)) }
    let needed = forecast.blocksToChanged(by: distances.min() ?? 0)
    return max(1, needed - Double(logs.count))
  }
}
