import Basics
import Reporting

/// A table column with one figure per case of a workload.
struct FigureColumn {
  let column: Report.Column
  /// The description of the figure for the legend.
  let meaning: String
  /// The cells, in the order of the cases.
  let cells: [Report.Cell]

  /// Creates a column; `nil` if no case has the figure, unless `isAlways` is set.
  ///
  /// A failed case has no figures. If the column is always shown, the case's cell contains its
  /// outcome instead.
  private init?(
    _ title: String,
    _ kind: Report.Column.Kind,
    _ meaning: String,
    of cases: [CaseResult],
    isAlways: Bool = false,
    value: (CaseResult) -> Double?
  ) {
    let values = cases.map { $0.outcome == .passed ? value($0) : nil }
    guard isAlways || values.contains(where: { $0 != nil }) else { return nil }
    column = .init(title, kind)
    self.meaning = meaning
    cells = zip(cases, values).map { result, value in
      switch result.outcome {
      case .failed where isAlways: .text("FAILED", .bad)
      case .failedAsExpected where isAlways: .text("refused", .good)
      default: .number(value, or: "–")
      }
    }
  }

  /// Creates a column with the median of a metric.
  private init?(
    _ title: String,
    _ metric: Metric,
    _ meaning: String,
    of cases: [CaseResult],
    isAlways: Bool = false
  ) {
    self.init(title, metric.unit.columnKind, meaning, of: cases, isAlways: isAlways) {
      $0.median(of: metric)
    }
  }

  /// Returns the columns for which a workload has figures.
  static func columns(of workload: WorkloadResult) -> [FigureColumn] {
    let cases = workload.cases
    // Show disk sizes only if some case changes the size of its store.
    let changesDisk = cases.contains { result in
      result.outcome == .passed
        && result.bytesOnDisk.map { $0 != Double(workload.store.bytes) } ?? false
    }
    let columns: [FigureColumn?] = [
      FigureColumn("Time", .wallClock, "median wall time", of: cases, isAlways: true),
      FigureColumn("±", .share, "standard deviation of the time, in % of its mean", of: cases) {
        $0.sample(of: Metric.wallClock.name)?.summary?.relativeDeviation
      },
      FigureColumn("Screen", .firstScreen, "median time to the first screen", of: cases),
    ]
    let sizes: [FigureColumn?] = [
      FigureColumn("Memory", .peakMemory, "median peak memory of the process", of: cases),
      FigureColumn("Outside", .share, "share of the time spent outside SQLite's calls", of: cases) {
        $0.median(of: .sqliteShare).map { 1 - min($0, 1) }
      },
      FigureColumn("Memory outside", .share, "share of the memory held outside SQLite", of: cases) {
        guard let part = $0.median(of: .sqliteMemory), let whole = $0.median(of: .peakMemory),
          whole > 0
        else { return nil }
        return min(max(1 - part / whole, 0), 1)
      },
      changesDisk
        ? FigureColumn("Disk", .bytes, "store, WAL and external files afterwards", of: cases) {
          $0.bytesOnDisk
        } : nil,
    ]
    let waits = Self.waits.map { FigureColumn($0.title, $0.metric, $0.meaning, of: cases) }
    return (columns + waits + sizes).compactMap(\.self)
  }

  /// The waiting times of the main loop, the next screen or another process during the work.
  static let waits = zip(Metric.waits.all, ["Stall", "Fetched", "Lag", "Longest lag"]).map {
    (metric: $0, title: $1, meaning: $0.description)
  }

  /// Returns the columns with the median time of each phase.
  static func phases(of cases: [CaseResult]) -> [FigureColumn] {
    phaseNames(of: cases).compactMap { name in
      FigureColumn(
        CaseDimensions.words(String(name.dropFirst(phasePrefix.count))).capitalizedFirst,
        .time(name, ""),
        "median time of the phase",
        of: cases
      )
    }
  }

  static let phasePrefix = "phase."

  /// Returns the phases of the cases: the parts of a scenario in the order of its steps, then other
  /// phases in chronological order, then phases unknown to the catalog by name.
  static func phaseNames(of cases: [CaseResult]) -> [String] {
    let names = Set(cases.flatMap { $0.samples.map(\.metric.name) })
      .filter { $0.hasPrefix(phasePrefix) && $0.count > phasePrefix.count }
    let parts = cases.flatMap { ActionTables.actions(of: $0, "step.") }.unique
      .map { phasePrefix + $0 }
    let known = (parts + Metric.phases.all.map(\.name)).unique.filter(names.contains)
    return known + names.subtracting(known).sorted()
  }

  /// Returns the columns with the ranges over the trials, the sizes on disk, and the counters that
  /// explain times.
  static func trials(of workload: WorkloadResult) -> [FigureColumn] {
    let cases = workload.cases
    let ranges: [(String, Metric)] =
      [("Time", .wallClock), ("Screen", .firstScreen), ("Memory", .peakMemory)]
      + waits.map { ($0.title, $0.metric) }
    let counters: [(String, Metric)] = [
      ("Peak disk", .peakDisk), ("Store", .storeBytes), ("WAL", .walBytes),
      ("Files", .externalBytes), ("SQLite steps", .sqlite.vmSteps),
      ("Page misses", .sqlite.cacheMisses), ("Bytes written", .vfs.writeBytes),
    ]
    return ranges.compactMap { FigureColumn(rangeOf: $1, titled: $0, cases) }
      + counters.compactMap { title, metric in
        FigureColumn(title, metric.unit.columnKind, "", of: cases) {
          $0.trialValues(of: metric).max() ?? 0 > 0 ? $0.median(of: metric) : nil
        }
      }
  }

  /// Creates a column with the minimum and maximum over the trials; `nil` if no case has several
  /// trials.
  private init?(rangeOf metric: Metric, titled title: String, _ cases: [CaseResult]) {
    let summaries = cases.map { result in
      result.outcome == .passed ? Summary(of: result.trialValues(of: metric)) : nil
    }
    guard summaries.contains(where: { ($0?.count ?? 0) > 1 }) else { return nil }
    column = .init("\(title), trials", .number)
    meaning = ""
    cells = summaries.map { summary in
      guard let summary else { return "–" }
      let ends = [summary.min, summary.max].map { metric.unit.text($0, .significant) }
      return .text(ends.joined(separator: " to "))
    }
  }
}

extension Metric.Unit {
  /// The column format for values of the unit.
  package var columnKind: Report.Column.Kind {
    switch self {
    case .seconds: .seconds
    case .bytes: .bytes
    case .count: .number
    case .ratio: .share
    }
  }
}

extension CaseResult {
  fileprivate func median(of metric: Metric) -> Double? { sample(of: metric.name)?.median }

  fileprivate var bytesOnDisk: Double? {
    median(of: .storeBytes).map {
      $0 + (median(of: .walBytes) ?? 0) + (median(of: .externalBytes) ?? 0)
    }
  }
}
