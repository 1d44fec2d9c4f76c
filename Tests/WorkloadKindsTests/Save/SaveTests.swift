import DataModel
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `Saving objects` {
  private static func bench() throws -> KindBench<SaveWorkload> {
    try KindBench(
      model: Model(entities: [
        Entity(
          name: "Task",
          attributes: [
            Attribute(name: "title", type: .string), Attribute(name: "isDone", type: .boolean),
            Attribute(name: "place", type: .integer32), Attribute(name: "due", type: .date),
          ],
          fetchIndexes: [
            FetchIndex(name: "byPlace", elements: [FetchIndex.Element(property: "place")])
          ]
        )
      ])
    )
  }

  private static func session(_ values: [String: ParameterValue]) -> [String: ParameterValue] {
    ["operation": .text("edit"), "edits": .integer(300), "stored": .integer(50)]
      .merging(values) { $1 }
  }

  @Test(arguments: SaveParameters.Operation.allCases)
  func `ends with the same objects by every engine`(operation: SaveParameters.Operation) throws {
    let bench = try Self.bench()
    let digests = try ChangeEngine.built.map { engine in
      try bench.verify([
        "operation": .text(operation.rawValue), "engine": .text(engine.rawValue),
        "saves": .integer(4), "objectsPerSave": .integer(10), "stored": .integer(60),
        "edits": .integer(200), "autosave": .text("count"),
      ]).digest
    }
    #expect(Set(digests).count == 1)
  }

  @Test(arguments: ["insert", "update", "delete", "mixed", "edit"])
  func `records one transaction a save in the history`(operation: String) throws {
    let bench = try Self.bench()
    let opened = try bench.open([
      "operation": .text(operation), "saves": .integer(4), "stored": .integer(60),
      "history": .boolean(true), "edits": .integer(100), "autosave": .text("count"),
    ])
    try opened.workload.run(opened.session, opened.recorder)
    _ = try opened.workload.verify(opened.session, opened.trial)
    let saves = try opened.session.store.connection.integer("SELECT count(*) FROM ATRANSACTION")
    #expect(saves == (operation == "edit" ? 6 : 5))
  }

  @Test(arguments: ["insert", "update"])
  func `keeps large blobs in files and small ones in the row`(operation: String) throws {
    let bench = try Self.bench()
    for size in [2_000, 150_000] {
      _ = try bench.verify([
        "operation": .text(operation), "saves": .integer(2), "objectsPerSave": .integer(3),
        "stored": .integer(6), "blob": .integer(size),
      ])
    }
  }

  @Test func `ends with the same objects however often it saves`() throws {
    let bench = try Self.bench()
    let digests = try SaveParameters.Autosave.allCases.map { autosave in
      try bench.verify(Self.session(["autosave": .text(autosave.rawValue)])).digest
    }
    #expect(Set(digests).count == 1)
  }

  @Test func `loses what was not saved when the process ends`() throws {
    let bench = try Self.bench()
    func losses(_ autosave: String) throws -> [String] {
      let values = Self.session(["autosave": .text(autosave), "ending": .text("crash")])
      return try bench.verify(values.merging(["autosaveCount": .integer(70)]) { $1 }).losses
    }
    #expect(try losses("edit") == [])
    #expect(try losses("count").first?.hasPrefix("20 edits of the last ") == true)
    #expect(try losses("close").first?.hasPrefix("300 edits of the last ") == true)
  }

  @Test func `states the most edits that a crash loses by the script's clock`() throws {
    func risk(_ autosave: String, _ interval: Int) throws -> (edits: Int, milliseconds: Int) {
      let bench = try Self.bench()
      return try bench.open(
        Self.session(["autosave": .text(autosave), "autosaveInterval": .integer(interval)])
      ).session.script.atRisk
    }
    #expect(try risk("edit", 1).edits == 1)
    #expect(try risk("edit", 1).milliseconds == 0)
    #expect(try risk("count", 1).edits == 20)
    #expect(try risk("time", 5_000).milliseconds == 5_000)
    #expect(try risk("pause", 400).edits > 1)
    #expect(try risk("close", 1).edits == 300)
  }

  @Test func `catches every mutation that can occur`() throws {
    let bench = try Self.bench()
    let tally = try bench.mutations(after: [
      "operation": .text("mixed"), "saves": .integer(3), "stored": .integer(60),
      "history": .boolean(true),
    ])
    #expect(tally.missed == [])
    #expect(tally.occurred > 8)
  }

  @Test(
    arguments: zip(
      [
        ["engine": .text("grdb"), "history": .boolean(true)],
        ["engine": .text("bareSQL"), "blob": .integer(10)],
        ["operation": .text("delete"), "blob": .integer(10)],
        ["operation": .text("delete"), "saves": .integer(101)],
        ["saves": .integer(100_000), "objectsPerSave": .integer(10_000)],
      ] as [[String: ParameterValue]],
      [
        "plain SQL and GRDB write no history: leave out 'history'",
        "only the frameworks have external storage: use 'engine: objectGraph' for a 'blob'",
        "only inserts and updates write blobs: leave out 'blob'",
        "the saves need 1010 objects, but 'stored' is only 1000: increase 'stored', or reduce "
          + "'saves'",
        "the saves write more than 10,000,000 objects: reduce 'saves' or 'objectsPerSave'",
      ]
    )
  )
  func `says what cannot be done`(values: [String: ParameterValue], reason: String) throws {
    let parameters = try Self.bench().parameters(values)
    #expect(SaveWorkload.impossibility(of: parameters) == reason)
  }
}
