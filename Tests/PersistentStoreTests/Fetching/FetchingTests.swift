import DataModel
import PersistentStore
import Testing

struct FetchingTests {
  private func filled() throws -> ContextStore {
    let fixture = try ContextStore()
    try fixture.fill()
    return fixture
  }

  private static let columns =
    "t0.Z_PK, t0.Z_OPT, t0.ZPRIORITY, t0.ZPROJECT, t0.ZDUEDATE, t0.ZTITLE, t0.ZPHOTO"

  @Test func `an eager fetch is one statement`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let statements = try fixture.prepared {
      let request = FetchRequest(
        "Task",
        predicate: .comparison("priority", .greaterOrEqual, .integer(1)),
        sortDescriptors: [.init("dueDate", ascending: false)],
        fetchLimit: 4,
        fetchOffset: 1
      )
      let count = try context.fetch(request).count
      #expect(count == 4)
    }
    #expect(
      statements == [
        "SELECT 0, \(Self.columns) FROM ZTASK t0 WHERE t0.ZPRIORITY >= ?"
          + " ORDER BY t0.ZDUEDATE DESC LIMIT 4 OFFSET 1"
      ]
    )
    #expect(context.statistics.materialised == 4)
  }

  @Test func `a sort by a key path keeps objects without a target, and its count joins nothing`()
    throws
  {
    let fixture = try filled()
    let context = try fixture.context()
    _ = try context.insert("Task")
    try context.save()
    let request = FetchRequest(
      "Task",
      sortDescriptors: [.init("project.name", ascending: false), .init("priority")]
    )
    var counts: [Int] = []
    let statements = try fixture.prepared {
      counts = [try context.fetch(request).count, try context.count(request)]
    }
    #expect(counts == [7, 7])
    #expect(
      statements == [
        "SELECT 0, \(Self.columns) FROM ZTASK t0 LEFT OUTER JOIN ZPROJECT t1"
          + " ON t0.ZPROJECT = t1.Z_PK ORDER BY t1.ZNAME DESC, t0.ZPRIORITY",
        "SELECT COUNT(*) FROM ZTASK t0",
      ]
    )
  }

  @Test func `a sort uses the join of the condition on the same key path`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let request = FetchRequest(
      "Task",
      predicate: .comparison("project.name", .equal, .text("Project 2")),
      sortDescriptors: [.init("project.name")]
    )
    var count = 0
    let statements = try fixture.prepared { count = try context.fetch(request).count }
    #expect(count == 3)
    #expect(
      statements == [
        "SELECT 0, \(Self.columns) FROM ZTASK t0 JOIN ZPROJECT t1"
          + " ON t0.ZPROJECT = t1.Z_PK WHERE t1.ZNAME = ? ORDER BY t1.ZNAME"
      ]
    )
  }

  @Test func `a batched fetch reads keys first and then one batch as it is accessed`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let request = FetchRequest("Task", fetchBatchSize: 2)
    var results: FetchedObjects?
    let first = try fixture.prepared { results = try context.fetch(request) }
    #expect(first == ["SELECT 0, t0.Z_PK FROM ZTASK t0"])
    let fetched = try #require(results)
    #expect(fetched.count == 6)
    let second = try fixture.prepared {
      let title = try fetched.object(at: 3).value(of: "title")
      #expect(title == .text("Task 1"))
    }
    #expect(second.first == "CREATE VIRTUAL TABLE temp._Z_intarray0 USING storebench__Z_intarray0")
    #expect(
      second.last == "SELECT 0, \(Self.columns) FROM ZTASK t0"
        + " WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0) LIMIT 2"
    )
    #expect(context.statistics.materialised == 2)
    for index in 0..<6 { #expect(try fetched.object(at: index).key == Int64(index + 1)) }
  }

  @Test func `a fault is fired by its key, a to-many by its source`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let task = try context.fetch(FetchRequest("Task", includesPropertyValues: false)).object(at: 0)
    #expect(task.isFault)
    let statements = try fixture.prepared {
      _ = try task.value(of: "title")
      #expect(try task.targets(of: "subtasks").count == 2)
      #expect(try task.targets(of: "tags").count == 2)
    }
    #expect(
      statements
        == [
          "SELECT 0, \(Self.columns) FROM ZTASK t0 WHERE t0.Z_PK = ?",
          "SELECT 0, t0.Z_PK FROM ZSUBTASK t0 WHERE t0.ZTASK = ? ORDER BY t0.Z_FOK_TASK",
          "SELECT 0, t0.Z_PK FROM Z_6TASKS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_6TAGS"
            + " WHERE t1.Z_7TASKS = ?",
        ].map { $0.replacingJoin(fixture) }
    )
    #expect(context.statistics.faultsFired == 3)
  }

  @Test func `prefetching loads a relationship of all objects in one statement`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    var results: FetchedObjects?
    let statements = try fixture.prepared {
      results = try context.fetch(
        FetchRequest("Task", relationshipsForPrefetching: ["project", "notes"])
      )
    }
    #expect(statements.filter { $0.hasPrefix("SELECT") }.count == 3)
    #expect(
      statements.last == "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTASK, t0.ZTEXT, t0.ZTASK"
        + " FROM ZNOTE t0 WHERE t0.ZTASK IN (SELECT * FROM _Z_intarray0) ORDER BY t0.ZTASK"
    )
    let fetched = try #require(results)
    let later = try fixture.prepared {
      for index in 0..<fetched.count {
        let task = try fetched.object(at: index)
        #expect(try task.target(of: "project")?.value(of: "name") != .null)
        #expect(try task.targets(of: "notes").count == 1)
      }
    }
    #expect(later.isEmpty)
  }

  @Test func `prefetching along key paths loads each level in one statement`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let request = FetchRequest(
      "Subtask",
      relationshipsForPrefetching: ["task.project", "task.tags", "task"]
    )
    var results: FetchedObjects?
    let statements = try fixture.prepared { results = try context.fetch(request) }
    let selected = statements.filter { $0.hasPrefix("SELECT") }
    #expect(selected.count == 4, "\(selected)")
    let keys = " WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0)"
    #expect(selected.contains { $0.hasSuffix("FROM ZTASK t0\(keys) LIMIT 6") })
    #expect(selected.contains { $0.hasSuffix("FROM ZPROJECT t0\(keys) LIMIT 2") })
    #expect(context.statistics.materialised == 12 + 6 + 2 + 2)
    let fetched = try #require(results)
    let later = try fixture.prepared {
      for index in 0..<fetched.count {
        let task = try #require(try fetched.object(at: index).target(of: "task"))
        #expect(try task.target(of: "project")?.value(of: "name") != .null)
        #expect(try task.targets(of: "tags").count == 2)
      }
    }
    #expect(later.isEmpty)
    #expect(context.statistics.faultsFired == 0)
  }

  @Test func `counts without reading an object`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let statements = try fixture.prepared {
      let request = FetchRequest("Task", predicate: .count("subtasks", .greater, 1))
      let count = try context.count(request)
      #expect(count == 6)
    }
    #expect(
      statements == [
        "SELECT COUNT(*) FROM ZTASK t0 WHERE"
          + " (SELECT COUNT(t1.Z_PK) FROM ZSUBTASK t1 WHERE (t0.Z_PK = t1.ZTASK) ) > ?"
      ]
    )
  }

  @Test func `follows key paths by joins, and looks for any target by a subquery`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let name = Predicate.comparison("project.name", .equal, .text("Project 1"))
    let title = Predicate.comparison("title", .equal, .text("first"))
    var counts: [Int] = []
    let statements = try fixture.prepared {
      for predicate in [name, .or([name, .isNull("project.name")]), .any("subtasks", title)] {
        counts.append(try context.count(FetchRequest("Task", predicate: predicate)))
      }
    }
    #expect(counts == [3, 3, 6])
    let count = "SELECT COUNT(*) FROM ZTASK t0 "
    #expect(
      statements == [
        count + "JOIN ZPROJECT t1 ON t0.ZPROJECT = t1.Z_PK WHERE t1.ZNAME = ?",
        count + "LEFT OUTER JOIN ZPROJECT t1 ON t0.ZPROJECT = t1.Z_PK"
          + " WHERE (t1.ZNAME = ? OR t1.ZNAME IS NULL)",
        count + "WHERE (SELECT COUNT(t1.Z_PK) FROM ZSUBTASK t1"
          + " WHERE (t0.Z_PK = t1.ZTASK AND t1.ZTITLE = ?) ) > 0",
      ]
    )
  }

  @Test(arguments: [StoreBehaviours.BatchRetention.current, .all])
  func `objects of passed batches stay only where that is asked for`(
    retention: StoreBehaviours.BatchRetention
  ) throws {
    let fixture = try filled()
    let context = try fixture.context(StoreBehaviours(batchRetention: retention))
    let results = try context.fetch(FetchRequest("Task", fetchBatchSize: 2))
    for index in [0, 2, 4, 0] { _ = try results.object(at: index) }
    #expect(context.statistics.materialised == (retention == .all ? 6 : 8))
  }

  @Test func `one object stands for one row, however it is reached`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let tasks = try context.fetch(FetchRequest("Task"))
    let project = try #require(try tasks.object(at: 0).target(of: "project"))
    let again = try context.fetch(FetchRequest("Project")).object(at: 0)
    #expect(project === again)
    #expect(try project.targets(of: "tasks").first === tasks.object(at: 0))
  }
}

extension String {
  /// The statement with the join table's actual names, which depend on entity numbers.
  fileprivate func replacingJoin(_ fixture: ContextStore) -> String {
    let table = fixture.store.layout.joinTables[0]
    let side = [table.master, table.slave].first { $0.relationship == "tags" }
    return replacing("Z_6TASKS t1", with: "\(table.name) t1")
      .replacing("t1.Z_6TAGS", with: "t1.\(side?.otherColumn ?? "")")
      .replacing("t1.Z_7TASKS", with: "t1.\(side?.ownColumn ?? "")")
  }
}
