import Basics
import DataModel
import PersistentStore
import Testing

@Suite struct MigratedContentTests {
  private let old = Model(entities: [
    Entity(
      name: "Album",
      attributes: [
        Attribute(name: "title", type: .string), Attribute(name: "year", type: .integer16),
      ],
      relationships: [
        Relationship(
          name: "songs",
          destination: "Song",
          inverse: "album",
          isToMany: true,
          isOrdered: true
        )
      ]
    ),
    Entity(name: "Draft", attributes: [Attribute(name: "text", type: .string)]),
    Entity(
      name: "Label",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(name: "songs", destination: "Song", inverse: "labels", isToMany: true)
      ]
    ),
    Entity(
      name: "Song",
      attributes: [
        Attribute(name: "name", type: .string), Attribute(name: "length", type: .double),
      ],
      relationships: [
        Relationship(name: "album", destination: "Album", inverse: "songs"),
        Relationship(name: "draft", destination: "Draft"),
        Relationship(name: "labels", destination: "Label", inverse: "songs", isToMany: true),
      ]
    ),
  ])

  /// The new model: Song becomes Track, its name becomes title, and its album record; year and
  /// Draft are removed; a rating with a default and an entity that sorts first are added.
  private let new = Model(entities: [
    Entity(
      name: "Album",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [
        Relationship(
          name: "tracks",
          destination: "Track",
          inverse: "record",
          isToMany: true,
          isOrdered: true,
          renamingIdentifier: "songs"
        )
      ]
    ),
    Entity(name: "Aardvark", attributes: [Attribute(name: "name", type: .string)]),
    Entity(
      name: "Label",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(
          name: "tracks",
          destination: "Track",
          inverse: "labels",
          isToMany: true,
          renamingIdentifier: "songs"
        )
      ]
    ),
    Entity(
      name: "Track",
      attributes: [
        Attribute(name: "title", type: .string, renamingIdentifier: "name"),
        Attribute(name: "length", type: .double),
        Attribute(name: "rating", type: .integer16, defaultValue: .integer(3)),
      ],
      relationships: [
        Relationship(
          name: "record",
          destination: "Album",
          inverse: "tracks",
          renamingIdentifier: "album"
        ),
        Relationship(name: "labels", destination: "Label", inverse: "tracks", isToMany: true),
      ],
      renamingIdentifier: "Song"
    ),
  ])

  private func makeOld() throws -> SampleStore {
    let store = try SampleStore(model: old, keepsHistory: false)
    try store.insert("Album", ["title": .text("One"), "year": .integer(1999)])
    try store.insert("Draft", ["text": .text("…")])
    for index in 1...3 {
      try store.insert(
        "Song",
        [
          "name": .text("Song \(index)"), "length": .real(Double(index) + 0.5),
          "album": .integer(1), "draft": .integer(1),
        ],
        columns: ["Z_FOK_ALBUM": .integer(Int64(index * 1024))]
      )
    }
    try store.insert("Label", ["name": .text("live")])
    try store.run("INSERT INTO Z_3SONGS VALUES (1, 2), (1, 3)")
    try store.finish()
    return store
  }

  private func makeNew(rating: Int64, order: Int64 = 1024) throws -> SampleStore {
    let store = try SampleStore(model: new, keepsHistory: false)
    try store.insert("Album", ["title": .text("One")])
    for index in 1...3 {
      try store.insert(
        "Track",
        [
          "title": .text("Song \(index)"), "length": .real(Double(index) + 0.5),
          "record": .integer(1), "rating": .integer(rating),
        ],
        columns: ["Z_FOK_RECORD": .integer(Int64(index) * order)]
      )
    }
    try store.insert("Label", ["name": .text("live")])
    try store.run("INSERT INTO Z_3TRACKS VALUES (1, 2), (1, 3)")
    try store.finish()
    return store
  }

  @Test func `expects what an inferred mapping brings about`() throws {
    let (before, after) = (try makeOld(), try makeNew(rating: 3))
    let original = try StoreContent(store: before.file, layout: before.layout)
    let expected = ExpectedContent(from: original, layout: after.layout)
    #expect(
      try StoreInspection(store: after.file, layout: after.layout)
        .problems(expecting: expected) == []
    )
  }

  @Test func `finds a wrong default, a custom change and lost places`() throws {
    let (before, after) = (try makeOld(), try makeNew(rating: 4, order: 2048))
    let original = try StoreContent(store: before.file, layout: before.layout)
    let actual = try StoreContent(store: after.file, layout: after.layout)
    var expected = ExpectedContent(from: original, layout: after.layout)
    #expect(
      try ContentComparison(expected: expected, actual: actual).findings(limit: 2).sentences == [
        "Track 1 has 'rating' = 4, expected 3",
        "Track 1 has 'record.order' = 2048, expected 1024", "and 4 more",
      ]
    )
    try expected.change("Track") { try $0.set("rating", .integer(4)) }
    var comparison = ContentComparison(expected: expected, actual: actual)
    comparison.order = .nothing
    #expect(try comparison.findings().isEmpty)
  }

  @Test func `refuses a store of another model`() throws {
    let (before, after) = (try makeOld(), try makeNew(rating: 3))
    let original = try StoreContent(store: before.file, layout: before.layout)
    let actual = try StoreContent(store: after.file, layout: after.layout)
    let unchanged = ExpectedContent(from: actual)
    #expect(throws: Refusal.unlikeShapes(entity: "Album")) {
      try ContentComparison(expected: unchanged, actual: original).findings()
    }
  }
}
