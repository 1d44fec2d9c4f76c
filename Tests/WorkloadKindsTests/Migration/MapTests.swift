import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

/// Tests migrations that copy objects by a map file.
struct MapTests {
  private static let workloads = Repository.path("Workloads")
  private static let ways: [[String: ParameterValue]] = [
    ["strategy": .text("sideBySide"), "batchSize": .integer(0)],
    ["strategy": .text("sideBySide"), "batchSize": .integer(3)],
    ["strategy": .text("exportImport"), "batchSize": .integer(50)],
    ["strategy": .text("gradual")],
  ]
  private static let planner: [String: ParameterValue] = [
    "to": .text(workloads + "/models/planner/v2.yaml"),
    "map": .text(workloads + "/maps/planner.yaml"),
  ]

  private static let allowed: [String: ParameterValue] = ["dropped": .text("allowed")]

  private static func bench(history: Bool = false) throws -> KindBench<MigrationWorkload> {
    let model = try ModelFile.read(path: workloads + "/models/planner/v1.yaml").model
    return try KindBench(model: model, keepsHistory: history) { context in
      let projects = try (0..<2).map { index in
        let project = try context.insert("CDProject")
        try project.setValue(uuid(100 + index), of: "identifier")
        try project.setValue(.text("Project \(index)"), of: "projectName")
        return project
      }
      let tags = try (0..<3).map { index in
        let tag = try context.insert("CDTag")
        try tag.setValue(.text("tag \(index)"), of: "tagName")
        return tag
      }
      for index in 0..<6 {
        let task = try context.insert("CDTask")
        try task.setValue(uuid(index), of: "identifier")
        try task.setValue(index == 4 ? .null : .text("Task \(index)"), of: "taskTitle")
        try task.setValue(.integer(Int64(index % 3)), of: "status")
        try task.setValue([.text("17"), .text("n/a"), .null][index % 3], of: "reference")
        try task.setValue(.real(7e8 + 0.5), of: "dueDate")
        let cover = index == 0 ? 150_000 : index == 1 ? 20 : 0
        if cover > 0 {
          try task.setValue(.blob((0..<cover).map { UInt8(truncatingIfNeeded: $0) }), of: "cover")
        }
        if index != 5 { try task.setTarget(projects[index % 2], of: "project") }
        for tag in 0..<(index % 3) { try task.add(tags[tag], to: "tags") }
      }
      try fillPeople(context)
    }
  }

  private static func fillPeople(_ context: ObjectContext) throws {
    for (entity, name, mail) in [("CDAuthor", "Ann", "email"), ("CDEditor", "Ed", "mail")] {
      let person = try context.insert(entity)
      try person.setValue(.text(name), of: "fullName")
      try person.setValue(.text(name.lowercased() + "@example.com"), of: mail)
    }
    let contact = try context.insert("CDContact")
    try contact.setValue(.text("Con"), of: "name")
    try contact.setValue(.text("Main Street 1"), of: "street")
    try contact.setValue(.text("Springfield"), of: "city")
    for _ in 0..<3 { _ = try context.insert("CDLogEntry") }
  }

  private static func uuid(_ number: Int) -> Value {
    .blob((0..<16).map { UInt8(truncatingIfNeeded: number &* 37 &+ $0 &* $0) })
  }

  private static func rows(_ sql: String, in store: StoreFile) throws -> [String] {
    let row = try Connection(path: store.path, mode: .readOnly, settings: nil).prepare(sql)
    var rows: [String] = []
    while try row.step() {
      rows.append(
        (0..<row.columnCount).map { row.isNull(at: $0) ? "–" : row.text(at: $0) }
          .joined(separator: " ")
      )
    }
    return rows
  }

  @Test(arguments: ways)
  func `rename, convert, split, join and leave out objects`(
    way: [String: ParameterValue]
  ) throws {
    let bench = try Self.bench()
    let opened = try bench.open(way.merging(Self.planner) { $1 }.merging(Self.allowed) { $1 })
    _ = try opened.finish()
    // Releasing the bench removes its folder, so keep it until the end.
    defer { withExtendedLifetime(bench) {} }
    let store = opened.session.result
    #expect(
      try Self.rows(
        "SELECT ZTITLE, ZSTATE, ZREFERENCE, ZPROJECTNAME, p.ZNAME FROM ZTASK LEFT JOIN ZPROJECT AS p "
          + "ON p.Z_PK = ZPROJECT ORDER BY ZTASK.ZID",
        in: store
      ).sorted() == [
        " active – Project 0 Project 0", "Task 0 open 17 Project 0 Project 0",
        "Task 1 active – Project 1 Project 1", "Task 2 done – Project 0 Project 0",
        "Task 3 open 17 Project 1 Project 1", "Task 5 done – – –",
      ]
    )
    #expect(
      try Self.rows("SELECT ZNAME, ZEMAIL, ZROLE FROM ZPERSON ORDER BY 1", in: store)
        == ["Ann ann@example.com author", "Ed ed@example.com editor"]
    )
    #expect(
      try Self.rows(
        "SELECT c.ZNAME, a.ZSTREET, a.ZCITY, b.ZNAME FROM ZCONTACT AS c JOIN ZADDRESS AS a "
          + "ON a.Z_PK = c.ZADDRESS JOIN ZCONTACT AS b ON b.Z_PK = a.ZCONTACT",
        in: store
      ) == ["Con Main Street 1 Springfield Con"]
    )
    let pairs = try #require(
      try Self.rows(
        "SELECT name FROM sqlite_schema WHERE name LIKE 'Z#_%TA%S' ESCAPE '#'",
        in: store
      )
      .first { $0.contains("TAGS") || $0.contains("TASKS") }
    )
    #expect(try Self.rows("SELECT count(*) FROM \(pairs)", in: store) == ["6"])
    // The large cover is an external file; the small cover is in its row.
    #expect(
      try Self.rows(
        "SELECT hex(substr(ZCOVER, 1, 1)), length(ZCOVER) FROM ZTASK WHERE ZCOVER IS NOT NULL "
          + "ORDER BY 2",
        in: store
      ) == ["01 21", "02 38"]
    )
    #expect(StoreFile.files(at: store.externalDataFolder).count == 1)
    #expect(try Self.rows("SELECT count(*) FROM ZPROJECT", in: store) == ["2"])
  }

  /// Statements that damage the store after the copy, each as a fault of the copy would.
  private static let mistakes = [
    "UPDATE ZTASK SET ZSTATE = 'done' WHERE ZTITLE = 'Task 0'",
    "UPDATE ZTASK SET ZREFERENCE = 18 WHERE ZTITLE = 'Task 3'",
    "UPDATE ZTASK SET ZPROJECT = NULL WHERE ZTITLE = 'Task 1'",
    "UPDATE ZTASK SET ZPROJECTNAME = 'x' WHERE ZTITLE = 'Task 5'",
    "UPDATE ZPERSON SET ZROLE = 'author'", "DELETE FROM ZPERSON WHERE ZNAME = 'Ed'",
    "UPDATE ZADDRESS SET ZCONTACT = NULL", "UPDATE ZTASK SET ZCOVER = X'0100' WHERE Z_PK = 1",
  ]

  /// Each fault is tested with one strategy, in turn; in `make fuzz`, with all strategies.
  @Test(arguments: zip(mistakes, mistakes.indices))
  func `fuzz: that went wrong are caught, whichever way`(change: String, place: Int) throws {
    let bench = try Self.bench()
    for way in FuzzSeeds.part(of: Array(Self.ways[1...3]), every: 3, from: place) {
      let opened = try bench.open(way.merging(Self.planner) { $1 }.merging(Self.allowed) { $1 })
      try opened.workload.run(opened.session, opened.recorder)
      opened.session.closeTarget(opened.recorder)
      try Connection(path: opened.session.result.path).execute(change)
      #expect(throws: VerificationFailure.self) {
        try opened.workload.verify(opened.session, opened.trial)
      }
    }
  }

  @Test(arguments: ["counts", "full"])
  func `pass the app's own check, and fail it where one object is lost`(check: String) throws {
    let bench = try Self.bench()
    for way in Self.ways {
      let values = way.merging(Self.planner) { $1 }.merging(Self.allowed) { $1 }
      let opened = try bench.open(values.merging(["check": .text(check)]) { $1 })
      _ = try opened.finish()
      let folder = StoreFile(path: opened.trial.folder + "/reference/reference.sqlite")
      try folder.remove()
      let session = opened.session
      try Connection(path: session.result.path).execute("DELETE FROM ZTASK WHERE Z_PK = 1")
      #expect(throws: Refusal.self) {
        try AppCheck(session: session, reference: opened.trial.store).run()
      }
      #expect(!folder.exists)
    }
  }

  @Test(arguments: ways)
  func `are told from half of them after a kill`(way: [String: ParameterValue]) throws {
    let bench = try Self.bench()
    let values = way.merging(Self.planner) { $1 }.merging(Self.allowed) { $1 }
    let finished = try bench.open(values.merging(["check": .text("counts")]) { $1 })
    let digest = try finished.finish().digest
    let killed = try bench.open(values)
    try killed.workload.run(killed.session, killed.recorder)
    killed.session.closeTarget(killed.recorder)
    killed.session.close(killed.recorder)
    func remains() throws -> Remains {
      try RemainsReader(killed.workload.parameters, killed.trial, finished.trial, digest).read()
    }
    // Without its marker, a finished copy does not count; with the marker, the app reads the copy.
    let isGradual = way["strategy"] == .text("gradual")
    if isGradual {
      #expect(try remains() == Remains(.new, digest: digest))
    }
    var files = FileBytes()
    try MigrationMarker(store: killed.trial.store, version: killed.session.parameters.to)
      .write(&files)
    #expect(try remains() == Remains(.new, digest: digest))
    try Connection(path: killed.trial.newStore.path).execute("DELETE FROM ZTASK WHERE Z_PK = 1")
    let found = try remains()
    #expect((found.state, found.lost, found.doubled) == (.between, 1, 0))
  }

  @Test func `that a map gives only to some objects count the others as lost`() throws {
    let bench = try Self.bench()
    let map = try TemporaryFolder()
    let text = try String(contentsOfFile: Self.workloads + "/maps/planner.yaml", encoding: .utf8)
      .replacing("    from: CDTask\n", with: "    from: CDTask\n    unless: { status: 2 }\n")
    let path = try map.write(text, to: "map.yaml")
    let planner = Self.ways[1].merging(Self.planner) { $1 }
    let lossy = try #require(try bench.fit(planner).obstacle)
    #expect(
      lossy.contains(
        "the map loses 2 values of CDTask.reference that 'textToInteger' cannot convert"
      ),
      "\(lossy)"
    )
    let values = planner.merging(["map": .text(path)]) { $1 }
    let reason = try #require(try bench.fit(values).obstacle)
    #expect(reason.contains("2 objects of CDTask, 2 values of CDTask.reference"), "\(reason)")
    let opened = try bench.open(values.merging(["dropped": .text("allowed")]) { $1 })
    _ = try opened.finish()
    #expect(try Self.rows("SELECT count(*) FROM ZTASK", in: opened.session.result) == ["4"])
  }

  @Test func `by renaming alone are a lightweight migration of the store itself`() throws {
    let bench = try Self.bench()
    let values: [String: ParameterValue] = [
      "strategy": .text("lightweight"),
      "to": .text(Self.workloads + "/models/planner/renamed.yaml"),
      "map": .text(Self.workloads + "/maps/renamed.yaml"),
    ]
    let opened = try bench.open(values)
    _ = try opened.finish()
    defer { withExtendedLifetime(bench) {} }
    #expect(opened.session.result == opened.trial.store)
    #expect(
      try Self.rows("SELECT ZTITLE, ZSTATE FROM ZTASK ORDER BY 1", in: opened.trial.store)
        == ["– 1", "Task 0 0", "Task 1 1", "Task 2 2", "Task 3 0", "Task 5 2"]
    )
    let blocked = values.merging(Self.planner) { $1 }
    let reason = try #require(try bench.fit(blocked).obstacle)
    #expect(reason.contains("Person combines CDAuthor and CDEditor"), "\(reason)")
  }

  @Test func `are not made where the map is of other models`() throws {
    let values: [String: ParameterValue] = [
      "strategy": .text("sideBySide"), "to": .text(Self.workloads + "/models/planner/renamed.yaml"),
      "map": .text(Self.workloads + "/maps/planner.yaml"),
    ]
    let bench = try Self.bench()
    let misfits = try bench.fit(values).misfits
    #expect(misfits.map(\.parameter) == ["map"])
    #expect(misfits.first?.reason.contains("the new model has no entity 'Person'") == true)
  }
}
