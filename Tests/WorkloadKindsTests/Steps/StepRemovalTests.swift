import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests removal of songs from unordered (tags) and ordered (playlists, artists) to-manys.
@Suite struct `A step that takes objects out of a to-many` {
  @Test(arguments: ChangeEngine.built)
  func `takes away all or one of a many-to-many, which changes both`(
    _ engine: ChangeEngine
  ) throws {
    let store = try songs(
      after: """
        - { update: Song, where: "plays < 2", to: { tags: 2 uniform } }
        - save
        - { update: Song, where: "plays == 0", to: { tags: none } }
        - save
        - { update: Song, where: "plays == 1", remove: { tags: 2 } }
        - save
        """,
      engine
    )
    // Six songs lost tags: three lost both, and three have one left.
    let table = try store.joinTable("*TAG*")
    #expect(try store.integer("SELECT count(*) FROM \(table)") == 3)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE Z_OPT = 3") == 6)
    #expect(try store.integer("SELECT Z_OPT FROM ZTAG WHERE Z_PK = 1") == 3)
    #expect(try store.integer("SELECT Z_OPT FROM ZTAG WHERE Z_PK = 2") == 4)
  }

  @Test(arguments: ChangeEngine.built)
  func `empties the to-ones of a one-to-many`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { update: Tag, objects: 1, to: { genreSongs: none } }
        - save
        - { update: Tag, objects: 2, remove: { genreSongs: 2 uniform } }
        - save
        """,
      engine
    )
    // All six songs have left the first tag, and two have left the second tag.
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZGENRETAG IS NULL") == 8)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE Z_OPT = 2") == 8)
    #expect(try store.integer("SELECT count(*) FROM ZTAG WHERE Z_OPT > 1") == 0)
  }

  @Test func `leaves the positions of the others in an order`() throws {
    let first = "{ update: Artist, objects: 1, remove: { songs: 2 inTurn } }"
    let places =
      "SELECT group_concat(Z_FOK_ARTIST) FROM (SELECT * FROM ZSONG WHERE ZARTIST = 1 "
      + "ORDER BY Z_FOK_ARTIST)"
    let store = try songs(after: "[\(first), save]")
    #expect(try store.text(places) == "4096,5120")
    let alone = "ZARTIST IS NULL AND Z_FOK_ARTIST IS NULL AND Z_OPT = 2"
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE \(alone)") == 2)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE Z_OPT = 2") == 2)
    #expect(try store.integer("SELECT Z_OPT FROM ZARTIST WHERE Z_PK = 1") == 2)
    let put = "{ update: Song, objects: 1, to: { artist: 1 } }"
    #expect(try songs(after: "[\(first), save, \(put), save]").text(places) == "2048,3072,4096")
    #expect(try songs(after: "[\(first), \(put), save]").text(places) == "2048,3072,4096")
  }

  @Test func `leaves the positions of the others in an order of a many-to-many`() throws {
    let store = try songs(
      after: """
        - { update: Song, where: "artist == 1", to: { playlists: 1 } }
        - save
        - { update: Playlist, objects: 1, remove: { songs: 2 } }
        - save
        - { update: Song, where: "name == 'song 0 2'", to: { playlists: none } }
        - save
        """
    )
    #expect(try store.placesInPlaylist() == "2048,5120")
  }

  @Test(arguments: ChangeEngine.built)
  func `may get another object in its place, or the same one`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { update: Song, objects: 12, to: { tags: 1 } }
        - save
        - { update: Song, objects: 7, remove: { tags: 1 }, to: { tags: 1 } }
        - { update: Song, objects: 5, remove: { tags: 1 }, to: { tags: 2 } }
        - save
        """,
      engine
    )
    let table = try store.joinTable("*TAG*")
    #expect(try store.integer("SELECT count(*) FROM \(table)") == 12)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE Z_OPT = 3") == 7)
  }

  @Test func `picks in turn what it puts in, whatever it takes out in turn`() throws {
    let store = try songs(
      after: """
        - { update: Song, objects: 4, to: { tags: 1 } }
        - save
        - { update: Song, objects: 4, remove: { tags: inTurn }, to: { tags: inTurn } }
        - save
        """
    )
    let table = try store.joinTable("*TAG*")
    let tag = try store.column("Z_[0-9]*TAGS", of: table)
    #expect(try store.integer("SELECT count(*) FROM \(table) WHERE \(tag) = 2") == 2)
  }

  @Test func `is found where it was made wrong`() throws {
    let steps = """
      [{ update: Song, objects: 8, to: { tags: 2 uniform } }, save, \
      { update: Song, objects: 4, remove: { tags: uniform } }, \
      { update: Tag, objects: 1, to: { genreSongs: none } }, save]
      """
    let tally = try makeSongs().mutations(after: songValues(steps))
    #expect(tally.missed.isEmpty, "\(tally.missed)")
  }

  @Test(arguments: [
    ("update: Song, remove: { artist: 1 }", "write 'to: { artist: none }'"),
    ("update: Song, remove: { tags: 77 }", "no object of 'Tag' has the key 77"),
    ("insert: Song, to: { tags: none }", "'tags' of a new object is empty"),
    (
      "update: Song, to: { genreTag: 1 } }, { update: Tag, to: { genreSongs: none }",
      "'genreTag' of 'Song' was changed before and is not saved"
    ),
    ("insert: Song }, { update: Tag, remove: { tagged: 1 }", "objects of 'Song' are not saved"),
  ])
  func `is refused where it cannot be done`(_ step: String, _ reason: String) throws {
    let found = try makeSongs().misfits("[{ \(step) }, save]")
    #expect(found.contains { $0.contains(reason) }, "\(found)")
  }

  @Test(arguments: [
    "update: Song, to: { artist: none }", "update: Artist, remove: { songs: uniform }",
    "update: Song, remove: { playlists: uniform }",
  ])
  func `of an order needs the object graph`(_ step: String) throws {
    let found = try makeSongs().misfits("[{ \(step) }, save]", .bareSQL)
    #expect(found.contains { $0.contains("plain statements number no order") }, "\(found)")
    #expect(try makeSongs().misfits("[{ \(step) }, save]") == [])
  }

  @Test func `is refused where a to-one would be empty that must not be`() throws {
    let model = Model(entities: [
      Entity(
        name: "Trip",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [.many("items", "Item", "trip", .nullify)]
      ),
      Entity(
        name: "Item",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(name: "trip", destination: "Trip", inverse: "items", isOptional: false)
        ]
      ),
    ])
    let bench = try KindBench<ScenarioWorkload>(model: model) { _ = try $0.insert("Trip") }
    for words in ["to: { items: none }", "remove: { items: uniform }"] {
      let found = try bench.misfits("[{ update: Trip, \(words) }, save]")
      #expect(found.contains { $0.contains("delete objects of 'Item' instead") }, "\(found)")
    }
  }
}
