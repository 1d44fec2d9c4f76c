import Basics
import Measurement

extension MetricComparison {
  /// `sqlite.vmSteps rose from 120,000 to 124,001`, with what would have been allowed.
  var change: String {
    let verb = candidate > baseline ? "rose" : candidate < baseline ? "fell" : "stayed"
    let values =
      candidate == baseline
      ? "at \(text(candidate))" : "from \(text(baseline)) to \(text(candidate))"
    return "\(metric.name) \(verb) \(values)" + (allowance.map { " (\($0))" } ?? "")
  }

  /// What a rise had to stay below, where anything is allowed: the budget, or what is usual.
  var allowance: String? {
    if verdict == .cannotTell { return nil }
    if let usual {
      return "usual in \(usual.runs) earlier runs: \(text(usual.lower)) to \(text(usual.upper))"
    }
    switch budget {
    case .percent(let percent)?: return "budget: \(percent.shortest) % more"
    case .absolute(let growth)?: return "budget: \(text(growth)) more"
    case nil: return nil
    }
  }

  /// A value of the metric; exact ones differ in their last digit, so they are shown to it.
  func text(_ value: Double) -> String {
    metric.isExact ? Figures.grouped(value) : metric.unit.text(value)
  }

  /// What is said of it in a word or two.
  var label: String {
    switch verdict {
    case .improved: "improved"
    case .regressed: "regressed"
    case .withinBudget: "in budget"
    case .unchanged: "unchanged"
    case .cannotTell: "cannot tell"
    case nil: "shown only"
    }
  }
}

extension Comparison.Tally {
  /// `9 costs compared: 1 regressed, 1 improved, 6 unchanged, 1 cannot tell`, and the cases that
  /// were not compared.
  var text: String { sentence(emphasising: { $0 }) }

  /// The same with the regressions emphasised.
  func sentence(emphasising emphasised: (String) -> String) -> String {
    let costs = costs == 1 ? "1 cost" : "\(costs) costs"
    let allowed = withinBudget > 0 ? ["\(withinBudget) in budget"] : []
    let counts =
      [emphasised("\(regressed) regressed"), "\(improved) improved"] + allowed
      + ["\(unchanged) unchanged", "\(undecided) cannot tell"]
    var text = "\(costs) compared: " + counts.joined(separator: ", ")
    if undecidedCases > 0 {
      text += "; \(undecidedCases) of \(cases) cases cannot be compared"
    }
    if failedCases > 0 { text += "; " + emphasised("\(failedCases) of \(cases) cases failed") }
    return text
  }
}
