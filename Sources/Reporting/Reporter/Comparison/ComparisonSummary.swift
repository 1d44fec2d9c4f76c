import Basics
import Measurement

/// Many changed costs in few lines: what changed in each workload, and the largest rises.
struct ComparisonSummary {
  /// Rises that are listed one by one.
  private static let listed = 5
  /// Metrics that a workload's line names.
  private static let named = 4

  /// What happened to one metric in the cases of a workload.
  private struct Change {
    let name: String
    let cases: Int
    /// The median change of the cases, such as `+25 %`.
    let text: String
    let size: Double
  }

  /// A cost that rose, and where.
  struct Rise {
    let caseID: String
    let metric: MetricComparison
  }

  let comparison: Comparison

  /// The costs that changed in either direction.
  var changes: Int {
    let tally = comparison.tally
    return tally.regressed + tally.improved + tally.withinBudget
  }

  /// `main/migration: 6 of 8 cases rose: sqlite.vmSteps +25 % in 6 cases, …`, one per workload.
  var workloads: [String] {
    comparison.workloads.compactMap { workload in
      let parts = [("rose", Verdict.regressed), ("fell", .improved)].compactMap { verb, verdict in
        sentence(of: workload, verb, verdict)
      }
      return parts.isEmpty ? nil : "\(workload.workload): " + parts.joined(separator: "; ")
    }
  }

  private func sentence(
    of workload: Comparison.Workload,
    _ verb: String,
    _ verdict: Verdict
  ) -> String? {
    let changed = workload.cases.map { $0.metrics.filter { $0.verdict == verdict } }
      .filter { !$0.isEmpty }
    guard !changed.isEmpty else { return nil }
    let changes = Dictionary(grouping: changed.flatMap(\.self)) { $0.metric.name }
      .map { Self.change($0.key, $0.value) }
      .sorted { ($0.cases, $0.size, $1.name) > ($1.cases, $1.size, $0.name) }
    let names = changes.prefix(Self.named).map { "\($0.name) \($0.text)" }
    let more = changes.count - names.count
    return "costs of \(changed.count) of \(Figures.counted(workload.cases.count, "case")) \(verb): "
      + names.joined(separator: ", ")
      + (more > 0 ? " and \(Figures.counted(more, "more metric", "more metrics"))" : "")
  }

  /// The change in the middle of those of all cases; counts below 100 change by a number.
  private static func change(_ name: String, _ metrics: [MetricComparison]) -> Change {
    let sorted = metrics.sorted { size($0) < size($1) }
    let middle = sorted[sorted.count / 2]
    return Change(name: name, cases: metrics.count, text: text(middle), size: size(middle))
  }

  private static func text(_ metric: MetricComparison) -> String {
    let difference = metric.candidate - metric.baseline
    let sign = difference < 0 ? "−" : "+"
    guard metric.baseline >= 100, let ratio = metric.ratio else {
      return sign + metric.text(abs(difference))
    }
    return sign + Figures.significant(abs(ratio - 1) * 100) + " %"
  }

  private static func size(_ metric: MetricComparison) -> Double {
    metric.ratio.map { abs($0 - 1) } ?? .infinity
  }

  /// The largest rise of each metric, the largest ones first.
  var largest: [Rise] {
    let rises = comparison.workloads.flatMap(\.cases).flatMap { result in
      result.metrics.filter { $0.verdict == .regressed }.map { Rise(caseID: result.id, metric: $0) }
    }
    let sorted = rises.sorted { first, second in
      let sizes = (Self.size(first.metric), Self.size(second.metric))
      return sizes.0 == sizes.1
        ? (first.caseID, first.metric.metric.name) < (second.caseID, second.metric.metric.name)
        : sizes.0 > sizes.1
    }
    var named: Set<String> = []
    return Array(
      sorted.filter { named.insert($0.metric.metric.name).inserted }.prefix(Self.listed)
    )
  }
}
