import DataModel
import Foundation
import PersistentStore
import Testing

struct SavingTests {
  // COMMIT was prepared when the store was made, so the save does not prepare it.
  @Test func `a first save reserves keys in a transaction of its own`() throws {
    let fixture = try ContextStore()
    let context = try fixture.context()
    let tag = try context.insert("Tag")
    try tag.setValue(.text("home"), of: "name")
    let statements = try fixture.prepared { try context.save() }
    #expect(
      statements == [
        "BEGIN EXCLUSIVE",
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
        "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?",
        "INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, ?, ?)",
        "pragma page_count", "pragma freelist_count",
      ]
    )
    #expect(tag.key == 1)
    #expect(try fixture.column("SELECT Z_OPT || ZNAME FROM ZTAG") == ["1home"])
  }

  @Test func `an update writes what changed and counts the version up`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let context = try fixture.context()
    let task = try context.fetch(FetchRequest("Task")).object(at: 2)
    try task.setValue(.integer(3), of: "priority")
    try task.setValue(.text("Changed"), of: "title")
    let statements = try fixture.prepared { try context.save() }
    #expect(
      statements.first {
        $0.hasPrefix("UPDATE")
      } == "UPDATE ZTASK SET ZPRIORITY = ?, ZTITLE = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?"
    )
    #expect(
      try fixture.column(
        "SELECT Z_OPT || ' ' || ZPRIORITY || ' ' || ZTITLE FROM ZTASK WHERE Z_PK = 3"
      )
        == ["2 3 Changed"]
    )
    try task.setValue(.integer(4), of: "priority")
    try context.save()
    #expect(try fixture.column("SELECT Z_OPT FROM ZTASK WHERE Z_PK = 3") == ["3"])
  }

  @Test func `a row changed by somebody else since it was read is a conflict`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let (first, second) = (try fixture.context(), try fixture.context())
    let mine = try first.fetch(FetchRequest("Tag")).object(at: 0)
    let theirs = try second.fetch(FetchRequest("Tag")).object(at: 0)
    try theirs.setValue(.text("theirs"), of: "name")
    try second.save()
    try mine.setValue(.text("mine"), of: "name")
    #expect(throws: ObjectContextError.conflict(entity: "Tag", key: 1)) { try first.save() }
    #expect(try fixture.column("SELECT ZNAME FROM ZTAG WHERE Z_PK = 1") == ["theirs"])
  }

  @Test func `a unique constraint stops the whole save`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let context = try fixture.context()
    let task = try context.fetch(FetchRequest("Task")).object(at: 0)
    try task.setValue(.text("not saved"), of: "title")
    try context.insert("Tag").setValue(.text("home"), of: "name")
    let error = #expect(throws: ObjectContextError.self) { try context.save() }
    let message = error?.description ?? ""
    #expect(message.contains("UNIQUE constraint failed: ZTAG.ZNAME"))
    #expect(try fixture.column("SELECT COUNT(*) FROM ZTASK WHERE ZTITLE = 'not saved'") == ["0"])
    context.rollback()
    #expect(try task.value(of: "title") == .text("Task 1"))
    #expect(!context.hasChanges)
  }

  @Test func `a required attribute without a value is refused before anything is written`() throws {
    let fixture = try ContextStore()
    let context = try fixture.context()
    let project = try context.insert("Project")
    #expect(
      throws: ObjectContextError.missingValue(
        entity: "Project",
        key: project.key,
        attribute: "name"
      )
    ) { try context.save() }
    #expect(try fixture.column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Project'") == ["0"])
  }

  @Test func `relationships between new objects find their keys`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    #expect(
      try fixture.column(
        "SELECT t.ZPROJECT || ':' || COUNT(*) FROM ZTASK t JOIN ZSUBTASK s ON s.ZTASK = t.Z_PK"
          + " GROUP BY t.ZPROJECT"
      ) == ["1:6", "2:6"]
    )
    let table = fixture.store.layout.joinTables[0]
    #expect(try fixture.column("SELECT COUNT(*) FROM \(table.name)") == ["12"])
    #expect(
      try fixture.column("SELECT Z_FOK_TASK FROM ZSUBTASK WHERE ZTASK = 2 ORDER BY Z_PK")
        == ["2048", "3072"]
    )
    #expect(
      try fixture.column("SELECT Z_NAME || Z_MAX FROM Z_PRIMARYKEY WHERE Z_MAX > 2 ORDER BY 1")
        == ["Log6", "Note6", "Subtask12", "Task6"]
    )
  }

  @Test func `an ordered to-many keeps the order it was given`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let context = try fixture.context()
    let task = try context.fetch(FetchRequest("Task")).object(at: 0)
    let first = try #require(try task.targets(of: "subtasks").first)
    try task.remove(first, from: "subtasks")
    try task.add(first, to: "subtasks")
    try context.save()
    #expect(
      try fixture.column("SELECT ZTITLE FROM ZSUBTASK WHERE ZTASK = 1 ORDER BY Z_FOK_TASK")
        == ["second", "first"]
    )
  }

  @Test func `an ordered to-many that loses an object keeps the positions of the others`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let context = try fixture.context()
    let task = try context.fetch(FetchRequest("Task")).object(at: 0)
    let first = try #require(try task.targets(of: "subtasks").first)
    try task.remove(first, from: "subtasks")
    try context.save()
    #expect(try fixture.column("SELECT Z_FOK_TASK FROM ZSUBTASK WHERE ZTASK = 1") == ["3072"])
    #expect(try fixture.column("SELECT sum(Z_OPT) FROM ZSUBTASK WHERE ZTASK = 1") == ["1"])
  }

  @Test func `join rows come and go with the relationship`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let context = try fixture.context()
    let task = try context.fetch(FetchRequest("Task")).object(at: 0)
    let tags = try task.targets(of: "tags")
    try task.remove(tags[0], from: "tags")
    try context.save()
    let table = fixture.store.layout.joinTables[0]
    #expect(try fixture.column("SELECT COUNT(*) FROM \(table.name)") == ["11"])
    try tags[0].add(task, to: "tasks")
    try context.save()
    #expect(try fixture.column("SELECT COUNT(*) FROM \(table.name)") == ["12"])
  }
}
