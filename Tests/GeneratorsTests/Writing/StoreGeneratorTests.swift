import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

struct StoreGeneratorTests {
  private let folder = try? TemporaryFolder()

  private func path(_ name: String = "store.sqlite") throws -> String {
    try #require(folder).file(name)
  }

  private func recipe(_ name: String, seed: UInt64? = nil) throws -> Recipe {
    let objects = [
      "tasks": ["Task": 300], "trips": ["Trip": 40], "catalog": ["Product": 200],
      "feed-small": ["Post": 20],
    ]
    return try Recipes.named(name, options: .init(seed: seed, objects: objects[name] ?? [:]))
  }

  private static let names = ["tasks", "trips", "catalog", "feed-small"]

  @Test(arguments: names)
  func `every value of the store is the dataset's`(name: String) throws {
    let recipe = try recipe(name)
    let path = try path()
    try StoreGenerator(recipe).generate(at: path)
    let (store, dataset) = (try PlainStore(path), Dataset(recipe))
    for entity in dataset.entities {
      let table = try #require(dataset.layout.table(of: entity.name))
      let saves = saves(of: entity)
      // If the recipe has `edited`, some objects are saved more than once; otherwise, none are.
      let isEdited = recipe.entity(named: entity.name)?.edited != nil
      #expect(saves.contains { $0 > 1 } == isEdited, "\(entity.name)")
      #expect(entity.count == 0 || saves.contains(1), "\(entity.name)")
      for column in table.columns {
        let rows = try store.rows(
          "SELECT Z_PK, Z_ENT, Z_OPT, \(column.name) FROM \(table.name) ORDER BY Z_PK"
        )
        #expect(rows.count == entity.count)
        for (row, values) in rows.enumerated() {
          let key = entity.primaryKey(row: row)
          #expect(
            values[0...2]
              == [.integer(key), .integer(Int64(entity.number)), .integer(saves[row])]
          )
          let expected = try expected(column, entity, row, dataset, path: path, stored: values[3])
          #expect(values[3] == expected, "\(column.name) of row \(row)")
        }
      }
    }
  }

  /// How often each object of an entity was saved, by row.
  private func saves(of entity: EntitySource) -> [Int64] {
    var cell = Cell()
    return (0..<entity.count).map { entity.saves?.count(row: $0, &cell) ?? 1 }
  }

  /// The value that a column must have in a row, computed from the dataset.
  private func expected(
    _ column: Column,
    _ entity: EntitySource,
    _ row: Int,
    _ dataset: Dataset,
    path: String,
    stored: Value
  ) throws -> Value {
    switch column.content {
    case .attribute(let attribute):
      let value = try dataset.value(entity: entity.name, row: row, attribute: attribute.name)
      guard attribute.allowsExternalStorage, case .blob(let bytes) = value else { return value }
      guard bytes.count > 102_400 else { return .blob([1] + bytes) }
      guard case .blob(let reference) = stored, let name = ExternalStorage.fileName(in: reference)
      else { return .null }
      let file = StoreFile(path: path).externalDataFolder + "/" + name
      #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: file))) == bytes)
      return stored
    case .foreignKey(let relationship):
      let target = try dataset.target(
        entity: entity.name,
        row: row,
        relationship: relationship.name
      )
      return try target.map {
        .integer(try dataset.entity($0.entity).primaryKey(row: $0.row))
      } ?? .null
    default: return stored
    }
  }

  @Test(arguments: names)
  func `a store is whole and in the frameworks' form`(name: String) throws {
    let recipe = try recipe(name)
    let path = try path()
    try StoreGenerator(recipe).generate(at: path)
    let store = try PlainStore(path)
    #expect(try store.rows("PRAGMA integrity_check") == [[.text("ok")]])
    let header = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)).prefix(100))
    // The header has a page size of 4,096 bytes, WAL, and incremental auto-vacuum.
    #expect(header[16...19] == [16, 0, 2, 2])
    #expect(header[52...55] != [0, 0, 0, 0])
    #expect(header[64...67] == [0, 0, 0, 1])
    let layout = Dataset(recipe).layout
    let schema = try store.rows("SELECT sql FROM sqlite_master WHERE sql NOTNULL ORDER BY rowid")
    #expect(schema == layout.definitions.map { [.text($0)] })
    for table in layout.tables {
      let highest = try store.rows(
        "SELECT coalesce(max(Z_PK), 0) = (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = "
          + "'\(table.root)') FROM \(table.name)"
      )
      #expect(highest == [[.integer(1)]])
    }
    let names = try #require(folder).names()
    #expect(!names.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") })
    #expect(!names.contains { $0.contains("building") })
  }

  @Test(arguments: names)
  func `a store breaks no rule of its layout`(name: String) throws {
    let recipe = try recipe(name)
    let path = try path()
    try StoreGenerator(recipe).generate(at: path)
    let audit = StoreAudit(store: StoreFile(path: path), layout: Dataset(recipe).layout)
    #expect(try audit.findings().map(\.description) == [])
  }

  @Test func `a generated store opens as a store of its own model`() throws {
    let recipe = try recipe("tasks")
    let path = try path()
    try StoreGenerator(recipe).generate(at: path)
    let store = try PersistentStore.open(StoreFile(path: path))
    #expect(store.model == recipe.model)
  }

  @Test(arguments: names)
  func `the same seed gives the same bytes, another seed others`(name: String) throws {
    try StoreGenerator(recipe(name)).generate(at: path("one.sqlite"))
    try StoreGenerator(recipe(name)).generate(at: path("two.sqlite"))
    try StoreGenerator(recipe(name, seed: 77)).generate(at: path("three.sqlite"))
    let stores = try ["one", "two", "three"].map {
      try Data(contentsOf: URL(fileURLWithPath: path("\($0).sqlite")))
    }
    #expect(stores[0] == stores[1])
    #expect(stores[0] != stores[2])
    let files = try StoreCache.Manifest(ofFilesIn: #require(folder).path).files
    let blobs = ["one", "two"].map { name in
      files.filter { $0.path.hasPrefix(".\(name)_SUPPORT") }.map(\.sample)
    }
    #expect(blobs[0] == blobs[1])
    #expect(blobs[0].isEmpty == (name != "feed-small"))
  }

  @Test func `a new attribute moves no other value`() throws {
    let before = Dataset(
      try Recipes.make(
        model: "Thing: { attributes: { b: string, d: integer32 } }",
        "entities: { Thing: { count: 50 } }"
      )
    )
    let after = Dataset(
      try Recipes.make(
        model: "Thing: { attributes: { a: string, b: string, c: date, d: integer32 } }",
        "entities: { Thing: { count: 50 } }"
      )
    )
    for row in 0..<50 {
      for attribute in ["b", "d"] {
        #expect(
          try before.value(entity: "Thing", row: row, attribute: attribute)
            == after.value(entity: "Thing", row: row, attribute: attribute)
        )
      }
    }
  }

  @Test func `join rows are the dataset's pairs, from both sides`() throws {
    let recipe = try recipe("tasks")
    let path = try path()
    try StoreGenerator(recipe).generate(at: path)
    let dataset = Dataset(recipe)
    let join = try #require(dataset.layout.joinTables.first)
    let taskColumn = join.master.entity == "Task" ? join.master.ownColumn : join.slave.ownColumn
    let tagColumn = join.master.entity == "Tag" ? join.master.ownColumn : join.slave.ownColumn
    let stored = try PlainStore(path).rows(
      "SELECT \(taskColumn), \(tagColumn) FROM \(join.name) ORDER BY 1, 2"
    )
    var expected: [[Value]] = []
    for row in 0..<300 {
      for target in try dataset.targets(entity: "Task", row: row, relationship: "tags")
        .sorted(by: { $0.row < $1.row })
      {
        expected.append([.integer(Int64(row + 1)), .integer(Int64(target.row + 1))])
      }
    }
    #expect(stored == expected)
    #expect(!stored.isEmpty)
    var reversed: [[Value]] = []
    for row in 0..<(try dataset.entity("Tag").count) {
      for source in try dataset.targets(entity: "Tag", row: row, relationship: "tasks") {
        reversed.append([.integer(Int64(source.row + 1)), .integer(Int64(row + 1))])
      }
    }
    #expect(Set(reversed) == Set(expected))
  }

  @Test func `history has an insertion for every object, so many in a save`() throws {
    let recipe = try recipe("trips")
    let path = try path()
    try StoreGenerator(recipe).generate(at: path)
    let store = try PlainStore(path)
    let objects = Int64(recipe.entities.reduce(0) { $0 + $1.count })
    #expect(
      try store.rows("SELECT count(*), count(DISTINCT ZENTITY || ' ' || ZENTITYPK) FROM ACHANGE")
        == [[.integer(objects), .integer(objects)]]
    )
    #expect(
      try store.rows("SELECT DISTINCT Z_ENT, Z_OPT, ZCHANGETYPE, ZCOLUMNS FROM ACHANGE")
        == [[.integer(16_001), .null, .integer(0), .null]]
    )
    let largest = "SELECT max(n) FROM (SELECT count(*) n FROM ACHANGE GROUP BY ZTRANSACTIONID)"
    #expect(try store.rows(largest) == [[.integer(8)]])
    #expect(
      try store.rows(
        "SELECT count(*) FROM ACHANGE LEFT JOIN ATRANSACTION t ON t.Z_PK = ZTRANSACTIONID "
          + "WHERE t.Z_PK IS NULL"
      ) == [[.integer(0)]]
    )
    #expect(
      try store.rows("SELECT Z_PK, Z_ENT, ZNAME FROM ATRANSACTIONSTRING ORDER BY 1") == [
        [.integer(1), .integer(16_003), .text("com.example.trips")],
        [.integer(2), .integer(16_003), .text("Trips")],
      ]
    )
    #expect(
      try store.rows("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1") == [
        [.integer(16_001), .integer(objects)], [.integer(16_002), .integer((objects + 7) / 8)],
        [.integer(16_003), .integer(2)],
      ]
    )
    #expect(
      try store.rows("SELECT count(*) FROM ATRANSACTION WHERE typeof(ZTIMESTAMP) <> 'real'")
        == [[.integer(0)]]
    )
  }

  @Test func `files of the app lie beside the store under the names it holds`() throws {
    let options = RecipeFile.Options(objects: ["Post": 3])
    let recipe = try Recipes.named("feed-file", options: options)
    let path = try path()
    try StoreGenerator(recipe).generate(at: path)
    let rows = try PlainStore(path).rows("SELECT ZIMAGEPATH, ZIMAGEBYTES FROM ZPOST ORDER BY Z_PK")
    let dataset = Dataset(recipe)
    for (row, values) in rows.enumerated() {
      guard case .text(let name) = values[0] else { continue }
      let file = StoreFile(path: path).filesFolder + "/" + name
      let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
      #expect(values[1] == .integer(Int64(bytes.count)))
      let contents = try dataset.fileContents(entity: "Post", row: row, attribute: "imagePath")
      #expect(bytes == contents)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: StoreFile(path: path).filesFolder)
        .count == 3
    )
  }

  @Test func `progress rises to the total`() throws {
    let generator = StoreGenerator(try recipe("tasks"))
    var steps: [GenerationProgress] = []
    try generator.generate(at: path()) { steps.append($0) }
    #expect(steps.last?.done == steps.last?.total)
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.done <= $1.done })
  }

  @Test func `the list of duplicates lies beside the store`() throws {
    let result = try StoreGenerator(recipe("catalog")).generate(at: path("shop.sqlite"))
    #expect(result.answerKeys == [try path("shop.duplicates.csv")])
    let text = try String(contentsOfFile: try path("shop.duplicates.csv"), encoding: .utf8)
    let copies = text.split(separator: "\r\n").count { $0.contains(",copy,") }
    let stored = try PlainStore(path("shop.sqlite")).rows(
      "SELECT count(*) - count(DISTINCT ZSKU) FROM ZPRODUCT"
    )
    #expect(stored == [[.integer(Int64(copies))]])
    #expect(copies == 20)
  }
}
