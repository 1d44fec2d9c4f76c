import Basics
import DataModel
import Foundation
import Generators
import Inspector
import PersistentStore
import Profiling
import Reporter
import Runner

/// What `generate --like` does with a store: profiles it, makes another one and compares the two.
struct LikeJob {
  let original: String
  let scale: Double
  let k: Int
  let profilePath: String?
  let format: LikeOptions.ReportFormat
  let output: String?
  let seed: UInt64
  let isReplacing: Bool
  let writer: any StoreWriter
  let scratchFolder: String

  func perform(on console: Console) throws -> CommandStatus {
    let scratch = try ScratchFolder(in: scratchFolder)
    defer { scratch.remove() }
    let source = try StoreReading.copy(of: original, in: scratch)
    let metadata = try StoreMetadata(from: source.connection, path: original)
    try LayoutGeneration.checkWritable(
      framework: metadata.frameworkVersion,
      keepsHistory: source.layout.keepsHistory
    )
    let profile = try profile(source, on: console)
    if let profilePath { try write(ProfileWriter(profile).text, to: profilePath) }
    let name = URL(fileURLWithPath: original).deletingPathExtension().lastPathComponent
    let recipe = LikeRecipe(profile, scale: scale).recipe(name: name + "-like", seed: seed)
    let made = try generate(recipe, on: console)
    let report = try StoreFidelity(
      profile: profile,
      original: source,
      made: try PlainContent.open(made),
      scale: scale
    ).report()
    switch format {
    case .text: console.print(FidelityTable(report: report, k: profile.k).text)
    case .json:
      let document = FidelityDocument(report, original: original, other: made.path, k: profile.k)
      console.print(try document.reportJSON())
    }
    return report.isClean ? .done : .caseFailed
  }

  private func profile(_ content: StoreContent, on console: Console) throws -> StoreProfile {
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer { line.clear() }
    return try StoreProfiler(content, k: k) { line.take("profiling \($0)") }.profile()
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
    // The one document on standard output is the report's.
    if format == .text {
      console.print(result.file.path)
    } else {
      console.complain(result.file.path)
    }
    console.complain(
      "\(result.objectCount) objects, \(Figures.bytes(result.file.bytes, .rough)), seed \(recipe.seed)"
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
