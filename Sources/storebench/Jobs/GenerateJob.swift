import Foundation
import Generators
import PersistentStore
import Runner

/// What `generate` does.
struct GenerateJob {
  let reference: RecipeReference
  let output: String?
  let isReplacing: Bool

  func perform(on console: Console) throws {
    let recipe = try reference.read()
    let path = output ?? recipe.name + ".sqlite"
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer { line.clear() }
    let result = try StoreGenerator(recipe).generate(
      at: path,
      replacing: isReplacing,
      progress: { line.take($0) }
    )
    line.clear()
    console.print(result.file.path)
    for answers in result.answerKeys { console.print(answers) }
    if let digest = result.contentDigest { console.complain("content \(digest)") }
    console.complain(
      "\(result.objectCount) objects, \(SizeText.text(result.file.bytes)), seed \(recipe.seed)"
    )
  }
}
