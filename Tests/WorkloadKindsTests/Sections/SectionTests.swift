import DataModel
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `Lists in sections` {
  private static func values(_ more: [String: ParameterValue]) -> [String: ParameterValue] {
    ["objects": .integer(60), "sections": .integer(7), "screen": .integer(9)]
      .merging(more) { $1 }
  }

  @Test(arguments: ["category", "day"], ["stored", "computed"])
  func `are the same by every way`(by: String, dayKey: String) throws {
    let bench = try KindBench<SectionWorkload>(model: .plainTasks)
    var digests: Set<String> = []
    for engine in ChangeEngine.built {
      for strategy in SectionParameters.Strategy.allCases {
        let values = Self.values([
          "engine": .text(engine.rawValue), "strategy": .text(strategy.rawValue),
          "by": .text(by), "dayKey": .text(dayKey),
        ])
        guard try SectionWorkload.impossibility(of: bench.parameters(values)) == nil else {
          continue
        }
        digests.insert(try bench.verify(values).digest)
      }
    }
    #expect(digests.count == 1)
  }

  @Test(arguments: ["category", "day"], ["stored", "computed"])
  func `stay right while saves move objects`(by: String, dayKey: String) throws {
    let bench = try KindBench<SectionWorkload>(model: .plainTasks)
    var digests: Set<String> = []
    for strategy in SectionParameters.Strategy.allCases {
      let values = Self.values([
        "operation": .text("save"), "strategy": .text(strategy.rawValue), "by": .text(by),
        "dayKey": .text(dayKey), "saves": .integer(12), "objectsPerSave": .integer(6),
      ])
      guard try SectionWorkload.impossibility(of: bench.parameters(values)) == nil else { continue }
      digests.insert(try bench.verify(values).digest)
    }
    #expect(digests.count == 1)
  }

  @Test func `read the objects of the screen, those that are compared, or all`() throws {
    let bench = try KindBench<SectionWorkload>(model: .plainTasks)
    func loaded(_ more: [String: ParameterValue]) throws -> Double? {
      let opened = try bench.open(Self.values(more))
      _ = try opened.finish()
      return opened.figures["objects.materialised"]
    }
    #expect(try loaded(["strategy": .text("sql")]) == 9)
    #expect(try loaded(["strategy": .text("controller")]) == 9)
    #expect(try loaded(["strategy": .text("memory")]) == 60)
    let computed: [String: ParameterValue] = [
      "strategy": .text("controller"), "by": .text("day"), "dayKey": .text("computed"),
    ]
    #expect(try loaded(computed) == 60)
  }

  @Test(arguments: ChangeEngine.built)
  func `write nothing beside the store that they show`(engine: ChangeEngine) throws {
    let bench = try KindBench<SectionWorkload>(model: .plainTasks)
    let opened = try bench.open(Self.values(["engine": .text(engine.rawValue)]))
    let before = try StoreFingerprint(of: opened.trial.store)
    try opened.workload.run(opened.session, opened.recorder)
    #expect(try StoreFingerprint(of: opened.trial.store).change(since: before) == nil)
    #expect(opened.trial.store.walBytes == 0)
  }

  @Test func `are not those of a store that was changed`() throws {
    let bench = try KindBench<SectionWorkload>(model: .plainTasks)
    let opened = try bench.open(Self.values(["operation": .text("save")]))
    try opened.workload.run(opened.session, opened.recorder)
    try Connection(path: opened.trial.store.path)
      .execute("UPDATE ZTASK SET ZSHOWNCATEGORY = 'other' WHERE Z_PK = 3")
    #expect(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
  }

  @Test(
    arguments: zip(
      [
        ["strategy": .text("controller"), "engine": .text("grdb")],
        ["strategy": .text("memory"), "engine": .text("grdb"), "operation": .text("save")],
        ["strategy": .text("sql"), "by": .text("day"), "dayKey": .text("computed")],
        ["operation": .text("save"), "objects": .integer(3), "objectsPerSave": .integer(4)],
      ] as [[String: ParameterValue]],
      [
        "a fetched-results controller needs a context: use 'engine: objectGraph'",
        "plain SQL and GRDB do not update a list after a save: use 'operation: show'",
        "a fetch groups by an attribute: use 'dayKey: stored', or another strategy or engine",
        "a save moves 4 objects, but 'objects' is only 3: reduce 'objectsPerSave'",
      ]
    )
  )
  func `say what cannot be done`(values: [String: ParameterValue], reason: String) throws {
    let parameters = try KindBench<SectionWorkload>(model: .plainTasks).parameters(values)
    #expect(SectionWorkload.impossibility(of: parameters) == reason)
  }
}
