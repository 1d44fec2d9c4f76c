import ArgumentParser
import Foundation
import Generators
import PersistentStore
import Runner

/// Makes a store from a recipe.
struct GenerateCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Make a store from a recipe.",
    usage:
      "storebench generate <recipe> [--output <file>] [--objects <entity=count>]... [<option>]...",
    discussion: """
      The same recipe and seed give the same bytes. Objects whose number is set bring the others \
      with them in proportion.

      EXAMPLE: storebench generate Workloads/recipes/tasks.yaml --objects Task=1000000
      EXAMPLE: storebench generate Workloads/recipes/tiers/1M.yaml --verify
      """
  )

  @Argument(help: "The recipe file.")
  var recipe: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The store's file; the recipe's name otherwise.", valueName: "file")
  )
  var output: String?

  @Option(help: "The seed, instead of the recipe's.")
  var seed: UInt64?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("How many objects of an entity.", valueName: "entity=count")
  )
  var objects: [String] = []

  @Option(help: ArgumentHelp("Another version of the recipe's model.", valueName: "file"))
  var model: String?

  @Option(help: "coreData or swiftData, instead of the recipe's.")
  var flavour: String?

  @OptionGroup
  var writing: WriterOptions

  @Flag(help: "Compare with the SHA-256 in digests.txt beside the recipe.")
  var verify = false

  @Flag(help: "Replace a store that is there already.")
  var force = false

  func validate() throws {
    if verify, writing.writer == .sql {
      throw ValidationError("'--verify' needs '--writer bulk': SQLite gives other bytes")
    }
    _ = try counts()
    if let flavour, Flavour(rawValue: flavour) == nil {
      throw ValidationError("'--flavour' must be coreData or swiftData, not '\(flavour)'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    let reference = RecipeReference(
      path: recipe,
      objects: try counts(),
      seed: seed,
      model: model,
      flavour: flavour.flatMap(Flavour.init)
    )
    return try GenerateJob(
      reference: reference,
      output: output,
      isReplacing: force,
      writer: writing.storeWriter,
      verifies: verify
    ).perform(on: console)
  }

  private func counts() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for text in objects {
      let parts = text.split(separator: "=", maxSplits: 1)
      let number = parts.count == 2 ? Int(parts[1].filter { $0 != "_" }) : nil
      guard let number, number >= 0 else {
        throw ValidationError("'--objects \(text)' must be entity=count, such as Task=100000")
      }
      counts[String(parts[0])] = number
    }
    return counts
  }
}
