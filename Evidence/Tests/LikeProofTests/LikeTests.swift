import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

struct LikeTests {
  private static let workloads = Repository.path("Workloads")

  private func made(
    _ recipe: Recipe,
    in folder: TemporaryFolder,
    _ name: String
  ) throws -> StoreContent {
    try .reading(StoreGenerator(recipe).generate(at: folder.file(name)).file)
  }

  private static let pairs = [("catalog", 3.0), ("trips", 0.5), ("tasks", 1.0)]
  private static let otherPairs = [
    ("catalog", 1.0), ("catalog", 0.5), ("trips", 1.0), ("trips", 3.0), ("tasks", 0.5),
    ("tasks", 3.0),
  ]

  @Test(arguments: FuzzSeeds.isThorough ? pairs + otherPairs : pairs)
  func `fuzz: a store made like a generated one has its shape and its tables`(
    name: String,
    scale: Double
  ) throws {
    let folder = try TemporaryFolder()
    let path = "\(Self.workloads)/recipes/\(name).yaml"
    let recipe = try RecipeFile.read(path: path)
    let counts = recipe.entities.map { ($0.name, min($0.count, 2_000)) }
    let small = try RecipeFile.read(
      path: path,
      options: RecipeFile.Options(objects: Dictionary(counts) { $1 })
    )
    let original = try made(small, in: folder, "original.sqlite")
    let profile = try StoreProfiler(original).profile()
    let like = LikeRecipe(profile, size: .scale(scale))
    let made = like.recipe(name: "like", seed: 7)
    let copy = try self.made(made, in: folder, "like.sqlite")
    #expect(try copy.statements() == original.statements())
    let report = try StoreFidelity(
      profile: profile,
      original: original,
      made: copy,
      expectation: like.expectation(of: made)
    ).report()
    #expect(report.comparisons.count > 5)
    #expect(report.differences == [])
    #expect(report.missing == [])
    let findings = try StoreAudit(store: copy.store, layout: copy.layout).findings()
    #expect(findings.map(\.description) == [])
  }

  /// The generated store has the original's scale; `make fuzz` also tests three times that scale.
  @Test(arguments: FuzzSeeds.isThorough ? [1.0, 3.0] : [1.0])
  func `fuzz: a store made like an aged one has its free and its half-full pages`(
    scale: Double
  ) throws {
    let folder = try TemporaryFolder()
    // Make so many objects that the partly filled last page of each table and index is negligible.
    let options = RecipeFile.Options(objects: ["Task": 10_000, "Subtask": 30_000, "Attachment": 0])
    var recipe = try RecipeFile.read(
      path: "\(Self.workloads)/recipes/tasks-aged.yaml",
      options: options
    )
    recipe.history = nil
    recipe.age?.deletes = 0.3
    recipe.age?.walBytes = 0
    let original = try made(recipe, in: folder, "aged.sqlite")
    let profile = try StoreProfiler(original, k: 1).profile()
    let use = try #require(profile.pageUse)
    #expect(use.free > 0.02)
    #expect(try #require(use.fill["ZSUBTASK"]) < 85)
    func pages(_ made: StoreContent) -> FidelityReport {
      StoreFidelity(profile: profile, original: original, made: made, expectation: nil)
        .pageReport()
    }
    let recipeLike = LikeRecipe(profile, size: .scale(scale)).recipe(name: "like", seed: 7)
    let copy = try made(recipeLike, in: folder, "like.sqlite")
    let ratio = Double(copy.store.storeBytes) / Double(original.store.storeBytes) / scale
    #expect(abs(ratio - 1) < 0.04)
    #expect(try copy.connection.text("PRAGMA integrity_check") == "ok")
    let report = pages(copy)
    #expect(report.comparisons.count > 6)
    #expect(report.differences == [])
    var full = recipeLike
    full.pageUse = nil
    let other = pages(try made(full, in: folder, "full.sqlite"))
    #expect(other.differences.contains { $0.entity == "ZSUBTASK" })
  }

  @Test func `a profile file is a recipe`() throws {
    let folder = try TemporaryFolder()
    let recipe = try RecipeFile.read(path: "\(Self.workloads)/recipes/trips.yaml")
    let profile = try StoreProfiler(try made(recipe, in: folder, "trips.sqlite")).profile()
    let path = folder.file("trips-profile.yaml")
    try ProfileWriter(profile).text.write(toFile: path, atomically: true, encoding: .utf8)
    let read = try RecipeFile.read(path: path)
    #expect(read == LikeRecipe(profile).recipe(name: "trips-profile", seed: 1))
    let entity = try #require(profile.entities.first { $0.objects != nil })
    let asked = RecipeFile.Options(seed: 5, objects: [entity.name: 77])
    let scaled = try RecipeFile.read(path: path, options: asked)
    #expect(scaled.entity(named: entity.name)?.count == 77)
    #expect(scaled.seed == 5)
  }

  @Test func `metadata are the original's but for the identity of the store`() throws {
    let folder = try TemporaryFolder()
    let store = try ProfiledStore()
    try store.insert((0..<50).map { ProfiledStore.Note(number: $0) })
    var profile = try store.profile()
    profile.frameworkVersion = 1_345
    profile.versionIdentifiers = ["4.2"]
    profile.versionHashes = ["Note": Array(0..<32), "Tag": Array(32..<64)]
    let recipe = LikeRecipe(profile).recipe(name: "like", seed: 1)
    let made = try made(recipe, in: folder, "like.sqlite")
    let metadata = try StoreMetadata(from: made.connection, path: made.store.path)
    #expect(metadata.frameworkVersion == 1_345)
    #expect(metadata.versionIdentifiers == ["4.2"])
    #expect(metadata.versionHashes == profile.versionHashes)
    #expect(metadata.uuid != (try StoreMetadata(from: store.content().connection, path: "")).uuid)
  }

  @Test(arguments: [
    ("UPDATE ZNOTE SET ZNUMBER = ZNUMBER / 2", "number", FidelityReport.Aspect.distribution),
    ("UPDATE ZNOTE SET ZNUMBER = NULL WHERE Z_PK % 3 = 0", "number", .nulls),
    ("UPDATE ZNOTE SET ZTEXT = ZTEXT || ZTEXT", "text", .distribution),
    ("UPDATE ZNOTE SET ZTEXT = substr('same as all the others', 1, length(ZTEXT))", "text", .ranks),
    ("UPDATE ZNOTE SET ZTAG = 1", "notes", .fanOut),
    ("DELETE FROM ZNOTE WHERE Z_PK % 2 = 0", "", .objects),
  ])
  func `the report names what differs`(
    sql: String,
    property: String,
    aspect: FidelityReport.Aspect
  ) throws {
    let folder = try TemporaryFolder()
    let store = try ProfiledStore()
    let notes = (0..<600).map { (index: Int) -> ProfiledStore.Note in
      let text = index < 200 ? "first" : index < 300 ? "second" : "some \(index) more"
      return ProfiledStore.Note(
        text: text,
        number: Int64(index * index),
        tag: Int64(1 + index % 200)
      )
    }
    try store.insert(notes, tags: (0..<200).map { "tag \($0)" })
    let (original, profile) = (try store.content(), try store.profile())
    let like = LikeRecipe(profile)
    let recipe = like.recipe(name: "like", seed: 3)
    let made = try made(recipe, in: folder, "like.sqlite")
    let fidelity = { (made: StoreContent) in
      try StoreFidelity(
        profile: profile,
        original: original,
        made: made,
        expectation: like.expectation(of: recipe)
      ).report()
    }
    #expect(try fidelity(made).differences == [])
    try Connection(path: made.store.path, mode: .readWrite).execute(sql)
    let changed = try StoreContent(store: made.store, layout: made.layout)
    let found = try fidelity(changed).differences
    #expect(found.contains { $0.property == property && $0.aspect == aspect }, "\(found)")
  }
}
