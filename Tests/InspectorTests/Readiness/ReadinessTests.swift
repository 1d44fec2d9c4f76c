import Basics
import DataModel
import Foundation
import PersistentStore
import Reporting
import Testing

@testable import Inspector

@Suite struct ReadinessTests {
  private static let insert = [
    "INSERT INTO ZFOLDER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)",
    "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSTARS, ZFOLDER) VALUES (1, 2, 1, 'a', 1, 1), "
      + "(2, 2, 1, 'a', NULL, NULL), (3, 2, 1, 'b', NULL, 1)",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT < 100",
  ]

  private func store(_ fixture: ModelFixture, history: Bool = true) throws -> ModelInput {
    try fixture.store(
      "old.sqlite",
      [ModelFixture.note, ModelFixture.folderEntity],
      history: history,
      Self.insert[0],
      Self.insert[1],
      Self.insert[2]
    )
  }

  private func readiness(
    _ old: ModelInput,
    _ new: ModelInput? = nil,
    target: TargetSystem? = .ios18
  ) throws -> Readiness {
    Readiness(
      try ModelComparison(from: old, to: new ?? old, target: target),
      survey: try old.store.map { try StoreSurveyor($0.store).survey() },
      hasNewSide: new != nil
    )
  }

  private func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private func isSmall(_ text: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    // A line over 80 characters is accepted only if it contains a long path.
    return lines.count <= 15 && lines.allSatisfy { $0.count <= 80 || $0.contains("old.sqlite \\") }
  }

  @Test func `a store that SwiftData can take is ready, with the next command`() throws {
    let fixture = try ModelFixture()
    let store = try store(fixture)
    let readiness = try readiness(store)
    #expect(readiness.isReady)
    #expect(readiness.way == .lightweight)
    #expect(readiness.next.hasPrefix("storebench schema generate "))
    #expect(readiness.text.hasPrefix("old.sqlite is ready for SwiftData on iOS 18"))
    #expect(readiness.checked.contains("values and files of 4 objects"))
    #expect(isSmall(readiness.text))
    let alone = try self.readiness(store, target: nil)
    #expect(
      alone.headline.hasPrefix("Nothing was found in old.sqlite that is in the way of a migration")
    )
  }

  @Test func `a store without history is ready, since SwiftData keeps it from then on`() throws {
    let fixture = try ModelFixture()
    let readiness = try readiness(store(fixture, history: false))
    #expect(readiness.isReady)
    #expect(!readiness.text.contains("history"), "\(readiness.text)")
    #expect(!readiness.text.contains("read-only"))
  }

  @Test func `what decides the version and SwiftData lacks makes one inferred migration`() throws {
    let fixture = try ModelFixture()
    var marked = ModelFixture.folderEntity
    marked.versionHashModifier = "2"
    var shown = ModelFixture.note
    shown.attributes.append(Attribute(name: "isShown", type: .boolean, isTransient: true))
    let list = Entity(
      name: "List",
      relationships: [Relationship(name: "items", destination: "Item", isToMany: true)]
    )
    let item = Entity(name: "Item", relationships: [Relationship(name: "of", destination: "List")])
    let cases: [([Entity], String)] = [
      ([Entity(name: "Base", isAbstract: true)], "SwiftData has no abstract entities"),
      ([ModelFixture.note, marked], "SwiftData has no hash modifiers of entities"),
      ([shown, ModelFixture.folderEntity], "SwiftData has no transient properties in a schema"),
      ([list, item], "SwiftData infers inverses that the model lacks"),
    ]
    for (index, (entities, reason)) in cases.enumerated() {
      let readiness = try readiness(fixture.store("\(index).sqlite", entities, history: true))
      #expect(readiness.isReady)
      #expect(readiness.way == .lightweight)
      #expect(readiness.reason == reason + ", so hashes differ")
      let text = words(readiness.text)
      let way = "Way: lightweight, one inferred migration, since \(reason)"
      #expect(text.contains(way), "\(text)")
    }
  }

  @Test func `what does not decide the version needs no migration`() throws {
    let fixture = try ModelFixture()
    var note = ModelFixture.note
    note.userInfo = ["made": "by hand"]
    note.attributes[0].computedDefault = "title()"
    let old = try store(fixture)
    func verdict(_ note: Entity) throws -> Readiness {
      let model = Model(entities: [note, ModelFixture.folderEntity])
      let version = VersionedSchema(name: "current", model: model)
      let new = try ModelInput(path: "Sources", family: ModelFamily(versions: [version]))
      return try readiness(old, new)
    }
    let same = try verdict(note)
    #expect(same.way == .none)
    #expect(same.reason == "the schemas are equal; equal hashes are assumed")
    #expect(same.comparison.match?.version == "current")
    #expect(
      MigrationView(same.comparison).report.verdict?.plain
        == "No migration: the schemas are equal; equal hashes are assumed."
    )
    note.attributes[0].renamingIdentifier = "heading"
    let renamed = try verdict(note)
    #expect(renamed.reason == same.reason)
    #expect(renamed.comparison.dropped.isEmpty)
    #expect(renamed.decisions == same.decisions)
    note.fetchIndexes = [FetchIndex(name: "byTitle", elements: [.init(property: "title")])]
    let indexed = try verdict(note)
    #expect(indexed.way == .none)
    #expect(indexed.reason.hasPrefix("what differs does not decide the version (1 change)"))
  }

  @Test func `hashes that differ without a known change are the reason, not no changes`() throws {
    let fixture = try ModelFixture()
    func store(_ name: String, _ byte: UInt8) throws -> ModelInput {
      try fixture.store(
        name,
        [ModelFixture.note, ModelFixture.folderEntity],
        hashes: ["Note": ModelFixture.hash(byte), "Folder": ModelFixture.hash(2)]
      )
    }
    let readiness = try readiness(store("old.sqlite", 1), store("new.sqlite", 3), target: nil)
    #expect(readiness.way == .lightweight)
    #expect(
      readiness.reason == "the version hashes differ, though no change of the model is known"
    )
  }

  @Test func `one computed default for all objects is a decision`() throws {
    let fixture = try ModelFixture()
    var note = ModelFixture.note
    note.uniquenessConstraints = [["slug"]]
    note.attributes += [
      Attribute(name: "slug", type: .uuid, isOptional: false, computedDefault: "UUID()"),
      Attribute(name: "made", type: .date, isOptional: false, computedDefault: "Date()"),
    ]
    let model = Model(entities: [note, ModelFixture.folderEntity])
    let version = VersionedSchema(name: "current", model: model)
    let new = try ModelInput(path: "Sources", family: ModelFamily(versions: [version]))
    let readiness = try readiness(store(fixture), new)
    #expect(readiness.way == .lightweight)
    let decisions = readiness.decisions.filter { $0.text.contains("one default") }
    #expect(decisions.map(\.places) == [["Note.slug"], ["Note.made"]])
    #expect(decisions.first?.text.hasSuffix("but it has to be unique") == true)
  }

  @Test func `a pair without an entity in common is not ready, in JSON as well`() throws {
    let fixture = try ModelFixture()
    let readiness = try readiness(store(fixture), fixture.model("new", Entity(name: "Song")))
    #expect(readiness.blockers == [])
    #expect(!readiness.isReady)
    #expect(readiness.headline.hasPrefix("old.sqlite needs a copy by a map for SwiftData"))
    #expect(try readiness.jsonText().contains("\"isReady\" : false"))
  }

  @Test func `a transformable attribute keeps its transformer by a lightweight migration`() throws {
    let fixture = try ModelFixture()
    let note = Entity(name: "Note", attributes: [Attribute(name: "tint", type: .transformable)])
    let readiness = try readiness(fixture.store("old.sqlite", [note], history: true))
    #expect(readiness.way == .lightweight)
    let decision = readiness.decisions.first { $0.places == ["Note.tint"] }
    #expect(decision?.advice == "declare it with @Attribute(.transformable(by:))")
    #expect(!readiness.text.contains("Codable"), "\(readiness.text)")
  }

  @Test func `duplicates under a new constraint are a blocker, with their number`() throws {
    let fixture = try ModelFixture()
    let unique = Entity(
      name: "Note",
      attributes: ModelFixture.note.attributes,
      relationships: ModelFixture.note.relationships,
      uniquenessConstraints: [["title"]]
    )
    let new = try fixture.model("new", unique, ModelFixture.folderEntity)
    let readiness = try readiness(store(fixture), new)
    #expect(
      readiness.blockers.map(\.text) == [
        "Note: title becomes unique, but 2 objects have a value that another object has too"
      ]
    )
    #expect(readiness.blockers.map(\.advice) == ["remove the duplicates first"])
    #expect(readiness.text.contains("✗ Note: title becomes unique"))
  }

  @Test func `one object in the way is counted as one`() {
    func sentence(_ kind: ModelComparison.DataObstacle.Kind, _ properties: [String]) -> String {
      ModelComparison.DataObstacle(kind: kind, entity: "Note", properties: properties, count: 1)
        .sentence
    }
    #expect(
      sentence(.missingValues, ["stars"])
        == "Note: stars becomes required, but 1 object has no value; add a default or fill in the "
        + "values first"
    )
    #expect(
      sentence(.madeAbstract, [])
        == "Note: it becomes abstract, but 1 object is not of a sub-entity; make it an object of a "
        + "sub-entity first"
    )
  }

  @Test func `the page says what is in the way, what to decide, and what was checked`() throws {
    let fixture = try ModelFixture()
    var unique = ModelFixture.note
    unique.uniquenessConstraints = [["title"]]
    unique.attributes.removeAll { $0.name == "stars" }
    let new = try fixture.model("new", unique, ModelFixture.folderEntity)
    let old = try store(fixture)
    let survey = try StoreSurveyor(try #require(old.store).store).survey()
    let page = MigrationView(try ModelComparison(from: old, to: new), survey: survey).report
    #expect(
      page.next?.plain
        == "Note: title becomes unique, but 2 objects have a value that another object has too → "
        + "remove the duplicates first; the step drops data: Note.stars → keep it, name its "
        + "successor, or let it go; then inspect the pair again."
    )
    let certainty = try #require(page.certainty?.plain)
    #expect(
      certainty.hasPrefix("Read and checked whole: the model (2 entities), values and files of")
    )
    #expect(certainty.hasSuffix("Not checked: the app's code."))
  }

  @Test func `values are not said to be checked where a part of them was not read`() throws {
    let fixture = try ModelFixture()
    let old = try store(fixture)
    var survey = try StoreSurveyor(try #require(old.store).store).survey()
    survey.findings.append(.gaveUp("notes.sqlite"))
    let comparison = try ModelComparison(from: old, to: old, target: .ios18)
    let certainty = try #require(MigrationView(comparison, survey: survey).report.certainty?.plain)
    #expect(!certainty.contains("values and files"))
    #expect(certainty.contains("Not checked: the app's code, all values (see gaveUp)"))
  }

  @Test func `two equal sides need no step, and the page says what is left to decide`() throws {
    let fixture = try ModelFixture()
    let old = try store(fixture)
    let same = try ModelComparison(from: old, to: old, target: .ios18)
    let next = try #require(MigrationView(same, showsChecklist: true).report.next?.plain)
    #expect(next.hasPrefix("Classes of both frameworks share names: "), "\(next)")
    #expect(!next.contains("inspect the pair again"))
  }

  @Test func `what the sources may have, and how values may be stored, is open and no blocker`()
    throws
  {
    let fixture = try ModelFixture()
    var note = ModelFixture.note
    note.relationships = []
    note.attributes = note.attributes.map { attribute in
      Attribute(name: attribute.name, type: attribute.name == "stars" ? .string : attribute.type)
    }
    var family = ModelFamily(
      versions: [VersionedSchema(name: "current", model: Model(entities: [note]))],
      current: "current"
    )
    family.assumed["current"] = [
      "Note.stars": "an enum", "Note.folder": "its type is unknown", "Folder": "unknown",
    ]
    let old = try store(fixture)
    let open = try readiness(old, ModelInput(path: "Sources", family: family))
    #expect(open.isReady)
    #expect(open.way == .lightweight)
    #expect(open.decisions.contains { $0.places == ["Note.stars"] })
    #expect(!open.decisions.contains { $0.text == "the step drops data" })
    let lacking = open.decisions.first { $0.text.hasPrefix("the sources lack a type") }
    #expect(lacking?.places.contains("Folder") == true)
    family.assumed = [:]
    let firm = try readiness(old, ModelInput(path: "Sources", family: family))
    #expect(firm.way == .copyByMap)
  }

  @Test(arguments: [(["code"], 3), (["title", "code"], 2), (["title", "note"], 0)])
  func `objects that get one default under a new constraint are counted`(
    _ constraint: [String],
    _ count: Int
  ) throws {
    let fixture = try ModelFixture()
    var unique = ModelFixture.note
    unique.uniquenessConstraints = [constraint]
    unique.attributes += [
      Attribute(name: "code", type: .string, isOptional: false, defaultValue: .text("")),
      Attribute(name: "note", type: .string),
    ]
    let new = try fixture.model("new", unique, ModelFixture.folderEntity)
    let blockers = try readiness(store(fixture), new).blockers.map(\.text)
    #expect(blockers.isEmpty == (count == 0))
    #expect(blockers.allSatisfy { $0.contains("but \(count) objects have a value") })
  }

  @Test func `an ordered relationship is a decision, and lightweight stays the way`() throws {
    let fixture = try ModelFixture()
    var folder = ModelFixture.folderEntity
    folder.relationships[0].isOrdered = true
    let old = try fixture.store("old.sqlite", [ModelFixture.note, folder], history: true)
    let readiness = try readiness(old)
    #expect(readiness.isReady)
    #expect(readiness.way == .lightweight)
    #expect(readiness.reason.hasSuffix("not known whether hashes differ (order)"))
    let order = readiness.decisions.first { $0.text == "SwiftData has no ordered relationships" }
    #expect(order?.places == ["Folder.notes"])
    #expect(order?.advice.hasPrefix("first fill an attribute for the position") == true)
  }

  @Test func `names that only a release of Core Data can change are renamed first`() throws {
    let fixture = try ModelFixture()
    let new = try fixture.model(
      "new",
      Entity(
        name: "Memo",
        attributes: [
          Attribute(name: "title", type: .string), Attribute(name: "stars", type: .integer16),
        ],
        relationships: [Relationship(name: "binder", destination: "Binder", inverse: "memos")]
      ),
      Entity(
        name: "Binder",
        relationships: [
          Relationship(name: "memos", destination: "Memo", inverse: "binder", isToMany: true)
        ]
      )
    )
    let old = try fixture.store(
      "old.sqlite",
      [
        Entity(
          name: "CDMemo",
          attributes: [
            Attribute(name: "title", type: .string), Attribute(name: "stars", type: .integer16),
          ],
          relationships: [Relationship(name: "binder", destination: "CDBinder", inverse: "memos")]
        ),
        Entity(
          name: "CDBinder",
          relationships: [
            Relationship(name: "memos", destination: "CDMemo", inverse: "binder", isToMany: true)
          ]
        ),
      ],
      history: true
    )
    let readiness = try readiness(old, new)
    #expect(readiness.way == .renameFirst)
    #expect(readiness.next.contains("--draft-map"))
  }

  @Test func `a model alone says that no data was checked`() throws {
    let fixture = try ModelFixture()
    let model = try fixture.model("m", ModelFixture.note, ModelFixture.folderEntity)
    let readiness = try readiness(model)
    #expect(readiness.headline.contains("as far as models show"))
    #expect(readiness.unchecked.contains("data: give a store"))
    #expect(!readiness.checked.contains { $0.contains("objects") })
  }

  @Test func `a history of half the file is a line with its purge`() throws {
    let fixture = try ModelFixture()
    let changes =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
      + "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
      + "SELECT i, 16001, 0, 2, 1, 1 FROM n"
    let old = try fixture.store(
      "old.sqlite",
      [ModelFixture.note, ModelFixture.folderEntity],
      history: true,
      Self.insert[0],
      Self.insert[1],
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (1, 16002, 1.5)",
      changes
    )
    let readiness = try readiness(old)
    #expect(readiness.history?.contains("20,000 changes") == true)
    #expect(
      readiness.decisions.contains { $0.advice.contains("deleteHistory(before:)") },
      "\(readiness.text)"
    )
  }

  @Test func `many findings stay on 15 lines of 80 columns, and the rest is counted`() throws {
    let fixture = try ModelFixture()
    let entities = (0..<30).map { number in
      Entity(
        name: "AnEntityWithALongNameNumber\(number)",
        isAbstract: number % 2 == 0,
        attributes: [
          Attribute(name: "a", type: .transformable),
          Attribute(name: "b", type: .integer16, derivation: "x.@count", minimum: .integer(0)),
        ],
        fetchIndexes: [
          FetchIndex(name: "p", elements: [.init(property: "b")], partialPredicate: "b > 1")
        ],
        uniquenessConstraints: [["a", "b"]]
      )
    }
    let old = try fixture.store("old.sqlite", entities)
    let readiness = try readiness(old, target: .ios17)
    #expect(isSmall(readiness.text), "\(readiness.text)")
    #expect(readiness.text.contains("more: --format json has them all"))
    #expect(!readiness.text.contains("…"), "\(readiness.text)")
    #expect(readiness.text.contains("Next: storebench "))
  }

  @Test func `inspect begins with the same verdict, and folds changes by entity`() throws {
    let fixture = try ModelFixture()
    let old = try store(fixture)
    let new = try fixture.model(
      "new",
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "title", type: .string), Attribute(name: "due", type: .date),
          Attribute(name: "pages", type: .integer16),
        ]
      )
    )
    let comparison = try ModelComparison(from: old, to: new)
    let survey = try StoreSurveyor(StoreFile(path: old.path)).survey()
    let text = MigrationView(comparison, survey: survey).report.text()
    let verdict = Readiness(comparison, survey: survey)
    #expect(text.hasPrefix(verdict.headline.prefix(40)))
    #expect(text.contains("\nVerdict\n"))
    let folded = text.split(separator: "\n").filter { $0.contains("- Note: ") }
    #expect(folded.count == 1)
  }
}
