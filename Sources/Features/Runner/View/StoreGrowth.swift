import Basics
import Foundation
import Reporting

/// The growth of the costs of one workload file across the stores that the file lists, as a table
/// for each set of parameters and as a chart of the times.
struct StoreGrowth {
  private static let counters: [(title: String, metric: Metric)] = [
    ("SQLite steps", .sqlite.vmSteps), ("Page misses", .sqlite.cacheMisses),
    ("Page writes", .sqlite.cacheWrites),
  ]
  private static let mostLines = 8

  private let name: String
  private let workloads: [WorkloadResult]

  /// Groups the workloads that run the same file on several stores, in the order of the document.
  static func groups(of workloads: [WorkloadResult]) -> [StoreGrowth] {
    let varied = workloads.filter { !$0.storeLabels.isEmpty }
    return varied.map(\.fileName).unique.compactMap { name in
      let own = varied.filter { $0.fileName == name }.map { $0.keeping(variations: false) }
      return own.count > 1 ? StoreGrowth(name: name, workloads: own) : nil
    }
  }

  /// The entity whose object count is the only difference between the stores; `nil` if there are
  /// other differences.
  private var entity: String? {
    let keys = Set(workloads.flatMap { $0.storeLabels.map(\.name) })
    guard keys.count == 1, let key = keys.first,
      workloads.allSatisfy({ $0.store.objects[key] ?? 0 > 0 })
    else { return nil }
    return key
  }

  /// The number of the entity's objects in each store.
  private var sizes: [Double]? {
    entity.map { name in workloads.map { Double($0.store.objects[name] ?? 0) } }
  }

  /// The rows of the table: the name of each set of parameters, with its case on each store.
  private var rows: [(name: String, cases: [CaseResult?])] {
    let names = workloads.flatMap { workload in
      workload.cases.map { String($0.id.dropFirst(workload.workload.count)) }
    }.unique
    let cases = workloads.map { ($0.workload, $0.casesByID) }
    return names.map { name in
      (
        name.isEmpty ? "all" : String(name.dropFirst()),
        cases.map { workload, byID in byID[workload + name] }
      )
    }
  }

  var section: Report.Section {
    var section = Report.Section("\(name): growth of its costs")
    section.blocks = tables.map { .table($0) } + chart
    return section
  }

  var tables: [Report.Table] {
    let sizes = workloads.map { workload in
      workload.storeLabels.map { entity == nil ? "\($0.name)=\($0.value)" : $0.value }
        .joined(separator: ", ")
    }
    let columns: [Report.Column] =
      [.init(entity.map { "Cost by \($0)" } ?? "Cost")] + sizes.map { .init($0, .number) }
      + (entity == nil ? [] : [.init("Grows")])
    var tables = rows.map { name, cases in
      Report.Table(
        rows.count > 1 ? CaseDimensions.words(ofParameters: name).capitalizedFirst : "",
        columns,
        rows: costs(of: cases),
        most: 200
      )
    }
    guard let entity, !tables.isEmpty else { return tables }
    let others = Set(workloads.flatMap(\.store.objects.keys)).subtracting([entity]).filter { name in
      Set(workloads.map { $0.store.objects[name] ?? 0 }).count > 1
    }
    let along = others.isEmpty ? "" : "; the store's \(Figures.few(others.sorted())) grow along"
    tables[tables.count - 1].note = """
      Grows: the power of the number of '\(entity)' that fits best over all sizes; times (medians) \
      with the 95 % interval from the variation of the trials, counters exactly\(along)
      """
    return tables
  }

  private func costs(of cases: [CaseResult?]) -> [[Report.Cell]] {
    let phases = FigureColumn.phaseNames(of: cases.compactMap(\.self))
    let times = ([Metric.wallClock.name] + phases).compactMap { time($0, cases) }
    let counters = Self.counters.compactMap { counter($0.metric.name, titled: $0.title, cases) }
    // Of each part's counters, show only SQLite's steps, to keep the table short.
    let parts = phases.flatMap { phase -> [[Report.Cell]] in
      let part = phase.dropFirst(FigureColumn.phasePrefix.count)
      return ActionTables.families.compactMap { family in
        counter("\(family.prefix)\(part).vmSteps", titled: "SQLite steps of \(part)", cases)
      }
    }
    return times + counters + parts
  }

  private func time(_ metric: String, _ cases: [CaseResult?]) -> [Report.Cell]? {
    let trials = cases.map { result in
      result?.sample(of: metric).map { result?.trialValues(of: $0.metric) ?? [] } ?? []
    }
    guard trials.contains(where: { !$0.isEmpty }) else { return nil }
    let title =
      metric == Metric.wallClock.name
      ? "Time" : "Time of " + metric.dropFirst(FigureColumn.phasePrefix.count)
    return [.text(title)]
      + trials.map { values in
        .text(Summary(of: values).map { Figures.seconds($0.p50) } ?? "–")
      } + grows(trials.map { $0.filter { $0 > 0 } }, isExact: false)
  }

  private func counter(
    _ metric: String,
    titled title: String,
    _ cases: [CaseResult?]
  ) -> [Report.Cell]? {
    let costs = cases.map { $0?.sample(of: metric)?.repeatingTotal }
    guard costs.contains(where: { $0 != nil }) else { return nil }
    return [.text(title)] + costs.map { .text($0.map { Figures.grouped($0) } ?? "–") }
      + grows(costs.map { $0.map { [$0] } ?? [] }, isExact: true)
  }

  private func grows(_ values: [[Double]], isExact: Bool) -> [Report.Cell] {
    guard let sizes else { return [] }
    if isExact, Set(values).count == 1, values[0].first != nil { return ["constant"] }
    guard let power = GrowthPower(sizes: sizes, values: values) else { return ["–"] }
    var text = "n^" + Figures.fixed(power.exponent, decimals: 2)
    if !isExact {
      guard let reach = power.reach else { return ["–"] }
      let ends = [power.exponent - reach, power.exponent + reach]
      text += " (\(ends.map { Figures.fixed($0, decimals: 2) }.joined(separator: " to ")))"
    }
    return [.text(text)]
  }

  /// The chart of times by size, with one line per set of parameters.
  private var chart: [Report.Block] {
    guard let entity, let sizes else { return [] }
    let lines = rows.prefix(Self.mostLines).enumerated().compactMap {
      index,
      row -> LineChart.Line? in
      let points = zip(sizes, row.cases).compactMap { size, result -> LineChart.Point? in
        guard let summary = result.flatMap({ Summary(of: $0.trialValues(of: .wallClock)) }) else {
          return nil
        }
        return .init(x: size, y: summary.p50, range: summary.min...summary.max)
      }.sorted { $0.x < $1.x }
      return points.count > 1 ? .init(label: row.name, series: index + 1, points: points) : nil
    }
    guard !lines.isEmpty else { return [] }
    let chart = LineChart(
      title: "Time over the objects of \(entity)",
      lines: lines,
      horizontal: .count,
      vertical: .seconds,
      axisTitle: entity,
      isLogarithmic: true
    )
    return [
      .charts(
        [Report.Figure("Time", remark: "log scale", chart)],
        note: "Lines join the medians of the trials."
      )
    ]
  }
}

/// The exponent with which a cost grows with size, from a least-squares fit of the logarithms
/// through the median at each size.
package struct GrowthPower {
  package let exponent: Double
  /// The half-width of the 95 % confidence interval; `nil` if every size has only one value.
  package let reach: Double?

  /// Fits the values at each size; `nil` if fewer than two sizes have values, or if a size or value
  /// is not positive.
  package init?(sizes: [Double], values: [[Double]]) {
    let groups = zip(sizes, values).filter { !$1.isEmpty }.map { (log($0), $1.map { log($0) }) }
    guard groups.allSatisfy({ $0.0.isFinite && $0.1.allSatisfy(\.isFinite) }) else { return nil }
    let count = Double(groups.reduce(0) { $0 + $1.1.count })
    let middle = groups.reduce(0) { $0 + $1.0 * Double($1.1.count) } / count
    let spread = groups.reduce(0) { $0 + ($1.0 - middle) * ($1.0 - middle) * Double($1.1.count) }
    guard groups.count > 1, spread > 0 else { return nil }
    let medians = values.compactMap { Summary(of: $0)?.p50 }
    exponent =
      zip(groups, medians).reduce(0) { sum, size in
        sum + (size.0.0 - middle) * Double(size.0.1.count) * log(size.1)
      } / spread
    // Use the variation within each size: unlike the residuals of the fit, this variation does not
    // depend on how well a line fits.
    let squares = groups.reduce(0) { sum, group in
      let mean = group.1.reduce(0, +) / Double(group.1.count)
      return sum + group.1.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
    let freedom = count - Double(groups.count)
    // For more than two values, the standard error of a median is at most √(π/2) times the standard
    // error of the mean.
    let width = groups.contains { $0.1.count > 2 } ? (Double.pi / 2).squareRoot() : 1
    reach =
      freedom > 0
      ? width * StudentT(degrees: freedom).upperQuantile(0.025)
        * (squares / freedom / spread).squareRoot() : nil
  }
}
