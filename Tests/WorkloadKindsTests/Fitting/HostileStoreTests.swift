import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner

/// Tests stores made to harm a program that opens them: each is refused, or used without harm.
@Suite(.timeLimit(.minutes(1)))
struct HostileStoreTests {
  enum Outcome: Sendable {
    case works
    case refused(String)
  }

  struct Attack: CustomTestStringConvertible, Sendable {
    let name: String
    let outcome: Outcome
    var sql: [String] = []
    /// A model that replaces the store's own model; `nil` for none.
    var model: Model?
    /// Whether the root page of the tasks becomes a parent of itself.
    var hasLoop = false

    var testDescription: String { name }
  }

  private static let endless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

  /// An expression of one slow function call, which a limit on SQLite's steps cannot interrupt.
  private static let search = "instr(zeroblob(15000000), zeroblob(7000000) || x'01')"

  private static let good = Model(entities: [
    Entity(name: "Task", attributes: [Attribute(name: "title", type: .string)])
  ])

  private static func claiming(_ attribute: String, of entity: String = "Task") -> Model {
    Model(entities: [Entity(name: entity, attributes: [Attribute(name: attribute, type: .string)])])
  }

  private static let attacks: [Attack] = [
    Attack(
      name: "a trigger without end",
      outcome: .works,
      sql: ["CREATE TRIGGER mine AFTER INSERT ON ZTASK BEGIN SELECT (\(endless)); END"]
    ),
    Attack(
      name: "a trigger that empties the table, its name with quotes",
      outcome: .works,
      sql: ["CREATE TRIGGER \"a\"\"'b\" AFTER INSERT ON ZTASK BEGIN DELETE FROM ZTASK; END"]
    ),
    Attack(
      name: "a trigger without end, under a name of the frameworks",
      outcome: .refused("not authorized"),
      sql: ["CREATE TRIGGER Z_DA_ZTASK AFTER INSERT ON ZTASK BEGIN SELECT (\(endless)); END"]
    ),
    Attack(
      name: "triggers that fire each other",
      outcome: .works,
      sql: [
        "CREATE TRIGGER one AFTER INSERT ON ZTASK BEGIN UPDATE ZTASK SET ZTITLE = 'x'; END",
        "CREATE TRIGGER two AFTER UPDATE ON ZTASK BEGIN INSERT INTO ZTASK (Z_ENT) SELECT 1 "
          + "FROM ZTASK a, ZTASK b, ZTASK c; END",
      ]
    ),
    Attack(
      name: "a view without end in place of a table",
      outcome: .refused("ZTASK is not an ordinary table"),
      sql: [
        "DROP TABLE ZTASK",
        "CREATE VIEW ZTASK AS SELECT 1 AS Z_PK, 1 AS Z_ENT, 1 AS Z_OPT, (\(endless)) AS ZTITLE",
      ]
    ),
    Attack(
      name: "a virtual table in place of a table",
      outcome: .refused("ZTASK is not an ordinary table"),
      sql: [
        "DROP TABLE ZTASK", "CREATE VIRTUAL TABLE ZTASK USING rtree(Z_PK, ZTITLE, Z_ENT)",
      ]
    ),
    Attack(
      name: "a computed column that takes all memory",
      outcome: .refused("computed column ZTASK.ZTITLE"),
      sql: [
        "ALTER TABLE ZTASK DROP COLUMN ZTITLE",
        "ALTER TABLE ZTASK ADD COLUMN ZTITLE AS (hex(zeroblob(400000000)))",
      ]
    ),
    Attack(
      name: "a computed column that is searched without end, and that no model names",
      outcome: .refused("computed column ZTASK.ZX"),
      sql: ["ALTER TABLE ZTASK ADD COLUMN ZX INTEGER AS (\(search))"]
    ),
    Attack(
      name: "statistics that are computed while the schema is read",
      outcome: .refused("computed column sqlite_stat1.stat"),
      sql: [
        "ANALYZE", "PRAGMA writable_schema=on",
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_stat1(tbl,idx,sta,stat AS "
          + "(\(search.replacing("'", with: "''"))))' WHERE name = 'sqlite_stat1'",
      ]
    ),
    Attack(
      name: "metadata in a virtual table",
      outcome: .refused("Z_METADATA"),
      sql: [
        "DROP TABLE Z_METADATA",
        "CREATE VIRTUAL TABLE Z_METADATA USING fts5(Z_VERSION, Z_UUID)",
      ]
    ),
    Attack(
      name: "a check without end in all but name",
      outcome: .works,
      sql: ["ALTER TABLE ZTASK ADD COLUMN ZEXTRA CHECK (length(hex(randomblob(20000000))) > 1)"]
    ),
    Attack(
      name: "a subquery without end in an index",
      outcome: .refused("damaged"),
      sql: [
        "CREATE INDEX ZTASK_TITLE ON ZTASK (ZTITLE)", "PRAGMA writable_schema=on",
        "UPDATE sqlite_schema SET sql = 'CREATE INDEX ZTASK_TITLE ON ZTASK ((\(endless)))' "
          + "WHERE name = 'ZTASK_TITLE'",
      ]
    ),
    Attack(
      name: "an attribute whose name goes on with SQL",
      outcome: .refused("has no property 'title'"),
      model: claiming("title FROM ZTASK; DROP TABLE ZTASK; --")
    ),
    Attack(
      name: "an attribute with a quote in its name",
      outcome: .refused("has no property 'title'"),
      model: claiming("ti\"tle")
    ),
    Attack(
      name: "an attribute with a NUL in its name",
      outcome: .refused("has no property 'title'"),
      model: claiming("title\0")
    ),
    Attack(
      name: "an entity whose name is another table's",
      outcome: .refused("the model has no entity 'Task'"),
      model: claiming("title", of: "Task, (SELECT 1)")
    ),
    Attack(name: "a page that points to itself", outcome: .refused("damaged"), hasLoop: true),
  ]

  private static func make(_ attack: Attack, at path: String) throws {
    let store = try PersistentStore.create(at: path, model: good)
    let context = try ObjectContext(store: store)
    for number in 0..<3 {
      try context.insert("Task").setValue(.text("task \(number)"), of: "title")
    }
    try context.save()
    try store.connection.checkpoint()
    let root = try #require(
      try store.connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'ZTASK'")
    )
    let connection = try Connection(path: path, settings: nil, trust: .full)
    if let model = attack.model {
      let statement = try connection.prepare("UPDATE Z_MODELCACHE SET Z_CONTENT = ?")
      statement.bind(ModelCache.content(of: model), at: 1)
      try statement.run()
    }
    try connection.executeScript(attack.sql)
    try connection.checkpoint()
    if attack.hasLoop { try makeLoop(at: path, page: Int(root)) }
  }

  /// Makes a page an interior page without cells whose last child is the page itself.
  private static func makeLoop(at path: String, page: Int) throws {
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    let header = try #require(try file.read(upToCount: 100))
    let size = Int(header[16]) << 8 | Int(header[17])
    try file.seek(toOffset: UInt64((page - 1) * size))
    try file.write(contentsOf: [5, 0, 0, 0, 0, UInt8(size >> 8), 0, 0] + bytes(page))
    try file.close()
  }

  /// A number as four big-endian bytes.
  private static func bytes(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }

  private static func copy(_ path: String, in folder: TemporaryFolder) throws -> StoreFile {
    try FileManager.default.createDirectory(
      atPath: folder.file("copy"),
      withIntermediateDirectories: true
    )
    return try MadeStore(path: path).copy(into: folder.file("copy"))
  }

  @Test func `a journal that would delete another file is refused, and the file stays`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("hostile.sqlite")
    try Self.make(Attack(name: "none", outcome: .works), at: path)
    let victim = try folder.write("precious", to: "victim.txt")
    let header = try #require(StoreHeader(path: path))
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    let pages = Int(try #require(header.pageCount))
    var journal = magic + [0, 1234, pages, 512, header.pageSize].flatMap(Self.bytes)
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    let name = Array(victim.utf8)
    journal += Self.bytes(0x4000_0000 / header.pageSize + 1) + name
    journal += Self.bytes(name.count) + Self.bytes(name.reduce(0) { $0 + Int($1) }) + magic
    try folder.write(journal, to: "hostile.sqlite-journal")
    let error = #expect(throws: PersistentStoreError.self) { try Self.copy(path, in: folder) }
    #expect(error.map { "\($0)" }?.contains("-journal") == true)
    #expect(FileManager.default.fileExists(atPath: victim))
  }

  @Test(arguments: ["hostile.sqlite-shm", ".hostile_SUPPORT/_EXTERNAL_DATA/X"])
  func `a device or a pipe beside a store is refused before it is read`(name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("hostile.sqlite")
    try Self.make(Attack(name: "none", outcome: .works), at: path)
    let place = folder.file(name)
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: place).deletingLastPathComponent().path,
      withIntermediateDirectories: true
    )
    try? FileManager.default.removeItem(atPath: place)
    if name.hasSuffix("X") {
      try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "/dev/zero")
    } else {
      #expect(mkfifo(place, 0o600) == 0)
    }
    #expect(throws: Refusal.self) { try Self.copy(path, in: folder) }
  }

  @Test(arguments: attacks)
  func `a hostile store is refused or worked on within limits`(attack: Attack) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("hostile.sqlite")
    try Self.make(attack, at: path)
    let work = {
      _ = try MadeStore(path: path).connectInPlace()
      let copy = try Self.copy(path, in: folder)
      let context = try ObjectContext(store: try PersistentStore.open(copy))
      try context.insert("Task").setValue(.text("one more"), of: "title")
      try context.save()
      context.reset()
      let found = try context.fetch(FetchRequest("Task"))
      #expect(found.count == 4)
    }
    switch attack.outcome {
    case .works: try work()
    case .refused(let reason):
      let error = #expect(throws: (any Error).self) { try work() }
      #expect(error.map { "\($0)" }?.contains(reason) == true, "\(String(describing: error))")
    }
  }
}
