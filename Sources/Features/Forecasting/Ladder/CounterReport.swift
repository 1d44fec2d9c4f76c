import Runner

/// What a forecast of replays answers: exact counters by size, and no times.
package struct CounterReport {
  /// The forecast of one case.
  package struct Answer {
    package let name: String
    package let forecast: CounterForecast
  }

  /// Why no times are predicted.
  package static let noTimes =
    "times are not predicted: their error at 16 times the largest measured size has not yet been "
    + "measured on a quiet machine (docs/forecasting.md)"

  package let workload: String
  package let environment: Environment
  package let answers: [Answer]
  package let sizes: [StoreSize]
  /// The parameters that all cases have alike, which their names leave out.
  package let common: [String]
  /// What was chosen in place of what the files say, and what was left out.
  package let notes: [String]

  package init(
    workload: String,
    environment: Environment,
    outcomes: [LadderRun.Outcome],
    sizes asked: [StoreSize],
    notes: [String] = []
  ) {
    self.workload = workload
    self.environment = environment
    self.notes = notes
    let whole = outcomes.filter { $0.failure == nil }
    let names = ForecastReport.strategies(whole.map(\.name))
    common = names.common
    answers = zip(names.own, whole).map { name, outcome in
      Answer(name: name, forecast: CounterForecast(LadderData(outcome.observations)))
    }
    let top = answers.first?.forecast.data.top ?? 0
    sizes = asked.isEmpty ? [1, 4, 16].map { .objects((top * $0).rounded()) } : asked
  }
}
