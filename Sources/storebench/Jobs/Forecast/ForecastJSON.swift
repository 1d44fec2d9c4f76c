import Forecasting
import Foundation
import Measurement

/// A forecast for programs: sizes in objects, times in seconds, sizes of files in bytes.
struct ForecastJSON {
  let report: ForecastReport

  /// The document, its keys sorted.
  var text: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      let document = Document(
        format: 1,
        workload: report.workload,
        machine: report.environment.machine,
        sqlite: report.environment.sqliteVersion,
        forecasts: report.sections.map(section)
      )
      return String(decoding: try encoder.encode(document), as: UTF8.self)
    }
  }

  private struct Document: Encodable {
    let format: Int
    let workload: String
    let machine: String
    let sqlite: String
    let forecasts: [Section]
  }

  private struct Section: Encodable {
    let machine: String
    let basis: String
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
    let predictions: [Prediction]
    let budgets: [Fit]
  }

  private struct Prediction: Encodable {
    let objects: Double
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

    init(_ found: Result<Interval, Refusal>) {
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
      cases: section.answers.map(ladderCase),
      recommended: section.recommendation?.name,
      reason: section.recommendation?.reason
    )
  }

  private func ladderCase(_ answer: ForecastReport.Answer) -> Case {
    let forecast = answer.forecast
    let weights = forecast.time?.members.map { ($0.name, $0.weight) } ?? []
    return Case(
      name: answer.name,
      rungs: forecast.data.rungs.map { Int($0.size) },
      noise: forecast.data.scatter.share,
      drift: forecast.data.drift.share,
      weights: Dictionary(weights) { $1 },
      residuals: forecast.time?.residuals ?? [],
      predictions: report.sizes.compactMap { prediction(of: $0, forecast) },
      budgets: report.budgets.map { fit($0, forecast) }
    )
  }

  private func prediction(
    of size: ForecastQuestions.Size,
    _ forecast: Forecast
  ) -> Prediction? {
    guard let objects = forecast.objects(of: size) else { return nil }
    let bytes: Double? = if case .bytes(let bytes) = size { bytes } else { nil }
    return Prediction(
      objects: objects.rounded(),
      time: Bounds(forecast.predict(.time, objects: objects)),
      memory: Bounds(forecast.predict(.memory, objects: objects)),
      disk: Bounds(forecast.predict(.disk, objects: objects, bytes: bytes))
    )
  }

  private func fit(_ budget: ResourceBudget, _ forecast: Forecast) -> Fit {
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
