import ArgumentParser
import Forecasting
import Runner

/// What is asked of a forecast.
struct QuestionOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Sizes to predict: objects of all entities together, or bytes such as 500MB.",
      valueName: "objects"
    )
  )
  var to: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A time that must be enough, such as 3s; 3 s and 20 s otherwise.",
      valueName: "time"
    )
  )
  var within: [String] = []

  @Option(help: ArgumentHelp("Memory that must be enough, such as 200MB.", valueName: "size"))
  var memory: String?

  @Option(help: ArgumentHelp("Disk that must be enough, such as 1GB.", valueName: "size"))
  var freeDisk: String?

  @Option(help: ArgumentHelp("A CSV of users' store sizes.", valueName: "file"))
  var population: String?

  @Option(
    help: ArgumentHelp(
      "A CSV of migrations that apps reported, to scale to their devices.",
      valueName: "file"
    )
  )
  var observed: String?

  @Option(
    help: ArgumentHelp("Predict for the machine of a profile of 'calibrate'.", valueName: "profile")
  )
  var on: String?

  func validate() throws {
    for text in to where size(text) == nil {
      throw ValidationError(
        "'--to \(text)' must be a number of objects from 1 on, such as 250000, or a size such as "
          + "500MB"
      )
    }
    for text in within where positive(text, .seconds) == nil {
      throw ValidationError("'--within \(text)' must be a time, such as 3s")
    }
    for (name, text) in [("--memory", memory), ("--free-disk", freeDisk)] {
      if let text, positive(text, .bytes) == nil {
        throw ValidationError("'\(name) \(text)' must be a size, such as 200MB")
      }
    }
    if observed != nil, on != nil {
      throw ValidationError("name either '--observed' or '--on': each says what machine it is for")
    }
  }

  /// The questions with the files that belong to them read.
  func read() throws -> ForecastQuestions {
    let times = within.compactMap { positive($0, .seconds) }.map {
      ResourceBudget(.time, limit: $0)
    }
    let memories = memory.flatMap { positive($0, .bytes) }.map {
      [ResourceBudget(.memory, limit: $0)]
    }
    let disks = freeDisk.flatMap { positive($0, .bytes) }.map { [ResourceBudget(.disk, limit: $0)] }
    return ForecastQuestions(
      sizes: to.compactMap { size($0) },
      budgets: (times.isEmpty ? ResourceBudget.launch : times) + (memories ?? []) + (disks ?? []),
      population: try population.map { try TextInput(path: $0) },
      observed: try observed.map { try TextInput(path: $0) },
      profile: try on.map { try TextInput(path: $0) }
    )
  }

  private func size(_ text: String) -> ForecastQuestions.Size? {
    if let bytes = positive(text, .bytes) { return .bytes(bytes) }
    guard let objects = Int(text.filter { $0 != "_" && $0 != "," }), objects >= 1,
      objects <= 10_000_000_000
    else { return nil }
    return .objects(Double(objects))
  }

  private func positive(_ text: String, _ dimension: Quantity.Dimension) -> Double? {
    guard let quantity = Quantity(text), quantity.dimension == dimension, quantity.value > 0,
      quantity.value < 1e15
    else { return nil }
    return quantity.value
  }
}
