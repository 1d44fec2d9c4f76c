import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

struct StoreAgingTests {
  private let folder = try? TemporaryFolder()

  private func generate(
    _ recipe: Recipe,
    _ name: String = "store.sqlite"
  ) throws -> StoreGenerator.Result {
    try StoreGenerator(recipe).generate(at: try #require(folder).file(name))
  }

  /// The project's recipe `tasks`, without duplicates and aged.
  private func tasks(
    edits: Double = 0.3,
    deletes: Double = 0.1,
    vacuum: AgeRecipe.Vacuum = .never,
    wal: Int = 0,
    count: Int = 600,
    seed: UInt64? = nil
  ) throws -> Recipe {
    let options = RecipeFile.Options(seed: seed, objects: ["Task": count])
    var recipe = try Recipes.named("tasks", options: options)
    recipe.age = AgeRecipe(
      edits: edits,
      deletes: deletes,
      entities: ["Task", "Attachment", "Tag"],
      objectsPerSave: 20,
      vacuum: vacuum,
      walBytes: wal
    )
    return recipe
  }

  private func audit(_ store: StoreFile, _ recipe: Recipe) throws -> [String] {
    try StoreAudit(store: store, layout: Dataset(recipe).layout).findings().map(\.description)
  }

  private func integer(_ store: StoreFile, _ sql: String) throws -> Int64 {
    try Connection(path: store.path, mode: .readOnly, settings: nil).integer(sql) ?? 0
  }

  /// Returns how often aging saved each remaining object of a table, by key: the difference of
  /// Z_OPT from the same store without aging.
  private func savesOfAging(
    _ table: String,
    _ store: StoreFile,
    _ recipe: Recipe
  ) throws -> [Int64: Int64] {
    var young = recipe
    young.age = nil
    let before = try versions(table, generate(young, "young-\(table).sqlite").file)
    return try versions(table, store).reduce(into: [:]) { saves, object in
      saves[object.key] = try object.value - #require(before[object.key])
    }
  }

  private func versions(_ table: String, _ store: StoreFile) throws -> [Int64: Int64] {
    let connection = try Connection(path: store.path, mode: .readOnly, settings: nil)
    let row = try connection.prepare("SELECT Z_PK, Z_OPT FROM \(table)")
    var versions: [Int64: Int64] = [:]
    while try row.step() { versions[row.integer(at: 0)] = row.integer(at: 1) }
    return versions
  }

  @Test func `so many objects are edited and deleted, and the store is whole`() throws {
    let recipe = try tasks()
    let store = try generate(recipe).file
    #expect(try audit(store, recipe) == [])
    #expect(try integer(store, "SELECT count(*) FROM ZTASK") == 600 - 60)
    let saves = try savesOfAging("ZTASK", store, recipe).values
    #expect(saves.count { $0 == 1 } == 180)
    #expect(saves.count { $0 == 0 } == 600 - 60 - 180)
    #expect(try integer(store, "SELECT count(*) FROM ZTAG") == 72)
    // The keys of deleted objects are not reused.
    #expect(try integer(store, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Task'") == 600)
    // Deleting a task deletes its subtasks and does not save other subtasks.
    let subtasks = try integer(store, "SELECT count(*) FROM ZSUBTASK")
    #expect((1..<1_440).contains(subtasks))
    #expect(try savesOfAging("ZSUBTASK", store, recipe).values.allSatisfy { $0 == 0 })
    #expect(try integer(store, "SELECT count(*) FROM ZPROJECT WHERE Z_OPT > 1") == 0)
  }

  @Test func `edits change values and nothing that identifies an object`() throws {
    let recipe = try tasks(deletes: 0)
    let store = try generate(recipe).file
    let dataset = Dataset(recipe)
    let saves = try savesOfAging("ZTASK", store, recipe)
    #expect(saves.values.count { $0 == 1 } == 180)
    let rows = try PlainStore(store.path).rows(
      "SELECT Z_PK, ZID, ZCREATEDAT, ZCOMPLETEDAT, ZTITLE, ZISFLAGGED, ZDETAILS, "
        + "ZSORTORDER, ZESTIMATEDMINUTES, ZPROGRESS FROM ZTASK"
    )
    let names = [
      "id", "createdAt", "completedAt", "title", "isFlagged", "details", "sortOrder",
      "estimatedMinutes", "progress",
    ]
    for row in rows {
      guard case .integer(let key) = row[0] else { continue }
      let changed = try names.indices.filter {
        try dataset.value(entity: "Task", row: Int(key) - 1, attribute: names[$0]) != row[$0 + 1]
      }
      #expect(saves[key] == Int64(changed.count))
      #expect(changed.allSatisfy { $0 > 2 })
    }
  }

  @Test func `free pages stay unless a vacuum takes them, and pages are less full`() throws {
    var pages: [AgeRecipe.Vacuum: (all: Int64, free: Int64)] = [:]
    for vacuum in AgeRecipe.Vacuum.allCases {
      let recipe = try tasks(deletes: 0.6, vacuum: vacuum, count: 2_000)
      let store = try generate(recipe, "\(vacuum).sqlite").file
      #expect(try audit(store, recipe) == [])
      pages[vacuum] = (
        try integer(store, "PRAGMA page_count"), try integer(store, "PRAGMA freelist_count")
      )
    }
    let (never, incremental, full) = (pages[.never], pages[.incremental], pages[.full])
    #expect(try #require(never).free > 10)
    #expect(incremental?.free == 0)
    #expect(full?.free == 0)
    // An incremental vacuum may remove a pointer-map page with the pages that it described.
    let cut = try #require(never).all - #require(never).free
    #expect((cut - 1...cut).contains(try #require(incremental).all))
    // A full vacuum also removes the unused space within pages.
    #expect(try #require(full).all < #require(incremental).all)
  }

  @Test func `a log of the chosen size is left beside the store and belongs to it`() throws {
    let recipe = try tasks(wal: 500_000)
    let result = try generate(recipe)
    #expect((500_000..<700_000).contains(result.file.walBytes))
    #expect(!FileManager.default.fileExists(atPath: result.file.sharedMemory))
    #expect(try audit(result.file, recipe) == [])
    let older = try PlainStore(result.file.path).rows("SELECT sum(Z_OPT) FROM ZTASK")
    let newer = try integer(result.file, "SELECT sum(Z_OPT) FROM ZTASK")
    guard case .integer(let before) = older[0][0] else { return }
    #expect(before < newer)
    let saves = try savesOfAging("ZTASK", result.file, recipe).values
    #expect(saves.count { $0 > 0 } == 180)
    #expect(saves.allSatisfy { $0 >= 0 })
  }

  @Test func `history has every edit and deletion, with what is preserved of the deleted`() throws {
    let options = RecipeFile.Options(objects: ["Trip": 200])
    var recipe = try Recipes.named("trips", options: options)
    recipe.age = AgeRecipe(
      edits: 0.2,
      deletes: 0.1,
      entities: ["Trip"],
      objectsPerSave: 5,
      vacuum: .never,
      walBytes: 0
    )
    let store = try generate(recipe).file
    #expect(try audit(store, recipe) == [])
    let changes =
      "SELECT count(*) FROM ACHANGE WHERE ZENTITY = "
      + "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Trip') AND ZCHANGETYPE = "
    #expect(try integer(store, changes + "1") == 40)
    #expect(try integer(store, changes + "2") == 20)
    #expect(try integer(store, changes + "1 AND ZCOLUMNS NOTNULL") == 40)
    // The 12 saves of aging are spread over the year after the last trip was made.
    let times = try PlainStore(store.path).rows(
      "SELECT max(ZTIMESTAMP) FILTER (WHERE Z_PK <= n - 12) < 788918400, "
        + "min(ZTIMESTAMP) FILTER (WHERE Z_PK > n - 12) > 788918400, "
        + "(max(ZTIMESTAMP) - 788918400) / 86400 BETWEEN 364 AND 366 "
        + "FROM ATRANSACTION, (SELECT max(Z_PK) AS n FROM ATRANSACTION)"
    )
    #expect(times == [[.integer(1), .integer(1), .integer(1)]])
    // Tombstones of trips preserve end, name and start, in alphabetical order.
    let dataset = Dataset(recipe)
    let tombstones = try PlainStore(store.path).rows(
      "SELECT ZENTITYPK, ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2 FROM ACHANGE "
        + "WHERE ZTOMBSTONE0 NOTNULL"
    )
    #expect(tombstones.count == 20)
    for tombstone in tombstones {
      guard case .integer(let key) = tombstone[0] else { continue }
      let values = try ["endDate", "name", "startDate"].map {
        try dataset.value(entity: "Trip", row: Int(key) - 1, attribute: $0)
      }
      #expect(Array(tombstone.dropFirst()) == values)
    }
    // Deleting a trip also deletes its place to stay and its wishes.
    #expect(try integer(store, "SELECT count(*) FROM ZLIVINGACCOMMODATION") < 420 * 200 / 500)
  }

  @Test func `the digest of the content is the same each time, and another for another seed`()
    throws
  {
    let digests = try [nil, nil, 5].enumerated().map { index, seed in
      try generate(tasks(wal: 100_000, count: 300, seed: seed), "\(index).sqlite").contentDigest
    }
    #expect(digests[0] != nil)
    #expect(digests[0] == digests[1])
    #expect(digests[0] != digests[2])
    var young = try tasks(count: 300)
    young.age = nil
    #expect(try generate(young, "young.sqlite").contentDigest == nil)
  }

  @Test func `the list of duplicates has no object that is gone`() throws {
    var recipe = try tasks(deletes: 0.3)
    recipe.age?.entities = []
    let result = try generate(recipe)
    #expect(try audit(result.file, recipe) == [])
    let text = try String(contentsOfFile: #require(result.answerKeys.first), encoding: .utf8)
    let lines = text.components(separatedBy: "\r\n").dropFirst().dropLast()
    let ids = try PlainStore(result.file.path).rows(
      "SELECT count(*) - count(DISTINCT ZID), count(*) FROM ZTASK"
    )
    #expect(ids[0][0] == .integer(Int64(lines.count { $0.contains(",copy,") })))
    for line in lines {
      let key = line.components(separatedBy: ",")[3]
      #expect(try integer(result.file, "SELECT count(*) FROM ZTASK WHERE Z_PK = \(key)") == 1)
    }
    // Deleting a project also deletes its tasks.
    #expect(try integer(result.file, "SELECT count(*) FROM ZPROJECT") == 3)
  }

  @Test(arguments: ["feed-small", "feed-file"])
  func `files go with the objects that own them`(name: String) throws {
    var recipe = try Recipes.named(name, options: RecipeFile.Options(objects: ["Post": 40]))
    recipe.age = AgeRecipe(
      edits: 0.2,
      deletes: 0.5,
      entities: ["Post"],
      objectsPerSave: 3,
      vacuum: .never,
      walBytes: 0
    )
    for index in recipe.entities.indices {
      // Images of 300 bytes are small, but still stored in files.
      recipe.entities[index].attributes["imagePath"]?.rule = FileRule(
        contents: BlobRule(
          size: DistributionRecipe(.constant(300)),
          compressibility: 0,
          format: .jpeg
        )
      )
    }
    let store = try generate(recipe).file
    var audit = StoreAudit(store: store, layout: Dataset(recipe).layout)
    audit.pathAttributes =
      name == "feed-file" ? [PathAttribute(entity: "Post", attribute: "imagePath")] : []
    #expect(try audit.findings() == [])
    #expect(try integer(store, "SELECT count(*) FROM ZPOST") == 20)
    #expect(store.externalBytes > 0)
  }

  @Test func `what a model protects is not deleted`() throws {
    let recipe = try Recipes.make(
      model: """
        Box: { relationships: { things: { to: Thing, many: true, inverse: box, delete: deny } } }
        Lid: { relationships: { things: { to: Thing, many: true, inverse: lid } } }
        Thing: { attributes: { name: string }, relationships: { box: { to: Box, inverse: things }, lid: { to: Lid, inverse: things, optional: false } } }
        """,
      """
      entities: { Box: { count: 10 }, Lid: { count: 10 }, Thing: { count: 50 } }
      age: { edits: 0.5, deletes: 0.2 }
      """
    )
    let store = try generate(recipe).file
    #expect(try audit(store, recipe) == [])
    let counts = try ["BOX", "LID", "THING"].map {
      try integer(store, "SELECT count(*) FROM Z\($0)")
    }
    #expect(counts == [10, 10, 40])
  }

  @Test func `the cache keeps an aged store with its log`() throws {
    let cache = StoreCache(folder: try #require(folder).file("cache"))
    let recipe = try tasks(wal: 100_000, count: 300)
    let store = try cache.store(of: recipe)
    let bytes = store.walBytes
    #expect(bytes >= 100_000)
    #expect(try cache.store(of: recipe) == store)
    #expect(store.walBytes == bytes)
    var other = recipe
    other.age?.edits = 0.31
    #expect(cache.key(of: other) != cache.key(of: recipe))
  }
}
