import Basics
import Reporting

/// The charts of a workload's cases: lines if a numeric parameter varies, otherwise a chart of all
/// times with further charts on demand.
struct CaseCharts {
  let workload: WorkloadResult
  let dimensions: CaseDimensions
  let series: SeriesNumbers

  /// The maximum numbers of panels, and of strips (one per case), in a page that loads fast; the
  /// table shows all cases.
  private static let mostPanels = 24
  private static let mostStrips = 40

  /// Returns the charts; omits the leading chart if another part of the report shows it.
  func blocks(hasLead: Bool) -> [Report.Block] {
    if let axis = dimensions.axis {
      let lines = lines(panels, over: axis)
      guard !lines.isEmpty, let lead = workload.leads.first else { return lines }
      return [.details("The time of each \(lead.rowNoun): \(panels.count) charts", lines)]
    }
    return (hasLead ? lead : []) + others
  }

  /// Whether a winner map (the fastest alternative at each size) answers the question, so that the
  /// charts of single operations are details.
  private var hasLeads: Bool { !workload.leads.isEmpty }

  private var panels: [(heading: String, cases: [CaseResult])] {
    dimensions.panels(of: workload.cases.filter { $0.outcome == .passed })
  }

  /// A figure that a chart shows for each case.
  private struct Measure {
    let title: String
    let quantity: ChartAxis.Quantity
    /// The values of a case, one per trial.
    let trials: (CaseResult) -> [Double]

    init(_ title: String, _ metric: Metric) {
      self.title = title
      quantity = .init(metric.unit)
      trials = { $0.trialValues(of: metric) }
    }

    /// Creates the figure for the total size of the store, the WAL and the external files after the
    /// work.
    init(disk title: String) {
      self.title = title
      quantity = .bytes
      trials = { result in
        let parts = [Metric.storeBytes, .walBytes, .externalBytes].map {
          result.trialValues(of: $0)
        }
        return parts[0].indices.map { trial in
          parts.reduce(0) { $0 + ($1.indices.contains(trial) ? $1[trial] : 0) }
        }
      }
    }

    /// Whether the axis is logarithmic, as for times, which are compared by ratio; an axis of sizes
    /// is linear and starts at zero.
    var isLogarithmic: Bool { quantity == .seconds }
    var remark: String { isLogarithmic ? "log scale" : "from zero" }
  }

  // MARK: Strip charts

  /// The chart of the times of all cases; empty if line charts show them or if nothing was timed.
  var lead: [Report.Block] {
    guard dimensions.axis == nil, let chart = strip(Measure("Total time", .wallClock)) else {
      return []
    }
    return [.charts([chart], note: reading)]
  }

  private var reading: Report.Text {
    workload.trialCount > 1
      ? """
      Each mark is one trial. The vertical bar is the median; how many times as long a strategy \
      takes is the ratio of two of them. The shaded box, and the numbers in parentheses, are the 95 % \
      interval of the median, computed from the variation of all cases of a group.
      """ : "Each mark is one trial: a single one has no interval."
  }

  /// The charts of phases, waits, memory and disk.
  private var others: [Report.Block] {
    let cases = panels.flatMap(\.cases)
    let disk = Measure(disk: "Disk afterwards")
    let changesDisk = cases.contains { result in
      disk.trials(result).first.map { $0 != Double(workload.store.bytes) } ?? false
    }
    let waits =
      ([Measure("First screen", .firstScreen)]
      + FigureColumn.waits.map { Measure($0.meaning.capitalizedFirst, $0.metric) })
      .compactMap { strip($0) }
    let sizes = ([Measure("Peak memory", .peakMemory)] + (changesDisk ? [disk] : []))
      .compactMap { strip($0) }
    let groups: [(String, [Report.Figure])] = [
      ("Where the time goes", [phases(of: cases)].compactMap(\.self)),
      ("Waits: \(waits.count) charts", waits), ("Memory and disk", sizes),
    ]
    return groups.filter { !$0.1.isEmpty }.map { title, figures in
      .details(title, figures.map { .charts([$0]) })
    }
  }

  private func strip(_ measure: Measure) -> Report.Figure? {
    let rows = panels.prefix(Self.mostPanels).flatMap { heading, cases -> [StripChart.Row] in
      let samples = cases.map(measure.trials)
      let intervals = PooledIntervals(samples)
      return zip(cases, samples).compactMap { result, trials in
        guard let median = Summary(of: trials)?.p50 else { return nil }
        return StripChart.Row(
          group: heading,
          label: dimensions.label(of: result),
          series: series.number(of: result, in: dimensions),
          trials: trials,
          median: median,
          interval: intervals.interval(of: trials)
        )
      }
    }
    guard !rows.isEmpty else { return nil }
    let shown = Array(rows.prefix(Self.mostStrips))
    let rest = rows.count - shown.count
    let more = rest > 0 ? "; the table has \(rest) more cases" : ""
    let chart = StripChart(
      title: measure.title,
      rows: shown,
      quantity: measure.quantity,
      isLogarithmic: measure.isLogarithmic
    )
    return Report.Figure(measure.title, remark: measure.remark + more, isWide: true, chart)
  }

  private func phases(of cases: [CaseResult]) -> Report.Figure? {
    let rows = cases.prefix(Self.mostStrips).compactMap(phaseRow)
    guard rows.contains(where: { $0.parts.count > 1 }) else { return nil }
    let chart = PhaseChart(title: "Phases of the median trial", rows: rows)
    let left = cases.count - rows.count
    let remark = left == 0 ? "" : "; \(left) of \(cases.count) cases have none"
    return Report.Figure("Phases", remark: "of the median trial" + remark, isWide: true, chart)
  }

  private func phaseRow(_ result: CaseResult) -> PhaseChart.Row? {
    let times = result.trialValues(of: .wallClock)
    guard let median = Summary(of: times)?.p50, let trial = times.firstIndex(of: median) else {
      return nil
    }
    var parts = FigureColumn.phaseNames(of: [result]).compactMap { name -> PhaseChart.Row.Part? in
      let values = result.trialValues(of: .time(name, ""))
      guard values.indices.contains(trial), values[trial] > 0 else { return nil }
      let words = CaseDimensions.words(String(name.dropFirst(FigureColumn.phasePrefix.count)))
      return .init(name: words, seconds: values[trial])
    }
    let sum = parts.reduce(0) { $0 + $1.seconds }
    // Nested phases add up to more than the total; show the total as a single part instead.
    if sum > median * 1.02 { parts = [] }
    let rest = median - parts.reduce(0) { $0 + $1.seconds }
    if rest > median * 0.01 {
      parts.append(.init(name: parts.isEmpty ? "whole operation" : "other", seconds: rest))
    }
    let label = dimensions.label(of: result, isWhole: true)
    return PhaseChart.Row(
      label: label,
      series: series.number(of: result, in: dimensions),
      total: median,
      parts: parts
    )
  }

  // MARK: Line charts

  private func lines(
    _ panels: [(heading: String, cases: [CaseResult])],
    over axis: CaseDimensions.Dimension
  ) -> [Report.Block] {
    let sizes = [Measure("Peak memory", .peakMemory), Measure(disk: "Disk")]
    // Next to a winner map, show only one time chart per operation; the table contains memory and
    // disk usage.
    let measures = [Measure("Time", .wallClock)] + (hasLeads || panels.count > 8 ? [] : sizes)
    let figures = panels.prefix(Self.mostPanels).flatMap { heading, cases in
      measures.compactMap { lines($0, heading, cases, over: axis) }
    }
    guard !figures.isEmpty else { return [] }
    let guides = hasGuides(axis) ? " Dotted lines: the limits of guides, 100 KB and 1 MB." : ""
    let rest = panels.count - Self.mostPanels
    let more = rest > 0 ? " \(rest) more panels are left out; the table has their cases." : ""
    return [.charts(figures, note: "Lines join the medians of the trials.\(guides)\(more)")]
  }

  private func hasGuides(_ axis: CaseDimensions.Dimension) -> Bool {
    workload.kind == "blobStorage" && CaseDimensions.isBytes(axis.name)
  }

  private func lines(
    _ measure: Measure,
    _ heading: String,
    _ cases: [CaseResult],
    over axis: CaseDimensions.Dimension
  ) -> Report.Figure? {
    var lines: [LineChart.Line] = []
    for result in cases {
      guard let x = dimensions.position(of: result),
        let summary = Summary(of: measure.trials(result))
      else { continue }
      let label = dimensions.series.map { CaseDimensions.text(result, $0.name) } ?? measure.title
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
      title: heading.isEmpty ? measure.title : "\(measure.title), \(heading)",
      lines: lines,
      horizontal: CaseDimensions.isBytes(axis.name) ? .binaryBytes : .count,
      vertical: measure.quantity,
      axisTitle: axis.name,
      isLogarithmic: measure.isLogarithmic,
      guides: hasGuides(axis)
        ? [.init(x: 102_400, label: "100 KB"), .init(x: 1_048_576, label: "1 MB")] : []
    )
    let title = heading.isEmpty ? measure.title : "\(measure.title) · \(heading)"
    return Report.Figure(title, remark: measure.remark, chart)
  }
}
