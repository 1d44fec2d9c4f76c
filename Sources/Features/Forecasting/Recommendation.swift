import Basics
import Runner

/// The recommended strategy, with the reason.
package struct Recommendation: Hashable, Sendable {
  /// A strategy with its forecast.
  package typealias Candidate = (name: String, forecast: Forecast)

  package let name: String
  package let reason: String
  /// Whether Core Data's own migration suffices, so that no other strategy is needed.
  package var isEnough = false
}

extension Recommendation {
  /// Recommends Core Data's own migration if it is sufficient.
  ///
  /// It is sufficient if the upper end of the forecast for the largest store is within all budgets.
  /// This must be true for each way in which Core Data may work. Returns `nil` if the forecast
  /// exceeds a budget or is not known.
  init?(
    whatIsEnoughAmong answers: [ForecastReport.Answer],
    at objects: Double,
    within budgets: [ResourceBudget]
  ) {
    guard let first = answers.first(where: { $0.frameworkWay != nil }), let way = first.frameworkWay
    else { return nil }
    let shapes = answers.filter { $0.choice == first.choice }
    func most(_ resource: Resource) -> Double? {
      let ends = shapes.compactMap {
        try? $0.forecast.predict(resource, objects: objects).get().high
      }
      return ends.count == shapes.count ? ends.max() : nil
    }
    guard !budgets.isEmpty, let time = most(.time),
      budgets.allSatisfy({ budget in most(budget.resource).map { $0 <= budget.limit } ?? false })
    else { return nil }
    let conditions = Self.conditions(of: shapes)
    name = first.choice
    isEnough = true
    reason =
      "\(way.capitalizedFirst) is enough: at most \(Figures.seconds(time)) for the largest store, "
      + "\(objects.threeDigits.grouped) objects; no other way is needed"
      + (conditions.isEmpty
        ? "" : ", if \(conditions.joined(separator: " and ")), which is assumed")
  }

  /// The assumptions, in words, that have at least one alternative without a forecast.
  private static func conditions(of shapes: [ForecastReport.Answer]) -> [String] {
    let assumed = shapes.flatMap(\.assumptions)
    func isOpen(_ own: Behaviour) -> Bool {
      (own.alternatives ?? []).contains { value in
        !assumed.contains { $0.name == own.name && $0.value == value }
      }
    }
    return assumed.filter(isOpen).map {
      "\(CaseDimensions.words($0.name)) is \(CaseDimensions.words($0.value))"
    }.unique
  }
}

extension Recommendation {
  /// Recommends the strategy with the fewest users over budget, by the upper end of the estimate.
  ///
  /// Users over budget may be unable to start the app. Budgets are compared in order; in case of a
  /// tie, time decides, then memory. Returns `nil` if the time is known for fewer than two
  /// strategies.
  package init?(
    among candidates: [Candidate],
    for population: Population,
    within budgets: [ResourceBudget]
  ) {
    // Use the 99th percentile, because the largest stores may be too large for a prediction.
    let usual = population.quantile(0.99)
    let ranked = candidates.compactMap { candidate -> Ranked? in
      let shares = budgets.map { budget -> Double in
        guard case .success(let found) = population.exceeding(budget, of: candidate.forecast)
        else { return 1 }
        return found.high
      }
      return Ranked(candidate, at: usual, first: shares.map { Self.tenths($0) })
    }
    guard ranked.count > 1, let best = ranked.min(by: { $0.isBetter(than: $1) }) else { return nil }
    name = best.name
    let others = ranked.filter { $0.name != best.name }
    let unjudged = Self.unjudged(candidates.count - ranked.count)
    let decisive = budgets.indices.first { index in
      others.allSatisfy { $0.first[index] > best.first[index] }
    }
    guard let decisive, let next = others.map({ $0.first[decisive] }).min() else {
      reason = best.reason(against: others, at: usual) + unjudged
      return
    }
    let budget = budgets[decisive]
    let share = best.first[decisive]
    let users = share > 0 ? "at most \(share.percent) of users" : "none of your users"
    reason =
      "With it, \(users) exceed \(budget.title); with any other strategy \(next.percent) or more do"
      + unjudged
  }

  /// Recommends the strategy that is fastest at one store size, by the upper end of its interval.
  ///
  /// If the times are about equal, memory decides.
  package init?(among candidates: [Candidate], at objects: Double) {
    let ranked = candidates.compactMap { Ranked($0, at: objects, first: []) }
    guard ranked.count > 1, let best = ranked.min(by: { $0.isBetter(than: $1) }) else { return nil }
    name = best.name
    reason =
      best.reason(against: ranked.filter { $0.name != best.name }, at: objects)
      + Self.unjudged(candidates.count - ranked.count)
  }

  /// A clause about the strategies that cannot be compared because their time is unknown.
  private static func unjudged(_ count: Int) -> String {
    guard count > 0 else { return "" }
    return "; \(Figures.counted(count, "strategy", "strategies")) not judged, because the time is "
      + "unknown"
  }

  /// Rounds a share to a tenth of a percent, so that smaller differences count as a tie.
  private static func tenths(_ share: Double) -> Double { (share * 1000).rounded() / 1000 }
}

/// A strategy with the criteria by which it is ranked.
private struct Ranked {
  let name: String
  /// The shares of users over each budget; they are compared before time and memory.
  let first: [Double]
  let time: Interval
  let memory: Interval?

  init?(_ candidate: Recommendation.Candidate, at objects: Double, first: [Double]) {
    guard case .success(let time) = candidate.forecast.predict(.time, objects: objects) else {
      return nil
    }
    name = candidate.name
    self.first = first
    self.time = time
    memory = try? candidate.forecast.predict(.memory, objects: objects).get()
  }

  func isBetter(than other: Ranked) -> Bool {
    for (own, theirs) in zip(first, other.first) where own != theirs { return own < theirs }
    // Two times count as equal if each interval contains the other strategy's prediction.
    let isEven = time.contains(other.time.value) && other.time.contains(time.value)
    if isEven, let own = memory, let theirs = other.memory, !own.contains(theirs.value) {
      return own.value < theirs.value
    }
    return time.high < other.time.high
  }

  func reason(against others: [Ranked], at objects: Double) -> String {
    let place = "at \(Int(objects).grouped) objects"
    let name = { (other: Ranked) in CaseDimensions.words(ofParameters: other.name) }
    guard let next = others.min(by: { $0.time.high < $1.time.high }) else {
      return "It is the only one \(place)"
    }
    let isEven = time.contains(next.time.value) && next.time.contains(time.value)
    if isEven, let own = memory, let theirs = next.memory, own.value < theirs.value {
      return "As fast as \(name(next)) \(place), with \((own.value / theirs.value).percent) of "
        + "its memory"
    }
    let certainty = isEven ? ", though their intervals overlap" : ""
    return "\((time.value / next.time.value).percent) of the time of \(name(next)) \(place)"
      + certainty
  }
}
