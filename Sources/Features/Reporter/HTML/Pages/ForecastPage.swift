import Basics
import Forecasting
import Foundation
import Reporting
import Runner

/// A forecast as a page: the answer, the chart of the recommended strategy, all strategies on one
/// scale, the numbers.
package struct ForecastPage {
  private let report: ForecastReport

  /// Strategies that have a chart of their own; the table has them all.
  private static let mostPanels = 12

  package init(report: ForecastReport) {
    self.report = report
  }

  /// The page's bytes as text.
  package var html: String { page.html }

  private var page: ReportPage {
    let words = ForecastText(report: report, width: 80)
    let sentences = report.sections.flatMap { words.sentences(of: $0) }
    let name = "\(report.workload)\(target)"
    var page = ReportPage(
      title: "StoreBench forecast: \(name)",
      kicker: Inline(
        "StoreBench forecast · \(name) · \(PageFacts.day(of: report.environment))"
      ),
      headline: Inline(Self.withoutStop(sentences.first ?? name)),
      footer: PageFacts.footer(made: "the measured ladder")
    )
    let rest = sentences.dropFirst().joined(separator: " ")
    if !rest.isEmpty { page.lead = Inline(rest) }
    page.facts = facts
    var names = SectionNames()
    page.sections = report.sections.flatMap { sections(of: $0, &names) }
    return page
  }

  private var target: String {
    let parameters = report.common + (report.sections.first?.answers ?? []).flatMap(\.parameters)
    let targets = Set(parameters.filter { $0.hasPrefix("to=") })
    return targets.count == 1 ? targets.first.map { " to \($0.dropFirst(3))" } ?? "" : ""
  }

  private static func withoutStop(_ sentence: String) -> String {
    sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
  }

  private var facts: [ReportPage.Fact] {
    let rungs = report.sections.first?.answers.first?.forecast.data.rungs ?? []
    let runs = (report.sections.first?.answers ?? []).reduce(0) { sum, answer in
      sum + answer.forecast.data.rungs.reduce(0) { $0 + $1.runs.count }
    }
    let sizes = [rungs.first, rungs.last].compactMap { $0.map { Int($0.size).grouped } }
    var facts: [ReportPage.Fact] = []
    if sizes.count == 2 {
      let text = "\(runs.grouped) runs on stores of \(sizes[0]) to \(sizes[1]) objects"
      facts.append(.init("Measured", Inline(text)))
    }
    if let population = report.population {
      let users = population.users > 1.5 ? ", \(Int(population.users).grouped) users" : ""
      let name = URL(fileURLWithPath: report.populationPath).lastPathComponent
      facts.append(.init("Population", Inline(name + users)))
    }
    if !report.common.isEmpty {
      facts.append(.init("Every strategy", Inline(report.common.joined(separator: ", "))))
    }
    return facts + PageFacts.facts(of: report.environment)
  }

  // MARK: Sections

  private func sections(
    of section: ForecastReport.Section,
    _ names: inout SectionNames
  ) -> [ReportPage.Section] {
    guard let main = section.best.last ?? section.answers.last else { return [] }
    let place = report.sections.count > 1 ? " on \(section.machine)" : ""
    let frame = frame(of: section)
    let risk = ReportPage.Section(
      id: names.unique("time\(place)"),
      heading: Inline("\(Self.title(main.name)): time by store size\(place)"),
      question: "How large may a store be, and which users wait too long?",
      answers: fits(main).map { [$0] } ?? [],
      blocks: [
        .figure(
          ReportPage.Figure(wide: {
            chart(of: main, in: section, frame, width: $0, isFull: true).drawing
          })
        ),
        .note(Inline(reading)),
      ] + (section.note.isEmpty ? [] : [.note(Inline(section.note))])
    )
    return [risk] + strategies(section, frame, place, &names)
      + [numbers(section, main, place, &names)]
  }

  private var reading: String {
    "Both axes are logarithmic. Marks are measured runs. The bands are 50, 80 and 90 % intervals. "
      + "The hatched part is beyond the largest measured store: there the dashed line is "
      + "extrapolated, and its bands include the extrapolation error."
  }

  private func strategies(
    _ section: ForecastReport.Section,
    _ frame: ForecastChart.Frame,
    _ place: String,
    _ names: inout SectionNames
  ) -> [ReportPage.Section] {
    guard section.answers.count > 1 else { return [] }
    let shown = section.answers.prefix(Self.mostPanels)
    let figures = shown.map { answer in
      let time = largest(answer).map { found in
        RangeText.text(found.time.value, found.time.low, found.time.high, .seconds)
      }
      return ReportPage.Figure(
        Inline(Self.title(answer.name)),
        Inline("largest store: \(time ?? "unknown")"),
        chart(of: answer, in: section, frame, width: 344, isFull: false).drawing
      )
    }
    let rest = section.answers.count - shown.count
    let recommendation = section.recommendation.map {
      [Inline.strong("Recommended: \(Self.title($0.name)). ") + Inline("\($0.reason).")]
    }
    return [
      ReportPage.Section(
        id: names.unique("strategies\(place)"),
        heading: "Strategies on one scale",
        question: "Which strategy is fast enough for most users?",
        answers: recommendation ?? [],
        blocks: [.panels(Array(figures))]
          + (rest > 0
            ? [.note(Inline("\(rest) more are in the table below."))] : [])
      )
    ]
  }

  private func numbers(
    _ section: ForecastReport.Section,
    _ main: ForecastReport.Answer,
    _ place: String,
    _ names: inout SectionNames
  ) -> ReportPage.Section {
    let grounds = ForecastGrounds(forecast: main.forecast).sentences
    return ReportPage.Section(
      id: names.unique("numbers\(place)"),
      heading: "Numbers",
      blocks: [.table(comparison(of: section)), .table(sizes(of: main))]
        + [
          .heading("How the forecast was made"), .points(grounds.map { Inline($0) }),
        ] + (report.notes.isEmpty ? [] : [.points(report.notes.map { Inline($0) })])
    )
  }

  // MARK: Charts

  private func chart(
    of answer: ForecastReport.Answer,
    in section: ForecastReport.Section,
    _ frame: ForecastChart.Frame,
    width: Double,
    isFull: Bool
  ) -> ForecastChart {
    let forecast = answer.forecast
    return ForecastChart(
      title: "Forecast of time by store size: \(Self.title(answer.name))",
      series: series(of: answer, in: section),
      curve: curve(of: forecast),
      runs: runs(of: forecast),
      budgets: report.budgets.filter { $0.resource == .time }.map { budget($0, forecast) },
      largest: largest(answer),
      bins: report.population?.bins() ?? [],
      frame: frame,
      width: width,
      isFull: isFull
    )
  }

  private func curve(of forecast: Forecast) -> ForecastCurve {
    ForecastCurve(forecast, upTo: report.largestSize(of: forecast))
  }

  /// The runs of the ladder on this machine; those of another one are predicted, not measured.
  private func runs(of forecast: Forecast) -> [(objects: Double, seconds: Double)] {
    guard forecast.machine == nil else { return [] }
    return forecast.data.rungs.flatMap { rung in rung.runs.map { (rung.size, $0) } }
  }

  private func series(
    of answer: ForecastReport.Answer,
    in section: ForecastReport.Section
  ) -> Int {
    var choices: [String] = []
    for choice in section.answers.map(\.choice) where !choices.contains(choice) {
      choices.append(choice)
    }
    return min((choices.firstIndex(of: answer.choice) ?? 0) + 1, 5)
  }

  private func largest(_ answer: ForecastReport.Answer) -> ForecastChart.Largest? {
    let forecast = answer.forecast
    guard let size = report.largestSizes(of: forecast).first,
      let found = forecast.answer(to: size), let time = try? found.time.get()
    else { return nil }
    return ForecastChart.Largest(objects: found.objects, time: time)
  }

  private func budget(_ budget: ResourceBudget, _ forecast: Forecast) -> ForecastChart.Budget {
    let exceeding = report.population.flatMap { try? $0.exceeding(budget, of: forecast).get() }
    let fit = (try? forecast.largestStore(within: budget).get()).flatMap { found in
      found.probably >= found.known ? nil : (found.probably, found.surely, found.atMost)
    }
    return ForecastChart.Budget(
      seconds: budget.limit,
      name: budget.name,
      share: exceeding.flatMap { $0.high > 0 ? $0.share.percent : nil },
      fit: fit
    )
  }

  /// One scale for all strategies, with all budgets on it.
  private func frame(of section: ForecastReport.Section) -> ForecastChart.Frame {
    let forecasts = section.answers.map(\.forecast)
    let curves = forecasts.map(curve)
    let bins = report.population?.bins() ?? []
    let sizes =
      curves.flatMap(\.points).map(\.objects) + bins.flatMap { [$0.from, $0.to] }
    let intervals = curves.flatMap(\.points).compactMap(\.bands.intervals.last)
    let times =
      intervals.flatMap { [$0.low, $0.high] } + forecasts.flatMap(runs).map(\.seconds)
      + report.budgets.filter { $0.resource == .time }.map { $0.limit * 1.4 }
    let positive = { (values: [Double]) in values.filter { $0 > 0 && $0.isFinite } }
    let (x, y) = (positive(sizes), positive(times))
    return ForecastChart.Frame(
      sizes: (x.min() ?? 1)...max(x.max() ?? 10, (x.min() ?? 1) * 2),
      seconds: (y.min() ?? 0.001) / 1.2...max(y.max() ?? 1, (y.min() ?? 0.001) * 2) * 1.1
    )
  }

  private func fits(_ answer: ForecastReport.Answer) -> Inline? {
    let parts = report.budgets.compactMap { budget -> String? in
      guard let found = try? answer.forecast.largestStore(within: budget).get() else { return nil }
      if found.probably >= found.known { return "every known size fits \(budget.title)" }
      let sizes = [found.probably, found.surely, found.atMost].map {
        ForecastCaseText.text($0, known: found.known)
      }
      return "stores up to \(sizes[0]) objects (\(sizes[1]) to \(sizes[2])) fit \(budget.title)"
    }
    guard let first = parts.first else { return nil }
    return Inline(([first.capitalizedFirst] + parts.dropFirst()).joined(separator: "; ") + ".")
  }

  // MARK: Tables

  private func comparison(of section: ForecastReport.Section) -> ReportPage.Table {
    let objects = section.answers.first.flatMap { largest($0)?.objects }
    let size = objects.map { " at \($0.threeDigits.grouped) objects" } ?? ""
    let heads = report.budgets.flatMap { budget in
      ["Fits \(budget.title)"] + (report.population == nil ? [] : ["Users over"])
    }
    return ReportPage.Table(
      name: "Table: strategies",
      label: "Strategies of the forecast",
      caption: Inline("Expected values, with 90 % intervals in parentheses"),
      columns: [Inline("Strategy"), Inline("Time\(size)"), "Memory", "Disk"]
        + heads.map { Inline($0) },
      rows: section.answers.map { answer in
        let found = objects.flatMap { answer.forecast.answer(to: .objects($0)) }
        return ReportPage.Table.Row(
          Inline(Self.title(answer.name)),
          [
            Self.text(found?.time, .seconds), Self.text(found?.memory, .bytes),
            Self.text(found?.disk, .bytes),
          ] + report.budgets.flatMap { cells(of: $0, answer.forecast) }
        )
      },
      isFolded: false
    )
  }

  private func cells(of budget: ResourceBudget, _ forecast: Forecast) -> [Inline] {
    let fit: String
    switch forecast.largestStore(within: budget) {
    case .success(let found):
      let sizes = [found.probably, found.surely, found.atMost].map {
        ForecastCaseText.text($0, known: found.known)
      }
      fit = found.surely >= found.known ? sizes[0] : "\(sizes[0]) (\(sizes[1]) to \(sizes[2]))"
    case .failure: fit = "unknown"
    }
    guard let population = report.population else { return [Inline(fit)] }
    guard let found = try? population.exceeding(budget, of: forecast).get() else {
      return [Inline(fit), "unknown"]
    }
    let share =
      found.high > 0
      ? "\(found.share.percent) (\(found.low.percent) to \(found.high.percent))" : "no user"
    return [Inline(fit), Inline(share)]
  }

  private static func text(_ found: Result<Interval, NoForecast>?, _ unit: Metric.Unit) -> Inline {
    guard case .success(let interval)? = found else { return "unknown" }
    return Inline(RangeText.text(interval.value, interval.low, interval.high, .init(unit)))
  }

  private func sizes(of answer: ForecastReport.Answer) -> ReportPage.Table {
    let points = curve(of: answer.forecast).points
    let every = stride(from: 0, to: points.count, by: 4).map {
      StoreSize.objects(points[$0].objects)
    }
    let name = "Table: \(Self.title(answer.name)) by store size"
    return ReportPage.Table(
      name: Inline(name),
      label: name,
      caption: "Expected values, with 90 % intervals in parentheses",
      columns: ["Objects", "Store", "Time", "Memory", "Disk"],
      rows: (every + report.sizes).compactMap { answer.forecast.answer(to: $0) }
        .sorted { $0.objects < $1.objects }.map { found in
          ReportPage.Table.Row(
            Inline(Int(found.objects.rounded()).grouped),
            [
              Inline(found.storeBytes.map { Figures.bytes($0, .significant) } ?? "–"),
              Self.text(found.time, .seconds), Self.text(found.memory, .bytes),
              Self.text(found.disk, .bytes),
            ]
          )
        }
    )
  }

  /// `strategy=sideBySide,batchSize=1000` as `side by side, batchSize 1000`.
  private static func title(_ name: String) -> String {
    let parts = name.split(separator: ",").map { part -> String in
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { return String(part) }
      let value = CaseDimensions.isChoice(pair[0]) ? CaseDimensions.words(pair[1]) : pair[1]
      return ["strategy", "engine"].contains(pair[0]) ? value : "\(pair[0]) \(value)"
    }
    return parts.joined(separator: ", ").capitalizedFirst
  }
}
