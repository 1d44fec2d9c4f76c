import DataModel
import DatabaseReading
import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Generators

/// Tests that the bulk writer and SQLite make the same stores from the same recipes.
struct BulkStoreWriterTests {
  /// The project's own recipes, and three with features that those lack.
  static let recipes = Recipes.names + ["inheritance", "dirty", "iOS 11"]

  private func small(_ name: String) throws -> Recipe {
    switch name {
    case "inheritance": return try InheritanceTests.recipe()
    case "dirty": return try dirty()
    case "iOS 11": return try FrameworkTests.recipe(framework: 851)
    default: break
    }
    var recipe = try Recipes.named(name)
    // Aging always uses SQLite, so it needs no comparison of writers.
    recipe.age = nil
    for index in recipe.entities.indices {
      recipe.entities[index].count = min(
        recipe.entities[index].count,
        name.hasPrefix("feed") ? 9 : 150
      )
    }
    return recipe
  }

  /// A recipe with rows that the layout forbids, such as keys that refer to no row.
  private func dirty() throws -> Recipe {
    try Recipes.make(
      model: """
        Thing:
          attributes: { name: { type: string, optional: false, default: "" } }
          relationships:
            box: { to: Box, inverse: things }
            tags: { to: Tag, many: true, inverse: things }
        Box: { relationships: { things: { to: Thing, many: true, inverse: box } } }
        Tag: { relationships: { things: { to: Thing, many: true, inverse: tags } } }
        """,
      """
      entities:
        Box: { count: 20 }
        Tag: { count: 9 }
        Thing:
          count: 200
          attributes: { name: title }
          relationships: { tags: { count: { poisson: 2 } } }
          dirty: { name: { null: 0.1, long: 0.01 }, box: { dangling: 0.1 }, tags: { orphaned: 0.1 } }
      """
    )
  }

  @Test(arguments: recipes)
  func `every record of every table and index is that of the SQL writer`(name: String) throws {
    let folder = try TemporaryFolder()
    let recipe = try small(name)
    let (plain, bulk) = (folder.file("sql/s.sqlite"), folder.file("bulk/s.sqlite"))
    try StoreGenerator(recipe, writer: SQLStoreWriter()).generate(at: plain)
    try StoreGenerator(recipe, writer: BulkStoreWriter(threads: 2, chunkBytes: 4_000))
      .generate(at: bulk)
    let stores = (try PlainStore(plain), try PlainStore(bulk))
    #expect(try stores.1.rows("PRAGMA integrity_check") == [[.text("ok")]])
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid"
    #expect(try stores.0.rows(schema) == stores.1.rows(schema))
    let pages = (try PageReader(path: plain), try PageReader(path: bulk))
    let roots = "SELECT name, rootpage FROM sqlite_schema ORDER BY rowid"
    for (left, right) in zip(try stores.0.rows(roots), try stores.1.rows(roots)) {
      let records = try pages.0.entries(root: root(left))
      #expect(try pages.1.entries(root: root(right)) == records, "records of \(left[0])")
    }
    #expect(try files(below: folder.file("sql")) == files(below: folder.file("bulk")))
  }

  private func root(_ row: [Value]) throws -> Int {
    guard case .integer(let root) = row[1] else { throw PageReader.Failure.badPage(0) }
    return Int(root)
  }

  /// The contents of all files except the store's main file.
  private func files(below folder: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path != "s.sqlite"
    {
      contents[path] = FileManager.default.contents(atPath: folder + "/" + path)
    }
    return contents
  }

  @Test(arguments: recipes.filter { !$0.hasSuffix("dirty") })
  func `no rule of the layout is broken`(name: String) throws {
    let folder = try TemporaryFolder()
    let recipe = try small(name)
    try StoreGenerator(recipe).generate(at: folder.file("s.sqlite"))
    let audit = StoreAudit(
      store: StoreFile(path: folder.file("s.sqlite")),
      layout: Dataset(recipe).layout
    )
    #expect(try audit.findings().map(\.description) == [])
  }

  @Test(arguments: ["tasks", "trips", "feed-small", "inheritance"])
  func `the bytes are the same on any number of threads`(name: String) throws {
    let folder = try TemporaryFolder()
    let recipe = try small(name)
    let stores = try [1, 2, 5].map { threads in
      let path = folder.file("\(threads).sqlite")
      let writer = BulkStoreWriter(threads: threads, chunkBytes: 2_000)
      try StoreGenerator(recipe, writer: writer).generate(at: path)
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
    #expect(stores[0].count > 60_000)
    #expect(stores[0] == stores[1])
    #expect(stores[0] == stores[2])
  }

  @Test func `progress ends with all rows`() throws {
    let folder = try TemporaryFolder()
    var last: GenerationProgress?
    try StoreGenerator(try small("tasks")).generate(at: folder.file("s.sqlite")) { last = $0 }
    let progress = try #require(last)
    #expect(progress.done == progress.total)
    let store = try PlainStore(folder.file("s.sqlite"))
    let tables = try store.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    let rows = try tables.reduce(0) { sum, table in
      guard case .text(let name) = table[0] else { return sum }
      return sum + (try store.rows("SELECT 1 FROM \(name)").count)
    }
    #expect(progress.total == rows)
  }

  @Test func `a model with an R-tree goes through SQLite`() throws {
    let folder = try TemporaryFolder()
    let recipe = try Recipes.make(
      model: """
        Pin:
          attributes: { x: double, y: double }
          indexes: { place: { on: [x, y], kind: rTree } }
        """,
      "entities: { Pin: { count: 3 } }"
    )
    #expect(!BulkStoreWriter.canWrite(recipe.model))
    try StoreGenerator(recipe).generate(at: folder.file("s.sqlite"))
    try StoreGenerator(recipe, writer: SQLStoreWriter()).generate(at: folder.file("sql.sqlite"))
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder.file("s.sqlite")))
        == Data(contentsOf: URL(fileURLWithPath: folder.file("sql.sqlite")))
    )
  }
}
