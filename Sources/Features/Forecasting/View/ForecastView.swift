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
    var report = Report(
      kind: "forecast · \(title)",
      title: "No strategy of \(workload) was measured",
      facts: facts(explains: explains),
      source: "the measured ladder"
    )
    if machines.count > 1 {
      report.title = Report.Text("\(title) on \(machines.count) machines")
      report.findings = machines.map(\.sentences).map { sentences in
        .init(Report.Text(sentences[0]), details: sentences.dropFirst().map { Report.Text($0) })
      }
    } else if let sentences = machines.first?.sentences {
      report.title = Report.Text(String(sentences[0].dropLast()))
      let rest = sentences.dropFirst().joined(separator: " ")
      if !rest.isEmpty { report.verdict = Report.Text(rest) }
    }
    (report.certainty, report.next, report.notMeasured) = (certainty, next, notMeasured)
    if machines.count == 1 { report.lead = machines[0].lead }
    report.sections = machines.flatMap {
      $0.sections(explains: explains, hasLead: machines.count > 1)
    }
    if !explains, !report.sections.isEmpty {
      report.sections[report.sections.count - 1].blocks.append(
        .note("For every size and budget, and how this was predicted, add --explain")
      )
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

  /// The number of objects of each entity as a share of all objects, because developers usually
  /// count the objects of a single entity.
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
    let sizes = [population.quantile(0.5), population.quantile(0.99), population.largest].map {
      $0.threeDigits.grouped
    }
    let unread = population.unread.map { "'\($0)'" }.joined(separator: ", ")
    return "'\(populationPath)': half have up to \(sizes[0]) objects, 99 in 100 up to \(sizes[1]), "
      + "all up to \(sizes[2])"
      + (unread.isEmpty
        ? "" : "; ignored columns, because no entity has the name: \(unread)")
  }
}

/// A strategy, with one forecast for each way in which Core Data may carry it out.
///
/// The strategy's figures are ranges, because developers cannot choose the way.
private struct Choice {
  let name: String
  let forecasts: [Forecast]

  /// The range of the predictions for a store size, with the outer ends of their intervals.
  ///
  /// Returns `nil` if any of the forecasts has no prediction.
  func bounds(
    _ size: StoreSize,
    _ figure: (Forecast.SizeAnswer) -> Result<Interval, NoForecast>
  ) -> (values: ClosedRange<Double>, low: Double, high: Double)? {
    let found = forecasts.compactMap { try? $0.answer(to: size).map(figure)?.get() }
    let values = found.map(\.value)
    guard found.count == forecasts.count, let least = values.min(), let most = values.max(),
      let low = found.map(\.low).min(), let high = found.map(\.high).max()
    else { return nil }
    return (least...most, low, high)
  }

  /// The largest store that fits the budget in every way in which Core Data may work, by the
  /// conservative estimate.
  func largestStore(within budget: ResourceBudget) -> Forecast.LargestStore? {
    let found = forecasts.compactMap { try? $0.largestStore(within: budget).get() }
    return found.count == forecasts.count ? found.min { $0.atLeast < $1.atLeast } : nil
  }

  /// The share of users over a budget according to each forecast; `nil` if any forecast has no
  /// answer.
  func users(of population: Population, over budget: ResourceBudget) -> [Population.Exceeding]? {
    let found = forecasts.compactMap { try? population.exceeding(budget, of: $0).get() }
    return found.count == forecasts.count ? found : nil
  }
}

private struct MachineView {
  let report: ForecastReport
  let section: ForecastReport.Section
  private let curves: [[ForecastReport.CurvePoint]]
  private let choices: [Choice]

  /// The maximum number of strategies with their own chart; the table lists all strategies.
  private static let mostCharts = 12
  /// The maximum number of budgets per table.
  private static let mostBudgets = 4

  init(report: ForecastReport, section: ForecastReport.Section) {
    (self.report, self.section) = (report, section)
    curves = section.answers.map { report.curve(of: $0.forecast) }
    let names = section.answers.map(\.choice)
    choices = names.indices.filter { names.firstIndex(of: names[$0]) == $0 }.map { index in
      let own = section.answers.filter { $0.choice == names[index] }
      return Choice(name: names[index], forecasts: own.map(\.forecast))
    }
  }

  private var place: String { section.basis.isEmpty ? "" : " on \(section.machine)" }

  private var main: ForecastReport.Answer? { section.best.last ?? section.answers.last }

  /// A chart of the best strategy's time by store size.
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
    var blocks = fits(main).map { [Report.Block.sentence(Report.Text($0))] } ?? []
    if hasLead { blocks += lead }
    if !compares, !explains { blocks += AnswerView(answer: main, report: report).tables }
    let time = Report.Section(
      "Time by store size\(place)",
      question: "How large may a store be, and which users wait too long?",
      blocks
    )
    return [time] + (compares ? [comparison] : []) + (explains ? [grounds] : [])
  }

  // MARK: Summary sentences

  /// The largest store's time, the users who wait too long, and the recommended strategy, as text.
  var sentences: [String] {
    guard let first = section.best.first else { return [recommendation].compactMap(\.self) }
    let best = Choice(name: first.choice, forecasts: section.best.map(\.forecast))
    let place = section.basis.isEmpty ? "" : "On \(section.machine): "
    let sizes = report.largestSizes(of: best.forecasts[best.forecasts.count - 1])
    let enough = section.recommendation.flatMap { $0.isEnough ? $0.reason + "." : nil }
    return ([enough] + sizes.map { sentence(of: best, at: $0) }).compactMap(\.self)
      .map { place + $0 }
      + [report.population.flatMap { users(of: $0, best) }, recommendation, notCompared]
      .compactMap(\.self)
  }

  private func sentence(of choice: Choice, at size: StoreSize) -> String {
    let answers = choice.forecasts.compactMap { $0.answer(to: size) }
    guard let found = answers.first else { return "No store has a known size." }
    let objects = "\(found.objects.threeDigits.grouped) objects"
    let way = choices.count > 1 ? "With \(written(choice.name)), " : ""
    if let unknown = answers.compactMap(\.time.failure).first {
      return "\(way)the time of a store of \(objects) is not known: \(unknown).".capitalizedFirst
    }
    guard let time = choice.bounds(size, \.time) else { return "No store has a known size." }
    let isRange = choice.forecasts.count > 1
    let space = [("memory", choice.bounds(size, \.memory)), ("disk", choice.bounds(size, \.disk))]
      .compactMap { name, found in
        found.map { "\(Figures.bytes($0.values.upperBound)) of \(name)" }
      }.joined(separator: " and ")
    let isLargest = report.population?.largest == found.objects
    let subject =
      way + (isLargest ? "your largest store, \(objects)," : "a store of \(objects)") + " takes "
    return subject.capitalizedFirst
      + text(time.values) { Figures.seconds($0) }
      + " (90 % interval: \(Figures.seconds(time.low)) to \(Figures.seconds(time.high)))"
      + (space.isEmpty ? "" : (isRange ? ", at most " : ", ") + space) + "."
      + (isRange
        ? " The framework's own migration may work in \(choice.forecasts.count) ways; the range "
          + "covers all of them, because it is not known which way is used." : "")
  }

  /// The users who exceed each budget, and the budgets that no user exceeds, as a sentence; `nil`
  /// if everything is unknown.
  private func users(of population: Population, _ choice: Choice) -> String? {
    var (parts, kept): ([String], [String]) = ([], [])
    for budget in report.budgets {
      guard let found = choice.users(of: population, over: budget) else { continue }
      guard found.contains(where: { $0.high > 0 }) else {
        kept.append(budget.title)
        continue
      }
      let interval = " (\(found[0].low.percent) to \(found[0].high.percent))"
      parts.append(
        "\(shares(found)) of your users exceed \(budget.title)" + (found.count > 1 ? "" : interval)
      )
    }
    if !kept.isEmpty {
      let subject = parts.isEmpty ? "None of your users exceed " : "none exceed "
      parts.append(subject + kept.joined(separator: " or "))
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ") + "."
  }

  private var recommendation: String? {
    if let recommended = section.recommendation {
      // If Core Data's own migration suffices, the first sentence already says so.
      guard !recommended.isEnough else { return nil }
      return "Recommended: \(written(recommended.name)). \(recommended.reason)."
    }
    return choices.count > 1
      ? "No recommendation: the time is known for fewer than two strategies that can be compared."
      : "Only one strategy was predicted. To compare several, name more files or set an axis, such "
        + "as --set 'batchSize=[100, 1000]'."
  }

  /// Names the strategies that the recommendation excludes, with the reason; `nil` if there are
  /// none.
  private var notCompared: String? {
    let goal = ForecastReport.goal(of: section.answers)
    func names(_ isMeant: (ForecastReport.Answer) -> Bool) -> String? {
      var names: [String] = []
      for answer in section.answers where isMeant(answer) && !names.contains(answer.choice) {
        names.append(answer.choice)
      }
      return names.isEmpty ? nil : Figures.few(names.map(written))
    }
    let parts = [
      names(\.isLowerBound).map { "\($0) (which no app can ship)" },
      names { !$0.isLowerBound && $0.goal != goal }
        .map { "\($0) (ends in other data, or has other safeguards)" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : "Not compared: \(parts.joined(separator: "; "))."
  }

  private func fits(_ answer: ForecastReport.Answer) -> String? {
    let parts = report.budgets.compactMap { budget -> String? in
      guard let found = try? answer.forecast.largestStore(within: budget).get() else { return nil }
      if found.probably >= found.known { return "every known size fits \(budget.title)" }
      let sizes = [\.probably, \.atLeast, \.atMost].map(found.words)
      return "stores up to \(sizes[0]) objects (\(sizes[1]) to \(sizes[2])) fit \(budget.title)"
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ").capitalizedFirst + "."
  }

  // MARK: Strategies

  private var comparison: Report.Section {
    let charts = section.answers.prefix(Self.mostCharts).map { answer in
      let time = largest(answer).map { found in
        RangeText.seconds(found.seconds, found.bands[0].low, found.bands[0].high)
      }
      let remark = "largest store: \(time ?? "unknown")"
      return Report.Figure(written(answer.name), remark: remark, chart(answer, isFull: false))
    }
    let starts = stride(from: 0, to: report.budgets.count, by: Self.mostBudgets)
    return .init(
      "Strategies side by side\(place)",
      question: "Which strategy is fast enough for most users?",
      scale + costs
        + starts.map { .table(fits(report.budgets.dropFirst($0).prefix(Self.mostBudgets))) }
        + [.details("A chart for each strategy", [.charts(charts)])]
    )
  }

  /// A chart of all strategies at the largest size on one scale, with their intervals and the
  /// budgets.
  private var scale: [Report.Block] {
    let rows = section.answers.enumerated().compactMap { index, answer -> StripChart.Row? in
      guard let found = largest(answer), let ends = found.bands.first else { return nil }
      return StripChart.Row(
        label: written(answer.name),
        series: min((choices.firstIndex { $0.name == answer.choice } ?? index) + 1, 5),
        trials: [],
        median: found.seconds,
        interval: min(ends.low, ends.high)...max(ends.low, ends.high)
      )
    }
    guard rows.count > 1, let first = section.answers.compactMap(largest).first else { return [] }
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
            "The largest store, \(first.objects.threeDigits.grouped) objects",
            remark: "log scale",
            isWide: true,
            chart
          )
        ],
        note:
          "The vertical bar is the prediction, the shaded box its 90 % interval; dashed: budgets."
      )
    ]
  }

  /// The costs of each strategy at the largest requested size.
  private var costs: [Report.Block] {
    let sizes = report.sizes.compactMap { size in
      section.answers[0].forecast.objects(of: size).map { (size: size, objects: $0) }
    }
    guard let (size, objects) = sizes.max(by: { $0.objects < $1.objects }) else { return [] }
    let table = Report.Table(
      "At \(Int(objects.rounded()).grouped) objects, with the 90 % interval of the time",
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
      }
    )
    return [.table(table)]
  }

  /// A table of the share of users over each budget.
  ///
  /// If the sizes of the users' stores are not known, it shows the largest store that fits each
  /// budget.
  private func fits(_ budgets: some Collection<ResourceBudget>) -> Report.Table {
    Report.Table(
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
      }
    )
  }

  private func name(of choice: Choice) -> Report.Cell {
    let name = choice.name.isEmpty ? "this migration" : written(choice.name)
    return choice.name == section.recommendation?.name ? .text("→ " + name, .good) : .text(name)
  }

  private func shares(_ found: [Population.Exceeding]) -> String {
    let shares = found.map(\.share).sorted()
    return text(shares[0]...shares[shares.count - 1]) { $0.percent }
  }

  private func text(_ range: ClosedRange<Double>, _ word: (Double) -> String) -> String {
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

  /// The measured runs; empty for a forecast for another machine, whose times are only predicted.
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
    return .init(objects: found.objects, seconds: time.value, bands: [time.ends])
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

/// A strategy's name in words for display, instead of the spelling of its parameters in options.
private func written(_ name: String) -> String { CaseDimensions.words(ofParameters: name) }
