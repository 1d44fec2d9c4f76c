import Basics
import Foundation
import Runner

/// The JSON form of a forecast for other programs.
///
/// Store sizes are in objects, times in seconds, and file sizes in bytes.
extension ForecastReport: Encodable {
  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "format": 1, "workload": workload, "machine": environment.machine,
      "sqlite": environment.sqliteVersion, "common": common, "notes": notes, "objects": counts,
      "failures": failures.map { ["name": $0.name, "reason": $0.reason] as JSONObject },
      "population": population.map { population -> JSONObject in
        [
          "users": population.users, "median": population.quantile(0.5),
          "p99": population.knownQuantile(0.99), "largest": population.largest,
          "beyondLargest": population.beyond,
          "unread": population.unread, "bins": population.bins(),
        ]
      },
      "forecasts": sections.map { section -> JSONObject in
        [
          "machine": section.machine, "basis": section.basis, "note": section.note,
          "leftOut": section.leftOut,
          "cases": section.answers.map(json), "recommended": section.recommendation?.name,
          "reason": section.recommendation?.reason,
        ]
      },
    ]
    try object.encode(to: encoder)
  }

  private func json(_ answer: Answer) -> JSONObject {
    let (forecast, data) = (answer.forecast, answer.forecast.data)
    let time = forecast.time
    // The shares of the terms in the time at 16 times the largest measured size.
    let parts = time.map { $0.contributions(at: $0.top * 16) } ?? []
    return [
      "name": answer.name, "goal": answer.goal, "isLowerBound": answer.isLowerBound,
      "rungs": data.rungs.map { Int($0.size) }, "noise": data.scatter.share,
      "drift": data.drift.share,
      "weights": Dictionary((time?.members ?? []).map { ($0.name, $0.weight) }) { $1 },
      "residuals": time?.residuals ?? [], "misfit": time?.misfit,
      // The expected extrapolation errors for one and for four doublings of the size, as standard
      // deviations of logarithms.
      "errorADoubling": time?.growth.deviation(doublings: 1),
      "errorAt16Times": time?.growth.deviation(doublings: 4),
      "parts": Dictionary(parts.map { ($0.name, $0.share) }, uniquingKeysWith: +),
      "counters": forecast.countedCosts.map { _, law -> JSONObject in
        ["name": law.counter, "law": law.name, "extrapolationError": law.extrapolationError]
      },
      "reasons": forecast.wideningReasons,
      "predictions": sizes.compactMap { forecast.answer(to: $0) }.map { found -> JSONObject in
        [
          "objects": found.objects.rounded(), "storeBytes": found.storeBytes?.rounded(),
          "time": json(found.time, found.objects), "memory": json(found.memory, found.objects),
          "disk": json(found.disk, found.objects),
        ]
      },
      "budgets": budgets.map { json($0, forecast) },
      "runs": data.rungs.map { ["objects": $0.size, "seconds": $0.runs] as JSONObject },
      "curve": curve(of: forecast).map { point -> JSONObject in
        let ends = point.bands.intervals
        return [
          "objects": point.objects, "time": point.bands.value, "low50": ends[0].low,
          "high50": ends[0].high, "low80": ends[1].low, "high80": ends[1].high,
          "low90": ends[2].low, "high90": ends[2].high,
        ]
      },
    ]
  }

  private func json(_ found: Result<Interval, NoForecast>, _ objects: Double) -> JSONObject {
    switch found {
    case .success(let interval):
      ["value": interval.value, "low": interval.low, "high": interval.high]
    case .failure(let refusal): ["refused": refusal.words(for: objects, like: like)]
    }
  }

  private func json(_ budget: ResourceBudget, _ forecast: Forecast) -> JSONObject {
    var fit: JSONObject = [
      "resource": budget.resource.rawValue, "limit": budget.limit, "name": budget.name,
    ]
    switch forecast.largestStore(within: budget) {
    case .success(let largest):
      fit = fit.merging([
        "atLeast": largest.atLeast.rounded(), "probably": largest.probably.rounded(),
        "atMost": largest.atMost.rounded(),
      ])
    case .failure(let refusal): fit = fit.merging(["refused": refusal.description])
    }
    guard case .success(let found)? = population?.exceeding(budget, of: forecast) else {
      return fit
    }
    return fit.merging([
      "usersOver": found.share, "usersOverLow": found.low, "usersOverHigh": found.high,
      "usersUnknown": found.unknown,
    ])
  }

  typealias CurvePoint = (objects: Double, bands: TimeBands)

  /// Predicts the time from the smallest measured size to beyond the largest requested size.
  ///
  /// The sizes are evenly spaced on a logarithmic scale; those without a prediction are omitted.
  func curve(of forecast: Forecast) -> [CurvePoint] {
    let smallest = forecast.data.rungs.first?.size ?? 1
    let asked = sizes.compactMap { forecast.objects(of: $0) } + [population?.largest ?? 0]
    let highest = max(asked.max() ?? 0, forecast.data.top) * 1.25
    guard smallest > 0, highest > smallest else { return [] }
    let count = 33
    let step = pow(highest / smallest, 1 / Double(count - 1))
    return (0..<count).compactMap { index in
      let objects = (smallest * pow(step, Double(index))).rounded()
      return (try? forecast.timeBands(objects: objects).get()).map { (objects, $0) }
    }
  }
}
