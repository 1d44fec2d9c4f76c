import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@Suite struct `A lightweight migration` {
  /// The shapes take turns over the versions; in `make fuzz`, each version takes all shapes.
  private static let changes = NextVersion.examples.enumerated().flatMap { place, version in
    FuzzSeeds.part(of: LightweightMigration.Shape.allCases, every: 3, from: place)
      .map { (version, $0) }
  }

  @Test(arguments: changes)
  func `fuzz: keeps every object, value and relationship`(
    version: NextVersion,
    shape: LightweightMigration.Shape
  ) throws {
    let store = try SampleStore.filled()
    let original = try store.copy()
    let layout = try store.migrate(to: version.model(after: SampleModel.model), shape)
    let expected = ExpectedContent(
      from: try StoreContent(store: original.file, layout: store.layout),
      layout: layout
    )
    var inspection = StoreInspection(store: store.file, layout: layout)
    let isDropped = layout.numbers.entities.count < store.layout.numbers.entities.count
    if isDropped {
      // The history of a dropped entity is removed, which leaves gaps; its external files remain.
      inspection.exceptions = [.orphanedExternalFile, .historyGap, .transactionWithoutChange]
    }
    let problems = try inspection.problems(
      expecting: expected,
      history: isDropped ? nil : .unchanged
    )
    #expect(problems.joined(separator: "\n") == "")
    #expect(
      try store.rows("SELECT Z_UUID FROM Z_METADATA") == [["5A0B5FB4-7E6A-4F0E-9D4B-2C1C0A4F6E11"]]
    )
    let opened = try PersistentStore.open(store.file)
    #expect(opened.model == layout.model)
    #expect(try StoreMetadata(from: opened.connection, path: "").versionIdentifiers == ["2.0.0"])
  }

  @Test(arguments: NextVersion.examples)
  func `leaves the definitions of a fresh store when it rebuilds`(version: NextVersion) throws {
    let store = try SampleStore.withoutHistory()
    let layout = try store.migrate(to: version.model(after: SampleModel.model), .rebuild)
    #expect(try store.definitions() == layout.definitions)
  }

  @Test func `adds, renames and piles up in place as real stores show it`() throws {
    let store = try SampleStore.withoutHistory()
    let version = NextVersion("") {
      $0.append(Entity(name: "Agenda"))
      $0.change("Category") {
        $0.attributes.append(Attribute(name: "rank", type: .integer16))
      }
    }
    _ = try store.migrate(to: version.model(after: SampleModel.model), .inPlace)
    let definitions = try store.definitions()
    #expect(
      definitions.contains(
        "CREATE TABLE ZCATEGORY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZCOLOR VARCHAR, ZNAME VARCHAR , ZRANK INTEGER)"
      )
    )
    #expect(
      definitions.filter { $0.contains("Z_9TASKS") || $0.contains("Z_8TASKS") } == [
        "CREATE TABLE \"Z_9TASKS\" ( Z_9TAGS INTEGER, Z_10TASKS INTEGER, Z_FOK_10TASKS INTEGER, "
          + "PRIMARY KEY (Z_9TAGS, Z_10TASKS) )",
        "CREATE INDEX Z_8TASKS_Z_9TASKS_INDEX ON \"Z_9TASKS\" (Z_10TASKS, Z_9TAGS)",
        "CREATE INDEX Z_9TASKS_Z_10TASKS_INDEX ON Z_9TASKS (Z_10TASKS, Z_9TAGS)",
      ]
    )
  }

  @Test func `keeps the keys handed out, under the new numbers`() throws {
    let store = try SampleStore.filled()
    try store.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 99 WHERE Z_NAME = 'Project'")
    let version = NextVersion("") { $0.append(Entity(name: "Agenda")) }
    _ = try store.migrate(to: version.model(after: SampleModel.model), .inPlace)
    #expect(
      try store.rows("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 3 OR Z_MAX = 99")
        == [["1", "Agenda", "0"], ["2", "Attachment", "8"], ["6", "Project", "99"]]
    )
  }

  @Test(arguments: LightweightMigration.Shape.allCases)
  func `keeps the rows of a hidden model, whose tables stay`(
    shape: LightweightMigration.Shape
  ) throws {
    let store = try SampleStore.filled()
    let rows = [["17001", "NSCKEvent", "0", "4"], ["17002", "NSCKRecord", "17001", "0"]]
    for row in rows {
      try store.execute(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
          + "VALUES (\(row[0]), '\(row[1])', \(row[2]), \(row[3]))"
      )
    }
    let version = NextVersion("") { $0.append(Entity(name: "Agenda")) }
    let layout = try store.migrate(to: version.model(after: SampleModel.model), shape)
    #expect(
      try store.rows(
        "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16003 ORDER BY 1"
      ) == rows
    )
    #expect(
      try store.rows("SELECT count(*) FROM Z_PRIMARYKEY WHERE Z_ENT < 16001")
        == [["\(layout.numbers.entities.count)"]]
    )
  }

  @Test(arguments: LightweightMigration.Shape.allCases)
  func `fails over duplicates and leaves the store as it was`(
    shape: LightweightMigration.Shape
  ) throws {
    let store = try SampleStore.filled()
    try store.execute("UPDATE ZSUBTASK SET ZTITLE = 'twice' WHERE Z_PK < 3")
    let copy = try store.copy()
    let before = try StoreContent(store: copy.file, layout: store.layout)
    let definitions = try store.definitions()
    let version = NextVersion("") {
      $0.change("Subtask") { $0.uniquenessConstraints = [["title"]] }
    }
    let error = #expect(throws: SQLiteError.self) {
      try store.migrate(to: version.model(after: SampleModel.model), shape)
    }
    #expect(error?.message == "UNIQUE constraint failed: ZSUBTASK.ZTITLE")
    #expect(try store.definitions() == definitions)
    #expect(
      try StoreInspection(store: store.file, layout: store.layout)
        .problems(expecting: ExpectedContent(from: before)) == []
    )
  }

  @Test(arguments: LightweightMigration.Shape.allCases)
  func `turns a to-one into an ordered many-to-many`(shape: LightweightMigration.Shape) throws {
    let store = try SampleStore.withoutHistory()
    let before = try store.rows(
      "SELECT ZPROJECT, Z_PK FROM ZTASK WHERE ZPROJECT IS NOT NULL ORDER BY 1, 2"
    )
    let version = NextVersion("") {
      $0.change("Task") { task in
        task.relationships.change("project") {
          $0.name = "projects"
          $0.renamingIdentifier = "project"
          $0.isToMany = true
          $0.maximumCount = 0
        }
      }
      $0.change("Project") { project in
        project.relationships.change("tasks") {
          $0.inverse = "projects"
          $0.isOrdered = true
        }
      }
    }
    let layout = try store.migrate(to: version.model(after: SampleModel.model), shape)
    let table = try #require(layout.joinTables.first { $0.master.entity == "Project" })
    let order = try #require(table.master.orderColumn)
    let own = table.master.ownColumn
    #expect(
      try store.rows(
        "SELECT \(own), \(table.master.otherColumn) FROM \(table.name) ORDER BY \(own), \(order)"
      )
        == before
    )
    #expect(
      try store.rows("SELECT \(order) FROM \(table.name) WHERE \(own) = 1 ORDER BY 1").prefix(2)
        == [["2048"], ["3072"]]
    )
    #expect(try StoreAudit(store: store.file, layout: layout).findings().map(\.description) == [])
  }

  @Test func `fills missing values of what becomes required, and marks data as inline`() throws {
    let store = try SampleStore.withoutHistory()
    let missing = try store.rows("SELECT Z_PK FROM ZTASK WHERE ZDETAILS IS NULL")
    let version = NextVersion("") {
      $0.change("Task") { task in
        task.attributes.change("details") {
          $0.isOptional = false
          $0.defaultValue = .text("none")
        }
      }
      $0.change("Attachment") { attachment in
        attachment.attributes.change("checksum") { $0.allowsExternalStorage = true }
      }
    }
    let layout = try store.migrate(to: version.model(after: SampleModel.model), .inPlace)
    #expect(try store.rows("SELECT Z_PK FROM ZTASK WHERE ZDETAILS = 'none'") == missing)
    #expect(
      try store.rows(
        "SELECT DISTINCT typeof(ZCHECKSUM), hex(substr(ZCHECKSUM, 1, 1)), length(ZCHECKSUM) "
          + "FROM ZATTACHMENT WHERE ZCHECKSUM IS NOT NULL"
      ) == [["blob", "01", "21"]]
    )
    #expect(try StoreAudit(store: store.file, layout: layout).findings().map(\.description) == [])
  }

  @Test func `refuses models that need a custom stage before it touches the store`() throws {
    let store = try SampleStore.filled()
    let version = NextVersion("") {
      $0.change("Task") { task in task.attributes.change("title") { $0.type = .date } }
    }
    #expect(
      throws: MigrationError.notLightweight([
        .retyped(entity: "Task", attribute: "title", from: .string, to: .date)
      ])
    ) { try store.migrate(to: version.model(after: SampleModel.model), .inPlace) }
  }

  @Test(arguments: [LightweightMigration.Shape.inPlace, .deferred])
  func `states the statements of a migration in place`(shape: LightweightMigration.Shape) throws {
    let store = try SampleStore.withoutHistory()
    var statements: [String] = []
    let version = NextVersion("") {
      $0.change("Category") {
        $0.attributes.append(
          Attribute(name: "rank", type: .integer16, isOptional: false, defaultValue: .integer(2))
        )
      }
      $0.change("Subtask") { $0.attributes.removeAll { $0.name == "isCompleted" } }
    }
    _ = try store.migrate(to: version.model(after: SampleModel.model), shape) {
      statements.append($0)
    }
    let start = try #require(statements.firstIndex(of: "BEGIN EXCLUSIVE"))
    let metadata = "SELECT Z_UUID, Z_PLIST FROM Z_METADATA"
    let additions = [
      "ALTER TABLE ZCATEGORY ADD COLUMN ZRANK INTEGER", "UPDATE ZCATEGORY SET ZRANK = 2",
    ]
    let changes = Array(statements[(start + 1)...].prefix { !$0.hasPrefix("SELECT name") })
    guard shape == .inPlace else {
      #expect(changes == [metadata] + additions)
      return
    }
    #expect(
      changes == [metadata, "ALTER TABLE ZSUBTASK RENAME TO T_ZSUBTASK"] + additions + [
        "CREATE TABLE ZSUBTASK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZTASK INTEGER, Z_FOK_TASK INTEGER, ZTITLE VARCHAR )",
        "INSERT INTO ZSUBTASK (Z_PK, Z_ENT, Z_OPT, ZTASK, Z_FOK_TASK, ZTITLE) "
          + "SELECT Z_PK, Z_ENT, Z_OPT, ZTASK, Z_FOK_TASK, ZTITLE FROM T_ZSUBTASK",
        "DROP TABLE T_ZSUBTASK",
      ]
    )
    #expect(statements.contains("CREATE INDEX ZSUBTASK_ZTASK_INDEX ON ZSUBTASK (ZTASK)"))
  }
}
