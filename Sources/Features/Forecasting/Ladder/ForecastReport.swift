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
  /// The unit costs of this machine, which are measured if a profile of another machine is given.
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
    package let answers: [Answer]
    package let recommendation: Recommendation?

    /// The recommended strategy, or the only one.
    ///
    /// There is one answer for each assumption about how Core Data's own migration works.
    package var best: [Answer] {
      if let recommendation { return answers.filter { $0.choice == recommendation.name } }
      let usable = answers.filter { !$0.isLowerBound }
      let found = usable.isEmpty ? answers : usable
      return Set(found.map(\.choice)).count == 1 ? found : []
    }
  }

  /// The largest store, either the users' or the largest requested size.
  ///
  /// If its time is unknown, the largest requested size with a known time precedes it.
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
  package let sizes: [StoreSize]
  package let budgets: [ResourceBudget]
  package let population: Population?
  /// The path of the file from which the population was read.
  package let populationPath: String
  /// The number of objects by entity in the ladder's largest store.
  package let counts: [String: Int]
  /// The parameters that all strategies share, which their names omit.
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
    let whole = outcomes.filter { $0.failure == nil }
    let names = Self.strategies(whole.map(\.name))
    common = names.common
    var answers = zip(names.own, whole).map { name, outcome in
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
    sizes =
      questions.sizes.isEmpty
      ? [1, 4, 16].map { .objects((top * $0).rounded()) } : questions.sizes
    budgets = questions.budgets
    let largestSize = max(
      sizes.compactMap { first?.objects(of: $0) }.max() ?? 0,
      population?.largest ?? 0
    )
    let found = Self.memoryReturn(of: answers, at: largestSize, memory)
    if let found {
      for index in answers.indices { answers[index].forecast.memoryReturn = found }
    }
    self.notes = notes + Self.memoryNotes(found, answers, at: largestSize)
    self.population = population
    populationPath = questions.population?.path ?? ""
    let largest = sizes.compactMap { first?.objects(of: $0) }.max()
    sections = ForecastMachine.all(questions, answers).map { machine in
      let scaled = answers.map { answer -> Answer in
        var scaled = answer
        scaled.forecast.machine = machine.scale
        return scaled
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

  /// A note that the machine returns memory to its host, and how much time that may add.
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

  private static func recommendation(
    _ answers: [Answer],
    _ population: Population?,
    _ budgets: [ResourceBudget],
    at objects: Double?
  ) -> Recommendation? {
    // Strategies that do less, or that no app can ship, are not recommended.
    let answers = answers.filter { !$0.isLowerBound && $0.goal == Self.goal(of: answers) }
    if let largest = population?.largest ?? objects,
      let enough = Recommendation(whatIsEnoughAmong: answers, at: largest, within: budgets)
    {
      return enough
    }
    // A strategy is judged by the slowest of the assumed ways in which Core Data's own migration
    // may work.
    let size = population.map { $0.quantile(0.99) } ?? objects ?? 0
    let candidates = Dictionary(grouping: answers.enumerated()) { $0.element.choice }.values
      .sorted { ($0.first?.offset ?? 0) < ($1.first?.offset ?? 0) }
      .compactMap { shapes in
        shapes.map(\.element).max { $0.upperTime(at: size) < $1.upperTime(at: size) }
      }
      .map { (name: $0.choice, forecast: $0.forecast) }
    if let population {
      return Recommendation(among: candidates, for: population, within: budgets)
    }
    return objects.flatMap { Recommendation(among: candidates, at: $0) }
  }

  /// A strategy's name without the parameters that describe how Core Data's own migration works.
  static func choice(_ name: String) -> String {
    name.split(separator: ",").filter { !$0.hasPrefix("shape=") }.joined(separator: ",")
  }

  /// The most frequent goal among the strategies that an app can ship; in case of a tie, the first.
  package static func goal(of answers: [Answer]) -> String? {
    let goals = answers.filter { !$0.isLowerBound }.map(\.goal)
    return goals.max { left, right in
      let counts = [left, right].map { goal in goals.count { $0 == goal } }
      return counts[0] < counts[1]
    }
  }

  /// The names of the strategies without the parameters that all of them share, and the shared
  /// parameters in the order of the first name.
  ///
  /// A single strategy keeps its full name.
  static func strategies(_ names: [String]) -> (own: [String], common: [String]) {
    let parts = names.map { $0.split(separator: ",").map(String.init) }
    guard names.count > 1, let first = parts.first else { return (names, []) }
    let shared = parts.reduce(Set(first)) { $0.intersection($1) }
    let own = zip(names, parts).map { name, parts in
      let own = parts.filter { !shared.contains($0) }
      return own.isEmpty ? name : own.joined(separator: ",")
    }
    return (own, first.filter(shared.contains))
  }
}

/// A machine for which predictions are made.
private struct ForecastMachine {
  /// The scale relative to the ladder's machine; `nil` for the ladder's machine itself.
  let scale: MachineScale?
  let title: String
  var basis = ""
  var note = ""

  /// The name of the machine on which ladders are measured.
  private static let here = {
    #if os(Linux)
      "this Linux machine"
    #else
      "this machine"
    #endif
  }()

  /// The requested machines: the profile's machine, or each device of the observed migrations.
  static func all(
    _ questions: ForecastQuestions,
    _ answers: [ForecastReport.Answer]
  ) -> [ForecastMachine] {
    if let profile = questions.profile, let here = questions.here {
      return [machine(of: profile, from: here)]
    }
    guard let (path, migrations) = questions.observed, !answers.isEmpty else {
      return [
        ForecastMachine(
          scale: nil,
          title: here,
          note: "A phone is a different machine. '--observed' scales these times to migrations "
            + "measured on devices, '--on' to a machine profile that 'storebench calibrate "
            + "--print-source' measures on the device."
        )
      ]
    }
    return devices(of: migrations, path, answers)
  }

  private static func machine(of there: MachineProfile, from here: UnitCosts) -> ForecastMachine {
    let scale = MachineScale(to: there, from: here)
    let syncs = [there.costs.sync, here.sync].map { Figures.seconds($0) }
    return ForecastMachine(
      scale: scale,
      title: there.machine,
      basis: "by its machine profile: a row takes \(times(scale.factor)) the time of this machine, "
        + "a sync \(syncs[0]) instead of \(syncs[1])",
      note: "Other differences are assumed to be \(MachineScale.unlikeness.percent). They and the "
        + "dispersion of both calibrations, \((there.costs.scatter ?? 0).percent) and "
        + "\((here.scatter ?? 0).percent), widen the intervals."
    )
  }

  private static func devices(
    of observed: [ObservedMigration],
    _ path: String,
    _ answers: [ForecastReport.Answer]
  ) -> [ForecastMachine] {
    var machines: [ForecastMachine] = []
    var unknown: [String] = []
    for device in Set(observed.map(\.device)).sorted() {
      let own = observed.filter { $0.device == device }
      let title = device.isEmpty ? "the observed devices" : device
      let forecasts = own.map { migration in
        let names = migration.mayBe(answers.map(\.name))
        return (migration, answers.filter { names.contains($0.name) }.map(\.forecast))
      }
      guard let scale = MachineScale(of: forecasts) else {
        unknown.append(title)
        continue
      }
      machines.append(
        ForecastMachine(
          scale: scale,
          title: title,
          basis: "from \(Figures.counted(own.count, "observed migration")): \(times(scale.factor)) "
            + "the time of this machine",
          note: note(of: own)
        )
      )
    }
    guard !unknown.isEmpty else { return machines }
    let left =
      "'\(path)': no prediction for \(unknown.joined(separator: ", ")), because migrations of this "
      + "size have not been measured on this machine."
    guard !machines.isEmpty else { return [ForecastMachine(scale: nil, title: here, note: left)] }
    machines[machines.count - 1].note += " " + left
    return machines
  }

  private static func note(of observed: [ObservedMigration]) -> String {
    let scatter =
      observed.count == 1
      ? "For one migration alone, a dispersion of \(MachineScale.priorDeviation.percent) is "
        + "assumed, which widens the intervals."
      : "Their deviations from the forecast widen the intervals."
    let names = Set(observed.map(\.strategy)).subtracting([""]).sorted()
    guard !names.isEmpty else { return scatter }
    return scatter + " They took: \(names.joined(separator: ", "))."
  }

  /// Formats a factor with two or three digits, such as `0.85 times` or `7.3 times`.
  private static func times(_ factor: Double) -> String {
    Figures.fixed(factor, decimals: factor < 1 ? 2 : factor < 100 ? 1 : 0) + " times"
  }
}

extension ForecastReport.Answer {
  /// The upper end of the time for a number of objects; infinite if it is unknown.
  fileprivate func upperTime(at objects: Double) -> Double {
    (try? forecast.predict(.time, objects: objects).get().high) ?? .infinity
  }
}
