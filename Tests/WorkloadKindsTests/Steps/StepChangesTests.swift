import Basics
import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

@Suite struct `A step that changes objects` {
  @Test(arguments: ChangeEngine.built)
  func `gives the values that the file names, and more of a number`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - update: Song
          where: "isLoved == NO"
          set: { isLoved: true, plays: +1, lastPlayed: 2027-01-01, name: null, genre: "+1" }
        - save
        - { update: Song, where: "plays == 1", set: { plays: +1, rating: 4.5 } }
        - save
        - { update: Song, where: "plays == 32767", set: { plays: +-7, rating: 4.5 } }
        - save
        """,
      engine
    )
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZISLOVED = 1") == 12)
    let date = "ZLASTPLAYED = strftime('%s', '2027-01-01') - strftime('%s', '2001-01-01')"
    #expect(
      try store.integer(
        "SELECT count(*) FROM ZSONG WHERE \(date) AND ZNAME IS NULL AND ZGENRE = '+1'"
      ) == 6
    )
    let plays = "SELECT group_concat(ZPLAYS) FROM (SELECT DISTINCT ZPLAYS FROM ZSONG ORDER BY 1)"
    #expect(try store.text(plays) == "2,3,32760")
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZRATING = 4.5") == 9)
    // Each save that changes an object raises Z_OPT by one.
    #expect(try store.integer("SELECT max(Z_OPT) FROM ZSONG") == 3)
  }

  @Test(arguments: [
    ("plays == 32767", "plays: +1", "is 32767, and '+1' would exceed the type integer16"),
    ("plays == 0", "stars: +9", "is 0, and '+9' would exceed the model's limits"),
  ])
  func `adds no more than a number can hold`(
    _ condition: String,
    _ setting: String,
    _ reason: String
  ) throws {
    let error = #expect(throws: Refusal.self) {
      try songs(after: "[{ update: Song, where: '\(condition)', set: { \(setting) } }, save]")
    }
    let text = "\(error as Any)"
    #expect(text.contains("line 1, 'update Song'") && text.contains(reason), "\(text)")
  }

  @Test(arguments: ChangeEngine.built)
  func `changes all objects where the file says so`(_ engine: ChangeEngine) throws {
    let steps = "[{ update: Song, objects: all, set: { rating: 2 }, as: rate }, save]"
    let store = try songs(after: steps, engine)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZRATING = 2") == 12)
    #expect(store.figures["step.rate.objects"] == 12)
  }

  @Test(arguments: ChangeEngine.built)
  func `leaves alone what has the value already`(_ engine: ChangeEngine) throws {
    let steps = "[{ update: Song, where: 'plays >= 0', set: { isLoved: true } }, save]"
    let store = try songs(after: steps, engine)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE Z_OPT = 2") == 6)
  }

  @Test(arguments: ChangeEngine.built)
  func `gives new objects the values of the file`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { insert: Song, objects: 5, set: { plays: 0, isLoved: false, genre: jazz }, to: { tags: 2 } }
        - save
        """,
      engine
    )
    let songs = "FROM ZSONG WHERE ZGENRE = 'jazz' AND ZPLAYS = 0 AND ZISLOVED = 0"
    #expect(try store.integer("SELECT count(*) \(songs) AND Z_OPT = 1") == 5)
    // Values from the seed must be within the model's limits.
    let limits = "ZRATING <= 5 AND ZSTARS BETWEEN 1 AND 5 AND length(ZCODE) = 6"
    #expect(try store.integer("SELECT count(*) \(songs) AND \(limits)") == 5)
    #expect(try store.integer("SELECT Z_OPT FROM ZTAG WHERE Z_PK = 2") == 2)
  }

  @Test(arguments: ChangeEngine.built)
  func `gives each new object several partners of a many-to-many`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: "[{ insert: Song, objects: 5, to: { tags: 2 zipfian } }, save]",
      engine
    )
    let table = try store.joinTable("*TAG*")
    #expect(try store.integer("SELECT count(*) FROM \(table)") == 10)
    #expect(try store.integer("SELECT count(*) FROM ZTAG WHERE Z_OPT = 2") == 2)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE Z_OPT = 1") == 17)
  }

  @Test(arguments: ChangeEngine.built)
  func `saves in chunks`(_ engine: ChangeEngine) throws {
    let steps = "[{ update: Song, where: 'plays < 2', set: { rating: 3 }, chunk: 4, as: rate }]"
    #expect(try makeSongs().misfits(steps, engine) == [])
    let store = try songs(after: steps, engine)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZRATING = 3 AND Z_OPT = 2") == 6)
    guard engine == .objectGraph else { return }
    #expect(store.figures["objects.saves"] == 2)
    // Like all other chunks, the last chunk is released.
    #expect(store.figures["step.rate.held"] == 0)
  }

  @Test(arguments: ChangeEngine.built)
  func `moves objects and empties a to-one`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { update: Song, where: "genreTag == 1", to: { genreTag: 2 }, set: { plays: 5 } }
        - { update: Song, to: { genreTag: none } }
        - save
        """,
      engine
    )
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZGENRETAG = 1") == 0)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZGENRETAG IS NULL") == 1)
    #expect(try store.integer("SELECT count(*) FROM ZTAG WHERE Z_OPT > 1") == 0)
  }

  @Test(arguments: ChangeEngine.built)
  func `adds an object to a many-to-many once, which changes both`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { update: Song, objects: 3, to: { tags: 1 } }
        - save
        - { update: Song, where: "plays < 2", to: { tags: 1 } }
        - save
        """,
      engine
    )
    let table = try store.joinTable("*TAG*")
    let tagged = try store.integer("SELECT count(*) FROM \(table)") ?? 0
    #expect(tagged == (try store.integer("SELECT count(*) FROM ZSONG WHERE Z_OPT = 2") ?? -1))
    #expect(tagged > 6)
    #expect(try store.integer("SELECT Z_OPT FROM ZTAG WHERE Z_PK = 1") == 3)
  }

  @Test func `puts objects at the end of an order, and leaves a gap where they were`() throws {
    let store = try songs(
      after: """
        - { insert: Song, to: { artist: 1 }, set: { genre: new } }
        - save
        - { update: Song, where: "name == 'song 1 1'", to: { artist: 1, playlists: 1 } }
        - save
        """
    )
    func order(of artist: Int) throws -> String? {
      try store.text(
        "SELECT group_concat(Z_FOK_ARTIST) FROM (SELECT Z_FOK_ARTIST FROM ZSONG WHERE ZARTIST = "
          + "\(artist) ORDER BY 1)"
      )
    }
    #expect(try order(of: 1) == "2048,3072,4096,5120,6144,7168")
    #expect(try order(of: 2) == "2048,4096,5120")
    let last = "SELECT ZNAME FROM ZSONG WHERE ZARTIST = 1 ORDER BY Z_FOK_ARTIST DESC LIMIT 1"
    #expect(try store.text(last) == "song 1 1")
  }

  @Test func `gives each object of a many-to-many its own place after a deletion left a gap`()
    throws
  {
    let store = try songs(
      after: """
        - { update: Song, where: "artist == 1", to: { playlists: 1 } }
        - save
        - { delete: Song, where: "name == 'song 0 1'" }
        - save
        - reset
        - { update: Song, where: "name == 'song 1 1'", to: { playlists: 1 } }
        - save
        """
    )
    #expect(try store.placesInPlaylist() == "2048,3072,4096,5120")
  }

  @Test func `gives a one-to-one another partner, which the former ones lose`() throws {
    let store = try songs(
      after: """
        - { update: Song, where: "name == 'song 0 0'", to: { lyrics: 1 } }
        - { update: Song, where: "name == 'song 0 1'", to: { lyrics: 2 } }
        - save
        - { update: Song, where: "name == 'song 0 2'", to: { lyrics: 1 } }
        - { update: Song, where: "name == 'song 0 1'", to: { lyrics: none } }
        - save
        """
    )
    let songs = "SELECT group_concat(ZNAME) FROM ZSONG WHERE"
    #expect(try store.text("\(songs) ZLYRICS IS NOT NULL") == "song 0 2")
    #expect(
      try store.text(
        "\(songs) Z_PK = (SELECT ZSONG FROM ZLYRICS WHERE Z_PK = 1) AND ZLYRICS = 1"
      ) == "song 0 2"
    )
    #expect(try store.integer("SELECT count(*) FROM ZLYRICS WHERE ZSONG IS NOT NULL") == 1)
    let versions = "SELECT group_concat(Z_OPT) FROM (SELECT Z_OPT FROM ZLYRICS ORDER BY Z_PK)"
    #expect(try store.text(versions) == "3,3,1")
  }

  @Test func `of a one-to-one needs the object graph`() throws {
    let misfits = try makeSongs().misfits("[{ update: Song, to: { lyrics: 1 } }, save]", .bareSQL)
    #expect(misfits.contains { $0.contains("set one side of 'lyrics'") }, "\(misfits)")
  }

  @Test func `deletes from an order the same whether its holder is in memory or not`() throws {
    for shown in ["{ count: Artist }", "{ fetch: Artist, keep: shown, follow: songs }"] {
      let store = try songs(
        after: "[\(shown), { delete: Song, where: 'plays == 1' }, save]"
      )
      #expect(try store.integer("SELECT count(*) FROM ZSONG") == 9)
      #expect(try store.integer("SELECT max(Z_OPT) FROM ZARTIST") == 1)
    }
  }

  @Test(arguments: [
    ("update: Song, set: { isLoved: maybe }", "'isLoved' is of type boolean and cannot be 'maybe'"),
    ("update: Song, set: { plays: 40000 }", "'plays' is of type integer16 and cannot be '40000'"),
    ("update: Song, set: { rating: 7 }", "'rating' has at most 5: write such a value"),
    ("update: Song, set: { code: x }", "'code' has at least 2 characters"),
    ("update: Song, set: [code]", "'code' has at most 6 characters"),
    ("update: Song, set: { genre: null }", "'genre' must have a value"),
    ("update: Song, set: { cover: x }", "'cover' gets no new value"),
    ("update: Song, set: { nme: x }", "no stored attribute 'nme'"),
    ("update: Artist, to: { songs: uniform }", "set 'artist' of 'Song' instead"),
    ("update: Song, to: { artist: 3 uniform }", "leave out the number 3"),
    ("update: Song, to: { tags: 3 uniform }", "leads to 3 of 2 objects: pick fewer"),
    ("update: Song, to: { artst: 1 }", "no stored relationship 'artst'"),
    ("insert: Song, set: { plays: +1 }", "leave out the '+'"),
    ("update: Song, to: { genreTag: 77 }", "no object of 'Tag' has the key 77: name another one"),
  ])
  func `is refused where it cannot be done`(_ step: String, _ reason: String) throws {
    let misfits = try makeSongs().misfits("[{ \(step) }, save]")
    #expect(misfits.contains { $0.contains(reason) }, "\(misfits)")
  }

  /// As in SwiftData's stores, the list is not optional and the other value has a type of its own.
  @Test func `inserts objects with a list that may be empty and with a transformable`() throws {
    let model = Model(entities: [
      Entity(
        name: "Trip",
        attributes: [
          Attribute(name: "name", type: .string),
          Attribute(name: "tags", type: .transformable, isOptional: false),
        ],
        relationships: [
          Relationship(
            name: "items",
            destination: "Item",
            inverse: "trip",
            isToMany: true,
            isOptional: false
          )
        ]
      ),
      Entity(
        name: "Item",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [Relationship(name: "trip", destination: "Trip", inverse: "items")]
      ),
    ])
    let bench = try KindBench<ScenarioWorkload>(model: model) { _ in }
    let bare = try bench.misfits("[{ insert: Trip }, save]")
    #expect(bare.count == 1 && bare[0].contains("add 'blobs: { tags: 10 KB }'"), "\(bare)")
    for engine in [ChangeEngine.objectGraph, .bareSQL] {
      let steps = "[{ insert: Trip, objects: 3, blobs: { tags: 100 } }, save]"
      let store = try bench.outcome(of: steps, engine)
      #expect(try store.integer("SELECT sum(length(ZTAGS)) FROM ZTRIP") == 300)
    }
  }

  @Test func `of an order needs the object graph`() throws {
    let misfits = try makeSongs().misfits("[{ update: Song, to: { artist: 1 } }, save]", .bareSQL)
    #expect(misfits.contains { $0.contains("use 'engine: objectGraph'") }, "\(misfits)")
  }

  @Test func `that names an object which is not there fails with its key`() throws {
    let error = #expect(throws: (any Error).self) {
      _ = try songs(after: "[{ update: Song, to: { genreTag: 77 } }, save]")
    }
    #expect("\(error as Any)".contains("no object of 'Tag' has the key 77"))
  }
}
