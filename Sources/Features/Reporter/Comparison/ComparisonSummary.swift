import Basics
import Compare
import Runner

/// A comparison in a few lines: what changed in each workload, and the largest rises.
struct ComparisonSummary {
  /// Rises that are listed one by one.
  private static let listed = 5
  /// Metrics that a workload's line names.
  private static let named = 4
  /// Counters that explain others, the ones to name first, with the words of a workload's line.
  private static let words: [(metric: Metric, one: String, many: String)] = [
    (.sqlite.sorts, "sort", "sorts"),
    (.sqlite.statementsRun, "statement", "statements"),
    (.sqlite.fullScanSteps, "full-scan step", "full-scan steps"),
    (.vfs.syncs, "sync", "syncs"),
    (.sqlite.vmSteps, "SQLite step", "SQLite steps"),
    (.storeBytes, "store", "store"),
    (.peakDisk, "peak disk", "peak disk"),
    (.walBytes, "WAL", "WAL"),
  ]

  /// What happened to one metric in the cases of a workload.
  private struct Change {
    let text: String
    /// Whether the metric rose, then its place among those to name first, then its size.
    let order: (Int, Int, Double)
  }

  /// A cost that rose, and where.
  struct Rise {
    let caseID: String
    let metric: MetricComparison
  }

  let comparison: Comparison

  /// `main/migration, 6 of 8 cases: +1 sort, SQLite steps +25 %, store +1.7 %`, one per workload
  /// with a change.
  var workloads: [String] {
    comparison.workloads.compactMap { (workload) -> String? in
      let changed = workload.cases.map { $0.metrics.filter(Self.isChanged) }.filter { !$0.isEmpty }
      guard !changed.isEmpty else { return nil }
      // Rises and falls of one metric are two changes.
      let changes = Dictionary(grouping: changed.flatMap(\.self)) {
        "\($0.metric.name) \($0.candidate > $0.baseline)"
      }.values
        .map { Self.change($0) }.sorted {
          $0.order == $1.order ? $0.text < $1.text : $0.order < $1.order
        }
      let names = changes.prefix(Self.named).map(\.text).joined(separator: ", ")
      let more = changes.count - Self.named
      let rest =
        more > 0 ? " and \(Figures.counted(more, "more metric", "more metrics"))" : ""
      let cases =
        changed.count == workload.cases.count
        ? Figures.counted(changed.count, "case")
        : "\(changed.count) of \(Figures.counted(workload.cases.count, "case"))"
      return "\(workload.workload), \(cases): \(names)\(rest)"
    }
  }

  /// The workloads in which no cost changed.
  var unchanged: [String] {
    comparison.workloads.filter { workload in
      !workload.cases.isEmpty
        && workload.cases.allSatisfy { result in
          guard case .compared(let metrics) = result.finding else { return false }
          return metrics.allSatisfy { [nil, .unchanged].contains($0.verdict) }
        }
    }.map { "\($0.workload), \(Figures.counted($0.cases.count, "case")): unchanged" }
  }

  private static func isChanged(_ metric: MetricComparison) -> Bool {
    [.regressed, .improved, .withinBudget].contains(metric.verdict)
  }

  /// The change in the middle of those of all cases; counts below 100 change by a number.
  private static func change(_ metrics: [MetricComparison]) -> Change {
    let sorted = metrics.sorted { relative($0) < relative($1) }
    let middle = sorted[sorted.count / 2]
    let difference = middle.candidate - middle.baseline
    let sign = difference < 0 ? "−" : "+"
    let place = words.firstIndex { $0.metric.name == middle.metric.name }
    let isRise = difference > 0
    let order = (isRise ? 0 : 1, place ?? words.count, -abs(relative(middle)))
    guard middle.baseline >= 100, let ratio = middle.ratio else {
      let isOne = abs(difference) == 1
      let name = place.map { isOne ? words[$0].one : words[$0].many } ?? middle.metric.name
      return Change(text: "\(sign)\(middle.text(abs(difference))) \(name)", order: order)
    }
    let share = Figures.significant(abs(ratio - 1) * 100)
    let name = place.map { words[$0].many } ?? middle.metric.name
    return Change(text: "\(name) \(sign)\(share) %", order: order)
  }

  private static func relative(_ metric: MetricComparison) -> Double {
    metric.ratio.map { $0 - 1 } ?? .infinity
  }

  /// The largest rise of each metric, the largest ones first.
  var largest: [Rise] {
    let rises = comparison.workloads.flatMap(\.cases).flatMap { result in
      result.metrics.filter { $0.verdict == .regressed }.map { Rise(caseID: result.id, metric: $0) }
    }
    let sorted = rises.sorted { first, second in
      let sizes = (Self.relative(first.metric), Self.relative(second.metric))
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
