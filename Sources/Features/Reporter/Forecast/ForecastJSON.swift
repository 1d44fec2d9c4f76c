import Basics
import Forecasting
import Runner

/// A forecast for programs: sizes in objects, times in seconds, sizes of files in bytes.
package struct ForecastJSON {
  private let report: ForecastReport

  package init(report: ForecastReport) {
    self.report = report
  }

  /// The document, its keys sorted.
  package var text: String {
    get throws {
      let document = Document(
        format: 1,
        workload: report.workload,
        machine: report.environment.machine,
        sqlite: report.environment.sqliteVersion,
        common: report.common,
        notes: report.notes,
        objects: report.counts,
        population: report.population.map { population in
          Users(
            users: population.users,
            median: population.quantile(0.5),
            p99: population.quantile(0.99),
            largest: population.largest,
            unread: population.unread,
            bins: population.bins()
          )
        },
        forecasts: report.sections.map(section)
      )
      return String(try document.jsonText().dropLast())
    }
  }

  private struct Document: Encodable {
    let format: Int
    let workload: String
    let machine: String
    let sqlite: String
    let common: [String]
    let notes: [String]
    /// Objects by entity in the ladder's largest store.
    let objects: [String: Int]
    let population: Users?
    let forecasts: [Section]
  }

  private struct Users: Encodable {
    let users: Double
    let median: Double
    let p99: Double
    let largest: Double
    let unread: [String]
    /// Users by size, in twelve bins to each power of ten.
    let bins: [Population.Bin]
  }

  private struct Section: Encodable {
    let machine: String
    let basis: String
    let note: String
    let cases: [Case]
    let recommended: String?
    let reason: String?
  }

  private struct Case: Encodable {
    let name: String
    let rungs: [Int]
    let noise: Double
    let drift: Double
    let weights: [String: Double]
    let residuals: [Double]
    let misfit: Double?
    /// Errors of extrapolations inside the ladder, as deviations of logarithms.
    let errorADoubling: Double?
    let errorAt16Times: Double?
    /// Parts of the time at 16 times the ladder's top.
    let parts: [String: Double]
    let counters: [Counter]
    /// What makes the interval wide.
    let reasons: [String]
    let predictions: [Prediction]
    let budgets: [Fit]
    /// The measured times, by size.
    let runs: [Runs]
    /// The time on a grid of sizes, for a chart.
    let curve: [CurvePoint]
  }

  private struct Runs: Encodable {
    let objects: Double
    let seconds: [Double]
  }

  private struct CurvePoint: Encodable {
    let objects: Double
    let time: Double
    let low50, high50, low80, high80, low90, high90: Double

    init(_ point: ForecastCurve.Point) {
      objects = point.objects
      time = point.bands.value
      let intervals = point.bands.intervals
      (low50, high50) = (intervals[0].low, intervals[0].high)
      (low80, high80) = (intervals[1].low, intervals[1].high)
      (low90, high90) = (intervals[2].low, intervals[2].high)
    }
  }

  private struct Counter: Encodable {
    let name: String
    let law: String
    let extrapolationError: Double?
  }

  private struct Prediction: Encodable {
    let objects: Double
    let storeBytes: Double?
    let time: Bounds
    let memory: Bounds
    let disk: Bounds
  }

  /// A prediction with its interval, or why there is none.
  private struct Bounds: Encodable {
    let value: Double?
    let low: Double?
    let high: Double?
    let refused: String?

    init(_ found: Result<Interval, NoForecast>) {
      switch found {
      case .success(let interval):
        (value, low, high, refused) = (interval.value, interval.low, interval.high, nil)
      case .failure(let refusal):
        (value, low, high, refused) = (nil, nil, nil, refusal.description)
      }
    }
  }

  private struct Fit: Encodable {
    let resource: String
    let limit: Double
    let name: String
    var surely: Double?
    var probably: Double?
    var atMost: Double?
    var refused: String?
    var usersOver: Double?
    var usersOverLow: Double?
    var usersOverHigh: Double?
    var usersUnknown: Double?
  }

  private func section(_ section: ForecastReport.Section) -> Section {
    Section(
      machine: section.machine,
      basis: section.basis,
      note: section.note,
      cases: section.answers.map(ladderCase),
      recommended: section.recommendation?.name,
      reason: section.recommendation?.reason
    )
  }

  private func ladderCase(_ answer: ForecastReport.Answer) -> Case {
    let forecast = answer.forecast
    let weights = forecast.time?.members.map { ($0.name, $0.weight) } ?? []
    let parts = forecast.time.map { $0.contributions(at: $0.top * 16) } ?? []
    return Case(
      name: answer.name,
      rungs: forecast.data.rungs.map { Int($0.size) },
      noise: forecast.data.scatter.share,
      drift: forecast.data.drift.share,
      weights: Dictionary(weights) { $1 },
      residuals: forecast.time?.residuals ?? [],
      misfit: forecast.time?.misfit,
      errorADoubling: forecast.time?.growth.deviation(doublings: 1),
      errorAt16Times: forecast.time?.growth.deviation(doublings: 4),
      parts: Dictionary(parts.map { ($0.name, $0.share) }) { $0 + $1 },
      counters: ForecastGrounds.CountedCost.all(of: forecast).map {
        Counter(
          name: $0.law.counter,
          law: $0.law.name,
          extrapolationError: $0.law.extrapolationError
        )
      },
      reasons: ForecastGrounds(forecast: forecast).reasons,
      predictions: report.sizes.compactMap { prediction(of: $0, forecast) },
      budgets: report.budgets.map { fit($0, answer) },
      runs: forecast.data.rungs.map { Runs(objects: $0.size, seconds: $0.runs) },
      curve: ForecastCurve(forecast, upTo: report.largestSize(of: forecast)).points
        .map(CurvePoint.init)
    )
  }

  private func prediction(
    of size: StoreSize,
    _ forecast: Forecast
  ) -> Prediction? {
    guard let answer = forecast.answer(to: size) else { return nil }
    return Prediction(
      objects: answer.objects.rounded(),
      storeBytes: answer.storeBytes?.rounded(),
      time: Bounds(answer.time),
      memory: Bounds(answer.memory),
      disk: Bounds(answer.disk)
    )
  }

  private func fit(_ budget: ResourceBudget, _ answer: ForecastReport.Answer) -> Fit {
    let forecast = answer.forecast
    var fit = Fit(resource: budget.resource.rawValue, limit: budget.limit, name: budget.name)
    switch forecast.largestStore(within: budget) {
    case .success(let largest):
      (fit.surely, fit.probably, fit.atMost) =
        (largest.surely.rounded(), largest.probably.rounded(), largest.atMost.rounded())
    case .failure(let refusal): fit.refused = refusal.description
    }
    if case .success(let found)? = report.population?.exceeding(budget, of: forecast) {
      (fit.usersOver, fit.usersOverLow, fit.usersOverHigh, fit.usersUnknown) =
        (found.share, found.low, found.high, found.unknown)
    }
    return fit
  }
}
