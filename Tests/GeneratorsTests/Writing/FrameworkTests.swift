import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

/// Tests the layouts of older frameworks against statements in real stores (coredata-format.md,
/// sections 4 to 6 and 9).
struct FrameworkTests {
  private static let model = """
    Book:
      attributes:
        isbn: string
        pages: { type: integer32, optional: false, default: 0 }
      relationships:
        author: { to: Author, inverse: books }
        shelf: { to: Shelf, inverse: books }
      indexes: { byPages: [pages] }
      unique: [[isbn], [isbn, pages]]
    Author: { relationships: { books: { to: Book, many: true, ordered: true, inverse: author } } }
    Shelf: { relationships: { books: { to: Book, many: true, ordered: true, inverse: shelf } } }
    """

  static func recipe(framework: Int, history: Bool = false) throws -> Recipe {
    try Recipes.make(
      model: model,
      """
      framework: \(framework)
      history: \(history)
      entities:
        Author: { count: 5 }
        Shelf: { count: 3 }
        Book: { count: 60, attributes: { isbn: { code: , distinct: true } } }
      """
    )
  }

  private static let plain =
    "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPAGES INTEGER, "
    + "ZAUTHOR INTEGER, ZSHELF INTEGER, Z_FOK_AUTHOR INTEGER, Z_FOK_SHELF INTEGER, "

  private static let unique = [
    "CREATE UNIQUE INDEX Z_Book_UNIQUE_isbn ON ZBOOK (ZISBN COLLATE BINARY ASC)",
    "CREATE UNIQUE INDEX Z_Book_UNIQUE_isbn_pages ON ZBOOK (ZISBN COLLATE BINARY ASC, "
      + "ZPAGES COLLATE BINARY ASC)",
  ]

  @Test(
    arguments: [
      (847, plain + "ZISBN VARCHAR UNIQUE, CONSTRAINT ZISBN_ZPAGES UNIQUE (ZISBN, ZPAGES))", []),
      (851, plain + "ZISBN VARCHAR UNIQUE, CONSTRAINT ZISBN_ZPAGES UNIQUE (ZISBN, ZPAGES))", []),
      (866, plain + "ZISBN VARCHAR )", unique), (977, plain + "ZISBN VARCHAR )", unique),
      (1030, plain + "ZISBN VARCHAR )", unique), (1523, plain + "ZISBN VARCHAR )", unique),
    ],
    [true, false]
  )
  func `both writers give the layout of a framework`(
    _ expected: (framework: Int, table: String, unique: [String]),
    isBulk: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sqlite")
    let recipe = try Self.recipe(framework: expected.framework)
    let writer: any StoreWriter = isBulk ? BulkStoreWriter() : SQLStoreWriter()
    try StoreGenerator(recipe, writer: writer).generate(at: path)
    let store = try PlainStore(path)
    let schema = try store.rows(
      "SELECT sql FROM sqlite_schema WHERE tbl_name = 'ZBOOK' AND sql IS NOT NULL ORDER BY rowid"
    )
    #expect(
      schema.flatMap(\.self)
        == ([
          expected.table, "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)",
          "CREATE INDEX ZBOOK_ZSHELF_INDEX ON ZBOOK (ZSHELF)",
          "CREATE INDEX Z_Book_byPages ON ZBOOK (ZPAGES COLLATE BINARY ASC)",
        ] + expected.unique).map { .text($0) }
    )
    #expect(try store.rows("PRAGMA integrity_check") == [[.text("ok")]])
    let metadata = try StoreMetadata(from: store.connection, path: path)
    #expect(metadata.frameworkVersion == expected.framework)
    let comparison = try LayoutComparison(
      model: recipe.model,
      connection: store.connection,
      path: path
    )
    #expect(comparison.entries.allSatisfy { [.same, .olderLayout].contains($0.state) })
  }

  @Test(arguments: [(851, nil, nil), (977, "digest", nil), (1345, "digest", "checksum")])
  func `metadata have the keys of their time`(
    framework: Int,
    digest: String?,
    checksum: String?
  ) throws {
    var recipe = try Self.recipe(framework: framework)
    recipe.origin = StoreOrigin(
      versionIdentifiers: [""],
      versionHashes: Dictionary(
        uniqueKeysWithValues: recipe.model.entities.map {
          ($0.name, [UInt8](repeating: 7, count: 32))
        }
      )
    )
    let list = try #require(StoreContents(Dataset(recipe)).metadata.propertyList.dictionary)
    #expect((list["NSStoreModelVersionHashesDigest"] != nil) == (digest != nil))
    #expect((list["NSStoreModelVersionChecksumKey"] != nil) == (checksum != nil))
    #expect(list["NSPersistenceMaximumFrameworkVersion"] == nil)
  }

  @Test(arguments: [
    ("framework: 0", "'framework' must be from 1 to 9999, not 0"),
    (
      "framework: 1251\nflavour: swiftData",
      "'framework' must be at least 1333 (iOS 17) for a store of SwiftData, not 1251"
    ), ("framework: new", "'framework' must be a whole number, not text 'new'"),
  ])
  func `what no framework can have written is refused`(text: String, expected: String) throws {
    let problems = try Recipes.problems(model: Self.model, "\(text)\nentities: { Book: 1 }")
    #expect(problems.first?.drop { $0 != " " }.dropFirst() == expected[...])
  }

  /// Frameworks before fetch indexes write their statements in another order.
  @Test(arguments: [419, 519, 641, 754])
  func `a store is made in an older layout`(framework: Int) throws {
    let folder = try TemporaryFolder()
    let recipe = try Self.recipe(framework: framework)
    let path = folder.file("s.sqlite")
    try StoreGenerator(recipe).generate(at: path)
    let store = try PersistentStore.open(StoreFile(path: path))
    let comparison = try LayoutComparison(
      model: recipe.model,
      connection: store.connection,
      path: path
    )
    #expect(comparison.entries.allSatisfy { [.same, .olderLayout].contains($0.state) })
    let definitions = StoreLayout(
      model: recipe.model,
      framework: framework,
      form: try StoreForm(of: store.connection)
    ).definitions
    let statement = try store.connection.prepare(
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    )
    var found: [String] = []
    while try statement.step() { found.append(statement.text(at: 0)) }
    #expect(found == definitions)
  }
}
