import Basics
import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests the plan's messages on steps that depend on each other, with twelve songs of three
/// artists.
@Suite struct `Steps that follow each other` {
  @Test(arguments: [
    (
      "[{ update: Song, to: { artist: 1 } }, { delete: Artist }, save]",
      "got new targets that are not saved"
    ),
    (
      "[{ do: [{ fetch: Song, choose: latest, objects: 2 }, { insert: Song }], as: a, times: 3 }, save]",
      "what was changed before is not saved, so that it is not found"
    ),
    ("[{ fetch: Song, choose: uniform, objects: 500 }]", "it picks 500 of 12 objects"),
    (
      "[{ fetch: Song, keep: s }, { background: [{ update: Song, set: [name] }, save], beside: "
        + "{ fetch: Artist }, as: a }, { update: Song, from: s, set: [name] }, save]",
      "may have been changed by the background step"
    ),
    (
      "[{ fetch: Tag, keep: t }, { background: [{ update: Song, to: { tags: 1 } }, save], beside: "
        + "{ fetch: Artist }, as: a }, { update: Tag, from: t, set: [name] }, save]",
      "may have been changed by the background step"
    ),
    (
      "[{ insert: Song, upsert: code }, save, { count: Song }, { insert: Song, upsert: cover }, save]",
      "'cover' tells no objects apart"
    ),
  ])
  func `are refused in the plan where one save would mix them up`(
    _ steps: String,
    _ reason: String
  ) throws {
    let found = try makeSongs().misfits(steps)
    #expect(found.contains { $0.contains(reason) }, "\(found)")
  }

  @Test(arguments: [
    "[{ fetch: Lyrics }, { delete: Lyrics, objects: 3 }, save]",
    "[{ update: Song, to: { artist: 1 } }, save, { delete: Artist }, save]",
    "[{ do: [{ insert: Song }, save, { fetch: Song, choose: latest }], as: a, times: 3 }]",
    "[{ update: Song, remove: { tags: 1 }, times: 3 }, { update: Song, to: { tags: 1 } }, save]",
    "[{ fetch: Tag, keep: t }, { background: [{ update: Song, to: { genreTag: 1 } }, save], "
      + "beside: { fetch: Artist }, as: a }, { update: Tag, from: t, set: [name] }, save]",
  ])
  func `are planned where nothing is missing`(_ steps: String) throws {
    #expect(try makeSongs().misfits(steps) == [])
  }

  @Test func `share a save only if their tables differ, where entities inherit`() throws {
    let name = Attribute(name: "name", type: .string)
    let model = Model(entities: [
      Entity(name: "Media", isAbstract: true, attributes: [name]),
      Entity(name: "Photo", superentity: "Media"), Entity(name: "Video", superentity: "Media"),
    ])
    let bench = try KindBench<ScenarioWorkload>(model: model)
    let together = "[{ insert: Video, objects: 2 }, { insert: Photo, objects: 2 }, save]"
    let found = try bench.misfits(together)
    #expect(found.contains { $0.contains("'Video' and 'Photo', which share a table") }, "\(found)")
    let apart = together.replacing("}, {", with: "}, save, {")
    #expect(try bench.misfits(apart) == [])
    #expect(throws: Never.self) { try bench.verify(songValues(apart)) }
  }

  @Test func `leave the keys of deleted objects where a to-one has no inverse`() throws {
    let name = Attribute(name: "name", type: .string)
    let model = Model(entities: [
      Entity(
        name: "Note",
        attributes: [name],
        relationships: [Relationship(name: "author", destination: "User")]
      ),
      Entity(name: "User", attributes: [name]),
    ])
    let bench = try KindBench<ScenarioWorkload>(model: model) { context in
      let user = try context.insert("User")
      for _ in 0..<3 { try context.insert("Note").setTarget(user, of: "author") }
    }
    for engine in [ChangeEngine.objectGraph, .bareSQL] {
      let store = try bench.outcome(of: "[{ delete: User }, save]", engine)
      #expect(try store.integer("SELECT count(*) FROM ZNOTE WHERE ZAUTHOR = 1") == 3)
    }
  }

  @Test func `leave an object behind once, however many chunks take a to-one from it`() throws {
    let name = Attribute(name: "name", type: .string)
    let model = Model(entities: [
      Entity(
        name: "Message",
        attributes: [name],
        relationships: [
          Relationship(name: "sender", destination: "Person", inverse: "sent"),
          Relationship(name: "receiver", destination: "Person", inverse: "received"),
        ]
      ),
      Entity(
        name: "Person",
        attributes: [name],
        relationships: [
          .many("sent", "Message", "sender", .nullify),
          .many("received", "Message", "receiver", .nullify),
        ]
      ),
    ])
    let bench = try KindBench<ScenarioWorkload>(model: model) { context in
      let people = try (0..<2).map { _ in try context.insert("Person") }
      for _ in 0..<3 {
        let message = try context.insert("Message")
        try message.setTarget(people[0], of: "sender")
        try message.setTarget(people[1], of: "receiver")
      }
    }
    for engine in [ChangeEngine.objectGraph, .bareSQL] {
      let steps = "[{ delete: Person, objects: 2, chunk: 1, as: remove }]"
      let opened = try bench.open(songValues(steps, engine))
      let notes = try opened.finish().notes
      #expect(opened.figures["step.remove.leftBehind"] == 3)
      #expect(notes.first == "2 objects deleted; 3 objects that stay lost a to-one")
    }
  }

  @Test func `are alternatives only if they do the same work`() throws {
    func job(_ steps: String) throws -> String {
      ScenarioWorkload(parameters: ScenarioParameters(ParameterValues(try songValues(steps))))
        .traits
        .job
    }
    let one = "[{ update: Song, objects: 12, set: [name], as: edit }, save]"
    let each = "[{ do: [{ update: Song, set: [name] }, save], as: edit, times: 12 }]"
    #expect(try job(one).hasSuffix("update Song name 12"))
    #expect(try job(each).hasSuffix("update Song name 12"))
    #expect(try job(one) != job(one.replacing("12", with: "5")))
    let words = [
      "to: { tags: 1 }", "to: { tags: 2 uniform }", "to: { tags: none }", "remove: { tags: 1 }",
    ]
    let jobs = try words.map { try job("[{ update: Song, \($0), as: edit }, save]") }
    #expect(Set(jobs).count == words.count)
    let all = one.replacing("objects: 12", with: "objects: all")
    #expect(try job(all) != job(one.replacing("objects: 12", with: "objects: 1")))
    let list = "[{ fetch: Song, sort: [name], limit: 4 }]"
    #expect(try job(list) == job(list.replacing("limit: 4", with: "batch: 2, read: 4")))
  }

  @Test func `may be forty and more`() throws {
    let steps =
      "[" + [String](repeating: "{ count: Song }", count: 400).joined(separator: ", ") + "]"
    #expect(try songs(after: steps).figures["step.count.turns"] == 400)
  }

  @Test func `of a mix that delete all by a condition fail when nothing is left`() throws {
    var values = try songValues(
      "[{ fetch: Tag, weight: 1 }, { delete: Song, where: 'plays >= 0', weight: 1 }]"
    )
    values["operations"] = .integer(20)
    let error = #expect(throws: Refusal.self) { try makeSongs().verify(values) }
    #expect("\(error as Any)".contains("no object of 'Song' is left"))
  }

  @Test func `lead each relationship to the next object in turn`() throws {
    let store = try songs(
      after: "[{ insert: Song, objects: 4, to: { artist: inTurn, genreTag: inTurn } }, save]"
    )
    let tags =
      "SELECT group_concat(ZGENRETAG) FROM (SELECT * FROM ZSONG WHERE Z_PK > 12 ORDER BY 1)"
    #expect(try store.text(tags) == "1,2,1,2")
    let artists = tags.replacing("ZGENRETAG", with: "ZARTIST")
    #expect(try store.text(artists) == "1,2,3,1")
  }

  @Test func `number an order without the objects that the same save deletes`() throws {
    let store = try songs(after: "[{ delete: Song }, { insert: Song, to: { artist: 1 } }, save]")
    let places =
      "SELECT group_concat(Z_FOK_ARTIST) FROM (SELECT * FROM ZSONG WHERE ZARTIST = 1 "
      + "ORDER BY Z_PK)"
    #expect(try store.text(places) == "2048,3072,4096,5120")
  }

  @Test func `keep new values within the model's limits`() throws {
    let store = try songs(after: "[{ update: Song, objects: 12, set: [stars] }, save]")
    #expect(try store.integer("SELECT count(*) FROM ZSONG WHERE ZSTARS BETWEEN 1 AND 5") == 12)
  }

  @Test func `find a number of a list however it is stored`() throws {
    let steps = """
      [{ update: Song, where: 'plays == 1', set: { rating: 5 } }, save, \
      { fetch: Song, where: 'rating IN {5.0, 4.5}' }]
      """
    #expect(try songs(after: steps).figures["step.fetch.turns"] == 1)
  }

  @Test func `have sizes of at least nothing, the first in the unit of the second`() {
    #expect(Step.Numbers("-5 KB", isInBytes: true) == nil)
    #expect(Step.Numbers("5 KB to 3 MB", isInBytes: true)?.low == 5 << 10)
    let sizes = Step.Numbers("50 to 60 KB", isInBytes: true)
    #expect(sizes?.low == 50 << 10 && sizes?.high == 60 << 10)
    #expect(Step.Numbers("500 to 600", isInBytes: true)?.low == 500)
    #expect(Step.Numbers("1 to 2 kB", isInBytes: true)?.high == 2 << 10)
    #expect(Step.Numbers("50 KB to 60", isInBytes: true) == nil)
  }

  @Test(arguments: [
    ("company == 3", false, false), ("ANY tags == 2", true, false),
    ("NOT (a == 1 OR name CONTAINS[cd] 'x')", false, true),
    ("name == 'CONTAINS[cd]'", false, false),
    ("germany == 1 AND", false, false),
  ])
  func `need functions of the frameworks only for what is in the condition`(
    condition: String,
    any: Bool,
    search: Bool
  ) {
    #expect(Condition.usesAny(condition) == any)
    #expect(Condition.searchesText(condition) == search)
  }
}
