import DataModel
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

@Suite struct `A text of a given size` {
  private static let insertion = """
    - insert: Song
      objects: 20
      blobs: { name: 2 KB to 20 KB, genre: 0, code: 3 to 5, cover: 100 }
    - save
    """

  @Test(arguments: ChangeEngine.built)
  func `is made for each new object`(_ engine: ChangeEngine) throws {
    let store = try songs(after: Self.insertion, engine)
    let new = "FROM ZSONG WHERE Z_PK > 12"
    let bytes = "length(CAST(ZNAME AS BLOB)) BETWEEN 2048 AND 20480"
    let isText = "typeof(ZNAME) = 'text' AND ZNAME NOT GLOB '*[^a-z ]*'"
    #expect(try store.integer("SELECT count(*) \(new) AND \(bytes) AND \(isText)") == 20)
    #expect(try store.integer("SELECT count(DISTINCT ZNAME) \(new)") == 20)
    #expect(try store.integer("SELECT max(length(ZNAME)) > min(length(ZNAME)) \(new)") == 1)
    let others = "ZGENRE = '' AND length(ZCODE) BETWEEN 3 AND 5 AND length(ZCOVER) = 100"
    #expect(try store.integer("SELECT count(*) \(new) AND \(others)") == 20)
  }

  @Test func `is the same by every engine`() throws {
    var texts: Set<String> = []
    for engine in ChangeEngine.built {
      let store = try songs(after: Self.insertion, engine)
      let all = "SELECT group_concat(ZNAME, '|') FROM (SELECT ZNAME FROM ZSONG ORDER BY Z_PK)"
      texts.insert(try #require(try store.text(all)))
    }
    #expect(texts.count == 1)
  }

  @Test(arguments: ChangeEngine.built)
  func `is replaced by an update`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { update: Song, where: "plays >= 0", blobs: { name: 1 KB }, set: { rating: 3 }, chunk: 5 }
        - { update: Song, objects: all, blobs: { name: 500 to 600, code: 6 } }
        - save
        """,
      engine
    )
    let sizes = "length(ZNAME) BETWEEN 500 AND 600 AND length(ZCODE) = 6"
    #expect(
      try store.integer("SELECT count(*) FROM ZSONG WHERE \(sizes) AND ZRATING = 3 AND Z_OPT = 3")
        == 12
    )
    #expect(try store.integer("SELECT count(DISTINCT ZNAME) FROM ZSONG") == 12)
  }

  @Test(arguments: ChangeEngine.built)
  func `does not change an object that has it already`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { update: Song, where: "isLoved == 1", blobs: { genre: 0 } }
        - save
        - { update: Song, objects: all, blobs: { genre: 0 } }
        - save
        """,
      engine
    )
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZGENRE = '' AND Z_OPT = 2") == 12)
  }

  @Test(arguments: ChangeEngine.built)
  func `comes with the records of an upsert`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { insert: Song, objects: 9, upsert: name, blobs: { genre: 1 KB, cover: 50 } }
        - save
        """,
      engine
    )
    let fed = "FROM ZSONG WHERE length(ZGENRE) = 1024 AND length(ZCOVER) = 50"
    #expect(try store.integer("SELECT count(DISTINCT ZGENRE) \(fed)") == 9)
    #expect(try store.integer("SELECT count(*) \(fed) AND Z_OPT = 2 AND ZNAME GLOB 'song*'") == 4)
    #expect(try store.integer("SELECT count(*) \(fed) AND Z_OPT = 1") == 5)
  }

  @Test(arguments: [
    (
      "insert: Song, blobs: { code: 2 to 7 }",
      "'code' has at most 6 characters, not 7: write a size of at most 6 B"
    ),
    (
      "update: Song, blobs: { code: 1 }",
      "'code' has at least 2 characters, not 1: write a size of at least 2 B"
    ),
    (
      "insert: Song, blobs: { lastPlayed: 2 KB }",
      "'lastPlayed' is of type date, and 'blobs' takes binary and string attributes: leave it out"
    ),
    (
      "insert: Song, upsert: name, blobs: { name: 2 KB }",
      "'name' must be unique: leave it out of 'blobs', so that each object gets a value of its own"
    ),
  ])
  func `is refused where an object cannot have it`(_ step: String, _ reason: String) throws {
    let found = try makeSongs().misfits("[{ \(step) }, save]")
    #expect(found.count == 1 && found[0].contains(reason), "\(found)")
  }

  @Test(arguments: [
    ("code", "'code' must be unique: leave it out of 'blobs'"),
    ("key", "'key' is derived: leave it out of 'blobs'"),
    ("number", "leave it out of 'blobs', and write 'set: { number: VALUE }'"),
  ])
  func `is refused where the model determines the text`(_ name: String, _ reason: String) throws {
    let model = Model(entities: [
      Entity(
        name: "Item",
        attributes: [Attribute(name: "code", type: .string)],
        uniquenessConstraints: [["code"]]
      ),
      Entity(
        name: "Book",
        superentity: "Item",
        attributes: [
          Attribute(name: "title", type: .string),
          Attribute(name: "key", type: .string, derivation: "canonical:(title)"),
          Attribute(name: "number", type: .string, pattern: "[0-9]+"),
        ]
      ),
    ])
    let bench = try KindBench<ScenarioWorkload>(model: model)
    let found = try bench.misfits("[{ insert: Book, blobs: { \(name): 2 KB, title: 3 KB } }, save]")
    #expect(found.count == 1 && found[0].contains(reason), "\(found)")
  }
}
