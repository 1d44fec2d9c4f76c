import ArgumentParser
import DataModel
import Inspector
import PersistentStore

/// Says what is in a store or a model, or what leads from one to another.
struct InspectCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Say what is in a store, and what is wrong or risky in it.",
    discussion: """
      Nothing in the store's folder is changed: not a byte, not a time, not a file more or less.

      EXAMPLE: storebench inspect ~/Backups/Model.sqlite
      """
  )

  @Argument(
    help: ArgumentHelp("A store, or a folder in which every store is found.", valueName: "path")
  )
  var paths: [String]

  @Option(help: ArgumentHelp("One of text, json.", valueName: "name"))
  var format = InspectionFormat.text

  func validate() throws {
    guard paths.count == 1 else { throw ValidationError("name one store or folder") }
  }

  func run(on console: Console) throws -> CommandStatus {
    try InspectStoreJob(path: paths[0], format: format).perform(on: console)
    return .done
  }
}

/// The forms of an inspection's report.
enum InspectionFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
}
