import Basics
import Reporting
import Runner

/// The section of one workload: charts by panel, then the same numbers as a table.
struct WorkloadPage {
  private let workload: WorkloadResult
  private let dimensions: CaseDimensions
  private let series: SeriesNumbers
  private let measured: [CaseResult]

  /// Panels and rows beyond which a page would be slow; the table and the CSV have the rest.
  private static let mostPanels = 24
  private static let mostStrips = 40
  private static let mostRows = 500

  init(_ workload: WorkloadResult, _ dimensions: CaseDimensions, _ series: SeriesNumbers) {
    self.workload = workload
    self.dimensions = dimensions
    self.series = series
    measured = workload.cases.filter { $0.outcome == .passed }
  }

  /// The section, below findings of its own that the page does not begin with.
  func section(id: String, findings: [Finding]) -> ReportPage.Section {
    ReportPage.Section(
      id: id,
      heading: Inline(workload.workload),
      question: Inline(workload.question.isEmpty ? conditions : workload.question),
      answers: findings.map(\.sentences),
      blocks: (workload.question.isEmpty ? [] : [.note(Inline(conditions))]) + failures
        + LeadBlocks(workload, series).blocks + charts
        + (workload.cases.isEmpty ? [] : [.table(table)]) + notes
    )
  }

  /// How it was measured, and what all of its cases share.
  private var conditions: String {
    let names = Set(workload.cases.flatMap(\.parameters.keys)).sorted()
    let shared = names.filter { name in !dimensions.varying.contains { $0.name == name } }
    let values = shared.compactMap { name in
      workload.cases.first { $0.parameters[name] != nil }
        .map { "\(name) \(CaseDimensions.text($0, name))" }
    }
    let trials = Figures.counted(workload.trialCount, "trial")
    return ([workload.kind, workload.cache, trials] + values).joined(separator: " · ")
  }

  private var failures: [ReportPage.Block] {
    let failed = workload.cases.compactMap { result -> Inline? in
      guard case .failed(let reason) = result.outcome else { return nil }
      return Inline.strong(label(of: result)) + Inline(": \(reason)")
    }
    guard !failed.isEmpty else { return [] }
    let title = "\(failed.count) of \(Figures.counted(workload.cases.count, "case")) failed"
    return [.warning(Inline(title)), .points(Array(failed.prefix(Self.mostStrips)))]
  }

  private func label(of result: CaseResult) -> String {
    dimensions.label(of: result, isWhole: true)
  }

  // MARK: Charts

  private var charts: [ReportPage.Block] {
    let panels = dimensions.panels(of: measured)
    if dimensions.axis != nil { return lineCharts(panels) }
    let blocks = panels.prefix(Self.mostPanels).flatMap { heading, cases -> [ReportPage.Block] in
      let figures = strips(of: Array(cases.prefix(Self.mostStrips)))
      guard !figures.isEmpty else { return [] }
      return (heading.isEmpty ? [] : [.heading(Inline(heading))]) + [.panels(figures)]
    }
    guard !blocks.isEmpty else { return [] }
    let interval =
      workload.trialCount > 1
      ? " The shaded box is the 95 % interval of the geometric mean, computed from the variation of "
        + "all cases in the panel." : ""
    return blocks + [
      .note(Inline("Each mark is one trial. The vertical bar is the median.\(interval)"))
    ]
  }

  private func strips(of cases: [CaseResult]) -> [ReportPage.Figure] {
    let waits = FigureColumn.waits.compactMap { wait in
      strip(wait.meaning.capitalizedFirst, cases, isLogarithmic: true, .seconds) {
        trials(of: wait.metric, $0)
      }
    }
    let times = [
      strip("First screen", cases, isLogarithmic: true, .seconds) {
        trials(of: Metric.firstScreen.name, $0)
      },
      strip("Total time", cases, isLogarithmic: true, .seconds) {
        trials(of: Metric.wallClock.name, $0)
      },
    ].compactMap { $0 }
    let spaces = [
      strip("Peak memory", cases, isLogarithmic: false, .bytes) {
        trials(of: Metric.peakMemory.name, $0)
      },
      disk(of: cases),
    ].compactMap { $0 }
    return times + waits + [phases(of: cases)].compactMap { $0 } + spaces
  }

  private func strip(
    _ title: String,
    _ cases: [CaseResult],
    isLogarithmic: Bool,
    _ quantity: ChartAxis.Quantity,
    _ values: (CaseResult) -> [Double]
  ) -> ReportPage.Figure? {
    let samples = cases.map(values)
    guard samples.contains(where: { !$0.isEmpty }) else { return nil }
    let intervals = PooledIntervals(samples)
    let rows = zip(cases, samples).compactMap { result, trials -> StripChart.Row? in
      guard let median = Summary(of: trials)?.p50 else { return nil }
      return StripChart.Row(
        label: dimensions.label(of: result),
        series: series.number(of: result, in: dimensions),
        trials: trials,
        median: median,
        interval: intervals.interval(of: trials)
      )
    }
    let chart = StripChart(
      title: title,
      rows: rows,
      quantity: quantity,
      isLogarithmic: isLogarithmic
    )
    return ReportPage.Figure(
      Inline(title),
      isLogarithmic ? "log scale" : "from zero",
      chart.drawing
    )
  }

  /// A value a trial: the median of its iterations.
  private func trials(of metric: String, _ result: CaseResult) -> [Double] {
    (result.sample(of: metric)?.trials ?? []).compactMap { Summary(of: $0)?.p50 }
  }

  /// Store, WAL and external files afterwards, where the work changes them.
  private func disk(of cases: [CaseResult]) -> ReportPage.Figure? {
    let sizes = cases.map(diskAfterwards)
    guard sizes.contains(where: { !$0.isEmpty && $0.first != Double(workload.store.bytes) }) else {
      return nil
    }
    return strip("Disk afterwards", cases, isLogarithmic: false, .bytes, diskAfterwards)
  }

  private func diskAfterwards(_ result: CaseResult) -> [Double] {
    let parts = [Metric.storeBytes, .walBytes, .externalBytes].map { trials(of: $0.name, result) }
    return parts[0].indices.map { trial in
      parts.reduce(0) { $0 + ($1.indices.contains(trial) ? $1[trial] : 0) }
    }
  }

  private func phases(of cases: [CaseResult]) -> ReportPage.Figure? {
    let rows = cases.compactMap(phaseRow)
    guard rows.contains(where: { $0.parts.count > 1 }) else { return nil }
    return ReportPage.Figure(
      "Phases",
      "of the median trial",
      PhaseChart(title: "Phases of the median trial", rows: rows).drawing
    )
  }

  private func phaseRow(_ result: CaseResult) -> PhaseChart.Row? {
    let times = trials(of: Metric.wallClock.name, result)
    guard let median = Summary(of: times)?.p50, let trial = times.firstIndex(of: median) else {
      return nil
    }
    let known = Metric.phases.all.map(\.name)
    let names = result.samples.map(\.metric.name).filter { $0.hasPrefix("phase.") }
    let order = known.filter(names.contains) + names.filter { !known.contains($0) }
    var parts = order.compactMap { name -> PhaseChart.Row.Part? in
      let values = trials(of: name, result)
      guard values.indices.contains(trial), values[trial] > 0 else { return nil }
      return .init(name: CaseDimensions.words(String(name.dropFirst(6))), seconds: values[trial])
    }
    let sum = parts.reduce(0) { $0 + $1.seconds }
    // Phases that lie within another one are no parts of a whole.
    guard sum <= median * 1.02 else { return nil }
    if median - sum > median * 0.01 {
      parts.append(.init(name: parts.isEmpty ? "whole operation" : "rest", seconds: median - sum))
    }
    return PhaseChart.Row(
      label: dimensions.label(of: result),
      series: series.number(of: result, in: dimensions),
      total: median,
      parts: parts
    )
  }

  private func lineCharts(_ panels: [(heading: String, cases: [CaseResult])]) -> [ReportPage.Block]
  {
    guard let axis = dimensions.axis else { return [] }
    let isShort = panels.count > 8
    let figures = panels.prefix(Self.mostPanels).flatMap { heading, cases in
      [
        lines("Time", heading, cases, axis, isLogarithmic: true, .seconds) {
          trials(of: Metric.wallClock.name, $0)
        },
        isShort
          ? nil
          : lines("Peak memory", heading, cases, axis, isLogarithmic: false, .bytes) {
            trials(of: Metric.peakMemory.name, $0)
          },
        isShort
          ? nil : lines("Disk", heading, cases, axis, isLogarithmic: false, .bytes, diskAfterwards),
      ].compactMap { $0 }
    }
    let guides = hasGuides(axis) ? " Dotted lines: the limits of guides, 100 KB and 1 MB." : ""
    let rest = panels.count - Self.mostPanels
    let more = rest > 0 ? " \(rest) more panels are left out; the table has their cases." : ""
    return [
      .panels(figures), .note(Inline("Lines join the medians of the trials.\(guides)\(more)")),
    ]
  }

  private func hasGuides(_ axis: CaseDimensions.Dimension) -> Bool {
    workload.kind == "blobStorage" && CaseDimensions.isBytes(axis.name)
  }

  private func lines(
    _ title: String,
    _ heading: String,
    _ cases: [CaseResult],
    _ axis: CaseDimensions.Dimension,
    isLogarithmic: Bool,
    _ quantity: ChartAxis.Quantity,
    _ values: (CaseResult) -> [Double]
  ) -> ReportPage.Figure? {
    var lines: [LineChart.Line] = []
    for result in cases {
      let trials = values(result)
      guard let x = dimensions.position(of: result), let summary = Summary(of: trials) else {
        continue
      }
      let label = dimensions.series.map { CaseDimensions.text(result, $0.name) } ?? title
      let point = LineChart.Point(x: x, y: summary.p50, range: summary.min...summary.max)
      if let index = lines.firstIndex(where: { $0.label == label }) {
        lines[index].points.append(point)
      } else {
        let number = series.number(of: result, in: dimensions)
        lines.append(.init(label: label, series: number, points: [point]))
      }
    }
    guard !lines.isEmpty else { return nil }
    for index in lines.indices { lines[index].points.sort { $0.x < $1.x } }
    let chart = LineChart(
      title: heading.isEmpty ? title : "\(title), \(heading)",
      lines: lines,
      horizontal: CaseDimensions.isBytes(axis.name) ? .binaryBytes : .count,
      vertical: quantity,
      axisTitle: axis.name,
      isLogarithmic: isLogarithmic,
      guides: hasGuides(axis)
        ? [.init(x: 102_400, label: "100 KB"), .init(x: 1_048_576, label: "1 MB")] : []
    )
    return ReportPage.Figure(
      Inline(heading.isEmpty ? title : "\(title) · \(heading)"),
      isLogarithmic ? "log scale" : "from zero",
      chart.drawing
    )
  }

  // MARK: Numbers

  private struct Column {
    var title: String
    var cells: [String]
  }

  private var table: ReportPage.Table {
    let cases = Array(workload.cases.prefix(Self.mostRows))
    let columns = self.columns(of: cases)
    let name = "Table: \(workload.workload), \(Figures.counted(workload.cases.count, "case"))"
    let rest = workload.cases.count - cases.count
    return ReportPage.Table(
      name: Inline(name),
      label: name,
      caption: Inline(
        "Medians of \(Figures.counted(workload.trialCount, "trial")), with the range of the trials"
          + (rest > 0 ? "; the CSV has \(rest.grouped) cases more" : "")
      ),
      columns: ["Case"] + columns.map { Inline($0.title) },
      rows: cases.indices.map { row in
        ReportPage.Table.Row(
          Inline(label(of: cases[row])),
          columns.map { Inline($0.cells[row]) }
        )
      }
    )
  }

  private func columns(of cases: [CaseResult]) -> [Column] {
    let metrics =
      [Metric.firstScreen, .wallClock, .peakMemory].map { ($0, true) }
      + [Metric.peakDisk, .storeBytes, .walBytes, .externalBytes].map { ($0, false) }
      + FigureColumn.waits.map { (Metric.time($0.metric, $0.meaning), true) }
      + Metric.phases.all.map { ($0, false) }
      + [Metric.sqlite.vmSteps, Metric.sqlite.cacheMisses, Metric.vfs.writeBytes].map {
        ($0, false)
      }
    return metrics.flatMap { metric, hasRange -> [Column] in
      let summaries = cases.map { result -> Summary? in
        guard result.outcome == .passed else { return nil }
        return Summary(of: trials(of: metric.name, result))
      }
      guard summaries.contains(where: { ($0?.max ?? 0) > 0 }) else { return [] }
      let values = Column(
        title: Self.title(of: metric),
        cells: zip(cases, summaries).map { result, summary in
          summary.map { metric.unit.text($0.p50, .significant) } ?? Self.absence(of: result)
        }
      )
      let ranges = Column(
        title: "trials",
        cells: summaries.map { summary in
          summary.map {
            "\(metric.unit.text($0.min, .significant)) to \(metric.unit.text($0.max, .significant))"
          } ?? FigureColumn.absent
        }
      )
      return hasRange && workload.trialCount > 1 ? [values, ranges] : [values]
    }
  }

  private static func absence(of result: CaseResult) -> String {
    switch result.outcome {
    case .passed: FigureColumn.absent
    case .failed: "failed"
    case .failedAsExpected: "failed as expected"
    }
  }

  private static func title(of metric: Metric) -> String {
    let titles = [
      Metric.firstScreen.name: "First screen", Metric.wallClock.name: "Total time",
      Metric.peakMemory.name: "Peak memory", Metric.peakDisk.name: "Peak disk",
      Metric.storeBytes.name: "Store", Metric.walBytes.name: "WAL",
      Metric.externalBytes.name: "Files", Metric.sqlite.vmSteps.name: "SQLite steps",
      Metric.sqlite.cacheMisses.name: "Page misses", Metric.vfs.writeBytes.name: "Bytes written",
    ]
    return titles[metric.name] ?? CaseDimensions.words(metric.column).capitalizedFirst
  }

  private var notes: [ReportPage.Block] {
    let footnotes = WorkloadSection.Footnotes(of: workload.cases)
    let numbered = footnotes.numbered.map { "some cases: \($0)" }
    let facts = footnotes.shared + numbered
    guard !facts.isEmpty else { return [] }
    let title = "Assumptions and notes: \(facts.count)"
    return [.points(facts.map { Inline($0) }, foldedUnder: Inline(title))]
  }
}
