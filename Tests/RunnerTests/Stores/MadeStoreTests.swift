import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner

/// Tests stores that the user provides: refusals, and that the user's files stay unchanged.
struct MadeStoreTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("", to: "copy/.keep")
    path = folder.path + "/user/App.sqlite"
    try folder.write("x", to: "user/.App_SUPPORT/_EXTERNAL_DATA/A")
  }

  /// Makes a store with Core Data's tables and 40 objects of one entity.
  @discardableResult
  private func makeStore(version: Int = 1) throws -> Connection {
    let connection = try Connection(path: path, mode: .create)
    try connection.executeScript([
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
        + "Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
      "CREATE TABLE ZTASK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
      "INSERT INTO Z_PRIMARYKEY VALUES(1, 'Task', 0, 40), (2, 'Chore', 1, 0)",
    ])
    try addModel(to: connection, version: version)
    for key in 1...40 {
      try connection.execute("INSERT INTO ZTASK VALUES(\(key), \(key % 2 + 1), 1)")
    }
    return connection
  }

  private func addModel(to connection: Connection, version: Int) throws {
    let model = Model(entities: [
      Entity(name: "Task"), Entity(name: "Chore", superentity: "Task"),
    ])
    let metadata = try connection.prepare("INSERT INTO Z_METADATA VALUES(?, 'u', ?)")
    metadata.bind(Int64(version), at: 1)
    metadata.bind(StoreMetadata(uuid: "u", versionIdentifiers: [""]).propertyList.binary(), at: 2)
    try metadata.run()
    let cache = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES(?)")
    cache.bind(ModelCache.content(of: model), at: 1)
    try cache.run()
  }

  private func copy() throws -> StoreFile {
    try MadeStore(path: path).copy(into: folder.path + "/copy")
  }

  private func change(byteAt offset: Int, to value: UInt8) throws {
    var bytes = try #require(FileManager.default.contents(atPath: path))
    bytes[offset] = value
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  @Test func `copies a store that an app has open, with its WAL, and changes nothing`() throws {
    let open = try makeStore()
    let before = try folder.contents().filter { $0.key.hasPrefix("user") }
    let copy = try copy()
    #expect(try folder.contents().filter { $0.key.hasPrefix("user") } == before)
    #expect(try Connection(path: copy.path).integer("SELECT count(*) FROM ZTASK") == 40)
    #expect(copy.externalBytes == 1)
    withExtendedLifetime(open) {}
  }

  @Test func `describes it by its entities`() throws {
    _ = try makeStore()
    let workload = try folder.write("kind: tally\nstore: { path: user/App.sqlite }", to: "w.yaml")
    let plan = try Plan(paths: [workload], kinds: [TallyWorkload.self])
    let file = try #require(plan.workloads.first).file
    #expect(file.store == .file(path: path))
    let library = StoreLibrary(cacheFolder: folder.path + "/cache")
    let scratch = try ScratchFolder(in: folder.path + "/scratch")
    let store = try library.store(for: file, in: scratch)
    #expect(store.description.objects == ["Task": 20, "Chore": 20])
    #expect(store.description.source == "App.sqlite")
    #expect(store.description.digest == (try StoreFingerprint.digest(of: path)))
    #expect(try library.store(for: file, in: scratch).store == store.store)
  }

  @Test func `refuses what is not there, and what is no file`() throws {
    #expect(throws: PersistentStoreError.missing(path: path)) { try copy() }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(throws: Refusal.cannotRead(path, reason: "it is no file")) { try copy() }
  }

  @Test func `says that a model is no store, and how to make one of it`() throws {
    try folder.write("", to: "App.xcdatamodeld/contents")
    let path = folder.path + "/App.xcdatamodeld"
    let error = #expect(throws: Refusal.self) {
      try MadeStore(path: path).copy(into: folder.path + "/copy")
    }
    let text = "\(error as Any)"
    #expect(text.contains("it is a model: write 'storebench new recipe NAME --store \(path)'"))
  }

  @Test func `refuses a -wal that is a folder or a link`() throws {
    _ = try makeStore().checkpoint()
    let wal = path + "-wal"
    let refusal = Refusal.cannotCopy(
      path: wal,
      reason: "it is a link, a folder or a pipe; copy the store and the file that it stands for "
        + "into one folder"
    )
    try? FileManager.default.removeItem(atPath: wal)
    try FileManager.default.createDirectory(atPath: wal, withIntermediateDirectories: false)
    #expect(throws: refusal) { try copy() }
    try FileManager.default.removeItem(atPath: wal)
    try FileManager.default.createSymbolicLink(atPath: wal, withDestinationPath: "other")
    #expect(throws: refusal) { try copy() }
  }

  @Test(arguments: ["", "SQLite format 3\0", String(repeating: "text ", count: 1000)])
  func `refuses what is no SQLite file`(text: String) throws {
    try folder.write(text, to: "user/App.sqlite")
    #expect(throws: PersistentStoreError.notSQLite(path: path)) { try copy() }
  }

  @Test func `refuses what is no Core Data store`() throws {
    try Connection(path: path, mode: .create).execute("CREATE TABLE a (b)")
    #expect(
      throws: PersistentStoreError.notCoreData(path: path, missing: "table Z_PRIMARYKEY")
    ) { try copy() }
  }

  @Test func `history of frameworks before 973 gets its present form in the copy`() throws {
    var original: Connection? = try makeStore()
    try original?.executeScript([
      "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE "
        + "INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )",
      "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP "
        + "FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, "
        + "ZQUERYGEN BLOB )",
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHOR) VALUES (1, 16002, 5e8, 'me')",
      "INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 1, 2, 1, NULL)",
      "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (16002, 'TRANSACTION', 0, 1)",
    ])
    original = nil
    let context = try ObjectContext(store: try PersistentStore.open(try copy()))
    _ = try context.insert("Task")
    try context.save()
    #expect(
      try context.connection.prepare(
        "SELECT coalesce(ZAUTHOR, (SELECT group_concat(ZNAME) FROM ATRANSACTIONSTRING)) FROM "
          + "ATRANSACTION ORDER BY Z_PK"
      ).map { $0.text(at: 0) } == ["me", "org.storebench.app,storebench"]
    )
    #expect(try Connection(path: path).integer("SELECT count(*) FROM ATRANSACTION") == 1)
  }

  @Test func `reads a store whose checkpoint was interrupted, with its -wal`() throws {
    var store: Connection? = try makeStore()
    _ = try store?.checkpoint()
    store?.keepWALAtClose()
    try store?.executeScript([
      "INSERT INTO ZTASK WITH RECURSIVE c(x) AS (SELECT 41 UNION ALL SELECT x + 1 FROM c WHERE "
        + "x < 2000) SELECT x, 1, 1 FROM c", "UPDATE Z_PRIMARYKEY SET Z_MAX = 2000 WHERE Z_ENT = 1",
    ])
    store = nil
    let whole = folder.path + "/whole.sqlite"
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + ending, toPath: whole + ending)
    }
    _ = try Connection(path: whole).checkpoint()
    let first = try #require(FileManager.default.contents(atPath: whole)).prefix(4096)
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.write(contentsOf: first)
    try file.close()
    #expect(StoreFile(path: path).shortfall != nil)
    #expect(try Connection(path: copy().path).integer("SELECT count(*) FROM ZTASK") == 2000)
  }

  @Test func `refuses a store that is truncated`() throws {
    _ = try makeStore().checkpoint()
    let bytes = try #require(FileManager.default.contents(atPath: path))
    try bytes.prefix(bytes.count - 4096).write(to: URL(fileURLWithPath: path))
    #expect {
      try copy()
    } throws: { error in
      "\(error)".contains("is damaged: it is truncated: by its header it has \(bytes.count) bytes")
    }
  }

  @Test func `refuses a store with damaged pages`() throws {
    _ = try makeStore().checkpoint()
    try change(byteAt: 4096 * 4, to: 0x77)
    #expect { try copy() } throws: { "\($0)".contains("is damaged") }
  }

  @Test func `refuses a store of a newer format`() throws {
    _ = try makeStore(version: 2)
    #expect(throws: Refusal.newerFormat(path: path, detail: "store version 2")) { try copy() }
    try FileManager.default.removeItem(atPath: folder.path + "/copy/App.sqlite")
    try change(byteAt: 19, to: 3)
    #expect { try copy() } throws: { "\($0)".contains("SQLite's read version 3") }
  }

  @Test func `refuses a store that another process is writing to`() throws {
    try makeStore().checkpoint()
    // A process does not see its own POSIX locks, so another process takes the writer's lock.
    let locker = Process()
    locker.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    locker.arguments = [
      "python3", "-c",
      """
      import fcntl, sys, time
      file = open(sys.argv[1], "r+b")
      fcntl.lockf(file, fcntl.LOCK_EX, 1, 0x40000001)
      print("locked", flush=True)
      sys.stdin.read()
      """, path,
    ]
    let (input, output) = (Pipe(), Pipe())
    (locker.standardInput, locker.standardOutput) = (input, output)
    locker.standardError = FileHandle.nullDevice
    try locker.run()
    defer {
      try? input.fileHandleForWriting.close()
      locker.waitUntilExit()
    }
    // Without Python, no process holds the lock, so the test ends.
    guard output.fileHandleForReading.availableData == Data("locked\n".utf8) else { return }
    #expect(throws: PersistentStoreError.locked(path: path)) { try copy() }
  }

  @Test func `refuses a store whose metadata is empty, by the user's own path`() throws {
    try makeStore().execute("DELETE FROM Z_METADATA")
    let workload = try folder.write("kind: tally\nstore: { path: user/App.sqlite }", to: "w.yaml")
    let file = try #require(
      try Plan(paths: [workload], kinds: [TallyWorkload.self]).workloads.first
    )
    let library = StoreLibrary(cacheFolder: folder.path + "/cache")
    let scratch = try ScratchFolder(in: folder.path + "/scratch")
    #expect(throws: PersistentStoreError.damaged(path: path, reason: "Z_METADATA has no row")) {
      _ = try library.store(for: file.file, in: scratch)
    }
  }

  @Test func `refuses a store that carries no model`() throws {
    try makeStore().execute("DELETE FROM Z_MODELCACHE")
    let workload = try folder.write("kind: tally\nstore: { path: user/App.sqlite }", to: "w.yaml")
    let file = try #require(
      try Plan(paths: [workload], kinds: [TallyWorkload.self]).workloads.first
    )
    let library = StoreLibrary(cacheFolder: folder.path + "/cache")
    let scratch = try ScratchFolder(in: folder.path + "/scratch")
    #expect(throws: PersistentStoreError.noModel(path: path)) {
      _ = try library.store(for: file.file, in: scratch)
    }
  }
}
