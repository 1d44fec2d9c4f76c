import DataModel
import SQLite
import TestSupport
import Testing

@testable import PersistentStore

struct IndexDriftTests {
  private static func model(_ indexes: [FetchIndex]) -> Model {
    Model(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "date", type: .date), Attribute(name: "kind", type: .integer16),
          Attribute(name: "title", type: .string),
        ],
        relationships: [
          Relationship(name: "folder", destination: "Folder", inverse: "notes"),
          Relationship(name: "tags", destination: "Tag", isToMany: true),
        ],
        fetchIndexes: indexes
      ),
      Entity(
        name: "Folder",
        relationships: [
          Relationship(name: "notes", destination: "Note", inverse: "folder", isToMany: true)
        ]
      ), Entity(name: "Tag"),
    ])
  }

  private static let byTitle = FetchIndex(name: "byTitle", elements: [.init(property: "title")])
  private static let byDate = FetchIndex(name: "byDate", elements: [.init(property: "date")])
  private static let byDateAndTitle = FetchIndex(
    name: "byDateAndTitle",
    elements: [.init(property: "date"), .init(property: "title", isAscending: false)]
  )

  private func drift(
    of old: [FetchIndex],
    to new: [FetchIndex],
    after statements: [String] = []
  ) throws -> IndexDrift {
    let folder = try TemporaryFolder()
    let path = folder.file("store.sqlite")
    let store = try PersistentStore.create(at: path, model: Self.model(old))
    try store.connection.executeScript(statements)
    return try IndexDrift(model: Self.model(new), connection: store.connection, path: path)
  }

  @Test func `a store of the model itself has no drift`() throws {
    #expect(try drift(of: [Self.byTitle], to: [Self.byTitle]).isEmpty)
  }

  @Test func `lists the three groups`() throws {
    let drift = try drift(of: [Self.byTitle, Self.byDate], to: [Self.byDateAndTitle, Self.byDate])
    #expect(drift.missing.map(\.name) == ["Z_Note_byDateAndTitle"])
    #expect(
      drift.missing.map(\.sql) == [
        "CREATE INDEX Z_Note_byDateAndTitle ON ZNOTE (ZDATE COLLATE BINARY ASC, "
          + "ZTITLE COLLATE BINARY DESC)"
      ]
    )
    #expect(drift.superfluous.map(\.name) == ["Z_Note_byTitle"])
    #expect(drift.redundant == [])
    let grown = try self.drift(
      of: [Self.byDate, Self.byDateAndTitle],
      to: [Self.byDate, Self.byDateAndTitle]
    )
    #expect(grown.redundant.map(\.name) == ["Z_Note_byDate"])
    #expect(grown.redundant.map(\.note) == ["its columns are the first of Z_Note_byDateAndTitle"])
  }

  /// An index from an app's own SQL counts as the model's index if it has the same columns.
  @Test func `an index is known by what it does and not by its text`() throws {
    let drift = try drift(
      of: [],
      to: [Self.byTitle],
      after: ["create index if not exists mine on ZNOTE (ZTITLE)"]
    )
    #expect(drift.isEmpty)
  }

  @Test(arguments: [
    ("title != nil", "ZTITLE IS NOT NULL"), ("kind == 2", "ZKIND = 2"), ("kind != 0", "ZKIND <> 0"),
    ("kind > 1", "ZKIND > 1"), ("(kind == 2) OR (kind == 4)", "(ZKIND = 2 OR ZKIND = 4)"),
    ("kind == YES && title == \"it's\"", "(ZKIND = 1 AND ZTITLE = 'it''s')"),
    ("NOT (2 < kind)", "NOT ZKIND > 2"), ("folder == nil", "ZFOLDER IS NULL"),
  ])
  func `a partial index has its condition`(predicate: String, condition: String) throws {
    var index = Self.byTitle
    index.partialPredicate = predicate
    let layout = StoreLayout(model: Self.model([index]), keepsHistory: false)
    let sql = "CREATE INDEX Z_Note_byTitle ON ZNOTE (ZTITLE COLLATE BINARY ASC) WHERE \(condition)"
    #expect(layout.definitions.contains(sql))
    let connection = try Connection(path: ":memory:", mode: .create, settings: nil)
    try connection.executeScript(layout.definitions)
  }

  /// Indexes that no store has: on to-manys, on absent properties, without elements, or with
  /// unsupported predicates.
  @Test(arguments: [
    FetchIndex(name: "x", elements: [.init(property: "folder")]),
    FetchIndex(name: "x", elements: [.init(property: "tags")]),
    FetchIndex(name: "x", elements: [.init(property: "date"), .init(property: "tags")]),
    FetchIndex(name: "x", elements: [.init(property: "gone")]), FetchIndex(name: "x", elements: []),
    FetchIndex(name: "x", elements: [.init(property: "date")], partialPredicate: "length(a) > 1"),
    FetchIndex(name: "x", elements: [.init(property: "date")], partialPredicate: "gone == 1"),
    FetchIndex(name: "x", elements: [.init(property: "date")], partialPredicate: "kind =="),
  ])
  func `an index without a column is not made`(index: FetchIndex) {
    let layout = StoreLayout(model: Self.model([index]), keepsHistory: false)
    #expect(!layout.definitions.contains { $0.contains("Z_Note_x") })
    #expect(layout.unmadeIndexes == ["Note.x"])
  }

  @Test func `self and entity stand for columns, and a name makes one index`() {
    let index = FetchIndex(
      name: "byKind",
      elements: [.init(property: "kind"), .init(property: "entity"), .init(property: "self")]
    )
    let layout = StoreLayout(model: Self.model([index, index]), keepsHistory: false)
    #expect(
      layout.definitions.filter { $0.contains("byKind") } == [
        "CREATE INDEX Z_Note_byKind ON ZNOTE (ZKIND COLLATE BINARY ASC, Z_ENT COLLATE BINARY ASC, "
          + "Z_PK COLLATE BINARY ASC)"
      ]
    )
  }
}
