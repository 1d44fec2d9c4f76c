import DataModel
import PersistentStore
import Testing

struct DeletingTests {
  private func filled(keepsHistory: Bool = false) throws -> ContextStore {
    let fixture = try ContextStore(keepsHistory: keepsHistory)
    try fixture.fill()
    return fixture
  }

  @Test(arguments: [StoreBehaviours.ToManyFault.keys, .rows])
  func `cascades delete, nullifying empties keys, no action leaves them`(
    fault: StoreBehaviours.ToManyFault
  ) throws {
    let fixture = try filled()
    let context = try fixture.context(StoreBehaviours(toManyFault: fault))
    try context.delete(try context.fetch(FetchRequest("Project")).object(at: 0))
    try context.save()
    #expect(try fixture.column("SELECT Z_PK FROM ZPROJECT") == ["2"])
    #expect(try fixture.column("SELECT Z_PK FROM ZTASK") == ["4", "5", "6"])
    #expect(try fixture.column("SELECT COUNT(*) FROM ZSUBTASK") == ["6"])
    #expect(
      try fixture.column("SELECT ZTASK FROM ZNOTE ORDER BY Z_PK")
        == ["NULL", "NULL", "NULL", "4", "5", "6"]
    )
    #expect(
      try fixture.column("SELECT ZTASK FROM ZLOG ORDER BY Z_PK") == ["1", "2", "3", "4", "5", "6"]
    )
    let table = fixture.store.layout.joinTables[0].name
    #expect(try fixture.column("SELECT COUNT(*) FROM \(table)") == ["6"])
    #expect(context.statistics.deleted == 1 + 3 + 6)
    #expect(context.statistics.updated == 3)
  }

  @Test func `a rule that denies keeps everything as it was`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let project = try context.fetch(FetchRequest("Project")).object(at: 0)
    let invoice = try context.insert("Invoice")
    try invoice.setTarget(project, of: "project")
    try context.save()
    try context.delete(project)
    #expect(
      throws: ObjectContextError.deletionDenied(entity: "Project", key: 1, relationship: "invoices")
    ) { try context.save() }
    #expect(try fixture.column("SELECT COUNT(*) FROM ZTASK") == ["6"])
    try context.delete(invoice)
    try context.save()
    #expect(try fixture.column("SELECT COUNT(*) FROM ZTASK") == ["3"])
  }

  @Test func `a deletion is one statement an object, with its version`() throws {
    let fixture = try filled()
    let context = try fixture.context()
    let tag = try context.fetch(FetchRequest("Tag")).object(at: 0)
    try context.delete(tag)
    let statements = try fixture.prepared { try context.save() }
    let side = try #require(
      [fixture.store.layout.joinTables[0].master, fixture.store.layout.joinTables[0].slave]
        .first { $0.relationship == "tasks" }
    )
    #expect(
      statements.filter { $0.hasPrefix("DELETE") } == [
        "DELETE FROM ZTAG WHERE Z_PK = ? AND Z_OPT = ?",
        "DELETE FROM \(fixture.store.layout.joinTables[0].name) WHERE \(side.ownColumn) = ?",
      ]
    )
  }

  @Test func `history holds a transaction a save, its changes and what the deleted left`() throws {
    let fixture = try filled(keepsHistory: true)
    let context = try fixture.context()
    let tasks = try context.fetch(FetchRequest("Task"))
    try tasks.object(at: 0).setValue(.integer(5), of: "priority")
    try context.save()
    try context.delete(try tasks.object(at: 5))
    try context.save()
    #expect(try fixture.column("SELECT COUNT(*) FROM ATRANSACTION") == ["3"])
    #expect(
      try fixture.column(
        "SELECT ZTRANSACTIONID || ' ' || ZCHANGETYPE || ' ' || COUNT(*) FROM ACHANGE"
          + " GROUP BY ZTRANSACTIONID, ZCHANGETYPE"
      )
        == ["1 0 34", "2 1 1", "3 1 1", "3 2 3"]
    )
    // The bits are of the to-ones (project), then of attributes by name (dueDate, photo, priority,
    // title), so priority is the fourth bit.
    #expect(
      try fixture.column("SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZTRANSACTIONID = 2") == ["1000"]
    )
    #expect(
      try fixture.column(
        "SELECT ZTOMBSTONE0 FROM ACHANGE WHERE ZCHANGETYPE = 2 AND ZENTITY = "
          + "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Task')"
      ) == ["Task 3"]
    )
    #expect(
      try fixture.column("SELECT Z_NAME || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
        == ["CHANGE39", "TRANSACTION3", "TRANSACTIONSTRING4"]
    )
    #expect(try fixture.column("SELECT DISTINCT typeof(ZTIMESTAMP) FROM ATRANSACTION") == ["real"])
  }
}
