import ArgumentParser
import Basics
import Forecasting

/// What is asked of a forecast.
struct QuestionOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Sizes to predict: objects of all entities together, of one such as Task=40000, or a "
        + "store's bytes such as 500MB.",
      valueName: "size"
    )
  )
  var to: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A time that must be enough, such as 3s; 3 s and 20 s otherwise. May be repeated, as may "
        + "the next two.",
      valueName: "time"
    )
  )
  var within: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Memory that must be enough, such as 200MB.", valueName: "size")
  )
  var memory: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Disk that must be enough, such as 1GB.", valueName: "size")
  )
  var freeDisk: [String] = []

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
        "'--to \(text)' must be a number of objects from 1 to 10,000,000,000, such as 250000 or "
          + "Task=40000, or a store's size, such as 500MB"
      )
    }
    for text in within where positive(text, .seconds) == nil {
      throw ValidationError("'--within \(text)' must be a time above 0, such as 500ms, 3s or 2min")
    }
    for (name, texts) in [("--memory", memory), ("--free-disk", freeDisk)] {
      for text in texts where positive(text, .bytes) == nil {
        throw ValidationError("'\(name) \(text)' must be a size above 0, such as 200MB or 1GB")
      }
    }
    if observed != nil, on != nil {
      throw ValidationError("name either '--observed' or '--on': each says what machine it is for")
    }
  }

  /// The questions with the files that belong to them read.
  func read() throws -> ForecastQuestions {
    func budgets(_ texts: [String], _ resource: Resource, _ dimension: Quantity.Dimension)
      -> [ResourceBudget]
    {
      texts.compactMap { positive($0, dimension) }.map { ResourceBudget(resource, limit: $0) }
    }
    return ForecastQuestions(
      sizes: to.compactMap { size($0) },
      budgets: (within.isEmpty ? ResourceBudget.launch : budgets(within, .time, .seconds))
        + budgets(memory, .memory, .bytes) + budgets(freeDisk, .disk, .bytes),
      population: try population.map { try TextInput(path: $0) },
      observed: try observed.map { try TextInput(path: $0) },
      profile: try on.map { try TextInput(path: $0) }
    )
  }

  private func size(_ text: String) -> ForecastQuestions.Size? {
    if let bytes = positive(text, .bytes) { return .bytes(bytes) }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.last, let objects = Quantity.count(last, in: 1...10_000_000_000),
      parts.first?.isEmpty == false
    else { return nil }
    return parts.count > 1 ? .entity(String(parts[0]), Double(objects)) : .objects(Double(objects))
  }

  private func positive(_ text: String, _ dimension: Quantity.Dimension) -> Double? {
    guard let quantity = Quantity(text), quantity.dimension == dimension, quantity.value > 0,
      quantity.value < 1e15
    else { return nil }
    return quantity.value
  }
}
