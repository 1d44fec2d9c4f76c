import ArgumentParser
import Basics
import Foundation
import Generators
import PersistentStore
import Profiling
import Runner

/// Makes a store from a recipe, or of the shape of another store.
struct GenerateCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Make a store from a recipe, or one like another store.",
    usage: """
      storebench generate <recipe> [--output <file>] [--objects <entity=count>]... [<option>]...
      storebench generate --like <store> [--scale <factor>] [<option>]...
      """,
    discussion: """
      The same recipe and seed give the same bytes. Objects whose number is set bring the others \
      with them in proportion.

      With '--like' the store is profiled, a store of the same model, framework and shape is \
      made, and the two are compared column by column; the status is 1 where they differ.

      EXAMPLE: storebench generate Workloads/recipes/tasks.yaml --objects Task=1000000
      EXAMPLE: storebench generate Workloads/recipes/tiers/1M.yaml --verify
      EXAMPLE: storebench generate --like App.sqlite --scale 10
      """
  )

  @Argument(help: "The recipe file, or a profile; left out with '--like'.")
  var recipe: String?

  @OptionGroup var like: LikeOptions

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

  @Option(
    help: ArgumentHelp(
      "Copy the version hashes of a compiled model's VersionInfo.plist.",
      valueName: "file"
    )
  )
  var versionInfo: String?

  @OptionGroup var folder: WorkFolderOption

  @Flag(help: "Replace a store that is there already.")
  var force = false

  func validate() throws {
    if verify, writing.writer == .sql {
      throw ValidationError("'--verify' needs '--writer bulk': SQLite gives other bytes")
    }
    _ = try counts()
    guard (recipe == nil) != (like.like == nil) else {
      throw ValidationError("name either a recipe or '--like STORE'")
    }
    if like.like != nil, !objects.isEmpty || model != nil || flavour != nil || versionInfo != nil {
      throw ValidationError("with '--like', objects, model, flavour and hashes are the store's own")
    }
    if let flavour, Flavour(rawValue: flavour) == nil {
      throw ValidationError("'--flavour' must be coreData or swiftData, not '\(flavour)'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    if let original = like.like {
      return try LikeJob(
        original: original,
        scale: like.scale ?? 1,
        k: like.smallestCount ?? StoreProfile.smallestK,
        profilePath: like.profile,
        format: like.format ?? .text,
        output: output,
        seed: seed ?? 1,
        isReplacing: force,
        writer: writing.storeWriter,
        scratchFolder: folder.scratchFolder
      ).perform(on: console)
    }
    let reference = RecipeReference(
      path: recipe ?? "",
      objects: try counts(),
      seed: seed,
      model: model,
      flavour: flavour.flatMap(Flavour.init)
    )
    return try GenerateJob(
      reference: reference,
      versionInfo: versionInfo,
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
      guard parts.count == 2, let number = Quantity.count(parts[1], in: 0...Int.max) else {
        throw ValidationError("'--objects \(text)' must be entity=count, such as Task=100000")
      }
      counts[String(parts[0])] = number
    }
    return counts
  }
}
