import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

@Suite struct `A migration through several versions` {
  private static func model(_ version: Int) -> String {
    MigrationFixture.models + "/tasks/v\(version).yaml"
  }

  private static let toV4: [String: ParameterValue] = [
    "to": .text(model(4)), "duplicates": .text("removed"),
  ]

  private static let chain = toV4.merging([
    "via": .list([model(2), model(3)])
  ]) { $1 }

  @Test(arguments: ["inPlace", "rebuild"])
  func `ends where one direct step does`(shape: String) throws {
    let bench = try MigrationFixture.tasks()
    let verifications = try [Self.toV4, Self.chain].map {
      try bench.verify($0.merging(["shape": .text(shape)]) { $1 })
    }
    #expect(verifications[0].digest == verifications[1].digest)
  }

  @Test func `may be named by an empty store of its last version`() throws {
    let bench = try MigrationFixture.tasks()
    let path = bench.folder + "/next.sqlite"
    _ = try PersistentStore.create(at: path, model: MigrationFixture.model("tasks/v2.yaml"))
    let before = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
    let digests = try [path, Self.model(2)].map { try bench.verify(["to": .text($0)]).digest }
    #expect(digests[0] == digests[1])
    let after = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
    #expect(after.filter { $0.hasPrefix("next") } == before.filter { $0.hasPrefix("next") })
  }

  @Test func `is the same by every other strategy`() throws {
    let bench = try MigrationFixture.tasks()
    let digests = try MigrationWorkloadTests.strategies.map {
      try bench.verify($0.merging(Self.toV4) { $1 }).digest
    }
    #expect(Set(digests).count == 1)
  }

  @Test func `catches every mutation that can occur`() throws {
    try MigrationFixture.expectMutationsCaught(Self.chain)
  }

  /// Writes version 1 without the attribute `details`; returns its path.
  private static func writeDetour(in folder: String) throws -> String {
    var entities = try MigrationFixture.model("tasks/v1.yaml").entities
    for index in entities.indices where entities[index].name == "Task" {
      entities[index].attributes.removeAll { $0.name == "details" }
    }
    let path = folder + "/without.yaml"
    try ModelWriter.text(of: Model(entities: entities, versionIdentifiers: ["x"]))
      .write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test(arguments: [
    [:], ["shape": "rebuild"], ["strategy": "staged"],
  ])
  func `ends elsewhere where a version on the way loses what the direct step keeps`(
    way: [String: String]
  ) throws {
    let bench = try MigrationFixture.tasks()
    let to: [String: ParameterValue] = ["to": .text(Self.model(2))]
    let direct = try bench.verify(to)
    var known = [try Self.writeDetour(in: bench.folder)]
    if way["strategy"] != nil { known.insert(Self.model(1), at: 0) }
    let values = to.merging(way.mapValues { .text($0) }) { $1 }
      .merging(["via": .list(known)]) { $1 }
    #expect(
      try bench.fit(values).obstacle?.hasSuffix(
        "values of Task.details, which the direct step keeps; use the direct step, leave this version "
          + "out, or allow the loss with 'dropped: allowed'"
      ) == true
    )
    let fit = try bench.fit(values.merging(["dropped": .text("allowed")]) { $1 })
    #expect(fit.obstacle == nil)
    #expect(
      fit.notes.contains(
        "the chain of versions ends with a different store than the direct step; both results are "
          + "permitted: Task.details: the chain leaves it empty, the direct step keeps the values "
          + "of 'details'"
      )
    )
    let opened = try bench.open(values)
    #expect(try opened.finish().digest != direct.digest)
    try Connection(path: opened.trial.store.path)
      .execute("UPDATE ZTASK SET ZDETAILS = 'x' WHERE Z_PK = 1")
    #expect(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
  }

  // MARK: Staged

  private static func staged(_ known: [Int], wrapper: Bool = false) -> [String: ParameterValue] {
    toV4.merging([
      "strategy": .text("staged"), "via": .list(known.map(model)), "wrapper": .boolean(wrapper),
    ]) { $1 }
  }

  @Test func `starts at the version that the store is found to have`() throws {
    let bench = try MigrationFixture.tasks()
    let direct = try bench.verify(Self.toV4).digest
    for values in [Self.staged([1, 2, 3]), Self.staged([1]), Self.staged([2, 3], wrapper: true)] {
      let verification = try bench.verify(values)
      #expect(verification.digest == direct)
      #expect(verification.notes == [])
    }
  }

  @Test func `leaves a store of an unknown version as it was, and says so`() throws {
    let bench = try MigrationFixture.tasks()
    let opened = try bench.open(Self.staged([2, 3]))
    let verification = try opened.finish()
    #expect(opened.figures["migrations.refused"] == 1)
    let note = try #require(verification.notes.first)
    #expect(note.hasPrefix("refused: cannot use a staged migration from an unknown version: "))
    #expect(note.hasSuffix("; first publish a release that gives the store's model a version"))
    try Connection(path: opened.trial.store.path).execute("UPDATE ZTASK SET ZTITLE = 'x'")
    #expect(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
  }

  @Test func `goes by the hashes where the store and the versions have them`() throws {
    let model = try MigrationFixture.model("tasks/v1.yaml")
    let plan = VersionPlan(versions: [
      VersionPlan.Version(name: "a", model: model, hashes: ["Task": [1]]),
      VersionPlan.Version(name: "b", model: model, hashes: ["Task": [2]]),
    ])
    func metadata(_ hashes: [String: [UInt8]]) -> StoreMetadata {
      StoreMetadata(uuid: "", versionIdentifiers: [], versionHashes: hashes)
    }
    #expect(plan.place(of: metadata(["Task": [1]]), model) == 0)
    #expect(plan.place(of: metadata(["Task": [3]]), model) == nil)
    #expect(plan.place(of: metadata([:]), model) == 1)
    let other = try MigrationFixture.model("tasks/v2.yaml")
    #expect(plan.place(of: metadata([:]), other) == nil)
  }

  @Test func `refuses in the plan what makes no chain`() {
    func impossibility(_ values: [String: ParameterValue]) -> String? {
      let defaults = Dictionary(MigrationWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
      return MigrationWorkload.impossibility(of: ParameterValues(defaults.merging(values) { $1 }))
    }
    #expect(impossibility(Self.chain) == nil)
    #expect(
      impossibility(Self.chain.merging(["via": .list([Self.model(4)])]) { $1 })
        == "'via' must name only versions between the first and the last"
    )
  }
}

/// Tests entities that share a table in only one of two model versions.
struct HierarchyMigrationTests {
  private static let strategies = [
    ["shape": "inPlace"], ["shape": "rebuild"], ["strategy": "sideBySide"],
    ["strategy": "sideBySide", "engine": "bareSQL"], ["strategy": "exportImport"],
    ["strategy": "gradual"],
  ]

  @Test(arguments: strategies)
  func `an entity leaves its super-entity's table`(strategy: [String: String]) throws {
    let title = Attribute(name: "title", type: .string)
    let length = Attribute(name: "length", type: .double)
    let lists = Relationship(name: "list", destination: "List", inverse: "entries")
    let entries = Relationship(
      name: "entries",
      destination: "Root",
      inverse: "list",
      isToMany: true
    )
    let others = [
      Entity(name: "Root", attributes: [title], relationships: [lists]),
      Entity(name: "List", relationships: [entries]),
    ]
    let below = Entity(name: "Audio", superentity: "Root", attributes: [length])
    let beside = Entity(name: "Audio", attributes: [title, length])
    let (old, new) = (Model(entities: others + [below]), Model(entities: others + [beside]))
    let bench = try KindBench<MigrationWorkload>(model: old) { context in
      let list = try context.insert("List")
      for index in 0..<9 {
        let entry = try context.insert(index % 3 == 0 ? "Root" : "Audio")
        try entry.setValue(.text("entry \(index)"), of: "title")
        if index % 3 == 0 { try entry.setTarget(list, of: "list") }
      }
    }
    let path = bench.folder + "/new.yaml"
    try ModelWriter.text(of: new).write(toFile: path, atomically: true, encoding: .utf8)
    let parameters = strategy.merging(["to": path]) { $1 }.mapValues { ParameterValue.text($0) }
    #expect(try !bench.verify(parameters).digest.isEmpty)
  }

  private static let inPlaceAndCopies = [
    ["shape": "inPlace"], ["shape": "rebuild"], ["strategy": "sideBySide"],
    ["strategy": "sideBySide", "engine": "bareSQL"],
  ]

  @Test(arguments: inPlaceAndCopies, [true, false])
  func `a to-many gets an inverse, or loses it`(strategy: [String: String], gets: Bool) throws {
    func model(_ hasInverse: Bool) -> Model {
      var shelf = Relationship(name: "books", destination: "Book", isToMany: true)
      var book = Entity(name: "Book", attributes: [Attribute(name: "title", type: .string)])
      if hasInverse {
        shelf.inverse = "shelf"
        book.relationships = [Relationship(name: "shelf", destination: "Shelf", inverse: "books")]
      }
      return Model(entities: [Entity(name: "Shelf", relationships: [shelf]), book])
    }
    let bench = try KindBench<MigrationWorkload>(model: model(!gets)) { context in
      let shelves = try (0..<3).map { _ in try context.insert("Shelf") }
      for index in 0..<10 {
        let book = try context.insert("Book")
        try book.setValue(.text("book \(index)"), of: "title")
        if index % 4 != 0 { try shelves[index % 3].add(book, to: "books") }
      }
    }
    let path = bench.folder + "/new.yaml"
    try ModelWriter.text(of: model(gets)).write(toFile: path, atomically: true, encoding: .utf8)
    let parameters = strategy.merging(["to": path, "dropped": "allowed"]) { $1 }
      .mapValues { ParameterValue.text($0) }
    #expect(try !bench.verify(parameters).digest.isEmpty)
  }
}
