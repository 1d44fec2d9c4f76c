import Basics
import Runner

struct ForecastMachine {
  private typealias Comparison = (migration: ObservedMigration, answers: [ForecastReport.Answer])

  /// The scale from the ladders' times to the forecast machine's times, for answers without a scale
  /// in `ownScales`; `nil` for the machine on which ladders are measured.
  let scale: MachineScale?
  /// The scales of the answers (one forecast per strategy) by name, if migrations were observed.
  var ownScales: [String: MachineScale] = [:]
  let title: String
  var basis = ""
  var note = ""
  /// The observed migrations that were not used, with the reasons; `nil` if all were used.
  var leftOut: String?

  /// The name of the machine on which ladders are measured.
  static let here = {
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
      basis: "by its machine profile: a row takes \(ends(of: [scale.factor])[0]) times the time of "
        + "this machine, a sync \(syncs[0]) instead of \(syncs[1])",
      note: "Other differences are assumed to be \(MachineScale.unlikeness.percent). They and the "
        + "dispersion of the calibrations (\(words(of: here.scatter)) here, "
        + "\(words(of: there.costs.scatter)) there) widen the intervals."
    )
  }

  private static func words(of scatter: Double?) -> String { scatter?.percent ?? "not measured" }

  private static func devices(
    of observed: [ObservedMigration],
    _ path: String,
    _ answers: [ForecastReport.Answer]
  ) -> [ForecastMachine] {
    var machines: [ForecastMachine] = []
    var unused: [String] = []
    for device in Set(observed.map(\.device)).sorted() {
      let own = observed.filter { $0.device == device }
      let title = device.isEmpty ? "the observed devices" : device
      let compared = own.map { migration -> Comparison in
        let names = migration.mayBe(answers.map(\.name))
        return (migration, answers.filter { names.contains($0.name) })
      }
      let obstacles = compared.map { obstacle(to: $0.migration, $0.answers.map(\.forecast)) }
      let why = obstacles.compactMap(\.self).unique.joined(separator: ", and ")
      guard let scale = machineScale(by: compared) else {
        unused.append("no prediction for \(title), because \(why)")
        continue
      }
      if scale.reports < own.count {
        unused.append(
          "\(own.count - scale.reports) of \(own.count) migrations of \(title) not used, because "
            + why
        )
      }
      let scales = answers.map { ownScale(of: $0, by: compared) ?? scale }
      let factors = ends(of: scales.map(\.factor))
      machines.append(
        ForecastMachine(
          scale: scale,
          ownScales: Dictionary(zip(answers.map(\.name), scales)) { $1 },
          title: title,
          basis: "from \(Figures.counted(scale.reports, "observed migration")): "
            + "\(factors.joined(separator: " to ")) times the time of this machine"
            + (factors.count > 1 ? ", depending on how the framework's own migration works" : ""),
          note: note(of: own.indices.filter { obstacles[$0] == nil }.map { own[$0] })
        )
      )
    }
    guard !unused.isEmpty else { return machines }
    let left = "'\(path)': \(unused.joined(separator: "; "))."
    guard !machines.isEmpty else {
      let why = left + " The times are those of \(here)."
      return [ForecastMachine(scale: nil, title: here, leftOut: why)]
    }
    machines[machines.count - 1].leftOut = left
    return machines
  }

  /// The scale of an answer, computed from the migrations observed on a device.
  ///
  /// It is not known how Core Data carried out the observed migrations. If possible, their times
  /// are compared only with forecasts that agree with the answer's assumptions.
  private static func ownScale(
    of answer: ForecastReport.Answer,
    by compared: [Comparison]
  ) -> MachineScale? {
    let alike = compared.map { migration, answers -> Comparison in
      let own = answers.filter { !$0.contradicts(answer) }
      return (migration, own.isEmpty ? answers : own)
    }
    return machineScale(by: alike)
  }

  private static func machineScale(by compared: [Comparison]) -> MachineScale? {
    MachineScale(of: compared.map { ($0.migration, $0.answers.map(\.forecast)) })
  }

  /// The reason why an observed migration cannot be compared with any forecast of its strategy;
  /// `nil` if a comparison is possible.
  private static func obstacle(
    to migration: ObservedMigration,
    _ forecasts: [Forecast]
  ) -> String? {
    guard !forecasts.isEmpty else { return "the strategy '\(migration.strategy)' failed here" }
    var obstacle = ""
    for forecast in forecasts {
      let objects = forecast.sizeScale.knownObjects(of: migration.size)
      switch forecast.predict(.time, objects: objects) {
      case .success where objects >= 1: return nil
      case .success: obstacle = "its store has less than one object"
      case .failure(let refusal):
        let number = migration.size.words(objects: objects)
        obstacle = "a store of \(number) objects cannot be compared: \(refusal.cause)"
      }
    }
    return obstacle
  }

  private static func note(of observed: [ObservedMigration]) -> String {
    let scatter =
      observed.count == 1
      ? "For one migration alone, a dispersion of \(MachineScale.priorDeviation.percent) is "
        + "assumed, which widens the intervals."
      : "Their deviations from the forecast widen the intervals."
    let names = Set(observed.map(\.strategy)).subtracting([""]).sorted()
    guard !names.isEmpty else { return scatter }
    return scatter + " Observed strategies: \(Figures.few(names, most: names.count))."
  }

  /// The smallest and the largest factor as rounded text, such as `0.85` and `7.3`; a single text
  /// if they are equal.
  private static func ends(of factors: [Double]) -> [String] {
    [factors.min(), factors.max()].compactMap(\.self).map { factor in
      Figures.fixed(factor, decimals: factor < 1 ? 2 : factor < 100 ? 1 : 0)
    }.unique
  }
}

extension ForecastReport.Answer {
  /// Whether the answers assume different values of the same Core Data behavior, so that at most
  /// one answer can match a device.
  fileprivate func contradicts(_ other: ForecastReport.Answer) -> Bool {
    assumptions.contains { own in
      other.assumptions.contains { $0.name == own.name && $0.value != own.value }
    }
  }
}
