import Basics
import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests the spelling of steps, with twelve songs of three artists.
@Suite struct `The steps of a file` {
  @Test(arguments: [
    ("update: Song, where: '', set: [name]", "leave it out, or write 'objects: all'"),
    ("fetch: Song, where: '  '", "'where' is empty: leave it out"),
    ("update: Song, where: 'plays == 1', objects: 2, set: [name]", "then write 'from: NAME' here"),
    (
      "fetch: Song, choose: zipfian, objects: 5, where: 'plays == 1'",
      "'choose' and 'where' exclude each other"
    ),
    ("insert: Song, objects: all", "'objects' must be a number here"),
    ("fetch: Song, as: a/b", "must be up to 40 letters, digits, '_' and '-'"),
    ("fetch: Song, follow: [artist, lyrics]", "'follow' takes one name, not 2"),
    ("insert: Song, blobs: { cover: 50 KB to 60 }", "the units are B, KB and MB"),
    (
      "insert: Song, set: { name: x }, blobs: { name: 2 KB }",
      "'name' is in 'set' and in 'blobs': leave it out of one of them"
    ),
    (
      "update: Song, set: [plays, name], blobs: { name: 2 KB }",
      "'name' is in 'set' and in 'blobs': leave it out of one of them"
    ),
  ])
  func `are read with one sentence for each mistake`(_ step: String, _ reason: String) throws {
    let diagnostics = Diagnostics(file: "steps.yaml")
    let value = try #require(YAMLDocument.parse("[{ \(step) }]", into: diagnostics))
    _ = StepReader.form.read(value)
    let found = diagnostics.all.map(\.message)
    #expect(found.count == 1 && found[0].contains(reason), "\(found)")
  }

  @Test(arguments: [
    (
      "[{ fetch: Tag, as: insert }, { insert: Tag }, save]",
      "'as: insert' names the part of 'insert Tag': choose another name"
    ),
    (
      "[{ background: [{ update: Song, set: [name] }], beside: { fetch: Tag }, as: a }]",
      "nothing saves its changes"
    ),
    ("[{ insert: Tag, upsert: name, set: { name: x } }, save]", "leave it out of 'set'"),
    (
      "[{ insert: Tag }, { update: Tag, set: { name: x }, batchRequest: true }]",
      "it would go past what was changed before"
    ),
    ("[{ update: Song, set: { stars: -1 } }, save]", "write such a value, or '+-1' to subtract"),
    ("[{ update: Song, set: { name: +1 } }, save]", "is a text, to which nothing is added"),
    ("[{ update: Song, set: [cover] }, save]", "write 'blobs: { cover: 10 KB }'"),
    (
      "[{ update: Song, set: { lastPlayed: 2026-05-01 10:00 } }, save]",
      "write a date as 2026-04-01, 2026-04-01T12:00:00Z or 2026-04-01T12:00:00+02:00"
    ),
    ("[{ fetch: Song, where: \"lastPlayed > '2025-01-01'\" }]", "write a date without quotes"),
  ])
  func `are planned with one sentence for each mistake`(_ steps: String, _ reason: String) throws {
    let found = try makeSongs().misfits(steps)
    #expect(found.count == 1 && found[0].contains(reason), "\(found)")
  }

  @Test func `may merge others, and have names of letters, digits and signs`() throws {
    let store = try songs(
      after: """
        - &page { fetch: Song, follow: [artist], sort: name, limit: 5, as: größte-2_a }
        - { <<: *page, limit: 7, as: again }
        """
    )
    #expect(store.figures["step.größte-2_a.objects"] == 5)
    #expect(store.figures["step.again.objects"] == 7)
  }

  @Test func `may read less than they say, which the plan notes`() throws {
    let fit = try makeSongs().fit(songValues("[{ fetch: Song, limit: 10, read: 20 }]"))
    #expect(fit.misfits.isEmpty)
    #expect(fit.notes.contains { $0.contains("10 objects of its 'limit', not 'read: 20'") })
  }

  @Test func `have times with an offset`() throws {
    let store = try songs(
      after: """
        - { update: Song, objects: 2, set: { lastPlayed: 2026-05-01T10:00:00+02:00 } }
        - save
        - fetch: Song
          where: "lastPlayed == 2026-05-01T08:00:00Z AND lastPlayed < 2026-05-01T02:30:00-06:00"
          as: list
        """
    )
    #expect(store.figures["step.list.objects"] == 2)
  }

  // MARK: Values that must be unique

  /// A bench of four people with unique codes and unique pairs of names.
  private func makePeople() throws -> KindBench<ScenarioWorkload> {
    let names = ["first", "last", "code"]
    let model = Model(entities: [
      Entity(
        name: "Person",
        attributes: names.map { Attribute(name: $0, type: .string) },
        uniquenessConstraints: [["first", "last"], ["code"]]
      )
    ])
    return try KindBench(model: model) { context in
      for number in 0..<4 {
        let person = try context.insert("Person")
        try person.setValue(.text("a"), of: "first")
        try person.setValue(.text("last \(number)"), of: "last")
        try person.setValue(.text("code \(number)"), of: "code")
      }
    }
  }

  @Test(arguments: ChangeEngine.built)
  func `set a unique value in one object, and parts of a unique pair in many`(
    _ engine: ChangeEngine
  ) throws {
    let steps = """
      - { insert: Person, objects: 3, set: { first: a } }
      - save
      - { update: Person, objects: 4, set: { first: b } }
      - { update: Person, objects: 1, set: { code: new } }
      - { insert: Person, set: { code: newer } }
      - save
      - { update: Person, objects: all, set: [code] }
      - save
      """
    let bench = try makePeople()
    #expect(try bench.misfits(steps, engine) == [])
    let store = try bench.outcome(of: steps, engine)
    #expect(try store.integer("SELECT count(*) FROM ZPERSON WHERE ZFIRST = 'b'") == 4)
    #expect(try store.integer("SELECT count(DISTINCT ZCODE) FROM ZPERSON") == 8)
  }

  @Test(arguments: [
    ("update: Person, objects: 2, set: { code: same }", "'code' must be unique, and several"),
    ("update: Person, objects: all, set: { first: x, last: y }", "'first', 'last' must be unique"),
    ("insert: Person, upsert: code, set: { code: x }", "leave it out of 'set'"),
    ("update: Person, blobs: { last: 1 KB }", "must be unique: leave it out of 'blobs', and write"),
  ])
  func `are refused where several objects would get a unique value`(
    _ step: String,
    _ reason: String
  ) throws {
    let found = try makePeople().misfits("[{ \(step) }, save]")
    #expect(found.count == 1 && found[0].contains(reason), "\(found)")
  }

  @Test(arguments: [
    "update: Person, objects: 1, set: { code: code 3 }",
    "insert: Person, set: { code: new }, times: 2",
  ])
  func `fail if another object has a unique value`(_ step: String) throws {
    let values = try songValues("[{ \(step) }, save]")
    let error = #expect(throws: Refusal.self) { try makePeople().verify(values) }
    let text = "\(error as Any)"
    #expect(text.contains("line 1, '") && text.contains("'code' must be unique"), "\(text)")
  }
}
