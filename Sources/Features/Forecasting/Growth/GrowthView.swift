import Basics
import Reporting
import Runner

/// A report on growth, for human readers and CI servers.
package struct GrowthReport {
  private let outcome: GrowthRun.Outcome
  /// The number of objects in the largest user's store; `nil` if no population (the sizes of the
  /// users' stores) was given.
  private let largest: Double?
  /// The costs before the change; `nil` if there is nothing to compare with.
  private let before: GrowthRun.Outcome?

  package init(
    _ outcome: GrowthRun.Outcome,
    largest: Double? = nil,
    before: GrowthRun.Outcome? = nil
  ) {
    (self.outcome, self.largest, self.before) = (outcome, largest, before)
  }

  fileprivate struct Pair {
    let before: GrowthFit
    let after: GrowthFit
    let objects: Double
  }

  private var pairs: [Pair] {
    guard let before else { return [] }
    return outcome.fits.compactMap { fit in
      let olds = before.fits.filter { $0.metric == fit.metric }
      let news = outcome.fits.filter { $0.metric == fit.metric }
      // A changed parameter changes the case's ID. If a metric has only one case before and one
      // after the change, treat them as the same case.
      let isAlone = olds.count == 1 && news.count == 1
      guard let old = olds.first(where: { isAlone || $0.caseID == fit.caseID }) else { return nil }
      let measured = Double(max(fit.points.last?.objects ?? 0, old.points.last?.objects ?? 0))
      return Pair(before: old, after: fit, objects: max(largest ?? 0, measured))
    }
  }

  /// The costs that exceed a launch limit after the change but not before it.
  private var exceeding: [Pair] { pairs.filter { $0.exceeded != nil } }

  private var faster: [(fit: GrowthFit, exponent: Double)] {
    outcome.fits.compactMap { fit -> (fit: GrowthFit, exponent: Double)? in
      guard case .faster(let exponent) = fit.verdict else { return nil }
      return (fit, exponent)
    }
  }

  /// The exit status: 1 if a case failed, 2 if a cost grows faster than declared or newly exceeds a
  /// limit, otherwise 0.
  package var exitStatus: Int32 {
    outcome.failures.isEmpty ? faster.isEmpty && exceeding.isEmpty ? 0 : 2 : 1
  }

  /// The report: the answer, a line for each cost that grows too fast, and a table.
  package var report: Report {
    let faster = faster
    var report = Report(
      kind: "growth",
      title: Report.Text(headline),
      verdict: "Counters at 1, 4 and 16 times the objects of the recipes; they repeat exactly.",
      tone: exitStatus == 0 ? .good : .bad,
      source: "runs on three sizes of the stores"
    )
    report.next =
      switch (exitStatus, faster.isEmpty) {
      case (0, _): "Nothing has to be done."
      case (1, _): "Look at the failed cases below: their costs are not judged."
      case (_, true): "Find what makes the costs below rise."
      case (_, false): "Find what makes the costs below grow, or declare it."
      }
    report.notMeasured = "Times: counters count work, and repeat exactly."
    report.findings = faster.map { fit, exponent in
      .init(Report.Text(sentence(fit, exponent)), tone: .bad)
    }
    report.findings += pairs.map { pair in
      .init(Report.Text(sentence(pair)), tone: pair.exceeded == nil ? .plain : .bad)
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

  /// GitHub workflow annotations, with an error for each cost that grows too fast.
  package var annotations: String {
    let errors = faster.map { fit, exponent in
      WorkflowCommand.text(
        "error",
        title: "\(fit.caseID) grows too fast",
        sentence(fit, exponent)
      )
    }
    let failures = outcome.failures.map {
      WorkflowCommand.text("error", title: "A case failed", $0)
    }
    let limits = exceeding.map {
      WorkflowCommand.text("error", title: "\($0.after.caseID) passes a limit", sentence($0))
    }
    let dearest = pairs.max { $0.factor < $1.factor }.map { sentence($0) + "; " } ?? ""
    return WorkflowCommand.text("notice", title: "StoreBench growth", dearest + headline)
      + (failures + errors + limits).joined()
  }

  private var headline: String {
    if !outcome.failures.isEmpty {
      return "\(Figures.counted(outcome.failures.count, "case")) failed"
    }
    let costs = Figures.counted(outcome.fits.count, "cost")
    guard faster.isEmpty else {
      return "\(faster.count) of \(costs) grow\(faster.count == 1 ? "s" : "") faster than declared"
    }
    return switch exceeding.count {
    case 0 where outcome.fits.count == 1: "The cost does not grow faster than declared"
    case 0: "None of \(costs) grows faster than declared"
    case 1: "1 of \(costs) passes a launch limit that it did not pass before"
    default: "\(exceeding.count) of \(costs) pass a launch limit that they did not pass before"
    }
  }

  /// A sentence such as `at 200,000 objects, the largest user's store: 0.7 s → 0.7 s (…), in
  /// upgrade/to=v2`.
  private func sentence(_ pair: Pair) -> String {
    let isUser = pair.objects == largest
    let place =
      "at \(Int(pair.objects).grouped) objects"
      + (isUser ? ", the largest user's store: " : ": ")
    let costs = pair.costs
    let counts =
      "\(pair.after.metric.name) \(Figures.grouped(costs.before.rounded())) → "
      + Figures.grouped(costs.after.rounded())
    let end = ", in \(pair.after.caseID)"
    guard let seconds = pair.seconds else { return place + counts + end }
    let times =
      "\(Figures.seconds(seconds.before, .rough)) → \(Figures.seconds(seconds.after, .rough))"
    let limit = pair.exceeded.map { ", over the limit of \($0.title)" } ?? ""
    return place + "\(times)\(limit) (\(counts))" + end
  }

  /// A sentence such as `fetch/a: sqlite.vmSteps grows as n^1.9, declared n; at 200,000 objects …`.
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
    let passed = ResourceBudget.passed(from: seconds.declared, to: seconds.now)
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
}

extension GrowthReport.Pair {
  var costs: (before: Double, after: Double) {
    (before.cost(at: objects).now, after.cost(at: objects).now)
  }

  var factor: Double {
    costs.before > 0 ? costs.after / costs.before : costs.after > 0 ? .infinity : 1
  }

  /// The estimated seconds before and after the change.
  ///
  /// Both are computed from the counter and the speed measured after the change, because times
  /// measured in two runs vary more than the counter.
  var seconds: (before: Double, after: Double)? {
    guard let now = after.seconds(at: objects)?.now, costs.after > 0 else { return nil }
    return (now * costs.before / costs.after, now)
  }

  /// The launch limit that is exceeded after the change but not before it.
  var exceeded: ResourceBudget? {
    seconds.flatMap { ResourceBudget.passed(from: $0.before, to: $0.after) }
  }
}

extension ResourceBudget {
  fileprivate static func passed(from before: Double, to now: Double) -> ResourceBudget? {
    launch.last { now > $0.limit && before <= $0.limit }
  }
}
