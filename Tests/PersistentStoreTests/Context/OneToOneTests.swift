import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

/// Tests one-to-one relationships between objects that exchange their partners.
struct OneToOneTests {
  private static let model = Model(entities: [
    Entity(
      name: "Book",
      relationships: [Relationship(name: "cover", destination: "Cover", inverse: "book")]
    ),
    Entity(
      name: "Cover",
      relationships: [Relationship(name: "book", destination: "Book", inverse: "cover")]
    ),
  ])

  /// A context with two books and their covers, either unsaved or read from the store.
  private static func pairs(
    in folder: TemporaryFolder,
    isSaved: Bool
  ) throws -> (context: ObjectContext, books: [ManagedObject], covers: [ManagedObject]) {
    let store = try PersistentStore.create(at: folder.file("own.sqlite"), model: model)
    let context = try ObjectContext(store: store)
    let books = try (0..<2).map { _ in try context.insert("Book") }
    let covers = try (0..<2).map { _ in try context.insert("Cover") }
    for (book, cover) in zip(books, covers) { try book.setTarget(cover, of: "cover") }
    guard isSaved else { return (context, books, covers) }
    try context.save()
    let keys = (books.map(\.id.key), covers.map(\.id.key))
    context.reset()
    let (book, cover) = try (context.description(of: "Book"), context.description(of: "Cover"))
    return (
      context, keys.0.map { context.object(book, key: $0) },
      keys.1.map { context.object(cover, key: $0) }
    )
  }

  @Test(arguments: [false, true], [false, true])
  func `leave nobody behind who leads to a partner that is another's`(
    isSaved: Bool,
    isFromBook: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let (context, books, covers) = try Self.pairs(in: folder, isSaved: isSaved)
    if isFromBook {
      try books[0].setTarget(covers[1], of: "cover")
    } else {
      try covers[1].setTarget(books[0], of: "book")
    }
    #expect(try books[0].target(of: "cover") === covers[1])
    #expect(try covers[1].target(of: "book") === books[0])
    #expect(try books[1].target(of: "cover") == nil)
    #expect(try covers[0].target(of: "book") == nil)
    try context.save()
    let rows = try context.connection.integer(
      "SELECT (SELECT count(*) FROM ZBOOK WHERE ZCOVER IS NOT NULL) * 10 "
        + "+ (SELECT count(*) FROM ZCOVER WHERE ZBOOK IS NOT NULL)"
    )
    #expect(rows == 11)
  }
}
