import Runner

/// A strategy, with one forecast for each way in which Core Data may carry it out, which developers
/// cannot choose.
struct Choice {
  /// The name without the parameters that describe how Core Data's own migration works.
  let name: String
  /// The name in words, with the strategy first.
  let title: String
  /// The strategy in words, such as `side by side`; `nil` if it is not known.
  private let strategy: String?
  let forecasts: [Forecast]

  /// Creates a strategy from its answers; there must be at least one answer.
  init(_ answers: [ForecastReport.Answer]) {
    name = answers[0].choice
    title = answers[0].title
    strategy = answers[0].strategy
    forecasts = answers.map(\.forecast)
  }

  /// The words with which a sentence about the strategy begins, such as `With lightweight, `.
  ///
  /// The words omit the parameters if there is only one strategy.
  func opening(isOnly: Bool) -> String {
    let words = isOnly ? strategy ?? "" : title
    return words.isEmpty ? "" : "With \(words), "
  }

  /// The range of the predictions for a store size, with the outer ends of their intervals; `nil`
  /// if any forecast has no prediction.
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
  /// conservative estimate; `nil` if a forecast has no estimate.
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

/// A strategy's name in words for display, instead of the spelling of its parameters in options.
func written(_ name: String) -> String { CaseDimensions.words(ofParameters: name) }
