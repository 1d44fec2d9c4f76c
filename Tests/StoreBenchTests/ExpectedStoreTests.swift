import DataModel
import PersistentStore
import SQLite
import StoreBench
import TestSupport
import Testing

@testable import Runner

/// Tests the comparison of a store with a store that plain SQL makes from the same original.
struct ExpectedStoreTests {
  private let folder: TemporaryFolder
  private let trial: Trial

  init() throws {
    folder = try TemporaryFolder()
    let start = StoreFile(path: folder.file("start.sqlite"))
    let model = Model(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "place", type: .integer32), Attribute(name: "title", type: .string),
          Attribute(name: "scan", type: .binary, allowsExternalStorage: true),
        ]
      )
    ])
    let store = try PersistentStore.create(at: start.path, model: model)
    let context = try ObjectContext(store: store)
    for key in 1...9 {
      let note = try context.insert("Note")
      try note.setValue(.integer(Int64(key) * 10), of: "place")
      try note.setValue(.text("text \(key)"), of: "title")
      guard key == 1 else { continue }
      try note.setValue(.blob(Array(repeating: 7, count: 200_000)), of: "scan")
    }
    try context.save()
    try store.connection.checkpoint()
    try folder.write("", to: "now/x")
    trial = Trial(
      store: try StoreCopier.copy(start, into: folder.file("now")),
      start: start,
      original: start,
      folder: folder.path,
      workloadsFolder: folder.path
    )
  }

  private func change(_ sql: String) throws {
    try Database(path: trial.store.path).execute(sql)
  }

  private func findings(_ sql: String...) throws -> [String] {
    let expected = try ExpectedStore(trial)
    for sql in sql { try expected.change(sql) }
    do {
      _ = try expected.verification()
      return []
    } catch let failure as VerificationFailure {
      return failure.findings
    }
  }

  @Test func `two equal stores have no finding, and one digest whatever their pages`() throws {
    let digest = try ExpectedStore(trial).verification().digest
    try change("VACUUM")
    #expect(try ExpectedStore(trial).verification().digest == digest)
    try change("UPDATE ZNOTE SET ZPLACE = 11 WHERE Z_PK = 1")
    let expected = try ExpectedStore(trial)
    try expected.change("UPDATE ZNOTE SET ZPLACE = 11 WHERE Z_PK = 1")
    #expect(try expected.verification().digest != digest)
  }

  @Test(arguments: [
    ("UPDATE ZNOTE SET ZPLACE = 7 WHERE Z_PK = 3", "place"),
    ("UPDATE ZNOTE SET ZTITLE = NULL WHERE Z_PK = 3", "title"),
    ("UPDATE ZNOTE SET Z_OPT = 5 WHERE Z_PK = 3", "the version 5"),
    ("UPDATE ZNOTE SET ZSCAN = x'0109' WHERE Z_PK = 1", "scan"),
    ("DELETE FROM ZNOTE WHERE Z_PK = 9", "Note 9"),
    ("INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT) VALUES (10, 1, 1)", "Note 10"),
    ("CREATE TABLE v (x)", "tables that the model does not need"),
  ])
  func `each difference is found`(sql: String, named: String) throws {
    try change(sql)
    let findings = try findings()
    #expect(findings.contains { $0.contains(named) }, "\(findings)")
  }

  @Test func `what statements expect is no finding`() throws {
    let update = "UPDATE ZNOTE SET ZPLACE = ZPLACE + 1, ZTITLE = 'new' WHERE Z_PK > 5"
    try change(update)
    #expect(try findings(update) == [])
    #expect(try findings("UPDATE ZNOTE SET ZPLACE = ZPLACE + 1 WHERE Z_PK > 5").count == 4)
    let deletion = "DELETE FROM ZNOTE WHERE Z_PK IN (3, 4)"
    try change(deletion)
    #expect(try findings(update, deletion) == [])
    #expect(try findings(update).count == 2)
  }

  @Test func `a misspelled table or column is an error`() {
    #expect(throws: (any Error).self) { try findings("UPDATE ZNOTES SET ZPLACE = 1") }
    #expect(throws: (any Error).self) { try findings("UPDATE ZNOTE SET ZPLACES = 1") }
  }

  @Test func `a changed file of external storage is found`() throws {
    let name = try #require(StoreFile.files(at: trial.store.externalDataFolder).first)
    let path = "now" + name.dropFirst(folder.file("now").count)
    try folder.write("other bytes", to: String(path))
    #expect(try !findings().isEmpty)
  }
}
