import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests `to: { folder: new }`, which inserts an object and its target in one save.
@Suite struct `A step that leads to new objects` {
  private static let name = Attribute(name: "name", type: .string)

  /// Makes a bench in which each job must have at least one part and a detail of its own.
  private func makeJobs() throws -> KindBench<ScenarioWorkload> {
    let model = Model(entities: [
      Entity(
        name: "Job",
        attributes: [Self.name],
        relationships: [
          Relationship(
            name: "parts",
            destination: "Part",
            inverse: "job",
            isToMany: true,
            isOptional: false,
            minimumCount: 1
          ),
          Relationship(
            name: "detail",
            destination: "Detail",
            inverse: "job",
            isOptional: false
          ),
        ]
      ),
      Entity(
        name: "Part",
        attributes: [Self.name],
        relationships: [
          Relationship(name: "job", destination: "Job", inverse: "parts", isOptional: false)
        ]
      ),
      Entity(
        name: "Detail",
        attributes: [Self.name],
        relationships: [
          Relationship(name: "job", destination: "Job", inverse: "detail", isOptional: false)
        ]
      ),
    ])
    return try KindBench(model: model, keepsHistory: true)
  }

  private func list(_ column: String, _ rows: String) -> String {
    "SELECT group_concat(\(column)) FROM (SELECT * FROM \(rows) ORDER BY Z_PK)"
  }

  @Test(arguments: ChangeEngine.built)
  func `leads to them in turn, and their versions stay`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { insert: Tag, objects: 2 }
        - { insert: Song, objects: 5, to: { genreTag: new, tags: new } }
        - save
        """,
      engine
    )
    #expect(try store.text(list("ZGENRETAG", "ZSONG WHERE Z_PK > 12")) == "3,4,3,4,3")
    #expect(try store.integer("SELECT max(Z_OPT) FROM ZTAG WHERE Z_PK > 2") == 1)
  }

  @Test func `fills an order and one-to-ones`() throws {
    let store = try songs(
      after: """
        - { insert: Artist }
        - { insert: Song, objects: 3, to: { artist: new } }
        - { insert: Lyrics, objects: 3, to: { song: new } }
        - save
        """
    )
    #expect(try store.text(list("Z_FOK_ARTIST", "ZSONG WHERE ZARTIST = 4")) == "2048,3072,4096")
    let pairs = "ZSONG s JOIN ZLYRICS l ON s.ZLYRICS = l.Z_PK AND l.ZSONG = s.Z_PK"
    #expect(try store.integer("SELECT count(*) FROM \(pairs) WHERE s.Z_PK > 12") == 3)
    #expect(try store.integer("SELECT max(Z_OPT) FROM ZARTIST WHERE Z_PK = 4") == 1)
  }

  @Test(arguments: ChangeEngine.built)
  func `leads saved objects to them as well`(_ engine: ChangeEngine) throws {
    let store = try songs(
      after: """
        - { insert: Tag }
        - { update: Song, objects: 3, to: { genreTag: new, tags: new } }
        - save
        """,
      engine
    )
    #expect(try store.text(list("Z_PK", "ZSONG WHERE ZGENRETAG = 3 AND Z_OPT = 2")) == "1,2,3")
    #expect(try store.integer("SELECT Z_OPT FROM ZTAG WHERE Z_PK = 3") == 1)
  }

  @Test func `puts saved objects into an order of a new one`() throws {
    let steps = "[{ insert: Playlist }, { update: Song, objects: 2, to: { playlists: new } }, save]"
    #expect(try songs(after: steps).integer("SELECT max(Z_OPT) FROM ZPLAYLIST") == 1)
  }

  @Test func `gives objects what they must have`() throws {
    let bench = try makeJobs()
    let steps = """
      - { insert: Job, objects: 2 }
      - { insert: Part, objects: 5, to: { job: new } }
      - { insert: Detail, objects: 2, to: { job: new } }
      - save
      - do:
          - { insert: Job }
          - { insert: Part, objects: 3, to: { job: new } }
          - { insert: Detail, to: { job: new } }
        as: add
        times: 2
      - save
      """
    #expect(try bench.misfits(steps) == [])
    let store = try bench.outcome(of: steps)
    #expect(try store.text(list("ZJOB", "ZPART")) == "1,2,1,2,1,3,3,3,4,4,4")
    #expect(try store.text(list("ZJOB", "ZDETAIL")) == "1,2,3,4")
    #expect(try store.text(list("ZDETAIL", "ZJOB")) == "1,2,3,4")
  }

  @Test(arguments: [
    ("{ insert: Job, objects: 2 }", "add '{ insert: Part, objects: 2, to: { job: new } }' after"),
    ("{ insert: Job, times: 2 }", "write 'objects' instead of 'times'"),
    (
      "{ insert: Job, objects: 2 }, { insert: Part, to: { job: new } }, "
        + "{ insert: Detail, objects: 2, to: { job: new } }",
      "'parts' must lead to an object"
    ),
    (
      "{ insert: Job, objects: 2 }, { insert: Detail, objects: 3, to: { job: new } }",
      "'job' leads 3 new objects to 2, and each takes one"
    ),
    ("{ insert: Part, to: { job: new } }", "put '{ insert: Job }' before it"),
    ("{ insert: Part }", "'job' must lead to an object: add 'to: { job: uniform }'"),
  ])
  func `is refused in the plan where an object would lack what it must have`(
    _ steps: String,
    _ reason: String
  ) throws {
    let misfits = try makeJobs().misfits("[\(steps), save]")
    #expect(misfits.contains { $0.contains(reason) }, "\(misfits)")
  }

  @Test func `is named where a step would lead to an object that is not saved`() throws {
    let steps = "[{ insert: Tag }, { insert: Song, to: { genreTag: latest } }, save]"
    let misfits = try makeSongs().misfits(steps)
    #expect(misfits.contains { $0.contains("by 'to: { genreTag: new }'") }, "\(misfits)")
  }

  @Test(arguments: ChangeEngine.built)
  func `leads to objects of a sub-entity`(_ engine: ChangeEngine) throws {
    let model = Model(entities: [
      Entity(
        name: "Media",
        isAbstract: true,
        attributes: [Self.name],
        relationships: [.many("captions", "Caption", "media", .nullify)]
      ),
      Entity(name: "Photo", superentity: "Media"), Entity(name: "Video", superentity: "Media"),
      Entity(
        name: "Caption",
        attributes: [Self.name],
        relationships: [
          Relationship(name: "media", destination: "Media", inverse: "captions"),
          Relationship(name: "photo", destination: "Photo"),
        ]
      ),
    ])
    let bench = try KindBench<ScenarioWorkload>(model: model)
    let steps = """
      - { insert: Video, objects: 2 }
      - { insert: Caption, objects: 3, to: { media: new } }
      - save
      """
    let store = try bench.outcome(of: steps, engine)
    #expect(try store.text(list("ZMEDIA", "ZCAPTION")) == "1,2,1")
    let other = steps.replacing("media: new", with: "photo: new")
    let misfits = try bench.misfits(other, engine)
    #expect(misfits.contains { $0.contains("no new object of 'Photo' is there") }, "\(misfits)")
  }
}
