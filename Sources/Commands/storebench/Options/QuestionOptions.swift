import ArgumentParser
import Basics
import Forecasting
import Foundation
import Ladder
import Runner

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

  /// The questions, with the files that belong to them read for stores of some shape.
  ///
  /// - Throws: ``RunnerError/noSuchInput(path:)``, and ``ForecastingError`` for what is wrong in a
  ///   file or is asked of an entity that there is not.
  func read(shape: EntityShape) throws -> ForecastQuestions {
    let sizes = to.compactMap { size($0) }
    for case .entities(let counts) in sizes {
      for name in counts.keys where shape.entity(named: name) == nil {
        throw ForecastingError.unknownEntity(name: name, known: shape.entities)
      }
    }
    let asked =
      (within.isEmpty ? ResourceBudget.launch : budgets(within, .time, .seconds))
      + budgets(memory, .memory, .bytes) + budgets(freeDisk, .disk, .bytes)
    return ForecastQuestions(
      sizes: sizes,
      budgets: asked,
      population: try population.map {
        try PopulationFile(csv: try Self.text(of: $0), path: $0, shape: shape)
      },
      observed: try observed.map {
        ($0, try ObservedMigration.read(csv: try Self.text(of: $0), path: $0, shape: shape))
      },
      profile: try on.map { try MachineProfile(json: Data(try Self.text(of: $0).utf8), path: $0) }
    )
  }

  private func budgets(
    _ texts: [String],
    _ resource: Resource,
    _ dimension: Quantity.Dimension
  ) -> [ResourceBudget] {
    texts.compactMap { positive($0, dimension) }.map { ResourceBudget(resource, limit: $0) }
  }

  private static func text(of path: String) throws -> String {
    do {
      let text = try InputFile.text(of: path, limit: 64 << 20)
      // A file of zeros is text in UTF-8 as well.
      guard !text.utf8.contains(0) else { throw InputFile.Failure.notText }
      return text
    } catch {
      switch error as? InputFile.Failure {
      case .missing: throw RunnerError.noSuchInput(path: path)
      case .isFolder, .notRegular: throw ForecastingError.notAFile(path: path)
      case .tooLarge: throw ForecastingError.tooLarge(path: path, limit: "64 MB")
      default: throw ForecastingError.notReadable(path: path)
      }
    }
  }

  private func size(_ text: String) -> StoreSize? {
    if let bytes = positive(text, .bytes) { return .bytes(bytes) }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.last, let objects = Quantity.count(last, in: 1...10_000_000_000),
      parts.first?.isEmpty == false
    else { return nil }
    return parts.count > 1
      ? .entities([String(parts[0]): Double(objects)]) : .objects(Double(objects))
  }

  private func positive(_ text: String, _ dimension: Quantity.Dimension) -> Double? {
    guard let quantity = Quantity(text), quantity.dimension == dimension, quantity.value > 0,
      quantity.value < 1e15
    else { return nil }
    return quantity.value
  }
}

/// How much of a ladder is measured.
enum ForecastLadder: String, CaseIterable, ExpressibleByArgument {
  case full
  case quick

  var design: LadderDesign {
    switch self {
    case .full: .full()
    case .quick: .quick()
    }
  }
}

enum ForecastFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
}
