import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

/// Tests the statements and the layout of each strategy, as text.
struct BlobStatementTests {
  /// The statements that a case with two objects prepares while it runs.
  private func statements(
    _ strategy: String,
    _ operation: String,
    _ engine: String,
    _ others: [String: ParameterValue] = [:]
  ) throws -> [String] {
    let bench = try BlobFixture.bench()
    let two = others.merging(["objects": .integer(2)]) { first, _ in first }
    let opened = try bench.open(BlobFixture.values(strategy, operation, engine, two))
    var statements: [String] = []
    opened.session.store.connection.onPrepare = { statements.append($0) }
    try opened.workload.run(opened.session, opened.recorder)
    opened.session.store.connection.onPrepare = nil
    return statements
  }

  private static let plain =
    "ZISLIKED, t0.ZLIKECOUNT, t0.ZCREATEDAT, t0.ZRATIO, t0.ZPRICE, t0.ZTEXT, t0.ZIDENTIFIER"

  @Test(arguments: [
    ("inline", ", ZTEXT VARCHAR, ZIDENTIFIER BLOB, ZPHOTO BLOB )"),
    ("externalStorage", ", ZTEXT VARCHAR, ZIDENTIFIER BLOB, ZPHOTO BLOB )"),
    ("file", ", ZPHOTO VARCHAR, ZTEXT VARCHAR, ZIDENTIFIER BLOB )"),
    ("separateEntity", ", ZTEXT VARCHAR, ZIDENTIFIER BLOB )"),
  ])
  func `the blob has its column where the strategy wants it`(
    _ strategy: String,
    _ ending: String
  ) throws {
    let bench = try BlobFixture.bench()
    let start = try bench.start(of: try bench.workload(BlobFixture.values(strategy, "readMany")))
    let connection = try start.plainConnection()
    let table = try connection.text("SELECT sql FROM sqlite_master WHERE name = 'ZPOST'")
    #expect(table?.hasSuffix(ending) == true, "\(table ?? "")")
    let holder = try connection.text("SELECT sql FROM sqlite_master WHERE name = 'ZPOSTBLOB'")
    #expect(
      holder
        == (strategy == "separateEntity"
          ? "CREATE TABLE ZPOSTBLOB ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,"
            + " ZOWNER INTEGER, ZDATA BLOB )" : nil)
    )
  }

  @Test func `a context that lists inline blobs reads them all`() throws {
    #expect(
      try statements("inline", "list", "objectGraph") == [
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.\(Self.plain), t0.ZPHOTO FROM ZPOST t0"
      ]
    )
  }

  @Test func `a context that prefetches blobs of their own entity takes two statements`() throws {
    let prepared = try statements("separateEntity", "readMany", "objectGraph")
    #expect(
      prepared.filter { $0.hasPrefix("SELECT") } == [
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZISLIKED, t0.ZLIKECOUNT, t0.ZPHOTO, t0.ZCREATEDAT,"
          + " t0.ZRATIO, t0.ZPRICE, t0.ZTEXT, t0.ZIDENTIFIER FROM ZPOST t0",
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZOWNER, t0.ZDATA FROM ZPOSTBLOB t0"
          + " WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0) LIMIT 2",
      ]
    )
  }

  @Test func `a plain list leaves the blob out`() throws {
    #expect(
      try statements("inline", "list", "bareSQL") == [
        "SELECT t0.Z_PK, t0.ZCREATEDAT, t0.ZIDENTIFIER, t0.ZISLIKED, t0.ZLIKECOUNT, t0.ZPRICE,"
          + " t0.ZRATIO, t0.ZTEXT FROM ZPOST t0"
      ]
    )
  }

  @Test func `a deletion ends with an incremental vacuum`() throws {
    let prepared = try statements("inline", "delete", "objectGraph")
    #expect(prepared.last == "PRAGMA incremental_vacuum")
  }
}
