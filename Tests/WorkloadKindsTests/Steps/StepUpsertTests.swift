import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

@Suite struct `A step that inserts what may be there already` {
  @Test(arguments: ChangeEngine.built)
  func `changes the half that it finds by the attribute, and inserts the others`(
    _ engine: ChangeEngine
  ) throws {
    let store = try songs(
      after: """
        - { insert: Song, objects: 9, upsert: name, set: { genre: jazz }, to: { genreTag: 2 }, as: feed }
        - save
        """,
      engine
    )
    #expect(try store.integer("SELECT count(*) FROM ZSONG") == 12 + 5)
    let fed = "FROM ZSONG WHERE ZGENRE = 'jazz' AND ZGENRETAG = 2"
    #expect(try store.integer("SELECT count(*) \(fed)") == 9)
    #expect(try store.integer("SELECT count(*) \(fed) AND Z_OPT = 2 AND ZNAME GLOB 'song*'") == 4)
    #expect(try store.integer("SELECT count(*) \(fed) AND Z_OPT = 1") == 5)
    #expect(try store.integer("SELECT count(DISTINCT ZNAME) FROM ZSONG") == 17)
  }

  @Test func `looks for all of its records at once`() throws {
    func statements(_ objects: Int) throws -> Double? {
      let step = "{ insert: Tag, objects: \(objects), upsert: name, as: feed }"
      return try songs(after: "[\(step), save]").figures["step.feed.statementsRun"]
    }
    #expect(try statements(4) == statements(40))
  }

  @Test(arguments: [
    ("{ insert: Song, upsert: isLoved, set: { genre: x } }", "'isLoved' tells no objects apart"),
    ("{ insert: Song, upsert: name, set: { name: x } }", "leave it out of 'set'"),
    ("{ insert: Song, upsert: title }", "no stored attribute 'title'"),
    ("{ insert: Tag }, { insert: Tag, upsert: name }", "put 'save' before"),
  ])
  func `is refused where nothing could be found`(_ steps: String, _ reason: String) throws {
    let misfits = try makeSongs().misfits("[\(steps), save]")
    #expect(misfits.contains { $0.contains(reason) }, "\(misfits)")
  }
}
