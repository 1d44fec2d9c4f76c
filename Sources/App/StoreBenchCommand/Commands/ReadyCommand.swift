import ArgumentParser
import Basics
import DataModel
import Inspector

struct ReadyCommand: ConsoleCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json
  }

  static let configuration = CommandConfiguration(
    commandName: "ready",
    abstract: "Decide in 15 lines whether a store is ready for SwiftData.",
    discussion: """
      Prints whether it is ready, what is in the way (✗), what to decide (?), the way to go with its \
      reason (lightweight, rename first, copy by a map), what was checked, and the next command. \
      The store is read in place and not changed. 'inspect OLD NEW' begins with the same verdict.

      Without '--sources' the store is checked for its own model in SwiftData; with them for the \
      classes that the app is to have.

      Exit status: 0 ready; 2 not ready, as something is in the way or the objects need a copy by \
      a map or another version first; 65 the store or the sources cannot be used.

      EXAMPLE: storebench ready App.sqlite --target ios26
      EXAMPLE: storebench ready App.sqlite --sources Sources/Models
      """
  )

  @Argument(help: "A store, or a model.", transform: InstalledFiles.resolved)
  var store: String

  @OptionGroup var model: StoreModelOption

  @Option(
    help: ArgumentHelp(
      "The new classes: a folder of Swift sources, or any other model or SwiftData store.",
      valueName: "path"
    ),
    transform: InstalledFiles.resolved
  )
  var sources: String?

  @Option(
    help: ArgumentHelp(
      "Oldest system on which the SwiftData app must run: ios17, ios18, ios26, ios27.",
      valueName: "system"
    )
  )
  var target = TargetSystem.standard

  @Option(help: ArgumentHelp("One of text, json.", valueName: "name"))
  var format = Format.text

  func run(on console: Console) throws -> CommandStatus {
    let paths = [store] + (sources.map { [$0] } ?? [])
    let job = InspectJob(paths: paths, model: try model.family(), format: .text)
    let readiness = try job.readiness(target: target, modelPath: model.model, on: console)
    switch format {
    case .text: console.print(readiness.text)
    case .json: console.write(try readiness.jsonText())
    }
    return readiness.isReady ? .done : .regression
  }
}
