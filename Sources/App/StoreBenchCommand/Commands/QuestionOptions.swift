import ArgumentParser
import Basics
import Forecasting
import Foundation
import Runner

struct QuestionOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Sizes to predict: a total number of objects (40000), the objects of one entity \
      (Task=40000) or a store size (500MB).
      """,
      valueName: "size"
    )
  )
  var to: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      """
      Budget: a time (3s), memory (memory=200MB) or disk (disk=1GB). Repeatable. (default: 3s and \
      20s)
      """,
      valueName: "budget"
    )
  )
  var within: [String] = []

  @Option(help: ArgumentHelp("A CSV of users' store sizes.", valueName: "file"))
  var population: String?

  @Option(
    help: ArgumentHelp(
      "A CSV of migration times measured on devices; the forecast is scaled to those devices.",
      valueName: "file"
    )
  )
  var observed: String?

  @Option(
    help: ArgumentHelp(
      "Predict for another machine, described by this profile from 'calibrate'.",
      valueName: "profile"
    )
  )
  var on: String?

  func validate() throws {
    for text in to where size(text) == nil {
      throw ValidationError(
        "'--to \(text)' must be a number of objects from 1 to 10,000,000,000, such as 250000 or "
          + "Task=40000, or a store's size, such as 500MB"
      )
    }
    for text in within where Self.budget(text) == nil {
      throw ValidationError(
        "'--within \(text)' must be a time above 0, such as 3s, or a size of memory or disk, such as "
          + "memory=200MB or disk=1GB"
      )
    }
    if observed != nil, on != nil {
      throw ValidationError(
        "use either '--observed' or '--on': both choose the machine of the forecast"
      )
    }
  }

  /// Reads the questions that a forecast answers, and the files that they name; `shape` describes
  /// the growth of the stores' entities.
  ///
  /// - Throws: ``Refusal/noSuchInput(path:)``, or ``Refusal`` for a problem in a file or an unknown
  ///   entity.
  func read(shape: EntityShape) throws -> ForecastQuestions {
    let sizes = to.compactMap { size($0) }
    for case .entities(let counts) in sizes {
      for name in counts.keys where shape.entity(named: name) == nil {
        throw Refusal.unknownEntity(name: name, known: shape.entities)
      }
    }
    let asked = within.compactMap(Self.budget)
    return ForecastQuestions(
      sizes: sizes,
      budgets: (asked.contains { $0.resource == .time } ? [] : ResourceBudget.launch) + asked,
      population: try population.map {
        try PopulationFile(csv: Self.text(of: $0), path: $0, shape: shape)
      },
      observed: try observed.map {
        ($0, try ObservedMigration.read(csv: try Self.text(of: $0), path: $0, shape: shape))
      },
      profile: try on.map { try MachineProfile(json: Data(try Self.text(of: $0).utf8), path: $0) }
    )
  }

  static func text(of path: String) throws -> String {
    do {
      let text = try InputFile.text(of: path, limit: 64 << 20)
      // Reject zero bytes, which are valid UTF-8: a damaged file may consist only of zeros.
      guard !text.utf8.contains(0) else { throw InputFile.Failure.notText }
      return text
    } catch {
      switch error as? InputFile.Failure {
      case .missing: throw Refusal.noSuchInput(path: path)
      case .isFolder, .notRegular:
        throw Refusal.badInput("'\(path)' is not a regular file: save its contents to a file first")
      case .tooLarge: throw Refusal.tooLarge(path: path, limit: "64 MB")
      default: throw Refusal.badInput("'\(path)' cannot be read as text in UTF-8")
      }
    }
  }

  private func size(_ text: String) -> StoreSize? {
    if let bytes = Self.bytes(text) { return .bytes(bytes) }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.last, let objects = Quantity.count(last, in: 1...10_000_000_000),
      parts.first?.isEmpty == false
    else { return nil }
    return parts.count > 1
      ? .entities([String(parts[0]): Double(objects)]) : .objects(Double(objects))
  }

  private static func budget(_ text: String) -> ResourceBudget? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      return Quantity.seconds(text, in: 1e-9...1e15).map { ResourceBudget(.time, limit: $0) }
    }
    guard let resource = [Resource.memory, .disk].first(where: { $0.rawValue == parts[0] }) else {
      return nil
    }
    return bytes(String(parts[1])).map { ResourceBudget(resource, limit: $0) }
  }

  private static func bytes(_ text: String) -> Double? {
    Quantity.bytes(text, in: 1...1_000_000_000_000_000).map { Double($0) }
  }
}
