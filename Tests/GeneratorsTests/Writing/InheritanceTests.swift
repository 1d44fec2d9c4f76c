import DataModel
import PersistentStore
import TestSupport
import Testing

@testable import Generators

/// Tests features that the project's own models lack: sub-entities, ordered relationships, to-many
/// relationships without an inverse, and trees.
struct InheritanceTests {
  private static let model = """
    Item:
      abstract: true
      attributes: { name: string }
      relationships:
        shelf: { to: Shelf, inverse: items }
        links: { to: Item, many: true, inverse: linkedFrom, ordered: true }
        linkedFrom: { to: Item, many: true, inverse: links }
    Book: { parent: Item, attributes: { pages: integer32 } }
    Disc: { parent: Item, attributes: { minutes: integer32 } }
    Shelf:
      attributes: { label: string }
      relationships:
        items: { to: Item, many: true, inverse: shelf, ordered: true }
        favourite: { to: Item, inverse: favouriteOf }
        stickers: { to: Sticker, many: true }
        above: { to: Shelf, inverse: below }
        below: { to: Shelf, many: true, inverse: above }
    Item2: { attributes: { name: string } }
    Sticker: { attributes: { text: string } }
    """

  static func recipe() throws -> Recipe {
    let model = Self.model.replacing(
      "linkedFrom: { to: Item, many: true, inverse: links }",
      with: "linkedFrom: { to: Item, many: true, inverse: links }\n    favouriteOf: "
        + "{ to: Shelf, inverse: favourite }"
    )
    return try Recipes.make(
      model: model,
      """
      entities:
        Item:
          relationships: { shelf: { zipfian: 1, null: 0.1 }, links: { count: { poisson: 2 } } }
        Book: { count: 40 }
        Disc: { count: 25, attributes: { name: title } }
        Shelf: { count: 8, relationships: { above: { null: 0.2 } } }
        Sticker: { count: 30 }
      """
    )
  }

  private func make() throws -> (store: PlainStore, dataset: Dataset, folder: TemporaryFolder) {
    let recipe = try Self.recipe()
    let folder = try TemporaryFolder()
    try StoreGenerator(recipe).generate(at: folder.file("s.sqlite"))
    return (try PlainStore(folder.file("s.sqlite")), Dataset(recipe), folder)
  }

  @Test func `sub-entities share their root's table and keys`() throws {
    let (store, dataset, _) = try make()
    let numbers = dataset.layout.numbers
    let book = Int64(try #require(numbers["Book"]))
    let disc = Int64(try #require(numbers["Disc"]))
    #expect(
      try store.rows("SELECT Z_ENT, min(Z_PK), max(Z_PK), count(*) FROM ZITEM GROUP BY 1") == [
        [.integer(book), .integer(1), .integer(40), .integer(40)],
        [.integer(disc), .integer(41), .integer(65), .integer(25)],
      ]
    )
    #expect(
      try store.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Item', 'Book')")
        .sorted { "\($0)" < "\($1)" } == [
          [.text("Book"), .integer(0)], [.text("Item"), .integer(65)],
        ]
    )
    let pages = try store.rows("SELECT count(ZPAGES) FROM ZITEM WHERE Z_ENT = \(disc)")
    #expect(pages == [[.integer(0)]])
    #expect(try store.rows("PRAGMA integrity_check") == [[.text("ok")]])
  }

  @Test func `a key to an entity with sub-entities says which of them it leads to`() throws {
    let (store, dataset, _) = try make()
    let number = try #require(dataset.layout.numbers["Item"])
    let wrong = try store.rows(
      "SELECT count(*), count(s.ZFAVOURITE) FROM ZSHELF s JOIN ZITEM i ON i.Z_PK = s.ZFAVOURITE "
        + "WHERE i.Z_ENT <> s.Z\(number)_FAVOURITE"
    )
    #expect(wrong == [[.integer(0), .integer(0)]])
    #expect(try store.rows("SELECT count(ZFAVOURITE) FROM ZSHELF") == [[.integer(8)]])
    let both = try store.rows(
      "SELECT count(*) FROM ZSHELF s JOIN ZITEM i ON i.ZFAVOURITEOF = s.Z_PK "
        + "AND s.ZFAVOURITE = i.Z_PK"
    )
    #expect(both == [[.integer(8)]])
  }

  @Test func `ordered children have rising order keys, orphans none`() throws {
    let (store, dataset, _) = try make()
    for shelf in 0..<8 {
      let keys = try store.rows(
        "SELECT Z_PK, Z_FOK_SHELF FROM ZITEM WHERE ZSHELF = \(shelf + 1) ORDER BY Z_FOK_SHELF"
      )
      let expected = try dataset.targets(entity: "Shelf", row: shelf, relationship: "items")
      let expectedKeys = try expected.map {
        Value.integer(try dataset.entity($0.entity).primaryKey(row: $0.row))
      }
      #expect(keys.map { $0[0] } == expectedKeys)
      #expect(keys.map { $0[1] } == keys.indices.map { .integer(Int64(2_048 + 1_024 * $0)) })
    }
    let orphans = "SELECT count(*), count(Z_FOK_SHELF) FROM ZITEM WHERE ZSHELF IS NULL"
    #expect(try store.rows(orphans) == [[.integer(7), .integer(0)]])
  }

  @Test func `ordered many-to-manys have rising order keys`() throws {
    let (store, dataset, _) = try make()
    let join = try #require(dataset.layout.joinTables.first)
    let side = try #require(join.side(of: "links", declaredBy: "Item"))
    let order = try #require(side.orderColumn)
    for row in 0..<40 {
      let stored = try store.rows(
        "SELECT \(side.otherColumn), \(order) FROM \(join.name) WHERE \(side.ownColumn) = "
          + "\(row + 1) ORDER BY \(order)"
      )
      let expected = try dataset.targets(entity: "Book", row: row, relationship: "links")
      let expectedKeys = try expected.map {
        Value.integer(try dataset.entity($0.entity).primaryKey(row: $0.row))
      }
      #expect(stored.map { $0[0] } == expectedKeys)
      #expect(stored.map { $0[1] } == stored.indices.map { .integer(Int64(2_048 + 1_024 * $0)) })
    }
  }

  @Test func `to-manys without inverse keep their key with the children`() throws {
    let (store, dataset, _) = try make()
    let number = try #require(dataset.layout.numbers["Shelf"])
    for shelf in 0..<8 {
      let stored = try store.rows(
        "SELECT Z_PK FROM ZSTICKER WHERE Z\(number)STICKERS = \(shelf + 1) ORDER BY 1"
      )
      let expected = try dataset.targets(entity: "Shelf", row: shelf, relationship: "stickers")
      #expect(Set(stored.map { $0[0] }) == Set(expected.map { .integer(Int64($0.row + 1)) }))
    }
    #expect(try store.rows("SELECT count(Z\(number)STICKERS) FROM ZSTICKER") == [[.integer(30)]])
  }

  @Test func `no rule of the layout is broken`() throws {
    let (_, dataset, folder) = try make()
    let audit = StoreAudit(store: StoreFile(path: folder.file("s.sqlite")), layout: dataset.layout)
    #expect(try audit.findings().map(\.description) == [])
  }

  @Test func `trees lead upwards only`() throws {
    let (store, _, _) = try make()
    #expect(try store.rows("SELECT count(*) FROM ZSHELF WHERE ZABOVE >= Z_PK") == [[.integer(0)]])
    #expect(try store.rows("SELECT count(ZABOVE) > 2 FROM ZSHELF") == [[.integer(1)]])
  }
}
