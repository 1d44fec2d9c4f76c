import Basics
import Foundation
import Generators
import PersistentStore
import Runner

/// What `generate` does.
struct GenerateJob {
  let reference: RecipeReference
  /// The path of the file whose version hashes the store's metadata get.
  let versionInfo: String?
  let output: String?
  let isReplacing: Bool
  let writer: any StoreWriter
  /// Whether the store must have the digest that is published for the recipe.
  let verifies: Bool

  func perform(on console: Console) throws -> CommandStatus {
    var recipe = try reference.read()
    if let versionInfo {
      recipe.origin = try StoreOrigin(versionInfo: versionInfo, model: recipe.model)
    }
    let published = verifies ? try publishedDigest(of: recipe) : nil
    if writer is BulkStoreWriter, !BulkStoreWriter.canWrite(recipe.model) {
      console.complain("the model has R-tree indexes: written by SQLite, as with '--writer sql'")
    }
    let result = try generate(recipe, on: console)
    console.print(result.file.path)
    for answers in result.answerKeys { console.print(answers) }
    if let digest = result.contentDigest { console.complain("content \(digest)") }
    console.complain(
      "\(result.objectCount) objects, \(Figures.bytes(result.file.bytes, .rough)), seed \(recipe.seed)"
    )
    guard let published else { return .done }
    return try compare(result, with: published, on: console)
  }

  private func generate(
    _ recipe: Recipe,
    on console: Console
  ) throws -> StoreGenerator.Result {
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer { line.clear() }
    return try StoreGenerator(recipe, writer: writer).generate(
      at: output ?? recipe.name + ".sqlite",
      replacing: isReplacing,
      progress: { line.take($0) }
    )
  }

  /// What is published is the recipe's own store: of another seed or size nothing is known.
  private func publishedDigest(of recipe: Recipe) throws -> String {
    guard let digest = try PublishedDigests(besideRecipe: reference.path).digest(of: recipe),
      try RecipeReference(path: reference.path).read() == recipe
    else { throw StorebenchError.noDigest(recipe: reference.path) }
    return digest
  }

  private func compare(
    _ result: StoreGenerator.Result,
    with published: String,
    on console: Console
  ) throws -> CommandStatus {
    let digest = try result.contentDigest ?? StoreFingerprint.digest(of: result.file.path)
    console.print("\(digest)  \(result.file.name)")
    guard digest != published else { return .done }
    console.complain("the digest is not the published one, \(published)")
    return .caseFailed
  }
}
