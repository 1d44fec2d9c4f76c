import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

/// Tests relationships that are their own inverse, and attributes derived from others.
struct SelfInverseTests {
  private static let model = """
    Person:
      attributes: { name: string }
      relationships:
        spouse: { to: Person, inverse: spouse }
        friends: { to: Person, many: true, inverse: friends }
    """

  private func recipe(_ relationships: String) throws -> Recipe {
    try Recipes.make(
      model: Self.model,
      "entities: { Person: { count: 301, relationships: { \(relationships) } } }"
    )
  }

  @Test(arguments: [true, false])
  func `partners and friends lead back`(isBulk: Bool) throws {
    let folder = try TemporaryFolder()
    let recipe = try recipe("spouse: { null: 0.4 }, friends: { count: { poisson: 3 } }")
    let path = folder.file("s.sqlite")
    let writer: any StoreWriter = isBulk ? BulkStoreWriter() : SQLStoreWriter()
    try StoreGenerator(recipe, writer: writer).generate(at: path)
    let store = try PlainStore(path)
    func count(_ sql: String) throws -> Int64 { try store.connection.integer(sql) ?? -1 }
    // Of the 301 people, 40 % have no partner; the other 181 form 90 pairs, with one person left
    // over.
    #expect(try count("SELECT count(*) FROM ZPERSON WHERE ZSPOUSE NOT NULL") == 180)
    #expect(
      try count(
        "SELECT count(*) FROM ZPERSON a JOIN ZPERSON b ON b.Z_PK = a.ZSPOUSE "
          + "WHERE b.ZSPOUSE IS NOT a.Z_PK OR b.Z_PK = a.Z_PK"
      ) == 0
    )
    #expect(try count("SELECT count(*) FROM Z_1FRIENDS") > 600)
    #expect(
      try count(
        "SELECT count(*) FROM Z_1FRIENDS a WHERE Z_1FRIENDS = REFLEXIVE OR NOT EXISTS (SELECT 1 "
          + "FROM Z_1FRIENDS b WHERE b.Z_1FRIENDS = a.REFLEXIVE AND b.REFLEXIVE = a.Z_1FRIENDS)"
      ) == 0
    )
    let audit = StoreAudit(store: StoreFile(path: path), layout: Dataset(recipe).layout)
    #expect(try audit.findings().map(\.description) == [])
  }

  @Test func `mutual relationships have no popularity of one side`() throws {
    let problems = try Recipes.problems(
      model: Self.model,
      "entities: { Person: { count: 3, relationships: { friends: { zipfian: 1 } } } }"
    )
    #expect(problems.count == 1)
    #expect(problems.first?.contains("unknown key 'zipfian'") == true)
  }

  private static let derivations: [(String, Derivation?)] = [
    ("books.@count", .count(of: "books")), ("canonical:(name)", .canonical(of: "name")),
    (" canonical:( name ) ", .canonical(of: "name")),
    ("books.pages.@sum", .sum(AttributePath(relationship: "books", attribute: "pages"))),
    ("books.@sum.pages", .sum(AttributePath(relationship: "books", attribute: "pages"))),
    ("shelf.name", .path(AttributePath(relationship: "shelf", attribute: "name"))), ("now()", nil),
    ("canonical:(a.b)", nil), ("canonical:()", nil), ("a.b.@count", nil), ("name", nil),
    ("shelf.room.name", nil), ("books.chapters.pages.@sum", nil), ("books.@sum", nil),
    ("books.pages.@max", nil), ("shelf.", nil),
  ]

  @Test(arguments: derivations)
  func `derivations that follow one relationship are understood, and no longer ones`(
    text: String,
    expected: Derivation?
  ) {
    #expect(Derivation(text) == expected)
  }
}
