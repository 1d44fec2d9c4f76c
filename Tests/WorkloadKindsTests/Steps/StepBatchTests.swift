import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

@Suite struct `A step that is a batch request` {
  @Test(arguments: [ChangeEngine.objectGraph, .bareSQL])
  func `needs no save, and raises versions by an update only`(
    _ engine: ChangeEngine
  ) throws {
    let store = try songs(
      after: """
        - update: Song
          where: "isLoved == NO"
          set: { isLoved: true, lastPlayed: null, plays: 7 }
          batchRequest: true
          as: love
        - { delete: Artist, objects: 1, batchRequest: true, as: remove }
        - { delete: Song, where: "plays == 1", batchRequest: true, as: remove }
        """,
      engine
    )
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZPLAYS = 7 AND Z_OPT = 2") == 6)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE Z_OPT = 2") == 6)
    #expect(try store.integer("SELECT count(*) FROM ZSONG") == 9)
    let alone = "ZARTIST IS NULL AND Z_FOK_ARTIST IS NULL"
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE \(alone)") == 3)
    #expect(store.figures["step.remove.removed"] == 4)
    #expect(store.figures["step.remove.leftBehind"] == 4)
    #expect(store.figures["step.love.turns"] == 1)
    // A batch request of the object graph is recorded in the history; plain SQL is not.
    let changes = "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE"
    let isRecorded: Int64 = engine == .objectGraph ? 1 : 0
    #expect(try store.integer("\(changes) = 1") == 10 * isRecorded)
    #expect(try store.integer("\(changes) = 2") == 4 * isRecorded)
  }

  @Test(arguments: [ChangeEngine.objectGraph, .bareSQL])
  func `takes all objects if nothing says which`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { update: Song, set: { plays: 7 }, batchRequest: true, as: mark }
        - { update: Song, objects: 1, set: { plays: 8 }, batchRequest: true, as: one }
        - { delete: Tag, batchRequest: true, as: remove }
        - { count: Tag }
        """,
      engine
    )
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZPLAYS = 7") == 11)
    #expect(try store.integer("SELECT count(*) FROM ZTAG") == 0)
    let objects = ["mark", "one", "remove", "count"].map { store.figures["step.\($0).objects"] }
    #expect(objects == [12, 1, 2, 0])
  }

  @Test func `takes as many statements for many objects as for few`() throws {
    func statements(_ objects: Int, _ engine: ChangeEngine) throws -> Double? {
      let step = "{ delete: Song, objects: \(objects), batchRequest: true, as: remove }"
      return try songs(after: "[\(step)]", engine).figures["step.remove.statementsRun"]
    }
    for engine in [ChangeEngine.objectGraph, .bareSQL] {
      let few = try #require(try statements(2, engine))
      #expect(try statements(10, engine) == few)
    }
  }

  @Test func `is found where it was made wrong`() throws {
    let steps = try songValues(
      "[{ update: Song, where: 'plays < 2', set: { isLoved: true }, batchRequest: true }, "
        + "{ delete: Artist, objects: 1, batchRequest: true }]"
    )
    let tally = try makeSongs().mutations(after: steps)
    #expect(tally.missed.isEmpty, "\(tally.missed)")
  }

  @Test(arguments: [
    (
      "[{ update: Song, set: { plays: 1 } }, { delete: Song, batchRequest: true }, save]",
      "put 'save' before it"
    ),
    (
      "[{ fetch: Song, keep: a }, { delete: Tag, batchRequest: true }, "
        + "{ update: Song, from: a, set: [name] }, save]",
      "fetch again after the reset"
    ),
    ("[{ update: Song, set: { plays: +1 }, batchRequest: true }]", "leave out the '+'"),
  ])
  func `is refused past what it would miss`(
    _ steps: String,
    _ reason: String
  ) throws {
    let misfits = try makeSongs().misfits(steps)
    #expect(misfits.contains { $0.contains(reason) }, "\(misfits)")
  }

  @Test func `in the background leaves the first context its objects`() throws {
    let store = try songs(
      after: """
        - background:
            - { update: Song, where: "plays == 0", set: { rating: 1 }, batchRequest: true }
            - { delete: Song, where: "plays == 1", batchRequest: true }
          beside: { fetch: Song, sort: [name] }
          as: cleanUp
        """
    )
    #expect(try store.integer("SELECT count(*) FROM ZSONG") == 9)
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZRATING = 1") == 3)
    let steps = """
      - { fetch: Song, keep: a }
      - { background: [{ delete: Tag, batchRequest: true }], beside: { fetch: Artist }, as: cleanUp }
      - { update: Song, from: a, set: [name] }
      - save
      """
    #expect(try makeSongs().misfits(steps) == [])
  }

  @Test(arguments: [
    ("update: Song, set: [name], batchRequest: true", "gives all objects the same values"),
    ("update: Song, set: { plays: 1 }, to: { tags: 1 }, batchRequest: true", "exclude each other"),
    ("update: Song, remove: { tags: 1 }, batchRequest: true", "exclude each other"),
    ("delete: Song, chunk: 5, batchRequest: true", "exclude each other"),
  ])
  func `takes no keys that it would not follow`(
    _ step: String,
    _ reason: String
  ) throws {
    let diagnostics = Diagnostics(file: "steps.yaml")
    let value = try #require(YAMLDocument.parse("[{ \(step) }]", into: diagnostics))
    _ = StepReader.form.read(value)
    #expect(diagnostics.all.contains { $0.message.contains(reason) }, "\(diagnostics.all)")
  }
}
