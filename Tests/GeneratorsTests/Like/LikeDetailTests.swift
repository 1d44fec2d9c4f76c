import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

/// Tests details of a store made like another store: history, layout, and derived values.
struct LikeDetailTests {
  private static let model = Model(entities: [
    Entity(
      name: "Note",
      attributes: [
        Attribute(name: "code", type: .integer64, preservesValueOnDeletion: true),
        Attribute(name: "text", type: .string),
        Attribute(name: "title", type: .string, preservesValueOnDeletion: true),
      ]
    )
  ])

  private func content(_ path: String) throws -> StoreContent {
    try .reading(StoreFile(path: path))
  }

  /// A store with 60 of 100 notes left, whose deleted notes are preserved in its history.
  private func original(in folder: TemporaryFolder) throws -> StoreContent {
    let path = folder.file("original.sqlite")
    let store = try PersistentStore.create(
      at: path,
      model: Self.model,
      options: PersistentStore.Options(keepsHistory: true)
    )
    let context = try ObjectContext(store: store)
    let notes = try (0..<100).map { number in
      let note = try context.insert("Note")
      try note.setValue(.integer(Int64(number)), of: "code")
      try note.setValue(.text("Note \(number)"), of: "title")
      return note
    }
    try context.save()
    for note in notes.prefix(40) {
      try context.delete(note)
      try context.save()
    }
    context.reset()
    try store.connection.checkpoint()
    return try content(path)
  }

  /// Photos libraries have R-tree indexes.
  @Test func `an R-tree index and its triggers are made, with every object that has a place`()
    throws
  {
    let folder = try TemporaryFolder()
    let model = Model(entities: [
      Entity(
        name: "Asset",
        attributes: [
          Attribute(name: "latitude", type: .double), Attribute(name: "name", type: .string),
        ]
      )
    ])
    let store = try PersistentStore.create(at: folder.file("original.sqlite"), model: model)
    let context = try ObjectContext(store: store)
    for number in 0..<40 {
      let asset = try context.insert("Asset")
      if number % 4 > 0 { try asset.setValue(.real(Double(number)), of: "latitude") }
    }
    try context.save()
    let parts = [
      "CREATE VIRTUAL TABLE Z_RT_Asset_byPlace USING RTREE (Z_PK INTEGER PRIMARY KEY, "
        + "ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT)",
      "CREATE TRIGGER Z_RT_Asset_byPlace_DELETE AFTER DELETE ON ZASSET BEGIN DELETE FROM "
        + "Z_RT_Asset_byPlace WHERE Z_PK = OLD.Z_PK; END",
      // An index on a column that the model lacks, with its trigger, and another program's index.
      "CREATE VIRTUAL TABLE Z_RT_Asset_gone USING RTREE (Z_PK INTEGER PRIMARY KEY, ZGONE_MIN FLOAT, "
        + "ZGONE_MAX FLOAT)",
      "CREATE TRIGGER Z_RT_Asset_gone_DELETE AFTER DELETE ON ZASSET BEGIN DELETE FROM "
        + "Z_RT_Asset_gone WHERE Z_PK = OLD.Z_PK; END",
      "CREATE VIRTUAL TABLE own USING RTREE (id, low, high)",
    ]
    try store.connection.executeScript(parts)
    try store.connection.checkpoint()
    let profile = try StoreProfiler(content(store.file.path), k: 1).profile()
    let like = LikeRecipe(profile, size: .scale(3)).recipe(name: "like", seed: 1)
    let made = StoreFile(path: folder.file("like.sqlite"))
    try StoreGenerator(like).generate(at: made.path)
    let copy = try PersistentStore.open(made)
    let found = try copy.connection.prepare(
      "SELECT sql FROM sqlite_master WHERE rootpage = 0 ORDER BY type, name"
    ).map { $0.text(at: 0) }
    #expect(found == Array(parts.prefix(2)))
    let places = "SELECT count(*) FROM Z_RT_Asset_byPlace"
    let located = "SELECT count(*) FROM ZASSET WHERE ZLATITUDE IS NOT NULL"
    let count = try copy.connection.integer(located)
    #expect((1..<120).contains(count ?? 0))
    #expect(try copy.connection.integer(places) == count)
    try copy.connection.execute("DELETE FROM ZASSET")
    #expect(try copy.connection.integer(places) == 0)
  }

  @Test func `numbers of any size are read`() throws {
    let folder = try TemporaryFolder()
    let made = try original(in: folder)
    try Connection(path: made.store.path).execute(
      "UPDATE ZNOTE SET ZCODE = iif(Z_PK % 2, 9223372036854775807, -9223372036854775807 - 1)"
    )
    let profile = try StoreProfiler(content(made.store.path), k: 1).profile()
    let like = LikeRecipe(profile, size: .scale(1)).recipe(name: "like", seed: 1)
    let path = folder.file("like.sqlite")
    try StoreGenerator(like).generate(at: path)
    #expect(try content(path).connection.integer("SELECT count(*) FROM ZNOTE") == 60)
  }

  @Test(arguments: [0, 1, 20, 59, 60])
  func `as many UUIDs are missing as in the original`(missing: Int) throws {
    let folder = try TemporaryFolder()
    let model = Model(entities: [
      Entity(name: "Note", attributes: [Attribute(name: "id", type: .uuid)])
    ])
    let store = try PersistentStore.create(at: folder.file("original.sqlite"), model: model)
    let context = try ObjectContext(store: store)
    for number in 0..<60 {
      let id = number < missing ? Value.null : .blob(Array(repeating: UInt8(number), count: 16))
      try context.insert("Note").setValue(id, of: "id")
    }
    try context.save()
    try store.connection.checkpoint()
    let profile = try StoreProfiler(content(store.file.path), k: 1).profile()
    for scale in [1, 3] {
      let like = LikeRecipe(profile, size: .scale(Double(scale))).recipe(name: "like", seed: 1)
      let made = folder.file("\(scale).sqlite")
      try StoreGenerator(like).generate(at: made)
      let nulls = "SELECT count(*) FROM ZNOTE WHERE ZID IS NULL"
      let count = try content(made).connection.integer(nulls)
      #expect(count == Int64(missing * scale))
    }
  }

  /// In an aged store, only old tasks have completion dates.
  @Test(arguments: [1, 20], ["tasks", "tasks-aged"])
  func `values are missing where the original's are`(
    k: Int,
    recipe: String
  ) throws {
    let folder = try TemporaryFolder()
    let options = RecipeFile.Options(objects: ["Task": 400])
    let original = folder.file("original.sqlite")
    try StoreGenerator(try Recipes.named(recipe, options: options)).generate(at: original)
    let profile = try StoreProfiler(content(original), k: k).profile()
    let like = LikeRecipe(profile, size: .scale(2)).recipe(name: "like", seed: 5)
    let made = folder.file("like.sqlite")
    try StoreGenerator(like).generate(at: made)
    let broken = "SELECT count(*) FROM ZTASK WHERE (ZISCOMPLETED = 1) <> (ZCOMPLETEDAT NOT NULL)"
    #expect(try content(made).connection.integer(broken) == 0)
    #expect(try content(made).connection.integer("SELECT count(*) FROM ZTASK") ?? 0 > 600)
    let text = ProfileWriter(profile).text
    #expect(text.contains("presentWith:"))
    let diagnostics = Diagnostics(file: "profile.yaml")
    let value = try #require(YAMLDocument.parse(text, into: diagnostics))
    let read = ProfileFile.profile(value)
    #expect(read?.entities == profile.entities, "\(diagnostics)")
  }

  @Test func `deletions keep values where the original's do`() throws {
    let folder = try TemporaryFolder()
    let profile = try StoreProfiler(try original(in: folder)).profile()
    let recipe = LikeRecipe(profile).recipe(name: "like", seed: 3)
    for writer in [BulkStoreWriter() as any StoreWriter, SQLStoreWriter()] {
      let path = folder.file("\(writer.identity.prefix(3)).sqlite")
      try StoreGenerator(recipe, writer: writer).generate(at: path)
      let made = try content(path)
      func count(_ condition: String) throws -> Int64? {
        try made.connection.integer("SELECT count(*) FROM ACHANGE WHERE \(condition)")
      }
      #expect(try count("ZCHANGETYPE = 2") == 40)
      #expect(
        try count(
          "ZCHANGETYPE = 2 AND typeof(ZTOMBSTONE0) = 'integer' AND typeof(ZTOMBSTONE1) = 'text'"
        ) == 40
      )
      #expect(try count("ZCHANGETYPE <> 2 AND ZTOMBSTONE0 IS NULL AND ZTOMBSTONE1 IS NULL") == 100)
      let findings = try StoreAudit(store: made.store, layout: made.layout).findings()
      #expect(findings.map(\.description) == [])
    }
  }

  @Test(arguments: [519, 641, 851, 977])
  func `a store of an older framework is made in its layout`(framework: Int) throws {
    let folder = try TemporaryFolder()
    let store = try ProfiledStore()
    try store.insert((0..<50).map { ProfiledStore.Note(number: $0) })
    var profile = try store.profile()
    profile.frameworkVersion = framework
    let recipe = LikeRecipe(profile).recipe(name: "like", seed: 1)
    let path = folder.file("like.sqlite")
    try StoreGenerator(recipe).generate(at: path)
    let made = try content(path)
    let comparison = try LayoutComparison(
      model: profile.model,
      connection: made.connection,
      path: path
    )
    #expect(comparison.framework == framework)
    #expect(comparison.entries.allSatisfy { ![.missing, .unexplained].contains($0.state) })
  }

  /// Derived counts are computed from the relationships and not drawn at random.
  @Test func `derived counts and friends of a store made like another fit each other`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      entities:
        Person:
          attributes:
            name: string
            friendCount: { type: integer32, derivation: "friends.@count" }
          relationships: { friends: { to: Person, many: true, inverse: friends } }
      """,
      to: "model.yaml"
    )
    let path = try folder.write(
      "format: 1\nmodel: model.yaml\nentities: { Person: { count: 400 } }",
      to: "recipe.yaml"
    )
    let original = try StoreGenerator(try RecipeFile.read(path: path))
      .generate(at: folder.file("original.sqlite")).file
    let content = try content(original.path)
    let profile = try StoreProfiler(content).profile()
    let recipe = LikeRecipe(profile).recipe(name: "like", seed: 5)
    try StoreGenerator(recipe).generate(at: folder.file("like.sqlite"))
    let made = try self.content(folder.file("like.sqlite"))
    let wrong =
      "SELECT count(*) FROM ZPERSON AS p WHERE ZFRIENDCOUNT <> "
      + "(SELECT count(*) FROM Z_1FRIENDS WHERE Z_1FRIENDS = p.Z_PK)"
    #expect(try content.connection.integer(wrong) == 0)
    #expect(try made.connection.integer(wrong) == 0)
  }
}
