import Basics
import Compare

/// On which side of its bounds a positive value lies, from repeated measurements of it.
///
/// The measurements are the log ratios of a ``ConfidenceSequence``, so the verdict holds at any
/// stopping time: a value on a bound is put on a wrong side with the probability `level` at most.
struct BoundTest: Sendable {
  enum Verdict {
    case holds
    case doesNotHold
    case cannotTell
  }

  /// The value must be above it; `nil` without a lower bound.
  let above: Double?
  /// The value must be below it; `nil` without an upper bound.
  let below: Double?
  let level: Double
  /// The measurements, in order.
  private(set) var values: [Double] = []
  private var logs: [Double] = []
  private(set) var verdict = Verdict.cannotTell
  /// The evidence against each bound, which is cheaper to keep than the interval.
  private var processes: [SymmetryProcess]

  init(above: Double?, below: Double?, level: Double) {
    (self.above, self.below, self.level) = (above, below, level)
    processes = [above, below].compactMap { $0 }.map { SymmetryProcess(against: log($0)) }
  }

  /// Takes a measurement in; one that is not positive and finite does not count.
  mutating func add(_ value: Double) {
    guard value > 0, value.isFinite else { return }
    values.append(value)
    logs.append(log(value))
    for index in processes.indices { processes[index].add(log(value)) }
    verdict = currentVerdict
  }

  /// The median of the measurements; `nil` before the first.
  var estimate: Double? {
    logs.isEmpty ? nil : exp(RunningMedian(of: logs).value)
  }

  /// The values that the measurements do not exclude; an end is `nil` if they exclude nothing there.
  var interval: (lower: Double?, upper: Double?) {
    let sequence = ConfidenceSequence(of: logs, level: level)
    return (
      sequence.lower.isFinite ? exp(sequence.lower) : nil,
      sequence.upper.isFinite ? exp(sequence.upper) : nil
    )
  }

  private var currentVerdict: Verdict {
    // If the bound is not excluded, nothing beyond it is.
    guard processes.contains(where: { $0.logEValue >= -log(level) }) else { return .cannotTell }
    let (lower, upper) = interval
    let isAbove = above.map { bound in lower.map { $0 > bound } ?? false } ?? true
    let isBelow = below.map { bound in upper.map { $0 < bound } ?? false } ?? true
    if isAbove, isBelow { return .holds }
    let isNotAbove = above.map { bound in upper.map { $0 < bound } ?? false } ?? false
    let isNotBelow = below.map { bound in lower.map { $0 > bound } ?? false } ?? false
    return isNotAbove || isNotBelow ? .doesNotHold : .cannotTell
  }

  /// About as many more measurements as a verdict needs; `nil` with fewer than two.
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
