import DataModel
import Foundation
import Generators
import PersistentStore
import SQLite
import TestSupport
import Testing

/// Tests stores made like stores of a few objects, where few values are possible.
struct SmallStoreTests {
  private static let model = Model(entities: [
    Entity(
      name: "Link",
      attributes: [
        Attribute(name: "address", type: .uri), Attribute(name: "isRead", type: .boolean),
        Attribute(name: "isOn", type: .boolean, isOptional: false),
        Attribute(name: "icon", type: .binary), Attribute(name: "visited", type: .date),
        Attribute(name: "page", type: .binary, allowsExternalStorage: true),
      ],
      uniquenessConstraints: [["address"]]
    )
  ])

  private struct Made {
    let content: StoreContent
    let nearness: Nearness

    func integer(_ sql: String) throws -> Int64? { try content.connection.integer(sql) }
  }

  private func content(_ path: String) throws -> StoreContent {
    try .reading(StoreFile(path: path))
  }

  /// A store of `count` links with history, each filled by a closure.
  private func original(
    _ count: Int,
    in folder: TemporaryFolder,
    _ fill: (ManagedObject, Int) throws -> Void
  ) throws -> StoreContent {
    let path = folder.file("original.sqlite")
    let store = try PersistentStore.create(
      at: path,
      model: Self.model,
      options: PersistentStore.Options(keepsHistory: true)
    )
    let context = try ObjectContext(store: store)
    for index in 0..<count {
      let link = try context.insert("Link")
      try link.setValue(.integer(index % 3 == 0 ? 1 : 0), of: "isOn")
      try fill(link, index)
      try context.save()
    }
    context.reset()
    try store.connection.checkpoint()
    return try content(path)
  }

  @Test func `warns where few objects are scaled with the others, and says how to keep them`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("player.sqlite")
    let model = Model(entities: [
      Entity(name: "Queue", attributes: [Attribute(name: "name", type: .string)]),
      Entity(name: "Song", attributes: [Attribute(name: "title", type: .string)]),
    ])
    let store = try PersistentStore.create(at: path, model: model)
    let context = try ObjectContext(store: store)
    for index in 0..<400 {
      try context.insert("Song").setValue(.text("Song \(index)"), of: "title")
      guard index < 3 else { continue }
      try context.insert("Queue").setValue(.text("Queue \(index)"), of: "name")
    }
    try context.save()
    context.reset()
    try store.connection.checkpoint()
    let profile = try StoreProfiler(try content(path), k: 1).profile()
    func warning(_ size: LikeRecipe.Size) -> String? {
      LikeRecipe(profile, size: size).fewScaled
    }
    #expect(warning(.scale(1)) == nil)
    #expect(
      warning(.scale(10)) == "entities with few objects are scaled too: 'Queue' from 3 to 30; if "
        + "their number does not grow with the app's use, keep it with '--objects Song=4000 "
        + "--objects Queue=3' in place of '--to'"
    )
    let more = try #require(warning(.objects(["Song": 4_000])))
    #expect(more.hasSuffix(", keep it with '--objects Queue=3' as well"), "\(more)")
    #expect(warning(.objects(["Song": 4_000, "Queue": 3])) == nil)
  }

  private func like(
    _ original: StoreContent,
    _ size: LikeRecipe.Size,
    k: Int = 1,
    in folder: TemporaryFolder
  ) throws -> Made {
    let columns = StoreColumns(original)
    let profile = try StoreProfiler(columns, k: k).profile()
    let like = LikeRecipe(profile, size: size)
    let recipe = like.recipe(name: "like", seed: 5)
    let path = folder.file("like.sqlite")
    try StoreGenerator(recipe).generate(at: path)
    let made = try content(path)
    let findings = try StoreAudit(store: made.store, layout: made.layout).findings()
    #expect(findings.map(\.description) == [])
    let nearness = try Nearness(of: made, to: columns, profile: profile)
    return Made(content: made, nearness: nearness)
  }

  /// Tests lengths too short for a scheme and a number; with one character, only 36 values differ.
  @Test(arguments: [1, 2, 3, 19, 20, 21])
  func `texts of URIs may be shorter than any scheme`(length: Int) throws {
    let folder = try TemporaryFolder()
    let original = try original(30, in: folder) { link, index in
      let last = String(UnicodeScalar(UInt8(48 + index)))
      let text = String(repeating: "x", count: length - 1) + last
      try link.setValue(.text(text), of: "address")
    }
    let made = try like(original, .scale(1), in: folder)
    let lengths = "SELECT count(*) FROM ZLINK WHERE length(ZADDRESS) = \(length)"
    #expect(try made.integer(lengths) == 30)
    #expect(try made.integer("SELECT count(DISTINCT ZADDRESS) FROM ZLINK") == 30)
  }

  @Test(arguments: [1, 20])
  func `ten objects become ten thousand, and Booleans stay 0 or 1`(k: Int) throws {
    let folder = try TemporaryFolder()
    let original = try original(10, in: folder) { link, index in
      try link.setValue(.text("app://\(index)"), of: "address")
      if index % 4 > 0 { try link.setValue(.integer(Int64(index % 2)), of: "isRead") }
    }
    let made = try like(original, .scale(1000), k: k, in: folder)
    #expect(try made.integer("SELECT count(*) FROM ZLINK") == 10_000)
    #expect(
      try made.integer(
        "SELECT count(*) FROM ZLINK WHERE ZISON NOT IN (0, 1) OR ZISREAD NOT IN (0, 1)"
      ) == 0
    )
    guard k == 1 else {
      // A shareable profile has only the name of an entity with fewer than k objects.
      #expect(made.nearness.unknown == ["Link"])
      #expect(made.nearness.text.contains("too few objects to compare: Link"))
      return
    }
    #expect(try made.integer("SELECT count(*) FROM ZLINK WHERE ZISON = 1") == 4_000)
    #expect(try made.integer("SELECT count(*) FROM ZLINK WHERE ZISREAD IS NULL") == 3_000)
    #expect(try made.integer("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 0") == 10_000)
    #expect(try made.integer("SELECT count(*) FROM ATRANSACTION") == 10_000)
    // Ten thousand different addresses need more than seven bytes.
    let longer = made.nearness.comparisons.filter { $0.subject == "Link.address" }
    #expect(longer.contains { $0.aspect == .distribution && $0.distance == 1 })
    #expect(
      try made.integer(
        "SELECT count(DISTINCT ZADDRESS) FROM ZLINK WHERE ZADDRESS LIKE 'app://___'"
      ) == 10_000
    )
    #expect(
      made.nearness.comparisons.filter {
        $0.distance > 0.001 && !($0.subject == "Link.address" && $0.aspect == .distribution)
      } == []
    )
    #expect(made.nearness.text.contains("\nnulls"))
  }

  @Test func `a number of objects can be asked for`() throws {
    let folder = try TemporaryFolder()
    let original = try original(3, in: folder) { link, index in
      try link.setValue(.text("x-app:\(index)"), of: "address")
    }
    let made = try like(original, .objects(["Link": 47]), in: folder)
    #expect(try made.integer("SELECT count(*) FROM ZLINK") == 47)
    #expect(try made.integer("SELECT count(*) FROM ACHANGE") == 47)
  }

  @Test func `two objects of 600 KB each keep their size, in the row and as files`() throws {
    let folder = try TemporaryFolder()
    let original = try original(2, in: folder) { link, index in
      try link.setValue(.blob((0..<600_000).map { UInt8(truncatingIfNeeded: $0) }), of: "icon")
      try link.setValue(.blob((0..<600_000).map { UInt8(truncatingIfNeeded: $0) }), of: "page")
    }
    let made = try like(original, .scale(3), in: folder)
    #expect(try made.integer("SELECT count(*) FROM ZLINK WHERE length(ZICON) = 600000") == 6)
    let files = StoreFile.files(at: made.content.store.externalDataFolder)
    let sizes = try files.map {
      try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int
    }
    #expect(sizes == Array(repeating: 600_000, count: 6))
  }
}
