import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import PersistentStore
import Runner

/// Makes a store from a recipe, or of the shape of another store.
struct GenerateCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate a store from a recipe, or with the shape of another store.",
    usage: """
      storebench generate <recipe> [--output <file>] [--objects <entity=count>]... [<option>]...
      storebench generate --like <store> [--scale <factor> | --objects <entity=count>] [<option>]...
      """,
    discussion: """
      The same recipe and seed give the same bytes. If '--objects' is given for one entity, the \
      others are scaled in proportion.

      '--like' makes a store with the model, framework and shape of another store, and compares \
      their shapes column by column; the status is 1 if they differ. All texts and blobs are new. \
      Sizes, small integers and frequent numbers are copied from the original, and dates follow \
      it. With '--k 20', a value is copied only if at least 20 objects have it.

      EXAMPLE: storebench generate Workloads/recipes/tasks.yaml --objects Task=1000000
      EXAMPLE: storebench generate Workloads/recipes/tiers/1M.yaml --verify
      EXAMPLE: storebench generate --like App.sqlite --scale 10
      EXAMPLE: storebench generate --like App.sqlite --objects Task=100000
      """
  )

  @Argument(
    help: "Recipe file or store profile; leave it out with '--like'.",
    transform: InstalledFiles.resolved
  )
  var recipe: String?

  @OptionGroup var like: LikeOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("File of the store. (default: the recipe's name)", valueName: "file")
  )
  var output: String?

  @Option(help: "Random seed. (default: the recipe's)")
  var seed: UInt64?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Number of objects of an entity.", valueName: "entity=count")
  )
  var objects: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Another version of the recipe's model; with '--like', the app's model, if the store does \
      not contain its model.
      """,
      valueName: "file"
    )
  )
  var model: String?

  @OptionGroup
  var writing: WriterOptions

  @Flag(help: "Compare the store with its SHA-256 in digests.txt, which is in the recipe's folder.")
  var verify = false

  @Option(
    help: ArgumentHelp(
      "Copy the version hashes from the VersionInfo.plist of a compiled model.",
      valueName: "file"
    )
  )
  var versionInfo: String?

  @OptionGroup var folder: WorkFolderOption

  @Flag(help: "Replace an existing store.")
  var force = false

  func validate() throws {
    if verify, writing.writer == .sql {
      throw ValidationError("'--verify' needs '--writer bulk': SQLite writes different bytes")
    }
    _ = try counts()
    guard (recipe == nil) != (like.like == nil) else {
      throw ValidationError("name either a recipe or '--like STORE'")
    }
    if like.like != nil, versionInfo != nil {
      throw ValidationError("with '--like', the version hashes are those of the store")
    }
    if like.scale != nil, !objects.isEmpty {
      throw ValidationError("'--scale' and '--objects' both set the objects; use one of them")
    }
    if like.like != nil, verify { throw ValidationError("'--verify' is for a recipe") }
  }

  func run(on console: Console) throws -> CommandStatus {
    let target = GenerationTarget(path: output, isReplacing: force, writer: writing.storeWriter)
    if let original = like.like {
      return try LikeJob(
        original: original,
        model: try model.map { try ModelSource.read(path: $0) },
        size: try objects.isEmpty ? .scale(like.scale ?? 1) : .objects(counts()),
        k: like.smallestCount ?? 1,
        sharedK: like.smallestCount ?? StoreProfile.sharedK,
        profilePath: like.profile,
        seed: seed ?? 1,
        target: target,
        folder: folder
      ).perform(on: console)
    }
    let reference = RecipeReference(
      path: recipe ?? "",
      objects: try counts(),
      seed: seed,
      model: model
    )
    return try GenerateJob(
      reference: reference,
      versionInfo: versionInfo,
      verifies: verify,
      target: target
    ).perform(on: console)
  }

  private func counts() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for text in objects {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let number = Quantity.count(parts[1], in: 0...Int.max) else {
        throw ValidationError(
          "'--objects \(text)' must be entity=count, such as Task=100000 or Task=100k"
        )
      }
      counts[String(parts[0])] = number
    }
    return counts
  }
}

/// What a store is to be made like.
struct LikeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Make a store with the shape of this store or store profile.",
      valueName: "store"
    )
  )
  var like: String?

  @Option(
    help: """
      Scale factor: size of the new store, as a multiple of the original's number of objects.
      """
  )
  var scale: Double?

  @Option(
    name: .customLong("k"),
    help:
      "Copy a value only if at least this many objects have it. (default: 1; 20 with '--profile')"
  )
  var smallestCount: Int?

  @Option(
    help: ArgumentHelp(
      "Also write the original's profile (counts and ranges) to this file.",
      valueName: "file"
    )
  )
  var profile: String?

  func validate() throws {
    if let scale, !(scale > 0 && scale <= 1e6) {
      throw ValidationError("'--scale' must be above 0 and at most 1000000, not \(scale)")
    }
    if let smallestCount, smallestCount < 1 {
      throw ValidationError("'--k' must be at least 1, not \(smallestCount)")
    }
    if like == nil, scale != nil || smallestCount != nil || profile != nil {
      throw ValidationError("'--scale', '--k' and '--profile' need '--like'")
    }
  }
}

/// How a generated store is written.
struct WriterOptions: ParsableArguments {
  enum Writer: String, CaseIterable, ExpressibleByArgument {
    case bulk
    case sql
  }

  private static let leastMemory = 16 << 20

  @Option(help: "bulk writes the file page by page, sql by INSERT statements.")
  var writer: Writer = .bulk

  @Option(
    help: ArgumentHelp(
      "Memory limit of the bulk writer; what does not fit is sorted on disk. (default: 512 MB)",
      valueName: "size"
    )
  )
  var memory: String?

  func validate() throws {
    if let memory, bytes == nil {
      throw ValidationError(
        "'--memory' must be a size of at least 16 MB, such as 512MB, not '\(memory)'"
      )
    }
    if writer == .sql, memory != nil {
      throw ValidationError("'--memory' works only with '--writer bulk'")
    }
  }

  private var bytes: Int? { memory.flatMap { Quantity.bytes($0, in: Self.leastMemory...Int.max) } }

  var storeWriter: any StoreWriter {
    switch writer {
    case .bulk: BulkStoreWriter(memory: bytes ?? BulkStoreWriter.defaultMemory)
    case .sql: SQLStoreWriter()
    }
  }
}
