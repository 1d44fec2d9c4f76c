import Basics
import Forecasting

/// What a strategy takes in every shape that the framework's own migration may have: a range of
/// hypotheses, which no developer can choose from.
struct ForecastRange {
  /// The forecasts of one strategy, one per shape.
  let forecasts: [Forecast]

  /// Strategies in the order of their first answers.
  static func choices(of answers: [ForecastReport.Answer]) -> [(name: String, range: ForecastRange)]
  {
    var names: [String] = []
    for answer in answers where !names.contains(answer.choice) { names.append(answer.choice) }
    return names.map { name in
      (name, ForecastRange(forecasts: answers.filter { $0.choice == name }.map(\.forecast)))
    }
  }

  /// The least and the most of what the forecasts predict for a size; `nil` where one does not know.
  private func bounds(
    _ size: StoreSize,
    _ figure: (Forecast.SizeAnswer) -> Result<Interval, NoForecast>
  ) -> (values: ClosedRange<Double>, interval: ClosedRange<Double>)? {
    let found = forecasts.compactMap { $0.answer(to: size) }.compactMap { try? figure($0).get() }
    guard found.count == forecasts.count, let first = found.first else { return nil }
    return found.dropFirst().reduce((first.value...first.value, first.low...first.high)) {
      (
        min($0.0.lowerBound, $1.value)...max($0.0.upperBound, $1.value),
        min($0.1.lowerBound, $1.low)...max($0.1.upperBound, $1.high)
      )
    }
  }

  /// `2.17 s to 6.71 s`, and the interval over all shapes.
  func time(_ size: StoreSize) -> (value: String, interval: String)? {
    guard let (values, interval) = bounds(size, \.time) else { return nil }
    return (
      Self.text(values) { Figures.seconds($0) },
      "\(Figures.seconds(interval.lowerBound)) to \(Figures.seconds(interval.upperBound))"
    )
  }

  /// The most memory of any shape.
  func memory(_ size: StoreSize) -> String? {
    bounds(size, \.memory).map { Figures.bytes($0.values.upperBound) }
  }

  /// The most disk of any shape.
  func disk(_ size: StoreSize) -> String? {
    bounds(size, \.disk).map { Figures.bytes($0.values.upperBound) }
  }

  /// The largest store that fits in every shape, by the conservative estimate.
  func largestStore(within budget: ResourceBudget) -> String? {
    let found = forecasts.compactMap { try? $0.largestStore(within: budget).get() }
    guard found.count == forecasts.count, let least = found.min(by: { $0.surely < $1.surely })
    else { return nil }
    return ForecastCaseText.text(least.surely, known: least.known)
  }

  /// The share of users over a budget, from the shape with the fewest to that with the most.
  func users(of population: Population, over budget: ResourceBudget) -> String? {
    let found = forecasts.compactMap { try? population.exceeding(budget, of: $0).get() }
    guard found.count == forecasts.count, let least = found.map(\.share).min(),
      let most = found.map(\.share).max()
    else { return nil }
    return Self.text(least...most) { $0.percent }
  }

  private static func text(_ range: ClosedRange<Double>, _ word: (Double) -> String) -> String {
    let (low, high) = (word(range.lowerBound), word(range.upperBound))
    return low == high ? low : "\(low) to \(high)"
  }
}
