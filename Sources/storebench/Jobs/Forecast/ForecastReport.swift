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
    let answers: [Answer]
    let recommendation: Recommendation?
  }

  /// The machine that ladders are measured on.
  static let here = {
    #if os(Linux)
      "this Linux machine"
    #else
      "this machine"
    #endif
  }()

  let workload: String
  let environment: Environment
  let sections: [Section]
  let sizes: [ForecastQuestions.Size]
  let budgets: [ResourceBudget]
  let population: Population?

  init(
    workload: String,
    environment: Environment,
    outcomes: [LadderRun.Outcome],
    questions: ForecastQuestions
  ) throws {
    self.workload = workload
    self.environment = environment
    let whole = outcomes.filter { $0.failure == nil }
    let answers = zip(Self.distinct(whole.map(\.name)), whole).map { name, outcome in
      Answer(name: name, forecast: Self.forecast(outcome, environment))
    }
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
    let machines = try Self.machines(questions, answers)
    let largest = sizes.compactMap { size in
      answers.first.flatMap { $0.forecast.objects(of: size) }
    }.max()
    sections = machines.map { machine, title, basis in
      let scaled = answers.map { answer -> Answer in
        var forecast = answer.forecast
        forecast.machine = machine
        return Answer(name: answer.name, forecast: forecast)
      }
      return Section(
        machine: title,
        basis: basis,
        answers: scaled,
        recommendation: Self.recommendation(scaled, population, questions.budgets, at: largest)
      )
    }
  }

  /// The names without the parameters that all of them have alike.
  private static func distinct(_ names: [String]) -> [String] {
    let parts = names.map { $0.split(separator: ",").map(String.init) }
    guard names.count > 1, let first = parts.first else { return names }
    let common = parts.reduce(Set(first)) { $0.intersection($1) }
    return zip(names, parts).map { name, parts in
      let own = parts.filter { !common.contains($0) }
      return own.isEmpty ? name : own.joined(separator: ",")
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

  private typealias Machine = (scale: MachineScale?, title: String, basis: String)

  private static func machines(
    _ questions: ForecastQuestions,
    _ answers: [Answer]
  ) throws -> [Machine] {
    if let profile = questions.profile {
      let there = try MachineProfile(json: profile.data, path: profile.path)
      let scale = questions.here.map { MachineScale(to: there, from: $0) }
      return [(scale, there.machine, "by its profile")]
    }
    guard let input = questions.observed, let first = answers.first else {
      return [(nil, here, "")]
    }
    let observed = try ObservedMigration.read(
      csv: input.text,
      path: input.path,
      scale: first.forecast.sizeScale
    )
    let devices = Set(observed.map(\.device)).sorted()
    let machines = devices.compactMap { device -> Machine? in
      let own = observed.filter { $0.device == device }
      guard let scale = MachineScale(of: own, device: device, against: first.forecast) else {
        return nil
      }
      let migrations = own.count == 1 ? "1 observed migration" : "\(own.count) observed migrations"
      let of = answers.count > 1 ? ", taken to be of the first case" : ""
      return (scale, device.isEmpty ? "the observed devices" : device, "from \(migrations)\(of)")
    }
    return machines.isEmpty ? [(nil, here, "no observed migration is of a known size")] : machines
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

extension Forecast {
  /// The objects of a size; `nil` for bytes where no store's size was measured.
  func objects(of size: ForecastQuestions.Size) -> Double? {
    switch size {
    case .objects(let objects): objects
    case .bytes(let bytes): objects(ofBytes: bytes)
    }
  }
}
