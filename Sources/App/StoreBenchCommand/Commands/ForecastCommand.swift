import ArgumentParser
import Basics
import Forecasting
import Foundation
import Reporter
import Runner

/// Predicts what a migration takes on stores of any size.
struct ForecastCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "forecast",
    abstract: "Predict the time, memory and disk of a migration on larger stores.",
    usage: "storebench forecast <file>... [--to <size>...] [<option>]...",
    discussion: """
      Measures a migration on stores of growing size (the 'ladder': 1,000 to 128,000 objects), and \
      fits how its cost grows. Every prediction has a 90 % interval. If no reliable prediction is \
      possible, the reason is printed instead. Measurements are kept: after Ctrl-C, the same \
      command continues. All strategies of the files are compared, if their stores come from the \
      same recipe.

      A population is a CSV file with the columns of one of three forms. (1) One line per store: 'objects', 'bytes' \
      or counts such as 'task_count', and optionally 'users', the number of users with such a \
      store. (2) Quantiles: 'quantile' and 'objects'. (3) A histogram: 'users', with 'from' and \
      'to', or 'from_bytes' and 'to_bytes'. The CSV for --observed has the store size, \
      'duration_seconds' and optionally 'device'.

      EXAMPLE: storebench forecast Workloads/migration/lightweight.yaml --ladder quick
      EXAMPLE: storebench forecast migration.yaml --like App.sqlite --population users.csv
      """
  )

  /// How much of a ladder is measured.
  enum LadderSize: String, CaseIterable, ExpressibleByArgument {
    case full
    case quick

    var design: LadderDesign {
      switch self {
      case .full: .full()
      case .quick: .quick()
      }
    }
  }

  @Argument(
    help: ArgumentHelp("Workload files of the kind migration.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "Generate stores with the shape of this store or store profile.",
      valueName: "store"
    )
  )
  var like: String?

  @OptionGroup var questions: QuestionOptions

  @Option(
    help: """
      full: 15 sizes up to 128,000 objects, 5 runs each, 3 of the largest; quick: 9 sizes up to \
      16,000 objects, 2 runs each.
      """
  )
  var ladder = LadderSize.full

  @OptionGroup var cases: ParameterOptions

  @Flag(
    help: """
      Ignore cached measurements and measure again, for example after a run on a busy machine.
      """
  )
  var again = false

  @Flag(help: "Show the sizes and budgets of every strategy, and how the forecast was made.")
  var explain = false

  @Option(help: "text, html (a page with charts) or json.")
  var format: PageFormat = .text

  @OptionGroup var model: StoreModelOption
  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    return try ForecastJob(
      plan: try cases.plan(of: files, for: console.program, store: like, model: model),
      like: like,
      model: try model.family(),
      design: ladder.design,
      questions: questions,
      format: format,
      explains: explain,
      folder: folder,
      measuresAgain: again
    ).perform(on: console)
  }
}

/// What is asked of a forecast.
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
        "use either '--observed' or '--on': both choose the machine of the "
          + "forecast"
      )
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
