import Basics
import Runner

/// The sizes, budgets and users for which a forecast is requested.
package struct ForecastQuestions {
  package var sizes: [StoreSize]
  package var budgets: [ResourceBudget]
  package var population: PopulationFile?
  /// Migrations that apps reported, with the path of their file.
  package var observed: (path: String, migrations: [ObservedMigration])?
  package var profile: MachineProfile?
  /// The path of the store on which the ladder's stores are modeled; `nil` if a recipe determines
  /// them.
  package var like: String?
  /// The unit costs of this machine; `nil` unless a profile of another machine is given.
  package var here: UnitCosts?

  package init(
    sizes: [StoreSize] = [],
    budgets: [ResourceBudget] = ResourceBudget.launch,
    population: PopulationFile? = nil,
    observed: (path: String, migrations: [ObservedMigration])? = nil,
    profile: MachineProfile? = nil
  ) {
    self.sizes = sizes
    self.budgets = budgets
    self.population = population
    self.observed = observed
    self.profile = profile
  }
}

/// A forecast with the answers to its questions.
package struct ForecastReport {
  /// The forecast of one case (strategy) on one machine.
  package struct Answer {
    package let name: String
    /// The final data and the safeguards of the case; only strategies with the same goal are
    /// compared.
    package let goal: String
    /// Whether the case's cost is only a lower bound, because no app can ship the case.
    package let isLowerBound: Bool
    /// The name of the way in which Core Data's own migration works; `nil` if the app's code
    /// migrates.
    package let frameworkWay: String?
    /// The assumptions about Apple's code that have alternatives.
    package let assumptions: [Behaviour]
    package fileprivate(set) var forecast: Forecast

    /// The name without the parameters that describe how Core Data's own migration works, because
    /// developers cannot choose them.
    package var choice: String { ForecastReport.choice(name) }

    var title: String {
      let words = CaseDimensions.words(ofParameters: choice)
      guard strategyParameter == nil, let frameworkWay else { return words }
      return words.isEmpty ? frameworkWay : "\(frameworkWay), \(words)"
    }

    /// The strategy in words, such as `side by side`; `nil` if it is not known.
    var strategy: String? {
      strategyParameter.map { CaseDimensions.words(ofParameters: $0) } ?? frameworkWay
    }

    private var strategyParameter: String? { parameters.first { $0.hasPrefix("strategy=") } }

    /// The parts of the name, such as `saves=one`.
    package var parameters: [String] { name.split(separator: ",").map(String.init) }
  }

  /// One machine with its forecasts.
  package struct Section {
    /// The name of the machine, such as `this Linux machine`.
    package let machine: String
    /// The source of the machine's times; empty for the machine on which the ladder (runs on stores
    /// of increasing size) was measured.
    package let basis: String
    /// A remark for display.
    package let note: String
    /// The observed migrations that were not used, with the reasons; `nil` if all were used.
    package let leftOut: String?
    package let answers: [Answer]
    package let recommendation: Recommendation?

    /// The answers of the recommended strategy or of the only strategy, one for each assumption
    /// about how Core Data's own migration works; empty if there is neither.
    package var best: [Answer] {
      if let recommendation { return answers.filter { $0.choice == recommendation.name } }
      let usable = answers.filter { !$0.isLowerBound }
      let found = usable.isEmpty ? answers : usable
      return Set(found.map(\.choice)).count == 1 ? found : []
    }
  }

  /// A strategy for which nothing is predicted, because a run failed.
  package struct Failure {
    package let name: String
    /// The size of the run and the cause, such as `at 4,000 objects: verification failed`.
    package let reason: String
  }

  /// The largest store: the users' largest or, if the users' stores are not known, the largest
  /// requested size.
  ///
  /// If the time of the largest store is unknown, the largest requested size with a known time
  /// precedes it.
  package func largestSizes(of forecast: Forecast) -> [StoreSize] {
    let asked = sizes.compactMap { size in forecast.objects(of: size).map { (size, $0) } }
      .sorted { $0.1 < $1.1 }.map(\.0)
    let isKnown = { (size: StoreSize) in
      (try? forecast.answer(to: size)?.time.get()) != nil
    }
    guard let largest = population.map({ .objects($0.largest) }) ?? asked.last else { return [] }
    return isKnown(largest)
      ? [largest] : (asked.last(where: isKnown).map { [$0] } ?? []) + [largest]
  }

  package let workload: String
  package let environment: Environment
  package let sections: [Section]
  package let failures: [Failure]
  /// The path of the store on which the ladder's stores are modeled; `nil` if a recipe determines
  /// them.
  package let like: String?
  /// The path of the file with observed migrations; `nil` if the user gave no such file.
  package let observedPath: String?
  package let sizes: [StoreSize]
  /// Whether the user requested the sizes; if not, the ladder determines them.
  let hasRequestedSizes: Bool
  package let budgets: [ResourceBudget]
  package let population: Population?
  /// The path of the file that lists the sizes of users' stores.
  package let populationPath: String
  /// The number of objects by entity in the ladder's largest store.
  package let counts: [String: Int]
  /// The parameters that all strategies share, which their names omit; the strategy itself is in
  /// every name.
  package let common: [String]
  /// Remarks on options that override the files' values, and on omissions.
  package let notes: [String]

  package init(
    workload: String,
    environment: Environment,
    outcomes: [LadderRun.Outcome],
    questions: ForecastQuestions,
    notes: [String] = [],
    memory: (Double) -> MemoryReturn? = { _ in nil }
  ) {
    self.workload = workload
    self.environment = environment
    let names = Self.strategies(outcomes.map(\.name))
    common = names.common
    let named = Array(zip(names.own, outcomes))
    failures = named.compactMap { name, outcome in
      outcome.failure.map { Failure(name: name, reason: $0) }
    }
    (like, observedPath) = (questions.like, questions.observed?.path)
    var answers = named.filter { $0.1.failure == nil }.map { name, outcome in
      Answer(
        name: name,
        goal: outcome.goal,
        isLowerBound: outcome.isLowerBound,
        frameworkWay: outcome.frameworkWay,
        assumptions: outcome.assumptions,
        forecast: Self.forecast(outcome, environment)
      )
    }
    let first = answers.first?.forecast
    counts = first?.data.rungs.last?.objects ?? [:]
    let population = first.flatMap { questions.population?.population(for: $0) }
    let top = first?.data.top ?? 0
    hasRequestedSizes = !questions.sizes.isEmpty
    sizes =
      hasRequestedSizes ? questions.sizes : [1, 4, 16].map { .objects((top * $0).rounded()) }
    budgets = questions.budgets
    let largestSize = max(
      sizes.compactMap { first?.objects(of: $0) }.max() ?? 0,
      population?.largest ?? 0
    )
    let machines = ForecastMachine.all(questions, answers)
    // Memory that is returned to the host delays runs on the measuring machine only.
    let isHere = machines.contains { $0.scale == nil }
    let found = isHere ? Self.memoryReturn(of: answers, at: largestSize, memory) : nil
    if let found {
      for index in answers.indices { answers[index].forecast.memoryReturn = found }
    }
    self.notes = notes + Self.memoryNotes(found, answers, at: largestSize)
    self.population = population
    populationPath = questions.population?.path ?? ""
    let largest = Self.largest(of: sizes, areRequested: hasRequestedSizes, population, first)
    sections = machines.map { machine in
      let scaled = answers.map { answer -> Answer in
        var scaled = answer
        scaled.forecast.machine = machine.ownScales[answer.name] ?? machine.scale
        return scaled
      }
      return Section(
        machine: machine.title,
        basis: machine.basis,
        note: machine.note,
        leftOut: machine.leftOut,
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
    let bend = Forecast.Bend(
      name: "its files are larger than the machine's memory",
      size: Double(environment.memoryBytes) / bytes
    )
    return Forecast(data, bends: [bend], batchSize: outcome.batchSize)
  }

  /// The memory use, in bytes, above which returning memory to the host can affect times.
  private static let muchMemory = 1e9

  /// Measures whether the machine returns memory, if a run of the largest size needs much memory.
  private static func memoryReturn(
    of answers: [Answer],
    at objects: Double,
    _ probe: (Double) -> MemoryReturn?
  ) -> MemoryReturn? {
    let needed = answers.map { $0.forecast.touchedBytes(objects: objects) }.max() ?? 0
    return needed > muchMemory ? probe(needed) : nil
  }

  private static func memoryNotes(
    _ found: MemoryReturn?,
    _ answers: [Answer],
    at objects: Double
  ) -> [String] {
    guard let found else { return [] }
    let delay = answers.map { $0.forecast.memoryDelay(objects: objects) }.max() ?? 0
    guard delay > 0 else { return [] }
    return [
      "this virtual machine returns free memory to its host: \(Figures.bytes(found.atHand)) are "
        + "available now, and each further GB takes "
        + "\(Figures.seconds(found.secondsPerByte * 1e9)) longer; the times include up to "
        + "\(Figures.seconds(delay)) for this"
    ]
  }

  /// The store for which a strategy must be fast enough.
  private struct Largest {
    let objects: Double
    let number: String
    let words: String
  }

  /// The users' largest store, or the largest requested size; `nil` if no size is known.
  private static func largest(
    of sizes: [StoreSize],
    areRequested: Bool,
    _ population: Population?,
    _ forecast: Forecast?
  ) -> Largest? {
    if let population {
      let number = population.largest.whole
      let words =
        population.beyond > 0
        ? "stores of up to \(number) objects, which \(Figures.part(1 - population.beyond)) of your "
          + "users have" : "the largest store, \(number) objects"
      return Largest(objects: population.largest, number: number, words: words)
    }
    let known = sizes.compactMap { size -> (size: StoreSize, objects: Double)? in
      guard let objects = forecast?.objects(of: size) else { return nil }
      return (size, objects)
    }
    return known.max { $0.objects < $1.objects }.map { size, objects in
      let number = size.words(objects: objects)
      return Largest(
        objects: objects,
        number: number,
        words: areRequested
          ? "the largest store, \(number) objects" : "stores of up to \(number) objects"
      )
    }
  }

  private static func recommendation(
    _ all: [Answer],
    _ population: Population?,
    _ budgets: [ResourceBudget],
    at largest: Largest?
  ) -> Recommendation? {
    // Do not recommend strategies with another goal, or strategies that no app can ship.
    let shippable = all.filter { !$0.isLowerBound }
    let goal = Self.goal(of: all)
    let answers = shippable.filter { $0.goal == goal }
    if let largest,
      let enough = Recommendation(
        whatIsEnoughAmong: answers,
        at: largest.objects,
        within: budgets,
        store: largest.words,
        goal: Set(shippable.map(\.goal)).count > 1 ? goal : nil
      )
    {
      return enough
    }
    // Judge a strategy by the slowest of the assumed ways in which Core Data's own migration may
    // work.
    let size = population.map { $0.quantile(0.99) } ?? largest?.objects ?? 0
    let candidates = Dictionary(grouping: answers.enumerated()) { $0.element.choice }.values
      .sorted { ($0.first?.offset ?? 0) < ($1.first?.offset ?? 0) }
      .compactMap { shapes in
        shapes.map(\.element).max { $0.upperTime(at: size) < $1.upperTime(at: size) }
      }
      .map { (name: $0.choice, forecast: $0.forecast) }
    if let population {
      return Recommendation(among: candidates, for: population, within: budgets)
    }
    return largest.flatMap {
      Recommendation(among: candidates, at: $0.objects, within: budgets, size: $0.number)
    }
  }

  /// A strategy's name without the parameters that describe how Core Data's own migration works.
  ///
  /// `shape=deferred` stays, because the app itself requests it.
  static func choice(_ name: String) -> String {
    name.split(separator: ",").map(String.init).filter { !isFrameworkShape($0) }
      .joined(separator: ",")
  }

  private static func isFrameworkShape(_ part: String) -> Bool {
    ["shape=inPlace", "shape=rebuild"].contains(part)
  }

  /// The goal of the compared strategies, among those that an app can ship.
  ///
  /// The goal is that of Core Data's own migration, because other strategies are needed only if
  /// that migration is too slow. If no strategy is Core Data's own migration, the most frequent
  /// goal is chosen; in case of a tie, the first.
  package static func goal(of answers: [Answer]) -> String? {
    let shippable = answers.filter { !$0.isLowerBound }
    if let own = shippable.first(where: { $0.frameworkWay != nil }) { return own.goal }
    let goals = shippable.map(\.goal)
    return goals.max { left, right in
      let counts = [left, right].map { goal in goals.count { $0 == goal } }
      return counts[0] < counts[1]
    }
  }

  /// The names of the strategies without the parameters that all share, and the shared parameters
  /// in the order of the first name.
  ///
  /// The parameter `strategy` stays in every name. A name is not shortened if it would be empty or
  /// would only describe how Core Data's own migration works.
  static func strategies(_ names: [String]) -> (own: [String], common: [String]) {
    let parts = names.map { $0.split(separator: ",").map(String.init) }
    guard names.count > 1, let first = parts.first else { return (names, []) }
    let shared = parts.reduce(Set(first)) { $0.intersection($1) }
      .filter { !$0.hasPrefix("strategy=") }
    let own = zip(names, parts).map { name, parts in
      let own = parts.filter { !shared.contains($0) }
      return own.allSatisfy { isFrameworkShape($0) } ? name : own.joined(separator: ",")
    }
    return (own, first.filter(shared.contains))
  }
}

extension ForecastReport.Answer {
  fileprivate func upperTime(at objects: Double) -> Double {
    (try? forecast.predict(.time, objects: objects).get().high) ?? .infinity
  }
}
