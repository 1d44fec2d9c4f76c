import Basics
import Reporting
import Runner

enum ChangeWords {
  private static let others: [String: String] = [
    Metric.wallClock.name: "time", Metric.peakMemory.name: "peak memory",
    Metric.vfs.writeBytes.name: "bytes written", Metric.sqlite.cacheMisses.name: "page misses",
    Metric.sqlite.cacheWrites.name: "dirty pages written",
  ]

  /// Returns the wording of a metric, such as `SQLite steps` for `sqlite.vmSteps`, or its name if
  /// it has no wording.
  static func name(of metric: String) -> String {
    Comparison.Workload.words.first { $0.metric.name == metric }?.many ?? others[metric] ?? metric
  }
}

extension Comparison.Workload {
  /// The counters that explain other costs, with their wording, in the order in which a line lists
  /// them.
  fileprivate static let words: [(metric: Metric, one: String, many: String)] = [
    (.sqlite.sorts, "sort", "sorts"),
    (.sqlite.statementsRun, "statement", "statements"),
    (.sqlite.fullScanSteps, "full-scan step", "full-scan steps"),
    (.vfs.syncs, "sync", "syncs"),
    (.sqlite.vmSteps, "SQLite step", "SQLite steps"),
    (.storeBytes, "store", "store"),
    (.peakDisk, "peak disk", "peak disk"),
    (.walBytes, "WAL", "WAL"),
  ]
  private static let named = 4

  var byMetric: Report.Table {
    Report.Table(
      "",
      [.init("Metric")] + ["Cases", "Least", "Middle", "Most"].map { .init($0, .number) }
        + [.init("Verdict")],
      rows: Self.sorted(changesByMetric).map { metrics in
        let shares = metrics.map(\.relative).sorted()
        let ends = [shares[0], shares[shares.count / 2], shares[shares.count - 1]]
        return [.text(metrics[0].name), .number(metrics.count)]
          + ends.map { .text($0.isFinite ? ForestChart.bound($0) : "new") }
          + [.text(Set(metrics.map(\.label)).sorted().joined(separator: ", "), metrics[0].tone)]
      }
    )
  }

  private var changesByMetric: [[MetricComparison]] {
    let changed = cases.flatMap { $0.metrics.filter(\.hasChangedCost) }
    return Array(
      Dictionary(grouping: changed) { "\($0.name) \($0.candidate > $0.baseline)" }.values
    )
  }

  private static func sorted(_ changes: [[MetricComparison]]) -> [[MetricComparison]] {
    let placed = changes.map { (metrics: $0, order: change($0).order) }
    return placed.sorted { first, second in
      let names = (first.metrics[0].name, second.metrics[0].name)
      return first.order == second.order ? names.0 < names.1 : first.order < second.order
    }.map(\.metrics)
  }

  /// Up to three of the most significant changes, including decreases if there are any: the median
  /// change of each metric, and the number of cases in which it occurred.
  var mainChanges: [(middle: MetricComparison, cases: Int)] {
    let all = Self.sorted(changesByMetric).map { (middle: Self.middle($0), cases: $0.count) }
    let falls = all.filter { $0.middle.relative < 0 }
    let rises = all.filter { $0.middle.relative > 0 }.prefix(falls.isEmpty ? 3 : 2)
    return Array(rises) + falls.prefix(3 - rises.count)
  }

  /// The changes in one line, such as `main/migration, 6 of 8 cases: +1 sort, SQLite steps +25 % in
  /// 4, store +1.7 %`; `nil` if no cost changed.
  ///
  /// If a metric changed in only some of the changed cases, the number of these follows, such as
  /// `in 4`.
  var change: String? {
    let changed = cases.filter { $0.metrics.contains(where: \.hasChangedCost) }
    guard !changed.isEmpty else { return nil }
    let changes = changesByMetric.map { Self.change($0, among: changed.count) }.sorted {
      $0.order == $1.order ? $0.text < $1.text : $0.order < $1.order
    }
    let names = changes.prefix(Self.named).map(\.text).joined(separator: ", ")
    let more = changes.count - Self.named
    let rest = more > 0 ? " and \(Figures.counted(more, "more metric", "more metrics"))" : ""
    let all = Figures.counted(cases.count, "case")
    return "\(workload), \(changed.count == cases.count ? all : "\(changed.count) of \(all)"): "
      + names + rest
  }

  var hasRise: Bool {
    cases.contains { $0.metrics.contains { $0.verdict == .regressed } }
  }

  /// A line such as `main/fetch, 3 cases: unchanged`; `nil` if a cost changed or could not be
  /// compared.
  var unchanged: String? {
    let isUnchanged = cases.allSatisfy { result in
      guard case .compared(let metrics) = result.finding, result.uncomparedCosts.isEmpty else {
        return false
      }
      return metrics.allSatisfy { [nil, .unchanged].contains($0.verdict) && !$0.isOfOtherContent }
    }
    guard isUnchanged, !cases.isEmpty else { return nil }
    return "\(workload), \(Figures.counted(cases.count, "case")): unchanged"
  }

  private static func middle(_ metrics: [MetricComparison]) -> MetricComparison {
    metrics.sorted { $0.relative < $1.relative }[metrics.count / 2]
  }

  /// The wording of the median change over the cases, and its sort key: increases first, then in
  /// the order of `words`.
  ///
  /// If the baseline is below 100, the change is a difference instead of a percentage.
  private static func change(
    _ metrics: [MetricComparison],
    among changed: Int? = nil
  ) -> (text: String, order: (Int, Int, Double)) {
    let middle = middle(metrics)
    let difference = middle.candidate - middle.baseline
    let sign = difference < 0 ? "−" : "+"
    let place = words.firstIndex { $0.metric.name == middle.name }
    let scope = changed.map { $0 == metrics.count ? "" : " in \(metrics.count)" } ?? ""
    let order = (difference > 0 ? 0 : 1, place ?? words.count, -abs(middle.relative))
    guard middle.baseline >= 100, let ratio = middle.ratio else {
      let name = place.map { abs(difference) == 1 ? words[$0].one : words[$0].many } ?? middle.name
      return ("\(sign)\(middle.text(abs(difference))) \(name)\(scope)", order)
    }
    let share = Figures.significant(abs(ratio - 1) * 100)
    return ("\(place.map { words[$0].many } ?? middle.name) \(sign)\(share) %\(scope)", order)
  }
}

extension MetricComparison {
  var place: Int {
    let words = Comparison.Workload.words
    return words.firstIndex { $0.metric.name == name } ?? words.count
  }

  fileprivate var hasChangedCost: Bool {
    [.regressed, .improved, .withinBudget].contains(verdict)
  }

  /// The result divided by the baseline, minus 1; infinite if the baseline is zero.
  var relative: Double { ratio.map { $0 - 1 } ?? .infinity }

  var changeText: String {
    baseline == candidate ? "–" : ratio == nil ? "new" : ForestChart.bound(relative)
  }

  var tone: Report.Tone {
    switch verdict {
    case .improved: .good
    case .regressed: .bad
    case .unchanged, .withinBudget: .plain
    case .cannotTell: .caution
    case nil: isOfOtherContent ? .plain : .quiet
    }
  }
}
