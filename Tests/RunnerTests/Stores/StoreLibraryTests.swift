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

  @Test(arguments: [512, 1_024, 4_096, 65_536])
  func `a store has pages of the size that its workload asks for`(size: Int) throws {
    let path = try folder.write(
      "kind: tally\nstore: { recipe: recipes/tasks.yaml }\nsettings: { pageSize: \(size) }",
      to: "w.yaml"
    )
    let file = try #require(
      try Plan(paths: [path], kinds: [TallyWorkload.self]).workloads.first
    ).file
    let library = StoreLibrary(cacheFolder: folder.path + "/cache")
    let scratch = try ScratchFolder(in: folder.path + "/scratch")
    let store = try library.store(for: file, in: scratch).store
    #expect(StoreHeader(path: store.path)?.pageSize == size)
    let connection = try Connection(path: store.path, mode: .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM pragma_integrity_check") == 1)
    let count = try connection.integer("SELECT count(*) FROM ZTASK")
    // A store that the user provides keeps its page size unless its workload sets another one.
    for (setting, expected) in [("", size), ("settings: { pageSize: 2048 }", 2_048)] {
      let made = try folder.write(
        "kind: tally\nstore: { path: \(store.path) }\n\(setting)",
        to: "made.yaml"
      )
      let plan = try Plan(paths: [made], kinds: [TallyWorkload.self])
      let copy = try StoreLibrary(cacheFolder: folder.path + "/cache")
        .store(for: try #require(plan.workloads.first).file, in: scratch).store
      #expect(StoreHeader(path: copy.path)?.pageSize == expected)
      #expect(
        try Connection(path: copy.path, mode: .readOnly).integer("SELECT count(*) FROM ZTASK")
          == count
      )
    }
    #expect(StoreHeader(path: store.path)?.pageSize == size)
  }

  @Test func `a store too large for the memory is refused before it is made, with its size`() throws
  {
    let plan = try plan("recipe: recipes/tasks.yaml, objects: { Task: 1_000_000_000 }")
    let estimate = try PlanEstimate(plan, cacheFolder: folder.path + "/cache")
    #expect(estimate.newStoreBytes > 1 << 34)
    let refusal = #expect(throws: Refusal.self) {
      try estimate.checkMemory(within: MemoryLimit(owner: "this machine has", bytes: 1 << 30))
    }
    #expect(refusal?.description.contains("1,000,000,000 objects takes about 15 GB") == true)
    try estimate.checkMemory(within: MemoryLimit(owner: "this machine has", bytes: 1 << 40))
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
    // A run needs disk space for one shared copy and for a copy that may grow to three times its
    // size.
    #expect((store.bytes * 4...store.bytes * 5).contains(known.workBytes))
    #expect(known.trialCount == 12)
    #expect(known.seconds > 0)
  }

  @Test func `refuses a plan that the disk has no room for`() throws {
    let plan = try plan("recipe: recipes/tasks.yaml, objects: { Task: 1_000_000_000 }")
    let estimate = try PlanEstimate(plan, cacheFolder: folder.path + "/cache")
    // A billion tasks need over 100 GB; with more free space, the test has no effect.
    guard let free = FreeDisk.bytes(at: folder.path), free < estimate.bytes else { return }
    #expect(throws: Refusal.self) {
      try estimate.checkDisk(
        cacheFolder: folder.path + "/cache",
        scratchFolder: folder.path + "/scratch"
      )
    }
  }
}
