import DataModel
import PersistentStore
import SQLite
import Testing

@testable import Runner
@testable import WorkloadKinds

/// A bench of twelve notes: three in each of three notebooks, and three without a notebook.
///
/// Two of these notebooks belong to the first person, one to nobody; a fourth is empty.
private func makeNotes() throws -> KindBench<ScenarioWorkload> {
  let name = Attribute(name: "name", type: .string)
  let model = Model(entities: [
    Entity(
      name: "Note",
      attributes: [name],
      relationships: [Relationship(name: "notebook", destination: "Notebook", inverse: "notes")]
    ),
    Entity(
      name: "Notebook",
      attributes: [name],
      relationships: [
        Relationship(name: "owner", destination: "Person", inverse: "notebooks"),
        Relationship(name: "notes", destination: "Note", inverse: "notebook", isToMany: true),
      ]
    ),
    Entity(
      name: "Person",
      attributes: [name],
      relationships: [
        Relationship(name: "notebooks", destination: "Notebook", inverse: "owner", isToMany: true)
      ]
    ),
  ])
  return try KindBench(model: model) { context in
    func make(_ entity: String, _ number: Int) throws -> ManagedObject {
      let object = try context.insert(entity)
      try object.setValue(.text("\(entity) \(10 + number)"), of: "name")
      return object
    }
    let people = try (0..<2).map { try make("Person", $0) }
    let notebooks = try (0..<4).map { try make("Notebook", $0) }
    for (notebook, person) in [(0, 0), (1, 0), (3, 1)] {
      try notebooks[notebook].setTarget(people[person], of: "owner")
    }
    for number in 0..<12 {
      let note = try make("Note", number)
      if number % 4 < 3 { try note.setTarget(notebooks[number % 4], of: "notebook") }
    }
  }
}

private let longPath = Array(repeating: "notebook.notes", count: 17).joined(separator: ".")

@Suite struct `A step along a key path` {
  /// The numbers of prepared statements, loaded rows and fired faults of a step.
  private func work(_ step: String) throws -> (statements: Int, rows: Double?, faults: Double?) {
    let bench = try makeNotes()
    let opened = try bench.open(songValues("[{ \(step), as: list }]"))
    var statements: [String] = []
    opened.session.store.connection.onPrepare = { statements.append($0) }
    _ = try withExtendedLifetime(bench) { try opened.finish() }
    let figures = opened.figures
    let count = statements.filter { $0.hasPrefix("SELECT 0, t0.Z_PK") }.count
    return (count, figures["step.list.materialised"], figures["step.list.faultsFired"])
  }

  @Test(arguments: ["[notebook.owner]", "[notebook, notebook.owner]"])
  func `prefetches each level by one statement, and each object once`(_ paths: String) throws {
    let found = try work("fetch: Note, prefetch: \(paths), follow: notebook.owner")
    #expect(found.statements == 3)
    // The rows are of twelve notes, three notebooks and one person.
    #expect(found.rows == 16)
    #expect(found.faults == 0)
  }

  @Test func `prefetches with each batch`() throws {
    let found = try work(
      "fetch: Note, sort: name, batch: 4, prefetch: notebook.owner, follow: notebook.owner"
    )
    // Four statements read the keys, a batch's rows, their notebooks and the notebooks' owner.
    #expect(found.statements == 4)
    // For the second and third batch, notebooks and owner are already in memory.
    #expect(found.rows == 16)
    #expect(found.faults == 0)
  }

  @Test func `fires a fault for each object on the way that is not in memory`() throws {
    let plain = try work("fetch: Note, follow: notebook.owner")
    #expect(plain.rows == 16)
    // Faults fire for three notebooks and one person.
    #expect(plain.faults == 4)
    let partly = try work("fetch: Note, prefetch: notebook, follow: notebook.owner")
    #expect(partly.rows == 16)
    #expect(partly.faults == 1)
  }

  @Test func `leads through to-manys`() throws {
    let prefetched = try work("fetch: Person, prefetch: notebooks.notes, follow: notebooks.notes")
    #expect(prefetched.statements == 3)
    // The rows are of two people, three notebooks and six notes.
    #expect(prefetched.rows == 11)
    #expect(prefetched.faults == 0)
    let plain = try work("fetch: Person, follow: notebooks.notes")
    #expect(plain.rows == 11)
    // Faults fire for three notebooks, six notes, and the to-manys of two people and three
    // notebooks.
    #expect(plain.faults == 14)
  }

  @Test(arguments: ["", ", prefetch: notebook.owner"])
  func `is verified to its end`(_ prefetch: String) throws {
    let bench = try makeNotes()
    let opened = try bench.open(
      songValues("[{ fetch: Note, follow: notebook.owner\(prefetch) }]")
    ) { trial in
      try Connection(path: trial.store.path)
        .execute("UPDATE ZNOTEBOOK SET ZOWNER = 1 WHERE ZOWNER IS NULL")
    }
    let error = #expect(throws: VerificationFailure.self) {
      try withExtendedLifetime(bench) { try opened.finish() }
    }
    let findings = error?.findings ?? []
    let reason = "what 'notebook.owner' of 12 objects of 'Note' leads to is not what was read"
    #expect(findings.contains { $0.contains(reason) }, "\(findings)")
  }

  @Test func `says what is assumed of prefetching`() throws {
    let bench = try makeNotes()
    for (name, isAssumed) in [("notebook", false), ("notebook.owner", true)] {
      let steps = "[{ fetch: Note, prefetch: \(name), follow: notebook.owner }]"
      let behaviours = try bench.workload(songValues(steps)).traits.behaviours
      #expect(
        behaviours.contains { $0.name == "prefetchPath" && $0.evidence == .assumed } == isAssumed
      )
    }
  }

  @Test(arguments: [
    ("prefetch: notebok.owner", "'Note' has no stored relationship 'notebok'; did you mean"),
    ("prefetch: [notebook.ownr]", "'Notebook' has no stored relationship 'ownr'; did you mean"),
    ("follow: notebook.name.owner", "'Notebook' has no stored relationship 'name'"),
    ("follow: notebook.owner.name", "an attribute of 'Person': write 'notebook.owner'"),
    ("follow: notebook.", "'Notebook' has no stored relationship ''"),
    ("follow: \(longPath)", "a path of 34 relationships is too long"),
  ])
  func `is refused where a name is unknown`(_ key: String, _ reason: String) throws {
    let found = try makeNotes().misfits("[{ fetch: Note, \(key) }]")
    #expect(found.count == 1 && found[0].contains(reason), "\(found)")
  }

  @Test func `is refused where it comes back and a second context changes the store`() throws {
    let steps = """
      - { fetch: Note, prefetch: PATH }
      - background: [{ update: Note, set: [name] }, save]
        beside: { fetch: Note, sort: name, limit: 5, prefetch: PATH }
        as: change
      """
    let bench = try makeNotes()
    #expect(try bench.misfits(steps.replacing("PATH", with: "notebook.owner")) == [])
    let found = try bench.misfits(steps.replacing("PATH", with: "notebook.notes"))
    #expect(found.count == 2, "\(found)")
    #expect(found.allSatisfy { $0.contains("comes back to a table") })
  }
}
