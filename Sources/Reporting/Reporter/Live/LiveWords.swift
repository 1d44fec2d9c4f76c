import Basics
import Measurement

/// Verdicts, changes and times in words.
enum LiveWords {
  static func verdict(_ verdict: LiveVerdict, of result: LiveResult) -> (String, Ink) {
    switch verdict {
    case .changed(let estimate, let interval, let isBelowFloor):
      let text = "changed by \(change(estimate)) \(range(interval))"
      if isBelowFloor { return ("\(text), below the floor", .plain) }
      return estimate > 0 ? ("\(text): SLOWER", .red) : ("\(text): faster", .green)
    case .unchanged(let wouldHaveSeen, let interval):
      return ("unchanged, would have seen \(percent(wouldHaveSeen)) \(range(interval))", .plain)
    case .cannotTell(let shortfall):
      return (cannotTell(shortfall, of: result), .yellow)
    }
  }

  private static func cannotTell(_ shortfall: Shortfall, of result: LiveResult) -> String {
    guard let seconds = shortfall.seconds else { return "cannot tell: too few blocks" }
    let scatter = shortfall.scale.map { ": blocks scatter by \(percent($0))" } ?? ""
    if shortfall.isOutOfReach(budget: result.budget, policy: result.policy) {
      return "cannot tell, not on this machine\(scatter)"
    }
    return "cannot tell, needs about \(moreTime(seconds))\(scatter)"
  }

  static func summary(of result: LiveResult) -> String {
    let verdicts = result.cases.compactMap(\.verdict)
    let count = { (isCounted: (LiveVerdict) -> Bool) in verdicts.filter(isCounted).count }
    let parts = [
      (count(\.isRegression), "slower"), (count(\.isImprovement), "faster"),
      (count(\.isBelowFloor), "changed below the floor"),
      (count { if case .unchanged = $0 { true } else { false } }, "unchanged"),
      (count { !$0.isDecided }, "cannot tell"),
      (result.cases.filter(\.hasFailed).count, "failed"),
    ]
    let cases = result.cases.count == 1 ? "1 case" : "\(result.cases.count) cases"
    return "\(cases): "
      + parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// A change with its sign: `+5.1 %`.
  static func change(_ share: Double) -> String {
    guard share.isFinite else { return share < 0 ? "-∞" : "+∞" }
    return (share < 0 ? "-" : "+") + percent(abs(share))
  }

  /// A share without a sign, to two digits behind the point where it is small.
  static func percent(_ share: Double) -> String {
    let value = share * 100
    let decimals = value < 1 ? 2 : value < 100 ? 1 : 0
    return Figures.fixed(value, decimals: decimals) + " %"
  }

  /// A share that somebody chose, without zeros behind the point: `2 %`.
  static func level(_ share: Double) -> String {
    var text = Figures.fixed(share * 100, decimals: 2)[...]
    while text.hasSuffix("0") { text = text.dropLast() }
    return "\(text.hasSuffix(".") ? text.dropLast() : text) %"
  }

  private static func range(_ interval: ChangeInterval) -> String {
    "[\(change(interval.lower)), \(change(interval.upper))]"
  }

  private static func moreTime(_ seconds: Double) -> String {
    if seconds < 90 { return "\(Int(seconds.rounded(.up))) more seconds" }
    if seconds < 5400 { return "\(Int((seconds / 60).rounded(.up))) more minutes" }
    return "\(Int((min(seconds, 3.6e8) / 3600).rounded(.up))) more hours"
  }

  static func duration(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded())
    guard whole >= 90 else { return "\(whole) s" }
    let rest = whole % 60
    return "\(whole / 60) min" + (rest == 0 ? "" : " \(rest) s")
  }
}

extension LiveVerdict {
  fileprivate var isBelowFloor: Bool {
    if case .changed(_, _, true) = self { true } else { false }
  }

  fileprivate var isImprovement: Bool {
    if case .changed(let estimate, _, false) = self { estimate < 0 } else { false }
  }
}
