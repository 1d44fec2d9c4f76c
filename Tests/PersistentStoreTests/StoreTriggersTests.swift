import DataModel
import SQLite
import TestSupport
import Testing

@testable import PersistentStore

struct StoreTriggersTests {
  private let model = Model(entities: [
    Entity(
      name: "Asset",
      attributes: [Attribute(name: "camera", type: .string, derivation: "details.camera")],
      relationships: [Relationship(name: "details", destination: "Details", inverse: "asset")]
    ),
    Entity(
      name: "Details",
      attributes: [Attribute(name: "camera", type: .string)],
      relationships: [Relationship(name: "asset", destination: "Asset", inverse: "details")]
    ),
  ])

  /// The triggers of real stores for a derived attribute whose path contains a to-one.
  private let triggers = [
    "CREATE TRIGGER Z_DA_ZASSET_Asset_camera_SOURCE_INSERT AFTER INSERT ON ZASSET FOR EACH ROW BEGIN "
      + "UPDATE ZASSET SET ZCAMERA = (SELECT ZCAMERA FROM ZDETAILS WHERE Z_PK = NEW.ZDETAILS) "
      + "WHERE Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue("
      + "'ZASSET', NEW.Z_ENT, NEW.Z_PK, 'camera', "
      + "(SELECT ZCAMERA FROM ZASSET WHERE Z_PK = NEW.Z_PK)); END",
    "CREATE TRIGGER Z_DA_ZDETAILS_Asset_camera_PARAMETER_UPDATE AFTER UPDATE OF ZCAMERA ON ZDETAILS "
      + "FOR EACH ROW BEGIN UPDATE ZASSET SET ZCAMERA = NEW.ZCAMERA WHERE ZDETAILS = NEW.Z_PK; "
      + "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZASSET', 1, 1, 'camera', "
      + "NEW.ZCAMERA); SELECT NSCoreDataTriggerOfALaterSystem(1); END",
  ]

  private func makeStore(_ folder: TemporaryFolder) throws -> StoreFile {
    let file = StoreFile(path: folder.file("photos.sqlite"))
    let store = try PersistentStore.create(at: file.path, model: model)
    try store.connection.executeScript(triggers)
    return file
  }

  @Test func `a store with triggers of derived attributes can be saved to`() throws {
    let folder = try TemporaryFolder()
    let file = try makeStore(folder)
    let context = try ObjectContext(store: try PersistentStore.open(file))
    let details = try context.insert("Details")
    try details.setValue(.text("Pocket"), of: "camera")
    try context.insert("Asset").setTarget(details, of: "details")
    try context.save()
    try details.setValue(.text("Reflex"), of: "camera")
    try context.save()
    let plain = try Connection(path: file.path, mode: .detached, settings: nil)
    #expect(try plain.text("SELECT ZCAMERA FROM ZASSET") == "Reflex")
  }

  @Test(arguments: LightweightMigration.Shape.allCases)
  func `a migration gives the triggers the new names of tables and columns`(
    shape: LightweightMigration.Shape
  ) throws {
    let folder = try TemporaryFolder()
    let file = try makeStore(folder)
    var entities = model.entities
    entities[0].name = "Photo"
    entities[0].renamingIdentifier = "Asset"
    entities[0].attributes[0].name = "body"
    entities[0].attributes[0].renamingIdentifier = "camera"
    entities[1].attributes = [
      Attribute(name: "lens", type: .string, renamingIdentifier: "camera")
    ]
    entities[0].attributes[0].derivation = "details.lens"
    entities[1].relationships[0].destination = "Photo"
    do {
      let connection = try Connection(path: file.path)
      try StoreTriggers(connection).allow(on: connection)
      let layout = StoreLayout(model: model, keepsHistory: false)
      let migration = try LightweightMigration(
        from: layout,
        to: Model(entities: entities),
        shape: shape
      )
      try migration.run(on: connection, path: file.path)
      let row = try connection.prepare(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
      )
      let found = try row.map { ($0.text(at: 0), $0.text(at: 1)) }
      #expect(found.map(\.0).count == triggers.count)
      #expect(found.allSatisfy { $0.1.contains("ZLENS") && $0.1.contains("ZPHOTO") })
      #expect(found.allSatisfy { !$0.1.contains("ZCAMERA") && !$0.1.contains("ON ZASSET") })
    }
    let context = try ObjectContext(store: try PersistentStore.open(file))
    let details = try context.insert("Details")
    try details.setValue(.text("Pocket"), of: "lens")
    try context.insert("Photo").setTarget(details, of: "details")
    try context.save()
    try details.setValue(.text("Reflex"), of: "lens")
    try context.save()
    let plain = try Connection(path: file.path, mode: .detached, settings: nil)
    #expect(try plain.text("SELECT ZBODY FROM ZPHOTO") == "Reflex")
  }

  @Test func `a connection that trusts the schema cannot insert into it`() throws {
    let folder = try TemporaryFolder()
    let plain = try Connection(path: try makeStore(folder).path, trust: .full)
    let error = #expect(throws: SQLiteError.self) {
      try plain.execute("INSERT INTO ZASSET (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
    }
    #expect(error?.message.contains("no such function") == true)
  }

  @Test func `no trigger runs before it is allowed by name`() throws {
    let folder = try TemporaryFolder()
    let path = try makeStore(folder).path
    let connection = try Connection(path: path)
    try connection.execute("INSERT INTO ZASSET (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
    try connection.execute("INSERT INTO ZDETAILS (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1)")
    try connection.execute("UPDATE ZASSET SET ZDETAILS = 1")
    try connection.execute("UPDATE ZDETAILS SET ZCAMERA = 'Pocket'")
    #expect(try connection.text("SELECT ZCAMERA FROM ZASSET") == nil)
    try StoreTriggers(connection).allow(on: connection)
    try connection.execute("UPDATE ZDETAILS SET ZCAMERA = 'Reflex'")
    #expect(try connection.text("SELECT ZCAMERA FROM ZASSET") == "Reflex")
  }

  @Test(arguments: [
    "CREATE TRIGGER mine AFTER INSERT ON ZASSET BEGIN DELETE FROM ZDETAILS; END",
    // A trigger with a framework's name may do no more than the framework's own triggers.
    "CREATE TRIGGER Z_DA_x AFTER INSERT ON ZASSET BEGIN SELECT (WITH RECURSIVE c(x) AS (SELECT 1 "
      + "UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c); END",
    "CREATE TRIGGER Z_DA_x AFTER INSERT ON ZASSET BEGIN SELECT randomblob(1000000000); END",
  ])
  func `a statement that would fire any other trigger is refused`(sql: String) throws {
    let folder = try TemporaryFolder()
    let file = try makeStore(folder)
    try Connection(path: file.path).execute(sql)
    let store = try PersistentStore.open(file)
    let error = #expect(throws: SQLiteError.self) {
      try store.connection.execute("INSERT INTO ZASSET (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
    }
    #expect(error?.message.contains("not authorized") == true, "\(String(describing: error))")
  }

  @Test func `foreign triggers are taken out of a copy, and the frameworks' still run`() throws {
    let folder = try TemporaryFolder()
    let file = try makeStore(folder)
    try Connection(path: file.path).execute(
      "CREATE TRIGGER \"my \"\"own\"\" one\" AFTER INSERT ON ZASSET BEGIN DELETE FROM ZDETAILS; END"
    )
    let triggers = try StoreTriggers(Connection(path: file.path))
    #expect(triggers.foreign == ["my \"own\" one"])
    try triggers.removeForeign(from: file)
    let context = try ObjectContext(store: try PersistentStore.open(file))
    let details = try context.insert("Details")
    try details.setValue(.text("Pocket"), of: "camera")
    try context.insert("Asset").setTarget(details, of: "details")
    try context.save()
    try details.setValue(.text("Reflex"), of: "camera")
    try context.save()
    let plain = try Connection(path: file.path)
    #expect(try plain.text("SELECT ZCAMERA FROM ZASSET") == "Reflex")
  }

  @Test func `functions that compute a value have no stand-in`() {
    let sql =
      "SET a = NSCoreDataCanonical(b); SELECT NSCoreDataTriggerX(1), \"NSCoreDataTriggerY\"(2)"
    #expect(StoreTriggers.calls(in: sql) == ["NSCoreDataTriggerX", "NSCoreDataTriggerY"])
  }
}
