import Basics
import Forecasting
import Measurement
import Reporter

/// A machine that answers are for, and what is known of it.
struct ForecastMachine {
  /// `nil` for the machine that the ladder was measured on.
  let scale: MachineScale?
  /// Such as `this Linux machine`.
  let title: String
  var basis = ""
  var note = ""

  /// The machine that ladders are measured on.
  static let here = {
    #if os(Linux)
      "this Linux machine"
    #else
      "this machine"
    #endif
  }()

  /// The machines that were asked for: that of a profile, or each device of observed migrations.
  static func all(
    _ questions: ForecastQuestions,
    _ answers: [ForecastReport.Answer]
  ) throws -> [ForecastMachine] {
    if let profile = questions.profile, let here = questions.here {
      return [try machine(of: profile, from: here)]
    }
    guard let input = questions.observed, let first = answers.first else {
      return [
        ForecastMachine(
          scale: nil,
          title: here,
          note: "A phone is another machine: '--observed' scales these times by migrations that an "
            + "app reported, '--on' by what 'storebench calibrate --print-source' measures on it."
        )
      ]
    }
    return try devices(of: input, answers, first)
  }

  private static func machine(of input: TextInput, from here: UnitCosts) throws -> ForecastMachine {
    let there = try MachineProfile(json: input.data, path: input.path)
    let scale = MachineScale(to: there, from: here)
    let syncs = [there.costs.sync, here.sync].map { Figures.seconds($0) }
    return ForecastMachine(
      scale: scale,
      title: there.machine,
      basis: "by its profile: a row takes \(scale.factor.times) the time here, a sync \(syncs[0]) "
        + "against \(syncs[1])",
      note: "That they differ otherwise by \(MachineScale.unlikeness.percent) is assumed; that "
        + "and the scatter of both calibrations, \((there.costs.scatter ?? 0).percent) and "
        + "\((here.scatter ?? 0).percent), widen the intervals."
    )
  }

  private static func devices(
    of input: TextInput,
    _ answers: [ForecastReport.Answer],
    _ first: ForecastReport.Answer
  ) throws -> [ForecastMachine] {
    let observed = try ObservedMigration.read(
      csv: input.text,
      path: input.path,
      scale: first.forecast.sizeScale
    )
    var machines: [ForecastMachine] = []
    var unknown: [String] = []
    for device in Set(observed.map(\.device)).sorted() {
      let own = observed.filter { $0.device == device }
      let title = device.isEmpty ? "the observed devices" : device
      guard let scale = MachineScale(of: own, device: device, against: first.forecast) else {
        unknown.append(title)
        continue
      }
      let migrations =
        own.count == 1 ? "1 observed migration" : "\(own.count) observed migrations"
      machines.append(
        ForecastMachine(
          scale: scale,
          title: title,
          basis: "from \(migrations): \(scale.factor.times) the time here",
          note: note(of: own.count, answers)
        )
      )
    }
    guard !unknown.isEmpty else { return machines }
    let left =
      "'\(input.path)' says nothing of \(unknown.joined(separator: ", ")): nothing is known of "
      + "migrations of those sizes on this machine."
    guard !machines.isEmpty else { return [ForecastMachine(scale: nil, title: here, note: left)] }
    machines[machines.count - 1].note += " " + left
    return machines
  }

  private static func note(of count: Int, _ answers: [ForecastReport.Answer]) -> String {
    let scatter =
      count == 1
      ? "One migration alone is taken to scatter by \(MachineScale.priorDeviation.percent), which "
        + "widens the intervals."
      : "Their scatter about the forecast widens the intervals."
    guard answers.count > 1, let name = answers.first?.name else { return scatter }
    return scatter + " They are taken to be of the first strategy below, \(name)."
  }
}

extension Double {
  /// A factor with two or three digits: `0.85 times`, `7.3 times`.
  fileprivate var times: String {
    Figures.fixed(self, decimals: self < 1 ? 2 : self < 100 ? 1 : 0) + " times"
  }
}
