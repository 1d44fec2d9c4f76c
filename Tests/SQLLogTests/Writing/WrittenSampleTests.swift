import DataModel
import PersistentStore
import Testing

/// Tests that StoreBench's logs equal public logs, line by line.
///
/// The samples are published logs, character by character, except for the details that `masked`
/// omits.
@Suite struct WrittenSampleTests {
  private static let person = Entity(
    name: "Person",
    attributes: [
      Attribute(name: "age", type: .integer32), Attribute(name: "firstName", type: .string),
    ]
  )
  private static let items = [
    Entity(
      name: "Attachment",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [Relationship(name: "item", destination: "Item", inverse: "attachments")]
    ),
    Entity(
      name: "Item",
      attributes: [Attribute(name: "timestamp", type: .date)],
      relationships: [
        Relationship(
          name: "attachments",
          destination: "Attachment",
          inverse: "item",
          isToMany: true
        )
      ]
    ),
  ]

  private static func sample(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).masked
  }

  private func fetchOfAdults(level: Int) throws -> [String] {
    try LoggedWork([Self.person], level: level) { context in
      try context.insert("Person").setValue(.integer(20), of: "age")
    } work: { context in
      let request = FetchRequest("Person", predicate: .comparison("age", .greater, .integer(18)))
      _ = try context.fetch(request)
    }.lines.masked
  }

  @Test func `writes a fetch as levels 1 and 2 print it`() throws {
    let sql = "SELECT 0, t0.Z_PK, … FROM ZPERSON t0 WHERE t0.ZAGE > ?"
    // The statement is a blog's at level 1; the total is from other logs of that level.
    #expect(
      try fetchOfAdults(level: 1)
        == Self.sample(
          """
          CoreData: sql: \(sql)
          CoreData: annotation: sql connection fetch time: 0.4789s
          CoreData: annotation: total fetch execution time: 0.0002s for 0 rows.
          """
        )
    )
    #expect(
      try fetchOfAdults(level: 2)
        == Self.sample(
          """
          CoreData: sql: \(sql)
          CoreData: details: SQLite bind[0] = 18
          CoreData: annotation: sql connection fetch time: 0.4789s
          CoreData: annotation: fetch using NSSQLiteStatement <0x60800008bf40> on entity 'Person' with sql text '\(sql) ' returned 688187 rows
          CoreData: annotation: total fetch execution time: 0.0002s for 0 rows.
          """
        )
    )
  }

  @Test func `writes the objects of level 3 as far as they are published`() throws {
    let lines = try fetchOfAdults(level: 3).joined(separator: " ")
    let published = Self.sample(
      "returned 688187 rows with values: ( \"<Person: 0x604000098470> (entity: Person; id: 0x0"
    )
    #expect(lines.replacing(#/ +/#, with: " ").contains(published[0]))
  }

  // The statement after EXPLAIN is published; the line of the plan below it is invented.
  @Test func `writes the plan of level 4 after the total`() throws {
    let lines = try fetchOfAdults(level: 4)
    let total = try #require(lines.firstIndex { $0.contains("total fetch execution time") })
    #expect(
      Array(lines[total...].dropLast())
        == Self.sample(
          """
          CoreData: annotation: total fetch execution time: 0.0287s for 1 rows.
          CoreData: details: SQLite: EXPLAIN QUERY PLAN SELECT 0, t0.Z_PK, … FROM ZPERSON t0 WHERE t0.ZAGE > ?
          """
        )
    )
    #expect(lines.last?.contains("0 0 SCAN") == true)
  }

  @Test func `writes a count as level 2 prints it`() throws {
    let word = Entity(name: "Word", attributes: [Attribute(name: "letter", type: .string)])
    let work = try LoggedWork([word], level: 2) { context in
      let request = FetchRequest("Word", predicate: .comparison("letter", .equal, .text("s")))
      let count = try context.count(request)
      #expect(count == 0)
    }
    #expect(
      try work.lines.dropFirst().masked
        == Self.sample(
          """
          CoreData: details: SQLite bind[0] = "s"
          CoreData: annotation: count request <NSFetchRequest: 0x7fc6a292d850> (entity: Word; predicate: (letter == "s"); sortDescriptors: ((null)); type: NSCountResultType;) returned 18988
          CoreData: annotation: total count request execution time: 0.0254s for count of 18988.
          """
        )
    )
  }

  @Test func `writes what a NOT negates in brackets`() throws {
    let word = Entity(name: "Word", attributes: [Attribute(name: "letter", type: .string)])
    let range = Predicate.and([
      .comparison("letter", .greaterOrEqual, .text("a")),
      .comparison("letter", .lessOrEqual, .text("f")),
    ])
    let lines = try LoggedWork([word], level: 2) { context in
      _ = try context.count(FetchRequest("Word", predicate: .not(range)))
    }.lines
    let predicate = "predicate: (NOT (letter >= \"a\" AND letter <= \"f\"));"
    #expect(lines.contains { $0.contains(predicate) }, "\(lines)")
  }

  @Test func `names the entity of a fetch by key paths, also in a shared table`() throws {
    let entities = [
      Entity(name: "Shelf", attributes: [Attribute(name: "name", type: .string)]),
      Entity(
        name: "Item",
        relationships: [Relationship(name: "shelf", destination: "Shelf")]
      ),
      Entity(name: "Book", superentity: "Item"),
    ]
    let lines = try LoggedWork(entities, level: 2) { context in
      _ = try context.insert("Book")
    } work: { context in
      let request = FetchRequest("Book", predicate: .isNull("shelf.name"))
      let books = try context.fetch(request)
      #expect(books.count == 1)
    }.lines
    let fetch = try #require(lines.first { $0.contains("fetch using NSSQLiteStatement") })
    #expect(fetch.contains("on entity 'Book' with sql text"))
    #expect(fetch.contains(" FROM ZITEM t0 LEFT OUTER JOIN ZSHELF t1 ON t0.ZSHELF = t1.Z_PK WHERE"))
  }

  @Test func `writes the count of a whole entity as level 1 prints it`() throws {
    let work = try LoggedWork(Self.items, level: 1) { _ = try $0.count(FetchRequest("Item")) }
    #expect(
      try work.lines.masked
        == Self.sample(
          """
          CoreData: sql: SELECT COUNT(*) FROM ZITEM t0
          CoreData: annotation: total count request execution time: 0.0002s for count of 190.
          """
        )
    )
  }

  @Test func `writes a fault as public logs print it`() throws {
    let country = Entity(name: "Country", attributes: [Attribute(name: "name", type: .string)])
    let work = try LoggedWork([country], level: 1) { context in
      try context.insert("Country").setValue(.text("Chile"), of: "name")
    } work: { context in
      _ = try context.object(context.description(of: "Country"), key: 1).value(of: "name")
    }
    #expect(
      try work.lines.masked
        == Self.sample(
          """
          CoreData: sql: SELECT 0, t0.Z_PK, … FROM ZCOUNTRY t0 WHERE t0.Z_PK = ?
          CoreData: annotation: sql connection fetch time: 0.0005s
          CoreData: annotation: total fetch execution time: 0.0008s for 1 rows.
          CoreData: annotation: fault fulfilled from database for : 0xd000000000100002 <x-coredata://DE6497F9-8B94-420D-81B7-E25B992E28C2/Country/p4>
          """
        )
    )
  }

  @Test func `writes a to-many fault as public logs print it`() throws {
    let entities = [
      Entity(
        name: "Item",
        relationships: [
          Relationship(name: "tags", destination: "Tag", inverse: "items", isToMany: true)
        ]
      ),
      Entity(
        name: "Tag",
        relationships: [
          Relationship(name: "items", destination: "Item", inverse: "tags", isToMany: true)
        ]
      ),
    ]
    let work = try LoggedWork(entities, level: 1) { context in
      _ = try context.insert("Item")
    } work: { context in
      let item = context.object(try context.description(of: "Item"), key: 1)
      let tags = try item.targets(of: "tags")
      #expect(tags.isEmpty)
    }
    #expect(
      try work.lines.masked
        == Self.sample(
          """
          CoreData: sql: SELECT 0, t0.Z_PK FROM Z_1TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_2TAGS WHERE t1.Z_1ITEMS = ?
          CoreData: annotation: sql connection fetch time: 0.0001s
          CoreData: annotation: total fetch execution time: 0.0001s for 0 rows.
          CoreData: annotation: to-many relationship fault "tags" for objectID 0xa7ab2d44ebb9106e <x-coredata://0783522F-…/Item/p1> fulfilled from database.  Got 0 rows
          """
        )
    )
  }

  @Test func `writes a prefetch within its fetch, whose total comes last`() throws {
    let work = try LoggedWork(Self.items, level: 1) { context in
      for _ in 0..<3 {
        let item = try context.insert("Item")
        try context.insert("Attachment").setTarget(item, of: "item")
      }
    } work: { context in
      let request = FetchRequest("Item", relationshipsForPrefetching: ["attachments"])
      let count = try context.fetch(request).count
      #expect(count == 3)
    }
    #expect(
      try work.lines.dropFirst(2).masked
        == Self.sample(
          """
          CoreData: annotation: Bound intarray _Z_intarray0
          CoreData: annotation: Bound intarray values.
          CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE, t0.ZITEM FROM ZATTACHMENT t0 WHERE  t0.ZITEM IN (SELECT * FROM _Z_intarray0)  ORDER BY t0.ZITEM
          CoreData: annotation: sql connection fetch time: 0.0021s
          CoreData: annotation: total fetch execution time: 0.0024s for 1581 rows.
          CoreData: annotation: Prefetching with key 'attachments'.  Got 1581 rows.
          CoreData: annotation: total fetch execution time: 0.0053s for 190 rows.
          """
        )
    )
  }

  // The public lines on auto_vacuum are omitted: StoreBench sets it when a store is made.
  @Test func `writes a save as public logs print it`() throws {
    let category = Entity(
      name: "BudgetCategory",
      attributes: [
        Attribute(name: "amount", type: .double), Attribute(name: "title", type: .string),
      ]
    )
    let work = try LoggedWork([category], level: 1) { context in
      try context.insert("BudgetCategory").setValue(.real(3), of: "amount")
      try context.save()
    }
    #expect(
      try work.lines.masked
        == Self.sample(
          """
          CoreData: sql: BEGIN EXCLUSIVE
          CoreData: sql: SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?
          CoreData: sql: UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?
          CoreData: sql: COMMIT
          CoreData: sql: BEGIN EXCLUSIVE
          CoreData: sql: INSERT INTO ZBUDGETCATEGORY(Z_PK, Z_ENT, Z_OPT, ZAMOUNT, ZTITLE) VALUES(?, ?, ?, ?, ?)
          CoreData: sql: COMMIT
          CoreData: sql: pragma page_count
          CoreData: annotation: sql execution time: 0.0002s
          CoreData: sql: pragma freelist_count
          CoreData: annotation: sql execution time: 0.0002s
          """
        )
    )
  }
}
