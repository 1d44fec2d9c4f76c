import DataModel
import Foundation
import Generators
import PersistentStore
import Profiling
import Runner

/// What `generate --like` does with a store: profiles it, makes another one and compares the two.
struct LikeJob {
  let original: String
  let scale: Double
  let k: Int
  let profilePath: String?
  let output: String?
  let seed: UInt64
  let isReplacing: Bool
  let writer: any StoreWriter
  let scratchFolder: String

  func perform(on console: Console) throws -> CommandStatus {
    let scratch = try ScratchFolder(in: scratchFolder)
    defer { scratch.remove() }
    let source = try StoreReading.copy(of: original, in: scratch)
    let profile = try StoreProfiler(source, k: k).profile()
    if let profilePath { try write(ProfileWriter(profile).text, to: profilePath) }
    let name = URL(fileURLWithPath: original).deletingPathExtension().lastPathComponent
    let recipe = LikeRecipe(profile, scale: scale).recipe(name: name + "-like", seed: seed)
    let made = try generate(recipe, on: console)
    let report = try StoreFidelity(
      profile: profile,
      original: source,
      made: try StoreReading.open(made),
      scale: scale
    ).report()
    console.print(FidelityTable(report: report, k: profile.k).text)
    return report.isClean ? .done : .caseFailed
  }

  private func generate(_ recipe: Recipe, on console: Console) throws -> StoreFile {
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer { line.clear() }
    let result = try StoreGenerator(recipe, writer: writer).generate(
      at: output ?? recipe.name + ".sqlite",
      replacing: isReplacing,
      progress: { line.take($0) }
    )
    line.clear()
    console.print(result.file.path)
    console.complain(
      "\(result.objectCount) objects, \(SizeText.text(result.file.bytes)), seed \(recipe.seed)"
    )
    return result.file
  }

  private func write(_ text: String, to path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw GeneratorsError.cannotWrite(path: path, reason: "it cannot be made there")
    }
  }
}
