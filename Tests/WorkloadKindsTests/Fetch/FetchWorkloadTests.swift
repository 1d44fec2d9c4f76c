import Basics
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct FetchWorkloadTests {
  private static let engines: [[String: ParameterValue]] = [
    ["engine": .text("objectGraph"), "strategy": .text("eager")],
    ["engine": .text("objectGraph"), "strategy": .text("batched"), "batchSize": .integer(7)],
    ["engine": .text("objectGraph"), "strategy": .text("faults")],
    ["engine": .text("bareSQL"), "strategy": .text("eager")],
    ["engine": .text("bareSQL"), "strategy": .text("batched"), "batchSize": .integer(7)],
    ["engine": .text("bareSQL"), "strategy": .text("faults")],
    ["engine": .text("grdb"), "strategy": .text("eager")],
    ["engine": .text("grdb"), "strategy": .text("batched"), "batchSize": .integer(7)],
    ["engine": .text("grdb"), "strategy": .text("faults")],
  ].filter { $0["engine"] != .text("grdb") || EngineCatalogue.built.hasGRDB }

  private static let requests: [[String: ParameterValue]] = [
    [:],
    ["sort": .list(["-createdAt", "title"])],
    ["sort": .list(["estimatedMinutes"]), "limit": .integer(33), "offset": .integer(5)],
    ["predicate": .text("isCompleted == 0 AND estimatedMinutes >= 30")],
    ["predicate": .text("NOT (title BEGINSWITH 'Task 1' OR project == nil)")],
    ["predicate": .text("tags.@count > 1"), "sort": .list(["sortOrder"])],
    ["predicate": .text("createdAt < 2026-05-09 AND completedAt != nil"), "matches": .integer(0)],
    ["predicate": .text("title == 'nothing has this title'"), "matches": .integer(0)],
  ]

  private static let patterns = ["none", "firstScreen", "scrollAll", "randomJump"]

  /// Each request of an engine uses one access pattern, in turn; in `make fuzz`, all patterns.
  @Test(arguments: zip(engines, engines.indices))
  func `fuzz: reads the same objects whatever the engine`(
    engine: [String: ParameterValue],
    place: Int
  ) throws {
    let bench = try makeTaskBench()
    for (number, request) in Self.requests.enumerated() {
      for pattern in FuzzSeeds.part(of: Self.patterns, every: 4, from: place + number) {
        let values = tasks(engine).merging(request) { $1 }
          .merging(["accessPattern": .text(pattern)]) { $1 }
        #expect(throws: Never.self, "\(values)") { try bench.verify(values) }
      }
    }
  }

  @Test func `agrees on one digest for one end state`() throws {
    let bench = try makeTaskBench()
    var digests: [String: Set<String>] = [:]
    for engine in Self.engines {
      let found = try bench.verify(tasks(engine)).digest
      digests[try bench.workload(tasks(engine)).traits.endState, default: []].insert(found)
    }
    #expect(digests.count == 1)
    #expect(digests.values.allSatisfy { $0.count == 1 })
  }

  @Test(
    arguments: ["eager", "batched", "faults"],
    ["project", "tags", "category", "project.tasks"]
  )
  func `follows relationships of the touched share`(
    strategy: String,
    relationship: String
  ) throws {
    let bench = try makeTaskBench()
    for prefetch in strategy == "faults" ? [[]] : [[], [relationship]] {
      for fault in ["keys", "rows"] {
        _ = try bench.verify(
          tasks([
            "strategy": .text(strategy), "relationship": .text(relationship),
            "prefetch": .list(prefetch), "touchedShare": .real(0.4), "toManyFault": .text(fault),
          ])
        )
      }
    }
  }

  @Test func `counts exactly what it does`() throws {
    let bench = try makeTaskBench()
    func figures(_ values: [String: ParameterValue]) throws -> [String: Double] {
      let opened = try bench.open(tasks(values))
      _ = try opened.finish()
      return opened.figures
    }
    let eager = try figures(["accessPattern": .text("firstScreen")])
    #expect(eager["objects.materialised"] == 90)
    #expect(eager["objects.fetched"] == 90)
    #expect(eager["sqlite.statementsRun"] == 1)
    #expect(eager["firstScreen"] != nil)
    let batched = try figures([
      "strategy": .text("batched"), "accessPattern": .text("firstScreen"),
      "batchSize": .integer(10),
    ])
    #expect(batched["objects.materialised"] == 20)
    // Three statements read the keys and two batches; one makes the table of the batches' keys.
    #expect(batched["sqlite.statementsRun"] == 4)
    let faults = try figures(["strategy": .text("faults"), "accessPattern": .text("firstScreen")])
    #expect(faults["objects.faultsFired"] == 20)
    #expect(faults["sqlite.statementsRun"] == 21)
    let none = try figures(["accessPattern": .text("none")])
    #expect(none["firstScreen"] == nil)
    let prefetched = try figures(["prefetch": .list(["project"]), "touchedShare": .real(1)])
    #expect(prefetched["objects.faultsFired"] == 0)
    #expect(prefetched["objects.materialised"] == 95)
    let followed = try figures([
      "touchedShare": .real(1), "relationship": .text("project"),
    ])
    // A project is released with the last object that retains it, and is then read again when
    // needed.
    #expect(followed["objects.faultsFired"] ?? 0 >= 5)
  }

  @Test func `loads along a path and back as much in each run`() throws {
    let bench = try makeTaskBench()
    let opened = try bench.open(tasks(["prefetch": .list(["project.tasks"])]))
    _ = try opened.finish()
    let again = Recorder(now: { 0 })
    _ = again.begin()
    try opened.workload.run(opened.session, again)
    let figures = again.measurements().filter { $0.metric.name == "objects.materialised" }
    #expect(opened.figures["objects.materialised"] == 95)
    #expect(figures.map(\.value) == [95])
  }

  @Test func `runs the statements that the logs show`() throws {
    let bench = try makeTaskBench()
    let values = tasks([
      "strategy": .text("batched"), "attributes": .list(["title"]),
      "predicate": .text("isFlagged == NO"), "sort": .list(["-sortOrder"]),
      "accessPattern": .text("firstScreen"), "prefetch": .list(["project"]),
    ])
    let opened = try bench.open(values)
    var statements: [String] = []
    opened.session.store.connection.onPrepare = { statements.append($0) }
    _ = try opened.finish()
    let columns =
      "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZESTIMATEDMINUTES, t0.ZISCOMPLETED, t0.ZISFLAGGED, "
      + "t0.ZSORTORDER, t0.ZCATEGORY, t0.ZPROJECT, t0.ZCOMPLETEDAT, t0.ZCREATEDAT, "
      + "t0.ZMODIFIEDAT, t0.ZPROGRESS, t0.ZDETAILS, t0.ZTITLE, t0.ZID"
    #expect(
      statements.filter { !$0.hasPrefix("CREATE VIRTUAL TABLE") } == [
        "SELECT 0, t0.Z_PK FROM ZTASK t0 WHERE t0.ZISFLAGGED = ? ORDER BY t0.ZSORTORDER DESC",
        columns + " FROM ZTASK t0 WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0) LIMIT 20",
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZISARCHIVED, t0.ZSORTORDER, t0.ZCREATEDAT, t0.ZNAME, "
          + "t0.ZSUMMARY, t0.ZID FROM ZPROJECT t0 WHERE t0.Z_PK IN "
          + "(SELECT * FROM _Z_intarray0) LIMIT 5",
      ]
    )
  }

  @Test func `selects only what is read by plain statements`() throws {
    let bench = try makeTaskBench()
    let opened = try bench.open(
      tasks([
        "engine": .text("bareSQL"), "attributes": .list(["title", "id"]),
        "predicate": .text("estimatedMinutes > 3 OR details != nil"), "limit": .integer(4),
      ])
    )
    var statements: [String] = []
    opened.session.store.connection.onPrepare = { statements.append($0) }
    _ = try opened.finish()
    #expect(
      statements == [
        "SELECT Z_PK, ZID, ZTITLE FROM ZTASK WHERE (ZTASK.ZESTIMATEDMINUTES > ? OR "
          + "NOT (ZTASK.ZDETAILS IS NULL)) LIMIT 4"
      ]
    )
  }

  @Test func `counts objects without reading them`() throws {
    let bench = try makeTaskBench()
    for engine in ChangeEngine.built.map(\.rawValue) {
      let found = try bench.verify(
        tasks([
          "engine": .text(engine), "strategy": .text("count"),
          "predicate": .text("isCompleted == 1"), "limit": .integer(3),
        ])
      )
      #expect(found.digest == "45 objects")
    }
  }

  @Test func `chooses the entity with most objects and says so`() throws {
    let bench = try makeTaskBench()
    let fit = try bench.fit(["touchedShare": .real(1)])
    #expect(
      fit.notes == [
        "entity 'Task', the one with most objects", "relationship 'category' of 'Task'",
      ]
    )
  }

  @Test(arguments: ChangeEngine.built.map(\.rawValue))
  func `leaves the store as it is`(engine: String) throws {
    let bench = try makeTaskBench()
    let opened = try bench.open(tasks(["engine": .text(engine)]))
    let digest = try StoreInspection(store: opened.trial.store, layout: opened.session.store.layout)
      .digest()
    _ = try opened.finish()
    #expect(
      try StoreInspection(store: opened.trial.store, layout: opened.session.store.layout).digest()
        == digest
    )
    #expect(opened.trial.store.walBytes == 0)
  }

  @Test(
    arguments: [
      (["entity": .text("Taks")], "the store has no entity 'Taks'; did you mean 'Task'?"),
      (
        ["sort": .list(["-titel"])],
        "the entity 'Task' has no stored attribute 'titel'; did you mean 'title'?"
      ),
      (
        ["prefetch": .list(["projects"])],
        "the entity 'Task' has no stored relationship 'projects'; did you mean 'project'?"
      ),
      (
        ["prefetch": .list(["project.task"])],
        "the entity 'Project' has no stored relationship 'task'; did you mean 'tasks'?"
      ),
      (
        ["predicate": .text("title > 3")],
        "'title' is of type string and cannot be compared with '3'"
      ),
      (
        ["predicate": .text("tags == nil")],
        "'tags' is a to-many and has no value: compare 'tags.@count' with a number"
      ),
      (
        ["predicate": .text("project.@count == 1")],
        "'project' of 'Task' is a to-one, which has no count: compare it with nil"
      ),
      (
        ["predicate": .text("projekt.name == 'x'")],
        "the entity 'Task' has no stored relationship 'projekt'; did you mean 'project'?"
      ),
      (
        ["predicate": .text("project.nam == 'x'")],
        "the entity 'Project' has no stored attribute 'nam'; did you mean 'name'?"
      ),
      (
        ["predicate": .text("project.name BETWEEN {1, 2}")],
        "'name' is of type string and cannot be compared with '1'"
      ),
      (
        ["predicate": .text("sortOrder LIKE '1*'")],
        "'sortOrder' is of type integer32 and cannot be compared with '1*'"
      ),
      (
        ["predicate": .text("tags.name == 'x'")],
        "'tags.name' leads through 'tags' of 'Task', which is a to-many: begin the comparison with "
          + "ANY"
      ),
      (
        ["predicate": .text("project.tasks.title == 'x'")],
        "'project.tasks.title' leads through 'tasks' of 'Project', which is a to-many: ANY "
          + "searches only a to-many of 'Task' itself"
      ),
      (
        ["predicate": .text("ANY project.name == 'x'")],
        "'project' of 'Task' is a to-one: leave out ANY"
      ),
      (
        ["predicate": .text("tags.@max.name == 'x'")],
        "'tags.@max.name' is not read here: only '@count' is, against one number"
      ),
    ] as [([String: ParameterValue], String)]
  )
  func `says what does not fit the store`(values: [String: ParameterValue], message: String) throws
  {
    let bench = try makeTaskBench()
    let fit = try bench.fit(tasks(values))
    #expect(fit.misfits.map(\.reason) == [message])
    #expect(throws: Refusal.self) { try bench.open(tasks(values)) }
  }

  @Test(
    arguments: [
      (["predicate": .text("isCompleted = ")], "the predicate has the end at character 15"),
      (["strategy": .text("faults"), "prefetch": .list(["project"])], "use 'eager' or 'batched'"),
      (["engine": .text("grdb"), "touchedShare": .real(0.5)], "follows no relationships"),
      (["engine": .text("bareSQL"), "touchedShare": .real(0.5)], "follows no relationships"),
    ] as [([String: ParameterValue], String)]
  )
  func `says which cases cannot be run`(values: [String: ParameterValue], message: String) throws {
    let bench = try makeTaskBench()
    let reason = FetchWorkload.impossibility(of: try bench.parameters(values))
    #expect(reason?.contains(message) == true)
  }
}
