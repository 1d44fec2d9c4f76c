import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import Inspector
import PersistentStore
import Runner

struct GenerateCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate a store from a recipe, or with the shape of another store.",
    usage: """
      storebench generate <recipe> [--output <file>] [--objects <entity=count>]... [<option>]...
      storebench generate --like <store> [--to <size> | --objects <entity=count>] [<option>]...
      """,
    discussion: """
      The same recipe and seed give the same bytes. If '--objects' is given for one entity, the \
      others are scaled in proportion.

      '--like' makes a store with the model, framework and shape of another store, and compares \
      their shapes column by column. Texts and blobs are new, but for the words of enumerations: \
      texts that at least 3 objects have, in columns of at most 64 different ones in which 80 % of \
      the objects have such a text. The output lists them; '--no-texts' keeps none. URLs, e-mail \
      addresses, dates, JSON and property lists keep their form, a date never precedes one that it \
      never preceded, and values are missing where they were. Sizes, small integers and frequent numbers are copied from the original, and \
      dates follow it. With '--k 20', a value is copied only if at least 20 objects have it.

      EXAMPLE: storebench generate Workloads/recipes/tasks.yaml --objects Task=1000000
      EXAMPLE: storebench generate Workloads/recipes/tiers/1M.yaml --verify
      EXAMPLE: storebench generate --like App.sqlite --to 20x
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
    if like.size != nil, !objects.isEmpty {
      throw ValidationError("'--to' and '--objects' both set the objects; use one of them")
    }
    if like.like != nil, verify { throw ValidationError("'--verify' is for a recipe") }
  }

  func run(on console: Console) throws -> CommandStatus {
    let target = GenerationTarget(path: output, isReplacing: force, writer: writing.storeWriter)
    if let original = like.like {
      let options = like.optionsOfStores(model: model)
      if let profile = try StoreProfile.read(like: original, without: options) {
        try LikeRecipe.checkEntities(try counts(), of: profile.model, path: original)
        _ = try generate(profile, like: original, to: target, on: console)
        console.note("not compared with the original, of which '\(original)' is the profile")
        return .done
      }
      return try generate(like: original, to: target, on: console)
    }
    let reference = RecipeReference(
      path: recipe ?? "",
      objects: try counts(),
      seed: seed,
      model: model
    )
    var recipe = try reference.read()
    for note in recipe.notes { console.note(note) }
    if let versionInfo {
      recipe.origin = try StoreOrigin(versionInfo: versionInfo, model: recipe.model)
    }
    let published = verify ? try publishedDigest(of: recipe, reference) : nil
    if target.writer is BulkStoreWriter, !BulkStoreWriter.canWrite(recipe.model) {
      console.note(
        "the model has R-tree or partial indexes, so SQLite writes the store, as with '--writer "
          + "sql'"
      )
    }
    if recipe.model.entities.flatMap(\.fetchIndexes).flatMap(\.elements)
      .contains(where: { $0.kind == .rTree })
    {
      console.note(
        "the store lacks the model's R-tree indexes: only 'generate --like' makes them, as the "
          + "original has them"
      )
    }
    let result = try target.generate(recipe, on: console)
    console.print(result.file.path)
    for answers in result.answerKeys { console.print(answers) }
    if let digest = result.contentDigest { console.note("content \(digest)") }
    console.note(result.summary(seed: recipe.seed))
    guard let published else { return .done }
    let digest = try result.contentDigest ?? StoreFingerprint.digest(of: result.file.path)
    console.print("\(digest)  \(result.file.name)")
    guard digest != published else { return .done }
    console.note("the digest differs from the published digest, \(published)")
    return .caseFailed
  }

  /// The published digest of a recipe's store.
  ///
  /// A digest is published only for the recipe's own seed and counts.
  private func publishedDigest(of recipe: Recipe, _ reference: RecipeReference) throws -> String {
    guard let digest = try PublishedDigests(besideRecipe: reference.path).digest(of: recipe),
      try RecipeReference(path: reference.path).read() == recipe
    else {
      throw Refusal.badInput(
        "digests.txt beside '\(reference.path)' has no digest of this store: "
          + "'--verify' works only with the recipe's own seed and counts"
      )
    }
    return digest
  }

  private func generate(
    like original: String,
    to target: GenerationTarget,
    on console: Console
  ) throws -> CommandStatus {
    let family = try model.map { try ModelSource.read(path: $0) }
    return try Workspace.use(folder, on: console) { space in
      let source = try StoreContent.copied(from: original, model: family, in: space.scratch)
      let texts = try like.texts(of: source.layout.model)
      let columns = StoreColumns(source)
      let profile = try columns.profile(k: like.smallestCount ?? 1, texts: texts, on: console)
      try LikeRecipe.checkEntities(try counts(), of: profile.model, path: original)
      profile.note(on: console)
      if let line = profile.keptTextsLine { console.note(line) }
      if let path = like.profile { try write(profile, columns, texts, to: path, console) }
      let content = try PlainContent.open(
        generate(profile, like: original, to: target, on: console)
      )
      console.print(try Nearness(of: content, to: columns, profile: profile).text)
      return .done
    }
  }

  /// Generates a store of the profile's shape, and returns its file.
  private func generate(
    _ profile: StoreProfile,
    like original: String,
    to target: GenerationTarget,
    on console: Console
  ) throws -> StoreFile {
    let objects = try counts()
    let name = URL(fileURLWithPath: original).deletingPathExtension().lastPathComponent
    let size = LikeRecipe.Size.scale(like.size?.factor(of: profile) ?? 1)
    let made = LikeRecipe(profile, size: objects.isEmpty ? size : .objects(objects))
    if let warning = made.fewScaled { console.note(warning) }
    let recipe = made.recipe(name: name + "-like", seed: seed ?? 1)
    let result = try target.generate(recipe, on: console)
    console.print(result.file.path)
    console.note(result.summary(seed: recipe.seed))
    return result.file
  }

  /// Writes the profile for sharing.
  ///
  /// Without '--k', its k-anonymity threshold is 20, so it may contain less than the profile from
  /// which the store is generated.
  private func write(
    _ profile: StoreProfile,
    _ columns: StoreColumns,
    _ texts: TextChoice,
    to path: String,
    _ console: Console
  ) throws {
    let sharedK = like.smallestCount ?? StoreProfile.sharedK
    let shared =
      sharedK == profile.k
      ? profile : try columns.profile(k: sharedK, texts: texts, on: console)
    try AtomicFile.write(ProfileWriter(shared).text, to: path)
    console.note("profile \(path)")
    if sharedK != profile.k { shared.note(on: console) }
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

struct LikeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Make a store with the shape of this store or store profile.",
      valueName: "store"
    )
  )
  var like: String?

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "Size of the new store: a multiple of the original such as 20x, or a number of objects such "
        + "as 1M. (default: 1x)",
      valueName: "size"
    )
  )
  var to: String?

  @Flag(help: "Keep no texts, not even the words of enumerations.")
  var noTexts = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Keep all texts of an attribute.",
      valueName: "entity.attribute"
    )
  )
  var keepTexts: [String] = []

  @Option(help: .hidden)
  var scale: String?

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
    if let scale {
      throw ValidationError("unknown option '--scale'; did you mean '--to \(scale)x'?")
    }
    if let to, size == nil {
      throw ValidationError(
        "'--to \(to)' must be a multiple such as 20x, or a number of objects such as 1M"
      )
    }
    if noTexts, !keepTexts.isEmpty {
      throw ValidationError("'--no-texts' keeps none of '--keep-texts'; use one of them")
    }
    if let smallestCount, smallestCount < 1 {
      throw ValidationError("'--k' must be at least 1, not \(smallestCount)")
    }
    let isFree = to == nil && smallestCount == nil && profile == nil && !noTexts
    if like == nil, !isFree || !keepTexts.isEmpty {
      throw ValidationError("'--to', '--k', '--profile' and texts need '--like'")
    }
  }

  /// The options that require a store instead of a profile, and whether each is given.
  func optionsOfStores(model: String?) -> [(name: String, isGiven: Bool)] {
    [
      ("--k", smallestCount != nil), ("--no-texts", noTexts), ("--keep-texts", !keepTexts.isEmpty),
      ("--profile", profile != nil), ("--model", model != nil),
    ]
  }

  enum Size {
    case times(Double)
    case objects(Int)

    func factor(of profile: StoreProfile) -> Double {
      switch self {
      case .times(let factor): return factor
      case .objects(let objects):
        let original = profile.entities.reduce(0) { $0 + ($1.objects ?? profile.k / 2) }
        return original > 0 ? Double(objects) / Double(original) : 1
      }
    }
  }

  var size: Size? {
    guard let to else { return nil }
    if to.lowercased().hasSuffix("x"), let factor = Double(to.dropLast()) {
      return factor > 0 && factor <= 1e6 ? .times(factor) : nil
    }
    return Quantity.count(to, in: 1...1_000_000_000).map { .objects($0) }
  }

  func texts(of model: Model) throws -> TextChoice {
    for name in keepTexts {
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      let entity = parts.first.flatMap { model.entity(named: $0) }
      let texts = entity.map(model.attributes)?.filter { !$0.isTransient && $0.type == .string }
      guard parts.count == 2, texts?.contains(where: { $0.name == parts[1] }) == true else {
        let all = model.entities.filter { !$0.isAbstract }.flatMap { entity in
          model.attributes(of: entity).filter { $0.type == .string }
            .map { "\(entity.name).\($0.name)" }
        }
        let hint = suggestion(for: name, among: all).map { "; did you mean '\($0)'?" } ?? ""
        throw Refusal.badInput("the store has no text attribute '\(name)'\(hint)")
      }
    }
    return TextChoice(keepsWords: !noTexts, kept: Set(keepTexts))
  }
}

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
      "Memory limit of the bulk writer; what does not fit is sorted on disk. (default: 448 MB)",
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

struct GenerationTarget {
  /// The path for the store; `nil` if the store's file is named after the recipe.
  let path: String?
  let isReplacing: Bool
  let writer: any StoreWriter

  fileprivate func generate(
    _ recipe: Recipe,
    on console: Console
  ) throws -> StoreGenerator.Result {
    for sentence in LayoutGeneration.approximations(
      framework: recipe.frameworkVersion,
      keepsHistory: recipe.history != nil
    ) { console.note(sentence) }
    return try ProgressLine.during(console) { line in
      try StoreGenerator(recipe, writer: writer).generate(
        at: path ?? recipe.name + ".sqlite",
        replacing: isReplacing,
        progress: { line.take($0) }
      )
    }
  }
}

extension StoreProfile {
  /// Reads the profile that '--like' names; returns `nil` if '--like' names a store.
  ///
  /// - Throws: ``InvalidInput`` for a profile with errors, and ``Refusal`` for options that need a
  ///   store.
  static func read(
    like path: String,
    without options: [(name: String, isGiven: Bool)]
  ) throws -> StoreProfile? {
    guard let profile = try ProfileFile.read(path: path) else { return nil }
    let given = options.filter { $0.isGiven }.map { "'\($0.name)'" }
    guard given.isEmpty else {
      throw Refusal.badInput(
        "'\(path)' is a store profile: leave out \(given.joined(separator: ", ")), or name the "
          + "store with '--like'"
      )
    }
    return profile
  }
}

extension StoreGenerator.Result {
  fileprivate func summary(seed: UInt64) -> String {
    "\(objectCount) objects, \(Figures.bytes(file.bytes, .rough)), seed \(seed)"
  }
}
