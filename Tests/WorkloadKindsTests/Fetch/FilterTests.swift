import Basics
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `Filters of a list` {
  private static let conditions = [
    "project == 3", "ANY tags == 2", "NOT (ANY tags == 1)", "project != 2 OR ANY tags == 3",
    "title CONTAINS[cd] 'ZLUTOUCKY'", "details CONTAINS[cd] 'of 1'",
    "NOT (details CONTAINS[cd] 'of 1')", "tags.@count > 1 AND estimatedMinutes >= 30",
    "project == 1 AND ANY tags == 1 AND isCompleted == 0 AND title CONTAINS[cd] 'task 1'",
    "(completedAt == nil OR completedAt > 2001-01-01) AND title BEGINSWITH 'Task 2'",
    "estimatedMinutes < 20 AND NOT (progress >= 0.5)", "createdAt != nil AND category == nil",
  ]

  /// Each condition is tested with one strategy, in turn; in `make fuzz`, with all strategies.
  @Test(arguments: zip(conditions, conditions.indices))
  func `fuzz: find the same objects in the store, in memory and by plain SQL`(
    condition: String,
    place: Int
  ) throws {
    let bench = try makeTaskBench()
    var digests: Set<String> = []
    for strategy in FuzzSeeds.part(of: ["eager", "batched", "faults"], every: 3, from: place) {
      for (engine, filter) in [
        ("objectGraph", "store"), ("objectGraph", "memory"), ("bareSQL", "store"),
      ] {
        let values = tasks([
          "predicate": .text(condition), "strategy": .text(strategy), "engine": .text(engine),
          "filter": .text(filter), "sort": .list(["-title", "sortOrder"]),
        ])
        digests.insert(try bench.verify(values).digest)
      }
    }
    #expect(digests.count == 1)
  }

  @Test(
    arguments: [
      ("sortOrder BETWEEN {10, 19}", 10), ("sortOrder IN (1, 2)", 2),
      ("isCompleted == YES && !(sortOrder => 10)", 5),
      ("completedAt == NULL || sortOrder =< 3", 47),
      ("createdAt > CAST(800000020.0, 'NSDate')", 27), ("TRUEPREDICATE", 90),
      ("title BEGINSWITH[c] 'task 1,'", 3), ("title CONTAINS 'Task 1'", 23),
      ("title ENDSWITH '任务'", 90), ("title LIKE 'Task ?,*'", 30),
      ("title LIKE[cd] '*zlutoucky*'", 90), ("title ==[cd] 'TASK 7, ZLUTOUCKY 任务'", 3),
      ("title !=[c] 'task 7, žluťoučký 任务'", 87), ("details !=[c] 'details of 3'", 29),
      ("project.name == 'Project 3'", 16), ("project.name != 'Project 3'", 61),
      ("NOT (project.name == 'Project 3')", 61),
      ("project.name == 'Project 3' OR project.name == nil", 29),
      ("project.name ENDSWITH[c] 't 3' AND project.createdAt == 3.0", 16),
      ("NOT (project.name CONTAINS 'Project')", 13),
      ("project.tasks.@count == 16", 32), ("project.tasks.@count == 0", 13),
      ("ANY tags.name == 'tag 2'", 22), ("NONE tags.name == 'tag 2'", 68),
      ("ANY tags.name IN {'tag 1', 'tag 2'}", 44),
      ("ANY tags.name BETWEEN {'tag 1', 'tag 1z'} AND sortOrder < 8", 4),
      ("ANY tags.name LIKE[c] 'TAG 2'", 22), ("ANY tags IN {3}", 22),
    ]
  )
  func `match the same objects by each form of a predicate`(
    condition: String,
    matches: Int
  ) throws {
    let bench = try makeTaskBench()
    var ways = [("objectGraph", "store"), ("objectGraph", "memory"), ("bareSQL", "store")]
    if EngineCatalogue.built.hasGRDB, !Condition.searchesText(condition) {
      ways.append(("grdb", "store"))
    }
    for (engine, filter) in ways {
      let opened = try bench.open(
        tasks([
          "predicate": .text(condition), "engine": .text(engine), "filter": .text(filter),
          "sort": .list(["sortOrder"]),
        ])
      )
      _ = try opened.finish()
      #expect(opened.figures["objects.fetched"] == Double(matches), "\(engine), \(filter)")
    }
  }

  @Test func `load every object where they are in memory`() throws {
    let bench = try makeTaskBench()
    func loaded(_ filter: String) throws -> Double? {
      let opened = try bench.open(
        tasks(["predicate": .text("sortOrder < 10"), "filter": .text(filter)])
      )
      _ = try opened.finish()
      return opened.figures["objects.materialised"]
    }
    #expect(try loaded("store") == 10)
    #expect(try loaded("memory") == 90)
  }

  @Test func `fire a to-many of each object where they are in memory`() throws {
    let bench = try makeTaskBench()
    let opened = try bench.open(
      tasks(["predicate": .text("ANY tags == 2"), "filter": .text("memory")])
    )
    _ = try opened.finish()
    #expect(opened.figures["objects.faultsFired"] == 90)
  }

  @Test func `work without the fetch indexes`() throws {
    let bench = try makeTaskBench()
    let opened = try bench.open(
      tasks(["predicate": .text("isCompleted == 0"), "indexes": .boolean(false)])
    )
    _ = try opened.finish()
    let names = "SELECT count(*) FROM sqlite_master WHERE name LIKE 'Z\\_Task\\_by%' ESCAPE '\\'"
    #expect(try opened.trial.store.plainConnection().integer(names) == 0)
    #expect(try bench.original.plainConnection().integer(names) ?? 0 > 0)
  }

  @Test(
    arguments: zip(
      [
        ["filter": .text("memory"), "engine": .text("bareSQL")],
        ["filter": .text("memory"), "strategy": .text("count")],
        ["filter": .text("memory"), "limit": .integer(3)],
        ["predicate": .text("title CONTAINS[cd] 'a'"), "engine": .text("grdb")],
      ] as [[String: ParameterValue]],
      [
        "a filter in memory reads the objects of a context: use 'engine: objectGraph' and another "
          + "strategy than 'count'",
        "a filter in memory reads the objects of a context: use 'engine: objectGraph' and another "
          + "strategy than 'count'",
        "a filter in memory would run after 'limit' and 'offset': leave both at 0",
        "GRDB's connection lacks the frameworks' text search: use a different engine",
      ]
    )
  )
  func `say what cannot be done`(values: [String: ParameterValue], reason: String) throws {
    let all = tasks(["predicate": .text("isCompleted == 0")]).merging(values) { $1 }
    #expect(try FetchWorkload.impossibility(of: makeTaskBench().parameters(all)) == reason)
  }

  @Test(
    arguments: zip(
      [
        "sortOrder == 500", "title == 'Task 99'", "sortOrder > 80 AND estimatedMinutes > 99",
        "createdAt < 2001-01-01", "tags.@count > 9 AND isCompleted == 1",
        "project.name == 'Project 9'", "ANY tags.name ==[c] 'tag 9'",
      ],
      [
        "'sortOrder == 500' matches none (nearest: 89, 88, 87)",
        "'title == 'Task 99'' matches none (most frequent: 'Task 0, Žluťoučký 任务', "
          + "'Task 1, Žluťoučký 任务', 'Task 2, Žluťoučký 任务')",
        "'sortOrder > 80' matches 9; 'estimatedMinutes > 99' matches none (nearest: 59, 58, 57)",
        "'createdAt < 2001-01-01T00:00:00Z' matches none (nearest: 2026-05-09T06:13:20Z, 2026-05-09T06:13:21Z, "
          + "2026-05-09T06:13:22Z)",
        "'tags.@count > 9' matches none; 'isCompleted == 1' matches 45",
        "'project.name == 'Project 9'' matches none (most frequent: 'Project 1', 'Project 3', "
          + "'Project 0')",
        "'ANY tags.name ==[c] 'tag 9'' matches none (most frequent: 'tag 0', 'tag 1', 'tag 2')",
      ]
    )
  )
  func `that match nothing measure nothing, and say what occurs`(
    condition: String,
    reason: String
  ) throws {
    let values = tasks(["predicate": .text(condition)])
    let error = try #require(throws: Refusal.self) { try makeTaskBench().verify(values) }
    #expect(error.status == .caseFailed)
    #expect(
      "\(error)" == "not measured: the condition matches none of 90 objects of 'Task'; \(reason). "
        + "If that is meant, set 'matches: 0'"
    )
    let meant = values.merging(["matches": .integer(0)]) { $1 }
    #expect(try makeTaskBench().verify(meant).digest.isEmpty == false)
  }

  @Test func `can ask for more objects than one`() throws {
    let values = tasks(["predicate": .text("sortOrder < 10"), "matches": .integer(11)])
    let error = try #require(throws: Refusal.self) { try makeTaskBench().verify(values) }
    #expect(
      "\(error)"
        == "not measured: the condition matches 10 objects, fewer than 'matches: 11'"
    )
  }

  @Test func `are read from a text`() throws {
    let condition = try Condition("any tags == 3 AND NOT title contains[cd] 'x'")
    let match = TextMatch(.contains, "x", ignoresCase: true, ignoresDiacritics: true)
    #expect(condition == .and([.has("tags", 3), .not(.text("title", match))]))
    for (text, message) in [
      ("ANY tags > 3", "the predicate has '>' at character 10 where == must be"),
      ("ANY 3", "the predicate has '3' at character 5 where a relationship's name must be"),
      ("a CONTAINS[cd] 3", "the predicate has '3' at character 16 where a quoted text must be"),
    ] {
      let error = try #require(throws: Refusal.self) { try Condition(text) }
      #expect("\(error)" == message)
    }
  }
}
