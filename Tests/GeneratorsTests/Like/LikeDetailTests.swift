import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

/// What a store made like another has beyond its shape: history, layout, what follows from others.
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

  /// A store with 60 notes left of 100, the deleted ones preserved.
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

  /// In an aged store old tasks are completed and new ones are not.
  @Test(arguments: [1, 20], ["tasks", "tasks-aged"])
  func `values are missing where the original's are`(
    k: Int,
    recipe: String
  ) throws {
    let folder = try TemporaryFolder()
    let options = RecipeFile.Options(objects: ["Task": 1_000])
    let original = folder.file("original.sqlite")
    try StoreGenerator(try Recipes.named(recipe, options: options)).generate(at: original)
    let profile = try StoreProfiler(content(original), k: k).profile()
    let like = LikeRecipe(profile, size: .scale(2)).recipe(name: "like", seed: 5)
    let made = folder.file("like.sqlite")
    try StoreGenerator(like).generate(at: made)
    let broken = "SELECT count(*) FROM ZTASK WHERE (ZISCOMPLETED = 1) <> (ZCOMPLETEDAT NOT NULL)"
    #expect(try content(made).connection.integer(broken) == 0)
    #expect(try content(made).connection.integer("SELECT count(*) FROM ZTASK") ?? 0 > 1_500)
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

  /// Its model cache and its layout are the original's.
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

  /// Their numbers are those of the objects, and not drawn once more.
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
