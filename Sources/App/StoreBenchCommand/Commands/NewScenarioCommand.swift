import ArgumentParser
import Basics
import DataModel
import Foundation
import Inspector
import PersistentStore
import Runner
import SQLLog

struct NewScenarioCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Write a scenario with the steps that an app's log shows, to run on the app's store.",
    discussion: """
      Fetches, counts, faults, saves and what they write become steps, in the log's order; with \
      --marker, each belongs to the action that it ran in. What a log does not show (values of \
      conditions, which objects were chosen) is listed in the file.

      EXAMPLE: storebench new scenario app --from app.log --store App.sqlite
      """
  )

  @Argument(help: "Name of the file, with or without '.yaml'.")
  var name: String

  @Option(help: ArgumentHelp("The app's log.", valueName: "log"))
  var from: String

  @Option(help: ArgumentHelp("The app's store, which the scenario runs on.", valueName: "store"))
  var store: String

  @Option(
    help: ArgumentHelp("Regular expression of the lines that mark actions.", valueName: "regex")
  )
  var marker: String?

  private static let mostSteps = 1_000

  func run(on console: Console) throws -> CommandStatus {
    let path = NewFile.path(of: name)
    try NewFile.checkAbsent([path])
    guard FileManager.default.fileExists(atPath: store) else {
      throw Refusal.noSuchInput(path: store)
    }
    let input = try ModelInput.read(path: store)
    guard input.kind == .store else {
      throw Refusal.badInput(
        "'\(store)' is no store: name the store that the app has, not its model"
      )
    }
    var schema = LogSchema(model: input.version.model)
    try schema.read(try StoreReader(StoreFile(path: input.path)).connection)
    let scenario = try LogScenario(
      of: StatementLog.logs(at: from),
      marker: marker.map { try ActionMarker($0) },
      model: input.version.model,
      schema: schema,
      counts: input.store?.objectCounts().mapValues { Int($0) }
    )
    try NewFile.write(text(of: scenario, input.path), to: path, on: console)
    NewFile.noteRun(of: path, on: console)
    return .done
  }

  private func text(of scenario: LogScenario, _ store: String) -> String {
    let steps = scenario.steps(upTo: Self.mostSteps)
    let rest = scenario.steps.count - steps.count
    let open =
      scenario.notes.map { "\($0.text) (\(Figures.counted($0.count, "time")))" }
      + (rest > 0 ? ["\(Figures.counted(rest, "further step")): a list has up to 1,000"] : [])
    let kept = Set(steps.map(\.part))
    let renamed = scenario.parts.filter { $0.part != $0.action && kept.contains($0.part) }
      .map { "\($0.part): \(YAMLText.quoted($0.action))" }
    let notes =
      Self.comment("Differences from the log:", open)
      + Self.comment("Parts, each with the name of its action in the log:", renamed)
    let location = URL(fileURLWithPath: store).standardizedFileURL.path
    return """
      # The steps of a log, in its order. Keys: Workloads/scenario/README.md.
      \(notes)kind: scenario
      store: { path: \(YAMLText.quoted(location)) }
      parameters:
        steps:
      \(steps.map { "    - \($0.text)" }.joined(separator: "\n"))
      trials: { trials: 5, cache: warm }

      """
  }

  private static func comment(_ heading: String, _ items: [String]) -> String {
    items.isEmpty ? "" : "# \(heading)\n" + items.map { "# - \($0)\n" }.joined()
  }
}
