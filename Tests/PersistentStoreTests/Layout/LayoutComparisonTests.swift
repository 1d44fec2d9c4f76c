import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@Suite struct LayoutComparisonTests {
  private static let model = Model(
    entities: [
      Entity(
        name: "Book",
        attributes: [
          Attribute(name: "isbn", type: .string), Attribute(name: "pages", type: .integer32),
        ],
        relationships: [
          Relationship(name: "shelf", destination: "Shelf", inverse: "books"),
          Relationship(name: "author", destination: "Author", inverse: "books"),
          Relationship(name: "tags", destination: "Tag", inverse: "books", isToMany: true),
        ],
        fetchIndexes: [FetchIndex(name: "byPages", elements: [.init(property: "pages")])],
        uniquenessConstraints: [["isbn"], ["isbn", "pages"]]
      ),
      Entity(
        name: "Author",
        relationships: [
          Relationship(
            name: "books",
            destination: "Book",
            inverse: "author",
            isToMany: true,
            isOrdered: true
          )
        ]
      ),
      Entity(
        name: "Shelf",
        relationships: [
          Relationship(
            name: "books",
            destination: "Book",
            inverse: "shelf",
            isToMany: true,
            isOrdered: true
          )
        ]
      ),
      Entity(
        name: "Tag",
        relationships: [
          Relationship(name: "books", destination: "Book", inverse: "tags", isToMany: true),
          Relationship(name: "above", destination: "Tag", inverse: "below", isToMany: true),
          Relationship(name: "below", destination: "Tag", inverse: "above", isToMany: true),
        ]
      ),
    ]
  )

  /// Compares the layout of a new store after `statements` have been run.
  private func comparison(
    after statements: [String] = [],
    framework: Int = 1523,
    history: Bool = true
  ) throws -> LayoutComparison {
    let folder = try TemporaryFolder()
    let path = folder.file("store.sqlite")
    let store = try PersistentStore.create(
      at: path,
      model: Self.model,
      metadata: StoreMetadata(
        uuid: "00000000-0000-0000-0000-000000000000",
        versionIdentifiers: [""],
        frameworkVersion: framework
      ),
      options: PersistentStore.Options(keepsHistory: history)
    )
    for statement in statements { try store.connection.execute(statement) }
    return try LayoutComparison(model: Self.model, connection: store.connection, path: path)
  }

  private func differences(_ comparison: LayoutComparison) -> [String] {
    comparison.entries.filter { $0.state != .same }.map {
      "\($0.kind) \($0.name): \($0.state) (\($0.notes.joined(separator: "; ")))"
    }
  }

  @Test func `finds a new store equal in every statement`() throws {
    let comparison = try comparison()
    #expect(differences(comparison) == [])
    #expect(comparison.generation == .current)
    #expect(comparison.entries.count > 25)
  }

  @Test(arguments: [
    (
      ["ALTER TABLE ZBOOK ADD COLUMN ZNEW VARCHAR", "ALTER TABLE ZBOOK ADD COLUMN ZMORE BLOB"],
      [
        "table ZBOOK: alteredInPlace (altered in place by an earlier migration; columns appended "
          + "later: ZNEW, ZMORE; columns that are not in the model: ZNEW, ZMORE)"
      ]
    ),
    (
      ["ALTER TABLE ZBOOK RENAME COLUMN ZPAGES TO ZX"],
      [
        "table ZBOOK: unexplained (columns missing: ZPAGES)",
        "index Z_Book_byPages: unexplained (an index of a table that is not explained)",
        "index Z_Book_UNIQUE_isbn_pages: unexplained (an index of a table that is not explained)",
      ]
    ),
    (
      [
        "ALTER TABLE ZBOOK RENAME COLUMN ZAUTHOR TO ZX",
        "ALTER TABLE ZBOOK RENAME COLUMN ZSHELF "
          + "TO ZAUTHOR", "ALTER TABLE ZBOOK RENAME COLUMN ZX TO ZSHELF",
      ],
      [
        "table ZBOOK: alteredInPlace (altered in place by an earlier migration; columns in a "
          + "different order, as after renaming in place)",
        "index ZBOOK_ZAUTHOR_INDEX: alteredInPlace (an older name of ZBOOK_ZSHELF_INDEX)",
        "index ZBOOK_ZSHELF_INDEX: alteredInPlace (an older name of ZBOOK_ZAUTHOR_INDEX)",
      ]
    ),
    (
      ["CREATE VIEW ZV AS SELECT 1", "CREATE INDEX mine ON ZBOOK (ZPAGES)", "CREATE TABLE X (A)"],
      [
        "view ZV: unexplained (a view, which no framework makes)",
        "index mine: unexplained (an index that the model does not need)",
        "table X: unexplained (a table that the model does not need)",
      ]
    ),
    (
      ["DROP INDEX ZBOOK_ZSHELF_INDEX", "DROP TABLE ZAUTHOR"],
      ["table ZAUTHOR: missing ()", "index ZBOOK_ZSHELF_INDEX: missing ()"]
    ),
    (
      [
        "CREATE VIRTUAL TABLE Z_RT_Book_area USING RTREE (Z_PK INTEGER PRIMARY KEY, ZA_MIN FLOAT, "
          + "ZA_MAX FLOAT)",
        "CREATE TRIGGER Z_DA_ZBOOK_Book_n_SOURCE_INSERT AFTER INSERT ON ZBOOK BEGIN SELECT 1; END",
      ],
      ["Z_RT_Book_area", "Z_RT_Book_area_rowid", "Z_RT_Book_area_node", "Z_RT_Book_area_parent"]
        .map {
          "table \($0): notWritten (an R-tree index: the table, its shadow tables and its triggers)"
        } + [
          "trigger Z_DA_ZBOOK_Book_n_SOURCE_INSERT: notWritten (the triggers of a derived attribute)"
        ]
    ),
  ])
  func `tells what was altered in place from what nobody can explain`(
    statements: [String],
    expected: [String]
  ) throws {
    #expect(try differences(comparison(after: statements)) == expected)
  }

  @Test(arguments: [
    "ALTER TABLE ZBOOK ADD COLUMN ZMORE INTEGER DEFAULT (abs(-9223372036854775808))",
    "ALTER TABLE ZBOOK ADD COLUMN \"Z; DROP TABLE ZAUTHOR\" INTEGER",
    "CREATE INDEX Z_Book_mine ON ZBOOK (ZISBN COLLATE NOCASE) WHERE length(ZISBN) > 3",
  ])
  func `statements that no framework writes stay unexplained`(statement: String) throws {
    let entries = try comparison(after: [statement]).entries
    #expect(entries.count { $0.state == .unexplained } == 1)
  }

  @Test func `takes the Z_FOK columns of framework 977 in any order`() throws {
    let comparison = try comparison(
      after: [
        "ALTER TABLE ZBOOK RENAME COLUMN Z_FOK_AUTHOR TO Z_FOK_X",
        "ALTER TABLE ZBOOK RENAME COLUMN Z_FOK_SHELF TO Z_FOK_AUTHOR",
        "ALTER TABLE ZBOOK RENAME COLUMN Z_FOK_X TO Z_FOK_SHELF",
      ],
      framework: 977
    )
    #expect(
      differences(comparison) == [
        "table ZBOOK: olderLayout (its Z_FOK columns have a different order)"
      ]
    )
  }

  @Test func `writes unique constraints of framework 851 into the table`() throws {
    let comparison = try comparison(framework: 851, history: false)
    #expect(comparison.generation == .constraintsInTables)
    #expect(differences(comparison) == ["table ZBOOK: olderLayout (the form of framework 851)"])
    #expect(
      comparison.entries.first { $0.name == "ZBOOK" }?.found
        == "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        + "ZPAGES INTEGER, ZAUTHOR INTEGER, ZSHELF INTEGER, Z_FOK_AUTHOR INTEGER, "
        + "Z_FOK_SHELF INTEGER, ZISBN VARCHAR UNIQUE, "
        + "CONSTRAINT ZISBN_ZPAGES UNIQUE (ZISBN, ZPAGES))"
    )
  }

  @Test func `names indexes before framework 847 as those frameworks did`() {
    let layout = StoreLayout(model: Self.model, keepsHistory: false, generation: .legacyIndexes)
    let indexes = layout.tables.flatMap { layout.indexes(of: $0) }.map(\.sql)
    #expect(indexes.contains("CREATE INDEX ZBOOK_ZPAGES_INDEX ON ZBOOK (ZPAGES)"))
    #expect(!indexes.contains { $0.hasPrefix("CREATE UNIQUE") })
  }

  @Test(arguments: [
    (641, false, ["Z_MODELCACHE"]), (851, true, ["history tables before framework 973"]),
    (900, false, ["the layout of framework 866 is used"]), (754, false, []), (1523, true, []),
  ])
  func `writes the nearest known layout, and says where it is one`(
    framework: Int,
    history: Bool,
    words: [String]
  ) throws {
    let comparison = try comparison(framework: framework, history: history)
    #expect(comparison.entries.allSatisfy { ![.missing, .unexplained].contains($0.state) })
    let sentences = LayoutGeneration.approximations(framework: framework, keepsHistory: history)
    #expect(sentences.count == words.count)
    for (sentence, word) in zip(sentences, words) { #expect(sentence.contains(word)) }
  }

  @Test func `takes the join table that the file has`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("store.sqlite")
    let name = try #require(
      StoreLayout(model: Self.model, keepsHistory: false).joinTables
        .first { $0.master.entity == "Tag" && $0.slave.entity == "Tag" }?.name
    )
    let other = name == "Z_4ABOVE" ? "Z_4BELOW" : "Z_4ABOVE"
    do {
      let store = try PersistentStore.create(at: path, model: Self.model)
      try store.connection.execute("ALTER TABLE \(name) RENAME TO \(other)")
    }
    let store = try PersistentStore.open(StoreFile(path: path))
    #expect(store.layout.joinTables.contains { $0.name == other })
    #expect(!store.layout.joinTables.contains { $0.name == name })
  }
}

/// Tests real stores, if there are any.
@Suite(.enabled(if: RealStores.isAvailable, "STOREBENCH_REAL_STORES is not set"))
struct RealLayoutComparisonTests {
  @Test(arguments: RealStores.freshStores)
  func `finds every statement of a real store reproduced`(name: String) throws {
    let folder = try TemporaryFolder()
    let path = try RealStores.copy(name, into: folder)
    let store = try PersistentStore.open(StoreFile(path: path))
    let comparison = try LayoutComparison(
      model: store.model,
      connection: store.connection,
      path: path
    )
    #expect(comparison.entries.filter { $0.state != .same } == [])
    #expect(comparison.entries.count > 5)
  }
}
