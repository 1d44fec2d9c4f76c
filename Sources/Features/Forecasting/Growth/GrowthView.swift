import Basics
import Reporting
import Runner

/// What was found about growth, for people and for CI servers.
package struct GrowthReport {
  private let outcome: GrowthRun.Outcome
  /// The objects of the largest user's store; `nil` where no population was given.
  private let largest: Double?

  package init(_ outcome: GrowthRun.Outcome, largest: Double? = nil) {
    (self.outcome, self.largest) = (outcome, largest)
  }

  private var faster: [(fit: GrowthFit, exponent: Double)] {
    outcome.fits.compactMap { fit -> (fit: GrowthFit, exponent: Double)? in
      guard case .faster(let exponent) = fit.verdict else { return nil }
      return (fit, exponent)
    }
  }

  /// 1 if a case failed, 2 if a cost grows faster than declared, else 0.
  package var exitStatus: Int32 {
    outcome.failures.isEmpty ? faster.isEmpty ? 0 : 2 : 1
  }

  /// The answer, then a line for each cost that grows too fast, then the table.
  package var report: Report {
    let faster = faster
    var report = Report(
      kind: "growth",
      title: Report.Text(headline),
      verdict: "Counters at 1, 4 and 16 times the objects of the recipes; they repeat exactly.",
      tone: exitStatus == 0 ? .good : .bad,
      source: "runs on three sizes of the stores"
    )
    report.findings = faster.map { fit, exponent in
      .init(Report.Text(sentence(fit, exponent)), tone: .bad)
    }
    let lists: [(String, [String])] = [
      ("Failed", outcome.failures), ("Not judged", outcome.notes),
    ]
    report.sections = [.init("Growth", [.table(table)])]
    for (name, lines) in lists where !lines.isEmpty {
      report.sections.append(.init(name, [.list(lines.map { Report.Text($0) })]))
    }
    return report
  }

  /// Annotations of a GitHub workflow: an error for each cost that grows too fast.
  package var annotations: String {
    let errors = faster.map { fit, exponent in
      Self.command("error", "\(fit.caseID) grows too fast", sentence(fit, exponent))
    }
    let failures = outcome.failures.map { Self.command("error", "A case failed", $0) }
    return Self.command("notice", "StoreBench growth", headline) + (failures + errors).joined()
  }

  private var headline: String {
    if !outcome.failures.isEmpty {
      return "\(Figures.counted(outcome.failures.count, "case")) failed"
    }
    let costs = Figures.counted(outcome.fits.count, "cost")
    return faster.isEmpty
      ? "No cost of \(costs) grows faster than declared"
      : "\(faster.count) of \(costs) grow\(faster.count == 1 ? "s" : "") faster than declared"
  }

  /// `fetch/a: sqlite.vmSteps grows as n^1.9, declared n; at 200,000 objects …`.
  private func sentence(_ fit: GrowthFit, _ exponent: Double) -> String {
    let power = Figures.fixed(exponent, decimals: 1)
    var text =
      "\(fit.caseID): \(fit.metric.name) grows as n^\(power), declared \(fit.declared.rawValue)"
    guard let largest, largest > Double(fit.points.last?.objects ?? 0) else { return text }
    text += "; at \(Int(largest).grouped) objects, the largest user's store: "
    guard let seconds = fit.seconds(at: largest) else {
      let cost = fit.cost(at: largest)
      return text + "\(Figures.significant(cost.declared)) → \(Figures.significant(cost.now))"
    }
    text += "\(Figures.seconds(seconds.declared, .rough)) → \(Figures.seconds(seconds.now, .rough))"
    let passed = ResourceBudget.launch.last {
      seconds.now > $0.limit && seconds.declared <= $0.limit
    }
    return text + (passed.map { ", over the limit of \($0.title)" } ?? "")
  }

  private var table: Report.Table {
    let sizes = GrowthRun.factors.map { Report.Column("× \($0)", .number) }
    return Report.Table(
      "",
      [.init("Metric"), .init("Declared"), .init("Found")] + sizes + [.init("Case", .code)],
      rows: outcome.fits.map { fit -> [Report.Cell] in
        let found = fit.exponent.map { "n^" + Figures.fixed($0, decimals: 1) } ?? "constant"
        let isBad = if case .faster = fit.verdict { true } else { false }
        let costs = fit.points.map { Report.Cell.text(Figures.grouped($0.cost)) }
        return [
          .text(fit.metric.name), .text(fit.declared.rawValue), .text(found, isBad ? .bad : .plain),
        ] + costs + [.text(fit.caseID)]
      },
      most: 200
    )
  }

  // Names come from files, and a line of its own would be another command.
  private static func command(_ name: String, _ title: String, _ message: String) -> String {
    func escaped(_ text: String) -> String {
      text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }
    let property = escaped(title).replacing(":", with: "%3A").replacing(",", with: "%2C")
    return "::\(name) title=\(property)::\(escaped(message))\n"
  }
}
