import Basics
import Reporting
import Runner

/// The tables of one forecast: store sizes, budgets and numbers of users, with the measurements on
/// which the forecast is based.
struct AnswerView {
  let answer: ForecastReport.Answer
  let report: ForecastReport

  private var forecast: Forecast { answer.forecast }

  var tables: [Report.Block] {
    [.table(sizes), .table(budgets)] + (report.population.map { [.table(users(of: $0))] } ?? [])
  }

  var grounds: [Report.Block] {
    (refusals.isEmpty ? [] : [.list(refusals, .unknown)])
      + [.list(forecast.grounds.map { Report.Text($0) })]
  }

  private var sizes: Report.Table {
    Report.Table(
      "Predictions with 90 % intervals",
      [
        .init("Objects", .number), .init("Store", .bytes), .init("Time", .seconds),
        .init("From", .seconds), .init("To", .seconds), .init("Memory", .bytes),
        .init("±", .share), .init("Disk", .bytes), .init("±", .share),
      ],
      rows: report.sizes.map { size in
        guard let found = forecast.answer(to: size) else { return ["no store has a known size"] }
        let time = try? found.time.get()
        return [
          .number(size.rounded(found.objects)), .number(found.storeBytes, or: "–"),
          .number(time?.value, or: "unknown"), .number(time?.low, or: "–"),
          .number(time?.high, or: "–"),
        ]
          + [try? found.memory.get(), try? found.disk.get()].flatMap { interval in
            [.number(interval?.value, or: "unknown"), .number(interval?.halfWidth, or: "–")]
          }
      }
    )
  }

  private var budgets: Report.Table {
    Report.Table(
      "Objects that fit",
      [.init("Budget")] + ["Conservative", "Expected", "Optimistic"].map { .init($0, .number) },
      rows: report.budgets.map { budget in
        guard let found = try? forecast.largestStore(within: budget).get() else {
          return [.text(budget.title), "unknown"]
        }
        return [.text(budget.title)]
          + [\.atLeast, \.probably, \.atMost].map { .text(found.words($0)) }
      }
    )
  }

  private func users(of population: Population) -> Report.Table {
    Report.Table(
      "Users over a budget",
      [.init("Budget")] + ["Users", "From", "To", "Unknown"].map { .init($0, .share) },
      rows: report.budgets.map { budget in
        guard let found = try? population.exceeding(budget, of: forecast).get() else {
          return [.text(budget.title), "unknown"]
        }
        return [.text(budget.title)]
          + [found.share, found.low, found.high, found.unknown].map { .number($0) }
      }
    )
  }

  /// The reasons why numbers in the tables are unknown, without duplicates.
  private var refusals: [Report.Text] {
    func reason(_ refusal: NoForecast, _ objects: Double) -> String {
      let words = "unknown: " + refusal.words(for: objects, like: report.like)
      switch refusal {
      case .drifted, .poorFit:
        return words + "; the measurements are kept, and '--again' repeats them"
      default: return words
      }
    }
    let found: [String] =
      report.sizes.compactMap { forecast.answer(to: $0) }.flatMap { answer in
        answer.refusals.map { reason($0, answer.objects) }
      }
      + report.budgets.compactMap { forecast.largestStore(within: $0).failure }
      .map { reason($0, 0) }
    return found.unique.map { Report.Text($0) }
  }
}

extension Forecast.LargestStore {
  func words(_ size: KeyPath<Self, Double>) -> String {
    let number = self[keyPath: size].threeDigits.grouped
    return self[keyPath: size] <= 0
      ? "none" : self[keyPath: size] >= known ? "all known, to \(number)" : number
  }
}

extension Result {
  var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
