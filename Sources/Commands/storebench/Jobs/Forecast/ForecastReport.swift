import Forecasting
import Ladder
import Measurement

/// Everything that a forecast has to say, before it is put into words.
struct ForecastReport {
  /// The forecast of one case on one machine.
  struct Answer {
    let name: String
    let forecast: Forecast
  }

  /// One machine with the forecasts for it.
  struct Section {
    /// Such as `this Linux machine`.
    let machine: String
    /// How its times were come by; empty for the machine that the ladder was measured on.
    let basis: String
    /// What the reader has to know of it beside.
    let note: String
    let answers: [Answer]
    let recommendation: Recommendation?
  }

  let workload: String
  let environment: Environment
  let sections: [Section]
  let sizes: [ForecastQuestions.Size]
  let budgets: [ResourceBudget]
  let population: Population?
  /// The file that the population was read from.
  let populationPath: String
  /// Objects by entity in the ladder's largest store.
  let counts: [String: Int]
  /// The parameters that all strategies have alike, which their names leave out.
  let common: [String]
  /// What was chosen in place of what the files say, and what was left out.
  let notes: [String]

  init(
    workload: String,
    environment: Environment,
    outcomes: [LadderRun.Outcome],
    questions: ForecastQuestions,
    notes: [String] = []
  ) throws {
    self.workload = workload
    self.notes = notes
    self.environment = environment
    let whole = outcomes.filter { $0.failure == nil }
    let names = StrategyNames(whole.map(\.name))
    common = names.common
    let answers = zip(names.own, whole).map { name, outcome in
      Answer(name: name, forecast: Self.forecast(outcome, environment))
    }
    counts = answers.first?.forecast.data.rungs.last?.objects ?? [:]
    let scale = answers.first?.forecast.sizeScale
    let population = try questions.population.flatMap { input in
      try scale.map { try Population(csv: input.text, path: input.path, scale: $0) }
    }
    let top = answers.first?.forecast.data.top ?? 0
    sizes =
      questions.sizes.isEmpty
      ? [1, 4, 16].map { .objects((top * $0).rounded()) } : questions.sizes
    budgets = questions.budgets
    self.population = population
    populationPath = questions.population?.path ?? ""
    let machines = try ForecastMachine.all(questions, answers)
    let largest = sizes.compactMap { size in
      answers.first.flatMap { $0.forecast.objects(of: size) }
    }.max()
    sections = machines.map { machine in
      let scaled = answers.map { answer -> Answer in
        var forecast = answer.forecast
        forecast.machine = machine.scale
        return Answer(name: answer.name, forecast: forecast)
      }
      return Section(
        machine: machine.title,
        basis: machine.basis,
        note: machine.note,
        answers: scaled,
        recommendation: Self.recommendation(scaled, population, questions.budgets, at: largest)
      )
    }
  }

  private static func forecast(_ outcome: LadderRun.Outcome, _ environment: Environment) -> Forecast
  {
    let data = LadderData(outcome.observations)
    let bytes = data.rungs.last.map { ($0.peakDisk ?? $0.storeBytes * 2) / $0.size } ?? 0
    guard bytes > 0, environment.memoryBytes > 0 else {
      return Forecast(data, batchSize: outcome.batchSize)
    }
    let bend = Bend(
      name: "its files outgrow the machine's memory",
      size: Double(environment.memoryBytes) / bytes
    )
    return Forecast(data, bends: [bend], batchSize: outcome.batchSize)
  }

  private static func recommendation(
    _ answers: [Answer],
    _ population: Population?,
    _ budgets: [ResourceBudget],
    at objects: Double?
  ) -> Recommendation? {
    let candidates = answers.map {
      Recommendation.Candidate(name: $0.name, forecast: $0.forecast)
    }
    if let population {
      return Recommendation(among: candidates, for: population, within: budgets)
    }
    return objects.flatMap { Recommendation(among: candidates, at: $0) }
  }
}
