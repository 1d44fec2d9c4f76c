import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// A bench of forty notes in four folders, with tags, and with two comments per note, deleted with
/// it.
private func makeBench(
  _ rule: DeleteRule = .cascade,
  keepsHistory: Bool = true
) throws -> KindBench<ScenarioWorkload> {
  let model = Model(entities: [
    .folder(deleteRule: rule),
    Entity(
      name: "Note",
      attributes: [
        Attribute(name: "title", type: .string), Attribute(name: "place", type: .integer32),
        Attribute(name: "code", type: .string), Attribute(name: "changedAt", type: .date),
        Attribute(name: "photo", type: .binary),
        Attribute(name: "scan", type: .binary, allowsExternalStorage: true),
      ],
      relationships: [
        Relationship(name: "folder", destination: "Folder", inverse: "notes"),
        Relationship(
          name: "comments",
          destination: "Comment",
          inverse: "note",
          isToMany: true,
          deleteRule: .cascade
        ),
        Relationship(name: "tags", destination: "Tag", inverse: "notes", isToMany: true),
      ],
      uniquenessConstraints: [["code"]]
    ),
    Entity(
      name: "Comment",
      attributes: [Attribute(name: "text", type: .string)],
      relationships: [Relationship(name: "note", destination: "Note", inverse: "comments")]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(name: "notes", destination: "Note", inverse: "tags", isToMany: true)
      ]
    ),
  ])
  return try KindBench(model: model, keepsHistory: keepsHistory) { context in
    let tags = try (0..<3).map { number in
      let tag = try context.insert("Tag")
      try tag.setValue(.text("tag \(number)"), of: "name")
      return tag
    }
    var folder: ManagedObject?
    for number in 0..<40 {
      if number % 10 == 0 {
        folder = try context.insert("Folder")
        try folder?.setValue(.text("folder \(number / 10)"), of: "name")
      }
      let note = try context.insert("Note")
      try note.setValue(.text("\(["call", "buy"][number % 2]) \(number)"), of: "title")
      try note.setValue(.integer(Int64(number * 7 % 40)), of: "place")
      try note.setValue(.text("code \(number)"), of: "code")
      try note.setTarget(folder, of: "folder")
      try note.add(tags[number % 3], to: "tags")
      for index in 0..<2 {
        let comment = try context.insert("Comment")
        try comment.setValue(.text("comment \(index) on \(number)"), of: "text")
        try comment.setTarget(note, of: "note")
      }
    }
  }
}

private func values(
  _ steps: String,
  _ more: [String: ParameterValue] = [:]
) throws -> [String: ParameterValue] {
  let diagnostics = Diagnostics(file: "steps.yaml")
  let value = try #require(YAMLDocument.parse(steps, into: diagnostics))
  let axis = try #require(ScenarioWorkload.axes.first { $0.name == "steps" })
  let read = axis.readValues(value)
  #expect(diagnostics.all.isEmpty, "\(diagnostics.all)")
  return ["steps": try #require(read?.first?.value)].merging(more) { $1 }
}

private func engine(_ engine: ChangeEngine) -> [String: ParameterValue] {
  ["engine": .text(engine.rawValue)]
}

/// The problems found when steps are checked against the store of forty notes.
private func misfits(
  _ steps: String,
  _ more: [String: ParameterValue] = [:]
) throws -> [String] {
  try makeBench().fit(values(steps, more)).misfits.map(\.reason)
}

/// The problems found when steps are read.
private func misreadings(_ steps: String) throws -> [String] {
  let diagnostics = Diagnostics(file: "steps.yaml")
  let value = try #require(YAMLDocument.parse(steps, into: diagnostics))
  #expect(StepReader.form.read(value) == nil || !diagnostics.all.isEmpty)
  return diagnostics.all.map(\.message)
}

@Suite struct `A scenario` {
  private func counts(_ opened: KindBench<ScenarioWorkload>.Opened) throws -> [Int64] {
    let connection = try opened.trial.store.plainConnection()
    return try ["ZFOLDER", "ZNOTE", "ZCOMMENT"].map {
      try connection.integer("SELECT count(*) FROM \($0)") ?? -1
    }
  }

  @Test(arguments: ChangeEngine.built)
  func `does its steps one after the other, with the same outcome by every engine`(
    _ built: ChangeEngine
  ) throws {
    let bench = try makeBench()
    let opened = try bench.open(
      values(
        """
        - { insert: Note, objects: 5, to: { folder: uniform }, blobs: { photo: 1 KB to 8 KB } }
        - save
        - { fetch: Note, where: "place >= 30", sort: [-place], as: list }
        - { count: Note, where: "title BEGINSWITH 'call'" }
        - { update: Note, objects: 3, set: [title, place] }
        - save
        - { delete: Folder, as: cleanUp }
        - { save }
        """.replacing("{ save }", with: "save"),
        engine(built)
      )
    )
    _ = try opened.finish()
    let left = try counts(opened)
    #expect(left[0] == 3)
    let gone = 45 - left[1]
    // The deleted notes are the folder's ten notes, and the new notes that the seed put into the
    // folder.
    #expect((10...15).contains(gone))
    #expect(left[2] == 80 - 20)
    let figures = opened.figures
    #expect(figures["step.list.turns"] == 1)
    #expect(figures["step.save.turns"] == 3)
    guard built != .grdb else { return }
    let parts = ["insert", "save", "list", "count", "update", "cleanUp"]
    for name in ["statementsRun", "vmSteps", "cacheWrites"] {
      let sum = parts.reduce(0) { $0 + (figures["step.\($1).\(name)"] ?? 0) }
      #expect(sum == figures["sqlite.\(name)"], "\(name)")
    }
  }

  @Test(arguments: ChangeEngine.built)
  func `finds objects by what belongs to related ones`(_ built: ChangeEngine) throws {
    let bench = try makeBench()
    let opened = try bench.open(
      values(
        """
        - { fetch: Comment, where: "note.folder.name == 'folder 1' && note.place >= 20", as: list }
        - { count: Note, where: "ANY tags.name IN {'tag 1', 'tag 2'}" }
        - { update: Note, where: "folder.name != 'folder 3' && !(place < 20)", set: { title: new } }
        - save
        - { delete: Comment, where: "note.folder.name == 'folder 2' || note == nil" }
        - save
        """,
        engine(built)
      )
    )
    _ = try opened.finish()
    let connection = try opened.trial.store.plainConnection()
    #expect(try connection.integer("SELECT count(*) FROM ZCOMMENT") == 60)
    let found =
      "SELECT count(*) FROM ZNOTE WHERE ZPLACE >= 20 "
      + "AND ZFOLDER <> (SELECT Z_PK FROM ZFOLDER WHERE ZNAME = 'folder 3')"
    let changed = try connection.integer("SELECT count(*) FROM ZNOTE WHERE ZTITLE = 'new'")
    #expect(try changed == connection.integer(found))
  }

  @Test func `leaves one content, whoever does it`() throws {
    let bench = try makeBench()
    let steps = """
      - { insert: Note, objects: 7, to: { folder: zipfian } }
      - save
      - { update: Note, objects: 9, choose: uniform, set: [title] }
      - { delete: Comment, objects: 4, choose: latest }
      - save
      """
    let digests = try ChangeEngine.built.map { try bench.verify(values(steps, engine($0))).digest }
    #expect(Set(digests).count == 1)
  }

  @Test(arguments: ChangeEngine.built)
  func `keeps notes that lose their folder, with their next version`(_ built: ChangeEngine) throws {
    let bench = try makeBench(.nullify)
    let opened = try bench.open(
      values("[{ delete: Folder, objects: 2, choose: uniform }, save]", engine(built))
    )
    _ = try opened.finish()
    let connection = try opened.trial.store.plainConnection()
    #expect(try connection.integer("SELECT count(*) FROM ZNOTE WHERE ZFOLDER IS NULL") == 20)
    #expect(try connection.integer("SELECT count(*) FROM ZNOTE WHERE Z_OPT = 2") == 20)
    #expect(try counts(opened) == [2, 40, 80])
  }

  @Test(arguments: ChangeEngine.built)
  func `says what a deletion takes along, what stays behind and what the history keeps`(
    _ built: ChangeEngine
  ) throws {
    let nullify = try makeBench(.nullify)
    let steps = "[{ delete: Folder, objects: 2, as: remove }, save]"
    let kept = try nullify.open(values(steps, engine(built)))
    let notes = try kept.finish().notes
    #expect(kept.figures["step.remove.removed"] == 2)
    #expect(kept.figures["step.remove.leftBehind"] == 20)
    #expect(notes.first == "2 objects deleted; 20 objects that stay lost a to-one")
    // Plain SQL does not record history.
    let recorded = built == .objectGraph ? 2 : 0
    #expect(notes.last?.hasPrefix("history: \(recorded) deletions recorded") == true, "\(notes)")
    let cascades = try makeBench(.cascade)
    let cascade = try cascades.open(values(steps, engine(built)))
    // Releasing the bench removes its stores.
    _ = try withExtendedLifetime(cascades) { try cascade.finish() }
    // The 2 deleted folders have 10 notes each, and a note has 2 comments: 2 + 20 + 40.
    #expect(cascade.figures["step.remove.removed"] == 62)
    #expect(cascade.figures["step.remove.leftBehind"] == 0)
  }

  @Test func `holds a chunk's objects at most, where each chunk is let go of`() throws {
    let bench = try makeBench()
    func most(_ rest: String) throws -> Double {
      let steps = "[{ delete: Note, where: \"place < 32\", \(rest)as: sweep }, save]"
      let opened = try bench.open(values(steps))
      _ = try opened.finish()
      return opened.figures["step.sweep.mostHeld"] ?? -1
    }
    let (whole, chunks) = (try most(""), try most("chunk: 4, "))
    #expect(whole >= 96)
    #expect(chunks > 0 && chunks <= whole / 4, "\(chunks) of \(whole)")
  }

  @Test(arguments: [ChangeEngine.objectGraph, .bareSQL])
  func `deletes in a second context while a list is read, each list of a saved state`(
    _ built: ChangeEngine
  ) throws {
    let bench = try makeBench()
    let steps = """
      - background: [{ delete: Note, where: "place < 30", chunk: 5 }]
        beside: { fetch: Note, sort: [-place], read: 8 }
        as: cleanUp
      - { count: Note }
      """
    let opened = try bench.open(values(steps, engine(built)))
    _ = try opened.finish()
    #expect(try counts(opened) == [4, 10, 20])
    let figures = opened.figures
    #expect(figures["step.cleanUp.removed"] == 90)
    #expect(figures["step.cleanUp.reads"] ?? 0 >= 1)
    #expect(figures["step.cleanUp.longestRead"] ?? 0 > 0)
    #expect(figures["step.cleanUp.quietRead"] ?? 0 > 0)
    let lists = opened.session.seenBeside.map(\.log.fetched)
    // The reader reads five lists before the second context begins, and at least one during its
    // work.
    #expect(lists.count >= 6)
    #expect(lists.prefix(5).allSatisfy { $0 == 40 })
    #expect(zip(lists, lists.dropFirst()).allSatisfy { $0 >= $1 })
    #expect(lists.allSatisfy { $0.isMultiple(of: 5) })
  }

  @Test(arguments: ChangeEngine.built)
  func `deletes in chunks what a condition names`(_ built: ChangeEngine) throws {
    let bench = try makeBench()
    let opened = try bench.open(
      values("[{ delete: Note, where: \"place < 25\", chunk: 10, as: sweep }]", engine(built))
    )
    _ = try opened.finish()
    #expect(try counts(opened) == [4, 15, 30])
    guard built == .objectGraph else { return }
    #expect(opened.figures["objects.saves"] == 3)
    // Like all other chunks, the last chunk is released.
    #expect(opened.figures["step.sweep.held"] == 0)
    let connection = try opened.trial.store.plainConnection()
    #expect(try connection.integer("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2") == 75)
  }

  @Test func `works on objects that it has kept, without fetching them again`() throws {
    let bench = try makeBench()
    func statements(_ update: String) throws -> Double {
      let opened = try bench.open(
        values(
          """
          - { fetch: Note, sort: [place], limit: 6, keep: shown }
          - { update: Note, \(update), set: [title] }
          - save
          """
        )
      )
      _ = try opened.finish()
      #expect(opened.figures["objects.updated"] == 6)
      return opened.figures["step.update.statementsRun"] ?? -1
    }
    #expect(try statements("from: shown") == 0)
    #expect(try statements("objects: 6") > 0)
  }

  @Test func `follows relationships and prefetches them`() throws {
    let bench = try makeBench()
    func faults(_ prefetch: String) throws -> Double? {
      let opened = try bench.open(
        values("[{ fetch: Note, batch: 10, follow: folder\(prefetch), as: list }]")
      )
      _ = try opened.finish()
      return opened.figures["step.list.faultsFired"]
    }
    #expect(try faults("") == 4)
    #expect(try faults(", prefetch: [folder]") == 0)
  }

  @Test func `finds what contains a text`() throws {
    let bench = try makeBench()
    let opened = try bench.open(values("[{ search: Note, in: title, for: CALL, read: 3 }]"))
    _ = try withExtendedLifetime(bench) { try opened.finish() }
    #expect(opened.session.seen.first?.first?.log.fetched == 20)
    #expect(opened.session.seen.first?.first?.log.keys.count == 3)
  }

  @Test(arguments: ChangeEngine.built)
  func `draws its steps by their weights, the same ones for each engine`(
    _ built: ChangeEngine
  ) throws {
    let bench = try makeBench()
    let steps = """
      - { fetch: Note, choose: zipfian, as: read, weight: 70 }
      - { update: Note, choose: zipfian, set: [title], weight: 20 }
      - { insert: Note, to: { folder: latest }, weight: 10 }
      """
    let opened = try bench.open(
      values(steps, engine(built).merging(["operations": .integer(300)]) { $1 })
    )
    _ = try opened.finish()
    let figures = opened.figures
    let turns = ["read", "update", "insert"].map { figures["step.\($0).turns"] ?? 0 }
    #expect(turns.reduce(0, +) == 300)
    // The expected counts are 210, 60 and 30; the bounds are four standard deviations away.
    #expect((179...241).contains(turns[0]))
    #expect((33...87).contains(turns[1]))
    #expect((10...50).contains(turns[2]))
    #expect(try counts(opened)[1] == 40 + Int64(turns[2]))
  }

  /// The engines are comparable only if each prepares a statement once for all turns, and if both
  /// read with the same number of statements.
  @Test func `prepares each statement once, and reads by as many statements as the other engine`()
    throws
  {
    let bench = try makeBench()
    let steps = """
      - { fetch: Note, choose: zipfian, as: read, weight: 50 }
      - { fetch: Note, where: "place < 20", sort: [-place], limit: 5, as: list, weight: 10 }
      - { count: Note, weight: 10 }
      - { update: Note, choose: uniform, set: [title, place], weight: 30 }
      - { insert: Comment, to: { note: uniform }, weight: 20 }
      - { delete: Comment, choose: latest, weight: 10 }
      """
    func figures(_ operations: Int, _ built: ChangeEngine) throws -> [String: Double] {
      let mix = engine(built).merging(["operations": .integer(operations)]) { $1 }
      let opened = try bench.open(values(steps, mix))
      _ = try opened.finish()
      return opened.figures
    }
    let engines = [ChangeEngine.objectGraph, .bareSQL]
    let many = try engines.map { try figures(400, $0) }
    for (built, most) in zip(engines, many) {
      let few = try figures(200, built)
      func more(_ name: String) -> Double { (most[name] ?? 0) - (few[name] ?? 0) }
      // After each save, an object context reads the number of free pages with two PRAGMA
      // statements.
      #expect(more("sqlite.statementsPrepared") == 2 * more("objects.saves"), "\(built)")
      #expect(more("sqlite.statementsRun") > 200)
    }
    for part in ["read", "list", "count"] {
      let counts = many.map { $0["step.\(part).statementsRun"] ?? 0 }
      let turns = many[0]["step.\(part).turns"] ?? 0
      #expect(turns > 20 && counts[0] == counts[1], "\(part): \(counts)")
      // Each turn runs one statement; the table of keys needs one more.
      #expect((turns...turns + 1).contains(counts[0]), "\(part): \(counts[0]) of \(turns)")
    }
  }

  @Test func `finds each outcome that is made wrong`() throws {
    let bench = try makeBench()
    let tally = try bench.mutations(
      after: values(
        """
        - { insert: Note, objects: 5, to: { folder: uniform }, blobs: { photo: 2 KB, scan: 200 KB } }
        - save
        - { update: Note, objects: 3, set: [title] }
        - { delete: Note, objects: 2 }
        - save
        """
      )
    )
    #expect(tally.missed.isEmpty, "\(tally.missed)")
  }

  // MARK: Refused scenarios

  @Test(
    arguments: [
      ("[{ fetch: Nota }]", "the store has no entity 'Nota'"),
      ("[{ fetch: Note, where: \"titel == 'x'\" }]", "'titel'"),
      ("[{ count: Note, where: \"folder.nme == 'x'\" }]", "'Folder' has no stored attribute 'nme'"),
      ("[{ insert: Note }]", "no 'save' follows"),
      ("[{ insert: Note }, { count: Note }, save]", "put 'save' before"),
      ("[{ update: Note, set: [title] }, reset]", "put 'save' before it"),
      ("[{ update: Note, objects: 2, set: { code: same } }, save]", "must be unique"),
      ("[{ update: Note, set: [photo] }, save]", "gets no new value"),
      (
        "[{ insert: Note, blobs: { place: 1 KB } }, save]",
        "'place' is of type integer32, and 'blobs' takes binary and string attributes"
      ),
      ("[{ insert: Note, to: { comments: uniform } }, save]", "is a to-many"),
      ("[{ fetch: Note, weight: 2 }]", "set 'operations'"),
      ("[{ delete: Note, objects: 60 }, save]", "it picks 60 of 40 objects"),
      (
        "[{ fetch: Note, keep: a }, reset, { update: Note, from: a, set: [title] }, save]",
        "before a reset"
      ),
      ("[{ update: Note, from: a, set: [title] }, save]", "no step before it keeps 'a'"),
      (
        "[{ background: [{ delete: Note }], beside: { fetch: Note }, as: a }]",
        "nothing saves its changes"
      ),
      (
        "[{ insert: Note }, { background: [{ delete: Tag }, save], beside: { fetch: Note }, as: a }]",
        "put 'save' before"
      ),
    ]
  )
  func `refuses in the plan what cannot be done`(steps: String, reason: String) throws {
    let found = try misfits(steps)
    #expect(found.contains { $0.contains(reason) }, "\(found)")
  }

  @Test func `refuses a mix that deletes all it reads`() throws {
    let mix: [String: ParameterValue] = ["operations": .integer(200)]
    let steps = "[{ fetch: Note, choose: uniform, weight: 3 }, { delete: Note, weight: 1 }]"
    #expect(try misfits(steps, mix).contains { $0.contains("leaves nothing to work on") })
    let beside =
      "[{ background: [{ update: Note, set: [title] }, save], beside: { fetch: Note }, as: a, weight: 1 }]"
    #expect(try misfits(beside, mix).contains { $0.contains("it is no operation of a mix") })
    let balanced = "[{ insert: Note, weight: 1 }, { delete: Note, weight: 1 }]"
    #expect(try misfits(balanced, mix) == [])
  }

  @Test(
    arguments: [
      ("[{ fetch: Note, weight: 0 }]", "more than 0"),
      ("[{ fetsh: Note }]", "fetch"),
      ("[fetch]", "needs its entity"),
      ("[{ fetch: Note, wher: x }]", "where"),
      ("[{ fetch: Note, insert: Note }]", "two steps at once"),
      ("[{ fetch: Note, choose: uniform, limit: 3 }]", "exclude each other"),
      ("[{ do: [{ fetch: Note }] }]", "as: NAME"),
      ("[{ insert: Note, blobs: { photo: large } }]", "must be a size"),
      ("[{ update: Note }]", "'set' is missing"),
      ("[{ background: [{ delete: Note }, save], as: a }]", "'beside' is missing"),
      (
        "[{ background: [{ delete: Note }, save], beside: { count: Note }, as: a }]",
        "'beside' must be a fetch"
      ),
      (
        "[{ background: [{ fetch: Note }], beside: { fetch: Note }, as: a }]", "only changes"
      ),
      ("[{ background: [{ delete: Note }, save], beside: { fetch: Note } }]", "as: NAME"),
      (
        "[{ background: [{ delete: Note }, save], beside: { fetch: Note, batch: 5 }, as: a }]",
        "use 'limit'"
      ),
    ]
  )
  func `refuses while reading what means nothing`(steps: String, reason: String) throws {
    let found = try misreadings(steps)
    #expect(found.contains { $0.contains(reason) }, "\(found)")
  }
}
