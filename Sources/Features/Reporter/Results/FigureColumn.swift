import Basics
import Runner

/// One figure of every case of a workload, in the unit that suits them all.
struct FigureColumn {
  /// What the figures are, in a word over the unit.
  let title: String
  let unit: String
  /// One a case; `–` where the case has no such figure.
  let cells: [String]
  /// What the title stands for, for the legend below the table.
  let meaning: String
  /// Whether the column may be left out where the table has no room.
  let isOptional: Bool
  let width: Int

  static let absent = "–"
  static let phaseMeaning = "median time of the phase"

  init(title: String, unit: String, cells: [String], meaning: String, isOptional: Bool = false) {
    self.title = TerminalText.plain(title)
    self.unit = unit
    self.cells = cells
    self.meaning = meaning
    self.isOptional = isOptional
    width = ([self.title, unit] + cells).map(TerminalText.width).max() ?? 0
  }

  /// The columns that have something to say of a workload, in the order of display.
  static func columns(of workload: WorkloadResult) -> [FigureColumn] {
    let cases = workload.cases
    return [
      values("time", cases, meaning: "median wall time", always: true) {
        $0.median(of: .wallClock)
      },
      deviations(of: cases),
      values("screen", cases, meaning: "median time to the first screen") {
        $0.median(of: .firstScreen)
      },
    ].compactMap { $0 }
      + waits.compactMap { wait in
        values(wait.title, cases, meaning: wait.meaning) {
          $0.figureSample(of: wait.metric)?.median
        }
      }
      + phases(of: cases)
      + [
        values("memory", cases, unit: .bytes, meaning: "median peak memory of the process") {
          $0.median(of: .peakMemory)
        },
        percentages(
          "outside",
          cases,
          meaning: "share of the time spent outside SQLite's calls"
        ) { $0.median(of: .sqliteShare).map { 1 - min($0, 1) } },
        shares(
          "mem out",
          cases,
          meaning: "share of the memory held outside SQLite",
          part: .sqliteMemory,
          of: .peakMemory,
          isOptional: true
        ),
        disk(of: workload),
      ].compactMap { $0 }
  }

  private static func values(
    _ title: String,
    _ cases: [CaseResult],
    unit: Metric.Unit = .seconds,
    meaning: String,
    always: Bool = false,
    isOptional: Bool = false,
    value: (CaseResult) -> Double?
  ) -> FigureColumn? {
    let values = cases.map(value)
    let present = values.compactMap { $0 }
    guard always || !present.isEmpty else { return nil }
    // One unit for the column, named in its header, or one in every cell.
    let scale = present.isEmpty ? nil : Figures.Scale.common(to: present, among: unit.scales)
    let decimals = scale?.decimals(for: present) ?? 0
    let cells = values.map { value in
      guard let value else { return absent }
      return scale?.text(value, decimals: decimals) ?? unit.text(value)
    }
    return FigureColumn(
      title: title,
      unit: scale?.name ?? "",
      cells: cells,
      meaning: meaning,
      isOptional: isOptional
    )
  }

  private static func deviations(of cases: [CaseResult]) -> FigureColumn? {
    percentages("±", cases, meaning: "standard deviation of the time, in % of its mean") {
      $0.figureSample(of: Metric.wallClock.name)?.summary?.relativeDeviation
    }
  }

  private static func phases(of cases: [CaseResult]) -> [FigureColumn] {
    let names = Set(cases.flatMap { $0.samples.map(\.metric.name) }.filter(isPhase)).sorted()
    // In the order of the catalogue, which is the order in which phases follow each other.
    let known = Metric.catalogue.map(\.name).filter(names.contains)
    return (known + names.filter { !known.contains($0) }).compactMap { name in
      let title = String(name.dropFirst(phasePrefix.count))
      return values(
        title,
        cases,
        meaning: phaseMeaning,
        isOptional: true
      ) { $0.figureSample(of: name)?.median }
    }
  }

  private static func isPhase(_ name: String) -> Bool {
    name.hasPrefix(phasePrefix) && name.count > phasePrefix.count
  }

  private static func shares(
    _ title: String,
    _ cases: [CaseResult],
    meaning: String,
    part: Metric,
    of whole: Metric,
    isOptional: Bool = false
  ) -> FigureColumn? {
    percentages(title, cases, meaning: meaning, isOptional: isOptional) {
      guard let part = $0.median(of: part), let whole = $0.median(of: whole), whole > 0 else {
        return nil
      }
      return min(max(1 - part / whole, 0), 1)
    }
  }

  private static func percentages(
    _ title: String,
    _ cases: [CaseResult],
    meaning: String,
    isOptional: Bool = false,
    share: (CaseResult) -> Double?
  ) -> FigureColumn? {
    let shares = cases.map(share)
    guard shares.contains(where: { $0 != nil }) else { return nil }
    return FigureColumn(
      title: title,
      unit: "%",
      cells: shares.map { $0.map { Figures.fixed($0 * 100, decimals: 0) } ?? absent },
      meaning: meaning,
      isOptional: isOptional
    )
  }

  // Sizes matter where an operation changes them: not for work that leaves the store as it was.
  private static func disk(of workload: WorkloadResult) -> FigureColumn? {
    let sizes = workload.cases.map(\.bytesOnDisk)
    let start = Double(workload.store.bytes)
    guard sizes.contains(where: { $0 != nil && $0 != start }) else { return nil }
    return values(
      "disk",
      workload.cases,
      unit: .bytes,
      meaning: "store, WAL and external files afterwards"
    ) { $0.bytesOnDisk }
  }
}

private let phasePrefix = "phase."

extension CaseResult {
  fileprivate func median(of metric: Metric) -> Double? {
    figureSample(of: metric.name)?.median
  }

  /// The sample of a metric where the row has room for it: a failure's reason takes its place.
  fileprivate func figureSample(of metric: String) -> Sample? {
    outcome == .passed ? sample(of: metric) : nil
  }

  fileprivate var bytesOnDisk: Double? {
    median(of: .storeBytes).map {
      $0 + (median(of: .walBytes) ?? 0) + (median(of: .externalBytes) ?? 0)
    }
  }
}

extension FigureColumn {
  /// How long somebody waited while the work was done: a main loop, a first screen afterwards,
  /// another process.
  ///
  /// The metrics are the kinds' own.
  static let waits: [(metric: String, title: String, meaning: String)] = [
    ("stalls.longest", "stall", "longest time during which the main loop was blocked"),
    ("firstFetch", "fetched", "time until the first fetch succeeded"),
    ("lag.p50", "lag", "median time until the other process saw a save"),
    ("lag.max", "longest", "longest time until the other process saw a save"),
  ]
}
