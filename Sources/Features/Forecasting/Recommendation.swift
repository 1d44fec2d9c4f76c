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
  /// Recommends Core Data's own migration if it stays within all budgets for the largest store.
  ///
  /// The upper end of the forecast must be within the budgets under every assumption about Core
  /// Data; otherwise, or if it is unknown, the result is `nil`. `store` describes the largest
  /// store. `goal` is the goal of the compared strategies; `nil` if all strategies have the same
  /// goal.
  init?(
    whatIsEnoughAmong answers: [ForecastReport.Answer],
    at objects: Double,
    within budgets: [ResourceBudget],
    store: String,
    goal: String?
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
      "\(way.capitalizedFirst) is enough: at most \(Figures.seconds(time)) for \(store); no other "
      + "way is needed" + (goal.map { " for '\($0)'" } ?? "")
      + (conditions.isEmpty
        ? "" : ", if \(conditions.joined(separator: " and ")), which is assumed")
  }

  /// The assumptions, in words, for which the forecasts do not cover every alternative.
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
  /// tie, time decides, then memory. Users for whom nothing is predicted do not count. Returns
  /// `nil` if the time is known for fewer than two strategies.
  package init?(
    among candidates: [Candidate],
    for population: Population,
    within budgets: [ResourceBudget]
  ) {
    // Use the 99th percentile, because the largest stores may be too large for a prediction.
    let usual = population.quantile(0.99)
    let ranked = candidates.compactMap { candidate -> Ranked? in
      let found = budgets.map { try? population.exceeding($0, of: candidate.forecast).get() }
      let judged = found.map { $0?.judged ?? 1 }
      var rank = Ranked(candidate, at: usual, first: judged.map(Self.tenths))
      rank?.judged = judged
      rank?.hasUnknown = found.map { exceeding in exceeding.map { $0.unknown > 0 } ?? true }
      return rank
    }
    guard ranked.count > 1, let best = ranked.min(by: { $0.isBetter(than: $1) }) else { return nil }
    name = best.name
    let others = ranked.filter { $0.name != best.name }
    let unjudged = Self.unjudged(candidates.count - ranked.count)
    let decisive = budgets.indices.first { index in
      others.allSatisfy { $0.first[index] > best.first[index] }
    }
    guard let decisive, let next = others.map({ $0.first[decisive] }).min() else {
      let rivals = others.filter { $0.first == best.first }
      reason =
        (rivals.isEmpty
          ? "It may leave the fewest users over the budgets, compared in their order"
          : best.reason(against: rivals, at: usual.whole)) + unjudged
      return
    }
    let budget = budgets[decisive]
    let share = best.judged[decisive]
    let isClose = share.percent == next.percent || next >= 0.995
    func text(_ share: Double) -> String {
      isClose ? Figures.percent(share, decimals: 1) : share.percent
    }
    let users =
      share == 0 ? "none of your users" : Population.atMost(share, text) + " of users"
    let rest = next < 1 ? " \(text(next)) or more may" : ", all may"
    let unknown =
      best.hasUnknown[decisive]
      ? ", apart from those whose \(budget.resource.rawValue) is not known" : ""
    reason = "With it, \(users) exceed \(budget.title)\(unknown); with any other\(rest)" + unjudged
  }

  /// Recommends the strategy that exceeds the fewest budgets at one store size, by the upper ends
  /// of its intervals.
  ///
  /// In case of a tie, time decides; if the times are about equal, memory decides. `size` is the
  /// number of objects as text if the number is rounded, otherwise `nil`.
  package init?(
    among candidates: [Candidate],
    at objects: Double,
    within budgets: [ResourceBudget],
    size: String? = nil
  ) {
    let ranked = candidates.compactMap { candidate -> Ranked? in
      let exceeded = budgets.filter { budget in
        let found = try? candidate.forecast.predict(budget.resource, objects: objects).get()
        return found.map { $0.high > budget.limit } ?? true
      }
      var rank = Ranked(candidate, at: objects, first: [Double(exceeded.count)])
      rank?.exceeded = exceeded
      return rank
    }
    guard ranked.count > 1, let best = ranked.min(by: { $0.isBetter(than: $1) }) else { return nil }
    name = best.name
    let place = size ?? objects.whole
    let others = ranked.filter { $0.name != best.name }
    let rivals = others.filter { $0.first == best.first }
    func titles(_ budgets: [ResourceBudget]) -> String {
      budgets.map(\.title).joined(separator: " or ")
    }
    let ownBudgets = budgets.filter { budget in
      !best.exceeded.contains(budget) && others.allSatisfy { $0.exceeded.contains(budget) }
    }
    let main: String =
      if !rivals.isEmpty {
        best.reason(against: rivals, at: place)
      } else if !ownBudgets.isEmpty {
        "Only it is predicted to fit \(titles(ownBudgets)) at \(place) objects, by the upper end "
          + "of the interval"
      } else {
        "It fits the most budgets at \(place) objects, by the upper ends of the intervals"
      }
    let unmet = budgets.filter { budget in ranked.allSatisfy { $0.exceeded.contains(budget) } }
    let limits: String =
      if best.exceeded.isEmpty {
        ""
      } else if unmet.isEmpty {
        "; none fits every budget"
      } else {
        "; none fits \(titles(unmet))"
      }
    reason = main + limits + Self.unjudged(candidates.count - ranked.count)
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

private struct Ranked {
  let name: String
  /// The values that are compared before time and memory: the shares of users over each budget, or
  /// the number of exceeded budgets.
  let first: [Double]
  let time: Interval
  let memory: Interval?
  /// The shares of users over each budget, not rounded as in ``first``.
  var judged: [Double] = []
  /// Whether there are users for whom nothing is predicted, for each budget.
  var hasUnknown: [Bool] = []
  /// The budgets that the upper end of the interval exceeds, or for which nothing is predicted.
  var exceeded: [ResourceBudget] = []

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
    if isEven(with: other), let own = memory, let theirs = other.memory,
      !own.contains(theirs.value)
    {
      return own.value < theirs.value
    }
    return time.high < other.time.high
  }

  /// Whether one time's interval contains the other time's value.
  private func isEven(with other: Ranked) -> Bool {
    time.contains(other.time.value) || other.time.contains(time.value)
  }

  func reason(against others: [Ranked], at number: String) -> String {
    let place = "at \(number) objects"
    guard let next = others.min(by: { $0.time.high < $1.time.high }) else {
      return "It is the only one \(place)"
    }
    let other = CaseDimensions.words(ofParameters: next.name)
    guard isEven(with: next) else {
      return "At most \(Figures.seconds(time.high)) \(place); \(other) at most "
        + "\(Figures.seconds(next.time.high))"
    }
    let even = "Its time cannot be told from that of \(other) \(place)"
    if let own = memory, let theirs = next.memory, !own.contains(theirs.value),
      own.value < theirs.value
    {
      return "\(even); it takes \((own.value / theirs.value).percent) of its memory"
    }
    return "\(even); the upper ends are \(Figures.seconds(time.high)) and "
      + "\(Figures.seconds(next.time.high))"
  }
}
