import DataModel
import SQLite
import TestSupport
import Testing

@testable import PersistentStore

struct TriggerFunctionsTests {
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

  /// The triggers that a derived attribute with a to-one in its path has in real stores.
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

  @Test func `a plain connection cannot insert into it`() throws {
    let folder = try TemporaryFolder()
    let plain = try Connection(path: try makeStore(folder).path)
    let error = #expect(throws: SQLiteError.self) {
      try plain.execute("INSERT INTO ZASSET (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
    }
    #expect(error?.message.contains("no such function") == true)
  }

  @Test func `the functions are called also where the schema is not trusted`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: try makeStore(folder).path)
    try TriggerFunctions.register(on: connection)
    try connection.execute("PRAGMA trusted_schema=off")
    try connection.execute("INSERT INTO ZASSET (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
    #expect(try connection.integer("SELECT count(*) FROM ZASSET") == 1)
  }

  @Test func `functions that compute a value have no stand-in`() {
    let sql =
      "SET a = NSCoreDataCanonical(b); SELECT NSCoreDataTriggerX(1), \"NSCoreDataTriggerY\"(2)"
    #expect(TriggerFunctions.calls(in: sql) == ["NSCoreDataTriggerX", "NSCoreDataTriggerY"])
  }
}
