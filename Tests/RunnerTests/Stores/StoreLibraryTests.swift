import Basics
import Foundation
import Generators
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner

struct StoreLibraryTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try writeRecipe(to: folder)
  }

  private func plan(_ store: String) throws -> Plan {
    let path = try folder.write(
      "kind: tally\nstore: { \(store) }\nparameters: { strategy: [scan, raise] }",
      to: "w.yaml"
    )
    return try Plan(paths: [path], kinds: [TallyWorkload.self])
  }

  @Test func `generates the store of a recipe once`() throws {
    let file = try #require(
      try plan("recipe: recipes/tasks.yaml, objects: { Task: 80 }, seed: 9").workloads.first
    ).file
    let scratch = try ScratchFolder(in: folder.path + "/scratch")
    var steps = 0
    let cache = folder.path + "/cache"
    let first = try StoreLibrary(cacheFolder: cache) { _ in steps += 1 }
      .store(for: file, in: scratch)
    #expect(steps > 0)
    #expect(first.description.objects == ["Task": 80])
    #expect(first.description.seed == 9)
    #expect(first.description.source == "recipes/tasks.yaml")
    #expect(
      try Connection(path: first.store.path, mode: .readOnly).integer("SELECT count(*) FROM ZTASK")
        == 80
    )
    steps = 0
    let second = try StoreLibrary(cacheFolder: cache) { _ in steps += 1 }
      .store(for: file, in: scratch)
    #expect(steps == 0)
    #expect(second.description == first.description)
    #expect(try second.recipe?.read().entities.map(\.count) == [80])
  }

  @Test func `starts from another version of the model`() throws {
    let file = try #require(
      try plan("recipe: recipes/tasks.yaml, model: models/v2.yaml").workloads.first
    ).file
    let store = try StoreLibrary(cacheFolder: folder.path + "/cache")
      .store(for: file, in: try ScratchFolder(in: folder.path + "/scratch"))
    #expect(store.description.source == "recipes/tasks.yaml with models/v2.yaml")
    _ = try Connection(path: store.store.path, mode: .readOnly)
      .integer("SELECT count(ZISDONE) FROM ZTASK")
  }

  @Test func `estimates a store before it is made, and knows it afterwards`() throws {
    let plan = try plan("recipe: recipes/tasks.yaml, objects: { Task: 20_000 }")
    let cache = folder.path + "/cache"
    let guess = try PlanEstimate(plan, cacheFolder: cache)
    let file = try #require(plan.workloads.first).file
    let store = try StoreLibrary(cacheFolder: cache)
      .store(for: file, in: try ScratchFolder(in: folder.path + "/scratch")).store
    #expect((store.bytes / 2...store.bytes * 2).contains(guess.newStoreBytes))
    let known = try PlanEstimate(plan, cacheFolder: cache)
    #expect(known.newStoreBytes == 0)
    // One shared copy, and a copy that may grow to three times its size.
    #expect((store.bytes * 4...store.bytes * 5).contains(known.workBytes))
    #expect(known.trialCount == 12)
    #expect(known.seconds > 0)
  }

  @Test func `refuses a plan that the disk has no room for`() throws {
    let plan = try plan("recipe: recipes/tasks.yaml, objects: { Task: 1_000_000_000 }")
    let estimate = try PlanEstimate(plan, cacheFolder: folder.path + "/cache")
    // 1,000 million tasks are over 100 GB; on a machine with more room this shows nothing.
    guard let free = FreeDisk.bytes(at: folder.path), free < estimate.bytes else { return }
    #expect(throws: Refusal.self) {
      try estimate.checkDisk(
        cacheFolder: folder.path + "/cache",
        scratchFolder: folder.path + "/scratch"
      )
    }
  }
}
