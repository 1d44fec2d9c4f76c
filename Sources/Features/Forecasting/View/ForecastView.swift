import Basics
import Foundation
import Reporting
import Runner

extension ForecastReport {
  /// A report with the answer and a comparison of the strategies.
  ///
  /// With `explains`, it also contains every size and budget and the basis of the forecast.
  package func report(explains: Bool = true) -> Report {
    let machines = sections.filter { !$0.answers.isEmpty }.map {
      MachineView(report: self, section: $0)
    }
    let nothing =
      failures.isEmpty
      ? "No strategy of \(workload) was measured"
      : "Nothing is predicted, because every strategy of \(workload) failed"
    var report = Report(
      kind: "forecast · \(title)",
      title: Report.Text(nothing),
      facts: facts(explains: explains),
      source: "the measured ladder"
    )
    if machines.count > 1 {
      report.title = Report.Text("\(title) on \(machines.count) machines")
      report.findings = machines.map(\.sentences).map { sentences in
        .init(Report.Text(sentences[0]), details: sentences.dropFirst().map { Report.Text($0) })
      }
    } else if let sentences = machines.first?.sentences {
      report.title = Report.Text(sentences[0])
      let rest = sentences.dropFirst().joined(separator: " ")
      if !rest.isEmpty { report.verdict = Report.Text(rest) }
    } else {
      report.verdict = failed.map { Report.Text($0) }
    }
    (report.certainty, report.next, report.notMeasured) = (certainty, next, notMeasured)
    if machines.count == 1 { report.lead = machines[0].lead }
    report.sections = machines.flatMap {
      $0.sections(explains: explains, hasLead: machines.count > 1)
    }
    if !report.sections.isEmpty {
      report.sections[report.sections.count - 1].blocks += closing(explains: explains)
    }
    return report
  }

  /// The workload's name, with the target model if all strategies share it.
  private var title: String {
    let parameters = common + (sections.first?.answers ?? []).flatMap(\.parameters)
    let targets = Set(parameters.filter { $0.hasPrefix("to=") })
    return workload + (targets.count == 1 ? targets.map { " to \($0.dropFirst(3))" }[0] : "")
  }

  private func facts(explains: Bool) -> [Report.Fact] {
    var rows = [("Migration", title)] + notes.map { ("Note", $0) }
    if explains {
      rows.append(("Every strategy", common.joined(separator: ", ")))
      rows.append(("Measured", measured))
      rows.append(("Objects", objects))
      rows.append(("Users", users))
    }
    return rows.filter { !$0.1.isEmpty }.map { Report.Fact($0, Report.Text($1)) }
      + (explains ? environment.reportFacts() : [])
  }

  var measured: String {
    let ladders = (sections.first?.answers ?? []).map(\.forecast.data.rungs)
    guard let first = ladders.first?.first, let last = ladders.first?.last else { return "" }
    let runs = ladders.joined().reduce(0) { $0 + $1.runs.count }
    return "\(runs.grouped) runs on stores of \(Int(first.size).grouped) to "
      + "\(Int(last.size).grouped) objects"
  }

  /// The number of objects of each entity as a share of all, because developers usually count the
  /// objects of one entity.
  private var objects: String {
    let total = counts.values.reduce(0, +)
    guard counts.count > 1, total > 0 else { return "" }
    let entities = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shares = entities.map { "\((Double($1) / Double(total)).percent) \($0)" }
    return "counted over all entities: \(Figures.few(shares, most: 6)); "
      + "'--to \(entities[0].key)=40000' gives the size as objects of one entity"
  }

  private var users: String {
    guard let population else { return "" }
    let quantiles = [(0.5, "half have"), (0.99, "99 in 100")].compactMap { share, users in
      population.knownQuantile(share).map { size in
        "\(users) up to \(size.threeDigits.grouped)" + (share < 0.99 ? " objects" : "")
      }
    }
    let known = population.beyond > 0 ? Figures.part(1 - population.beyond) : "all"
    let sizes = quantiles + ["\(known) up to \(population.largest.whole)"]
    let unread = population.unread.map { "'\($0)'" }.joined(separator: ", ")
    return "'\(populationPath)': \(sizes.joined(separator: ", "))"
      + (unread.isEmpty
        ? "" : "; ignored columns, because no entity has the name: \(unread)")
  }
}

struct MachineView {
  let report: ForecastReport
  let section: ForecastReport.Section
  let choices: [Choice]
  private let curves: [[ForecastReport.CurvePoint]]

  /// The maximum number of strategies with their own chart; the table lists all strategies.
  private static let mostCharts = 12
  private static let mostBudgets = 4

  init(report: ForecastReport, section: ForecastReport.Section) {
    (self.report, self.section) = (report, section)
    curves = section.answers.map { report.curve(of: $0.forecast) }
    let names = section.answers.map(\.choice)
    choices = names.indices.filter { names.firstIndex(of: names[$0]) == $0 }.map { index in
      Choice(section.answers.filter { $0.choice == names[index] })
    }
  }

  private var place: String { section.basis.isEmpty ? "" : " on \(section.machine)" }

  private var main: ForecastReport.Answer? {
    section.best.last ?? section.answers.last { $0.choice == stated.first?.name }
  }

  var lead: [Report.Block] {
    guard let main else { return [] }
    return [
      .charts(
        [.init("\(written(main.name)): time by store size", isWide: true, chart(main))],
        note: Report.Text(Self.reading)
      )
    ]
  }

  func sections(explains: Bool, hasLead: Bool) -> [Report.Section] {
    guard let main else { return [] }
    let compares = section.answers.count > 1
    var blocks = stated.compactMap { fits($0) }.map { Report.Block.sentence(Report.Text($0)) }
    if hasLead { blocks += lead }
    if !compares, !explains { blocks += AnswerView(answer: main, report: report).tables }
    let time = Report.Section(
      "Time by store size\(place)",
      question: "How large may a store be, and which users wait too long?",
      blocks
    )
    return [time] + (compares ? [comparison] : []) + (explains ? [grounds] : [])
  }

  // MARK: Strategies

  private var comparison: Report.Section {
    let charts = section.answers.prefix(Self.mostCharts).map { answer in
      let remark = largest(answer).map { found in
        let time = RangeText.seconds(found.seconds, found.bands[0].low, found.bands[0].high)
        return "\(found.objects.whole) objects: \(time)"
      }
      return Report.Figure(
        written(answer.name),
        remark: remark ?? "time unknown",
        chart(answer, isFull: false)
      )
    }
    let title =
      charts.count == section.answers.count
      ? "A chart for each strategy"
      : "Charts of the first \(charts.count) of \(section.answers.count) strategies"
    let starts = stride(from: 0, to: report.budgets.count, by: Self.mostBudgets)
    return .init(
      "Strategies side by side\(place)",
      question: "Which strategy is fast enough for most users?",
      scale + costs
        + starts.map { .table(fits(report.budgets.dropFirst($0).prefix(Self.mostBudgets))) }
        + [.details(title, [.charts(charts)])]
    )
  }

  /// The largest size, from the users' stores or the requested sizes, for which at least two
  /// strategies have a time; `nil` if there is no such size.
  private var comparedSize: (size: StoreSize, objects: Double)? {
    let sizes = section.answers.flatMap { answer in
      report.largestSizes(of: answer.forecast).map { size in
        (size: size, objects: answer.forecast.objects(of: size) ?? 0)
      }
    }
    return sizes.filter { candidate in
      section.answers.count { time(of: $0, at: candidate.size) != nil } > 1
    }.max { $0.objects < $1.objects }
  }

  private func time(of answer: ForecastReport.Answer, at size: StoreSize) -> Interval? {
    try? answer.forecast.answer(to: size)?.time.get()
  }

  /// A chart of all strategies at one size on one scale, with their intervals and the budgets.
  private var scale: [Report.Block] {
    guard let (size, objects) = comparedSize else { return [] }
    var unknown: [String] = []
    var rows: [StripChart.Row] = []
    for (index, answer) in section.answers.enumerated() {
      guard let time = time(of: answer, at: size) else {
        unknown.append(written(answer.name))
        continue
      }
      rows.append(
        StripChart.Row(
          label: written(answer.name),
          series: min((choices.firstIndex { $0.name == answer.choice } ?? index) + 1, 5),
          trials: [],
          median: time.value,
          interval: min(time.low, time.high)...max(time.low, time.high)
        )
      )
    }
    var chart = StripChart(
      title: "Predicted time of each strategy",
      rows: rows,
      quantity: .seconds,
      isLogarithmic: true
    )
    chart.limits = report.budgets.filter { $0.resource == .time }.map {
      .init(value: $0.limit, name: $0.shortTitle)
    }
    return [
      .charts(
        [
          .init(
            "A store of \(size.words(objects: objects)) objects",
            remark: unknown.isEmpty
              ? "log scale" : "log scale; time unknown: \(Figures.few(unknown))",
            isWide: true,
            chart
          )
        ],
        note:
          "The vertical bar is the prediction, the shaded box its 90 % interval; dashed: budgets."
      )
    ]
  }

  /// A table of all strategies for each requested size or, if no size was requested, for the
  /// largest size in the other tables.
  private var costs: [Report.Block] {
    let sizes = report.sizes.compactMap { size in
      section.answers[0].forecast.objects(of: size).map { (size: size, objects: $0) }
    }.sorted { $0.objects < $1.objects }
    return sizes.suffix(report.hasRequestedSizes ? sizes.count : 1).map { size, objects in
      Report.Block.table(costTable(at: size, objects))
    }
  }

  private func costTable(at size: StoreSize, _ objects: Double) -> Report.Table {
    Report.Table(
      "At \(size.words(objects: objects)) objects, with the 90 % interval of the time",
      [
        .init("Strategy"), .init("Time", .seconds), .init("From", .seconds), .init("To", .seconds),
        .init("Memory", .bytes), .init("Disk", .bytes),
      ],
      rows: choices.map { choice in
        let (time, memory) = (choice.bounds(size, \.time), choice.bounds(size, \.memory))
        return [
          name(of: choice), cell(time?.values) { Figures.seconds($0) },
          .number(time?.low, or: "–"), .number(time?.high, or: "–"),
          .number(memory?.values.upperBound, or: "unknown"),
          .number(choice.bounds(size, \.disk)?.values.upperBound, or: "unknown"),
        ]
      },
      note: section.basis.isEmpty
        ? nil : Report.Text("Memory and disk were measured on \(ForecastMachine.here).")
    )
  }

  /// A table of the share of users over each budget or, without the users' sizes, of the largest
  /// store that fits it.
  private func fits(_ budgets: some Collection<ResourceBudget>) -> Report.Table {
    var unknown = 0.0
    if let population = report.population {
      for choice in choices {
        for budget in budgets {
          let found = choice.users(of: population, over: budget) ?? []
          unknown = max(unknown, found.map(\.unknown).max() ?? 0)
        }
      }
    }
    return Report.Table(
      report.population == nil ? "Objects that fit (conservative)" : "Users over a budget",
      [.init("Strategy")]
        + budgets.map { .init($0.shortTitle, report.population == nil ? .number : .share) },
      rows: choices.map { choice in
        [name(of: choice)]
          + budgets.map { budget in
            guard let population = report.population else {
              return .text(choice.largestStore(within: budget)?.words(\.atLeast) ?? "unknown")
            }
            return .text(choice.users(of: population, over: budget).map(shares) ?? "unknown")
          }
      },
      note: unknown > 0
        ? Report.Text(
          "Nothing is predicted for up to \(Figures.part(unknown)) of users, whose stores are too "
            + "large or of unknown size."
        ) : nil
    )
  }

  private func name(of choice: Choice) -> Report.Cell {
    let name = choice.title.isEmpty ? "this migration" : choice.title
    return choice.name == section.recommendation?.name ? .text("→ " + name, .good) : .text(name)
  }

  func shares(_ found: [Population.Exceeding]) -> String {
    let shares = found.map(\.share).sorted()
    return text(shares[0]...shares[shares.count - 1], Figures.part)
  }

  func text(_ range: ClosedRange<Double>, _ word: (Double) -> String) -> String {
    let (low, high) = (word(range.lowerBound), word(range.upperBound))
    return low == high ? low : "\(low) to \(high)"
  }

  private func cell(_ range: ClosedRange<Double>?, _ word: (Double) -> String) -> Report.Cell {
    guard let range else { return "unknown" }
    return range.lowerBound == range.upperBound
      ? .number(range.lowerBound) : .text(text(range, word))
  }

  // MARK: Basis of the forecast

  private var grounds: Report.Section {
    let basis = section.basis.isEmpty ? "" : ", \(section.basis)"
    return .init(
      "How this was predicted\(place)",
      [
        .sentence("Predicted for \(section.machine)\(basis), with 90 % intervals. \(section.note)")
      ]
        + section.answers.map { answer in
          let view = AnswerView(answer: answer, report: report)
          return .details(written(answer.name), view.tables + view.grounds)
        }
    )
  }

  // MARK: Charts

  private static let reading = """
    Both axes are logarithmic. Marks are measured runs. The bands are 50, 80 and 90 % intervals. \
    The hatched part is beyond the largest measured store: there the dashed line is extrapolated, \
    and its bands include the extrapolation error.
    """

  private func chart(_ answer: ForecastReport.Answer, isFull: Bool = true) -> ForecastChart {
    let forecast = answer.forecast
    let index = section.answers.firstIndex { $0.name == answer.name } ?? 0
    var chart = ForecastChart(
      title: "Forecast of time by store size: \(written(answer.name))",
      series: min((choices.firstIndex { $0.name == answer.choice } ?? 0) + 1, 5),
      points: curves[index].map {
        .init(objects: $0.objects, seconds: $0.bands.value, bands: $0.bands.intervals.map(\.ends))
      },
      measuredTo: forecast.data.top,
      axes: axes
    )
    chart.runs = runs(of: forecast)
    chart.budgets = report.budgets.filter { $0.resource == .time }.map { budget in
      let exceeding = report.population.flatMap { try? $0.exceeding(budget, of: forecast).get() }
      let fit = try? forecast.largestStore(within: budget).get()
      return .init(
        seconds: budget.limit,
        name: budget.name,
        share: exceeding.flatMap { $0.high > 0 ? $0.share.percent : nil },
        fit: fit.flatMap { $0.probably >= $0.known ? nil : $0.probably }
      )
    }
    chart.largest = largest(answer)
    chart.bins = (report.population?.bins() ?? []).map { (($0.from, $0.to), $0.users) }
    chart.isFull = isFull
    return chart
  }

  private func runs(of forecast: Forecast) -> [ForecastChart.Point] {
    guard forecast.machine == nil else { return [] }
    return forecast.data.rungs.flatMap { rung in
      rung.runs.map { .init(objects: rung.size, seconds: $0) }
    }
  }

  private func largest(_ answer: ForecastReport.Answer) -> ForecastChart.Point? {
    guard let size = report.largestSizes(of: answer.forecast).first,
      let found = answer.forecast.answer(to: size), let time = try? found.time.get()
    else { return nil }
    return .init(objects: size.rounded(found.objects), seconds: time.value, bands: [time.ends])
  }

  /// The axes of all strategies' charts, which share one scale that includes all budgets.
  private var axes: (sizes: ClosedRange<Double>, seconds: ClosedRange<Double>) {
    let points = curves.joined()
    let bins = report.population?.bins() ?? []
    let sizes = points.map(\.objects) + bins.flatMap { [$0.from, $0.to] }
    let ends = points.compactMap(\.bands.intervals.last).flatMap { [$0.low, $0.high] }
    let measured = section.answers.flatMap { runs(of: $0.forecast) }.map(\.seconds)
    let limits = report.budgets.filter { $0.resource == .time }.map { $0.limit * 1.4 }
    let x = sizes.filter { $0 > 0 && $0.isFinite }
    let y = (ends + measured + limits).filter { $0 > 0 && $0.isFinite }
    let (left, low) = (x.min() ?? 1, y.min() ?? 0.001)
    return (left...max(x.max() ?? 10, left * 2), low / 1.2...max(y.max() ?? 1, low * 2) * 1.1)
  }
}

extension Interval {
  fileprivate var ends: ForecastChart.Range { (low, high) }
}
