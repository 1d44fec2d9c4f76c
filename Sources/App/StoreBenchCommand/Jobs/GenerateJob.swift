import Basics
import DataModel
import Foundation
import Generators
import Inspector
import PersistentStore
import Reporter
import Runner

/// Makes a store from a recipe.
struct GenerateJob {
  let reference: RecipeReference
  /// The path of the file whose version hashes the store's metadata get.
  let versionInfo: String?
  /// Whether the store must have the digest that is published for the recipe.
  let verifies: Bool
  let target: GenerationTarget

  func perform(on console: Console) throws -> CommandStatus {
    var recipe = try reference.read()
    if let versionInfo {
      recipe.origin = try StoreOrigin(versionInfo: versionInfo, model: recipe.model)
    }
    let published = verifies ? try publishedDigest(of: recipe) : nil
    if target.writer is BulkStoreWriter, !BulkStoreWriter.canWrite(recipe.model) {
      console.note(
        "the model has R-tree or partial indexes, so SQLite writes the store, as with '--writer "
          + "sql'"
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

  /// What is published is the recipe's own store: of another seed or size nothing is known.
  private func publishedDigest(of recipe: Recipe) throws -> String {
    guard let digest = try PublishedDigests(besideRecipe: reference.path).digest(of: recipe),
      try RecipeReference(path: reference.path).read() == recipe
    else { throw StorebenchError.noDigest(recipe: reference.path) }
    return digest
  }
}

/// Makes a store of the shape of another one, and compares the two.
struct LikeJob {
  let original: String
  /// The model of that store, where one was named.
  let model: ModelFamily?
  let size: LikeRecipe.Size
  let k: Int
  /// The k-anonymity threshold of the profile that is written.
  let sharedK: Int
  let profilePath: String?
  let seed: UInt64
  let target: GenerationTarget
  let folder: WorkFolderOption

  func perform(on console: Console) throws -> CommandStatus {
    try Workspace.use(folder, on: console) { space in
      let source = try StoreContent.copied(from: original, model: model, in: space.scratch)
      let profile = try source.profile(k: k, on: console)
      if case .objects(let objects) = size {
        try LikeRecipe.checkEntities(objects, of: profile.model, path: original)
      }
      profile.note(on: console)
      if let profilePath { try write(profile, source, to: profilePath, console) }
      let name = URL(fileURLWithPath: original).deletingPathExtension().lastPathComponent
      let like = LikeRecipe(profile, size: size)
      let recipe = like.recipe(name: name + "-like", seed: seed)
      let result = try target.generate(recipe, on: console)
      console.print(result.file.path)
      console.note(result.summary(seed: recipe.seed))
      let report = try StoreFidelity(
        profile: profile,
        original: source,
        made: try PlainContent.open(result.file),
        expectation: like.expectation(of: recipe)
      ).report()
      console.print(FidelityTable(report: report, k: profile.k).text)
      return report.isClean ? .done : .caseFailed
    }
  }
}

extension LikeJob {
  /// Writes the profile that may be shared, which can show less than the one that is used here.
  private func write(
    _ profile: StoreProfile,
    _ source: StoreContent,
    to path: String,
    _ console: Console
  ) throws {
    let shared = sharedK == k ? profile : try source.profile(k: sharedK, on: console)
    try AtomicFile.write(ProfileWriter(shared).text, to: path)
    console.note("profile \(path)")
    if sharedK != k { shared.note(on: console) }
  }
}

/// Where a generated store goes, and how it is written.
struct GenerationTarget {
  /// `nil` for a file of the recipe's name.
  let path: String?
  let isReplacing: Bool
  let writer: any StoreWriter

  /// Generates the store, and notes where its layout is the nearest known one.
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

extension StoreGenerator.Result {
  fileprivate func summary(seed: UInt64) -> String {
    "\(objectCount) objects, \(Figures.bytes(file.bytes, .rough)), seed \(seed)"
  }
}
