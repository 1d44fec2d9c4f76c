import DataModel
import Foundation
import Inspector
import PersistentStore
import Reporting
import Testing

@Suite struct ModelComparisonTests {
  private static let insert = [
    "INSERT INTO ZFOLDER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)",
    "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSTARS, ZFOLDER) VALUES (1, 2, 1, 'a', 1, 1), "
      + "(2, 2, 1, 'a', NULL, NULL), (3, 2, 1, 'b', NULL, 1)",
  ]

  @Test func `counts what a store would lose, and what would make the migration fail`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store(
      "old.sqlite",
      [ModelFixture.note, ModelFixture.folderEntity],
      Self.insert[0],
      Self.insert[1]
    )
    let new = try fixture.model(
      "new",
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "heading", type: .string, renamingIdentifier: "title"),
          Attribute(name: "stars", type: .integer16, isOptional: false),
        ],
        uniquenessConstraints: [["heading"]]
      )
    )
    let comparison = try ModelComparison(from: old, to: new)
    #expect(
      comparison.dropped.map { "\($0.name) \($0.kind) \($0.count ?? -1)" } == [
        "Folder objects 1", "Note.folder relationship 2",
      ]
    )
    #expect(
      comparison.dataObstacles.map(\.sentence) == [
        "Note: heading becomes unique, but 2 objects have a value that another object has too; "
          + "remove the duplicates first",
        "Note: stars becomes required, but 2 objects have no value; add a default or fill in the "
          + "values first",
      ]
    )
    #expect(!comparison.isLightweight)
    #expect(!comparison.isSameVersion)
  }

  @Test func `a fetch whose cost changes by less than 5 % is not said to be unchanged`() throws {
    let fixture = try ModelFixture()
    var indexed = ModelFixture.note
    indexed.fetchIndexes = [FetchIndex(name: "byTitle", elements: [.init(property: "title")])]
    let old = try fixture.store("old.sqlite", [ModelFixture.note, ModelFixture.folderEntity])
    let new = try fixture.model("new", indexed, ModelFixture.folderEntity)
    let drift = try #require(try ModelComparison(from: old, to: new).indexDrift())
    func fetch(_ id: String, steps: Double) -> IndexAdvice.Fetch {
      IndexAdvice.Fetch(
        id: id,
        time: (before: 0.1, after: 0.1),
        pages: (before: nil, after: nil),
        steps: (before: 100, after: steps)
      )
    }
    let advice = IndexAdvice(
      index: try #require(drift.missing.first),
      change: .create,
      bytes: 4096,
      fetches: [fetch("few", steps: 10), fetch("more", steps: 97)],
      save: (before: 0.1, after: 0.1, objects: 10)
    )
    let view = IndexAdviceView(
      store: old.path,
      drift: drift,
      advice: [advice],
      model: new.version.model
    )
    let text = view.report.text().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("changes the cost of 1 of 2 fetches by at least 5 %."), "\(text)")
  }

  @Test func `OLD and NEW that seem to be swapped are told`() throws {
    let fixture = try ModelFixture()
    let entity = Entity(name: "Note")
    func model(_ name: String, _ version: String) throws -> ModelInput {
      let path = fixture.folder + "/\(name).yaml"
      let model = Model(entities: [entity], versionIdentifiers: [version])
      try ModelWriter.text(of: model).write(toFile: path, atomically: true, encoding: .utf8)
      return try ModelInput.read(path: path)
    }
    let (first, second) = (try model("first", "1.9.0"), try model("second", "1.10.0"))
    #expect(try ModelComparison(from: first, to: second).signOfSwap == nil)
    #expect(
      try ModelComparison(from: second, to: first).signOfSwap
        == "OLD is version 1.10.0, NEW version 1.9.0"
    )
  }

  /// The first sign that applies names the older model; no sign is certain.
  @Test(arguments: [
    ("Note", "Memo", "OLD's 'Memo' was 'Note' before, as it is in NEW"),
    ("Note", "Note", "OLD has the hash modifier 2 for 'Note.title', where NEW has none"),
    ("Entry", "Note", "OLD is called 'App 10', NEW 'App 9'"),
  ])
  func `a store named before the earlier one is warned of`(
    _ early: String,
    _ late: String,
    _ sign: String
  ) throws {
    let fixture = try ModelFixture()
    func entity(_ name: String, _ modifier: String?) -> Entity {
      var attribute = Attribute(name: "title", type: .string)
      attribute.versionHashModifier = modifier
      return Entity(
        name: name,
        attributes: [attribute],
        renamingIdentifier: early == "Note" && name == "Memo" ? early : nil
      )
    }
    let first = try fixture.store("App 9.sqlite", [entity(early, nil)])
    let second = try fixture.store("App 10.sqlite", [entity(late, "2")])
    #expect(try ModelComparison(from: first, to: second).signOfSwap == nil)
    let swapped = try ModelComparison(from: second, to: first)
    #expect(swapped.signOfSwap == sign)
    let text = MigrationView(swapped).report.text().split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(text.contains("These look swapped: \(sign)"), "\(text)")
    #expect(try ModelComparison(from: second, to: second).signOfSwap == nil)
  }

  @Test func `counts nothing without a store`() throws {
    let fixture = try ModelFixture()
    let comparison = try ModelComparison(
      from: fixture.model("old", ModelFixture.note, ModelFixture.folderEntity),
      to: fixture.model("new", Entity(name: "Folder"))
    )
    #expect(comparison.dropped.map(\.name) == ["Note"])
    #expect(comparison.dropped.map(\.count) == [nil])
    #expect(comparison.dataObstacles == [])
  }

  @Test func `suspects a rename where names share a word, and nowhere else`() throws {
    let fixture = try ModelFixture()
    let comparison = try ModelComparison(
      from: fixture.model(
        "old",
        Entity(
          name: "Task",
          attributes: [
            Attribute(name: "dueDate", type: .date), Attribute(name: "isDone", type: .boolean),
          ]
        )
      ),
      to: fixture.model(
        "new",
        Entity(
          name: "Task",
          attributes: [
            Attribute(name: "dueOn", type: .date), Attribute(name: "isHidden", type: .boolean),
          ]
        )
      )
    )
    #expect(comparison.suspectedRenames.map(\.former) == ["dueDate"])
    #expect(comparison.suspectedRenames.map(\.name) == ["dueOn"])
  }

  @Test func `breaks each rule of CloudKit once`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.model("old", Entity(name: "Gone"), Entity(name: "Tag"))
    let new = try fixture.model(
      "new",
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "id", type: .uuid, isOptional: false)
        ],
        relationships: [
          Relationship(name: "lone", destination: "Tag", isToMany: true),
          Relationship(
            name: "tags",
            destination: "Tag",
            inverse: "note",
            isToMany: true,
            isOrdered: true,
            isOptional: false,
            deleteRule: .deny
          ),
        ],
        uniquenessConstraints: [["id"]]
      ),
      Entity(
        name: "Tag",
        relationships: [Relationship(name: "note", destination: "Note", inverse: "tags")]
      ),
      configurations: ["Cloud": ["Note"], "Local": ["Tag"]]
    )
    let findings = try ModelComparison(from: old, to: new).cloudKit
    #expect(
      findings.map { "\($0.rule): \($0.places.joined(separator: ", "))" } == [
        "cloudKit.additive: Gone removed", "cloudKit.noUniqueConstraints: Note.id",
        "cloudKit.optionalOrDefault: Note.id", "cloudKit.attributeTypes: ",
        "cloudKit.optionalRelationships: Note.tags", "cloudKit.inverses: Note.lone",
        "cloudKit.noDeny: Note.tags", "cloudKit.noOrder: Note.tags",
        "cloudKit.configurations: Note.lone, Note.tags, Tag.note",
      ]
    )
    let additive = try ModelComparison(from: old, to: old).cloudKit
    #expect(additive.allSatisfy { !$0.isBroken })
  }

  @Test(arguments: [
    (
      TargetSystem.ios17,
      [
        "inheritance", "abstract", "order", "derived", "transformable", "validation", "history",
        "compoundUnique", "indexes", "rTree", "partialIndexes",
      ]
    ),
    (
      .ios18,
      [
        "inheritance", "abstract", "order", "derived", "transformable", "validation",
        "partialIndexes",
      ]
    ),
    (
      .ios26,
      ["abstract", "order", "derived", "transformable", "validation", "partialIndexes"]
    ),
  ])
  func `lists what SwiftData lacks on each system`(
    target: TargetSystem,
    expected: [String]
  ) throws {
    let fixture = try ModelFixture()
    let base = Entity(
      name: "Base",
      isAbstract: true,
      attributes: [
        Attribute(name: "id", type: .uuid, preservesValueOnDeletion: true),
        Attribute(name: "x", type: .double, minimum: .real(0)),
        Attribute(name: "y", type: .double),
        Attribute(name: "tint", type: .transformable),
        Attribute(name: "count", type: .integer64, derivation: "subs.@count"),
      ],
      relationships: [
        Relationship(
          name: "subs",
          destination: "Sub",
          inverse: "base",
          isToMany: true,
          isOrdered: true
        )
      ],
      fetchIndexes: [
        FetchIndex(
          name: "area",
          elements: [.init(property: "x", kind: .rTree), .init(property: "y", kind: .rTree)]
        ),
        FetchIndex(name: "byX", elements: [.init(property: "x")], partialPredicate: "x > 1"),
      ],
      uniquenessConstraints: [["x", "y"]]
    )
    let sub = Entity(
      name: "Sub",
      superentity: "Base",
      relationships: [Relationship(name: "base", destination: "Base", inverse: "subs")]
    )
    let model = try fixture.model("m", base, sub)
    let findings = try ModelComparison(from: model, to: model, target: target).swiftData
    #expect(
      findings.filter(\.isBroken).map { String($0.rule.dropFirst("swiftData.".count)) } == expected
    )
    let cites = findings.allSatisfy { $0.source.url != nil || $0.source.evidence == .assumed }
    #expect(cites)
  }

  @Test func `says what keeps Core Data and SwiftData apart on one store`() throws {
    let fixture = try ModelFixture()
    var note = ModelFixture.note
    note.className = "App.Note"
    let hashes = ["Note": ModelFixture.hash(1), "Folder": ModelFixture.hash(2)]
    let old = try fixture.store("old.sqlite", [note, ModelFixture.folderEntity], hashes: hashes)
    var swiftNote = Entity(name: "Note", attributes: ModelFixture.note.attributes)
    swiftNote.className = Entity.genericClassName
    let new = try fixture.store(
      "new.store",
      [swiftNote],
      hashes: ["Note": ModelFixture.hash(3)],
      configurations: ["default": ["Note"]],
      history: true
    )
    let comparison = try ModelComparison(from: old, to: new)
    #expect(comparison.target == .standard)
    #expect(
      comparison.coexistence.map { "\($0.rule): \($0.places.joined(separator: ", "))" } == [
        "coexistence.sameNames: Folder, Note.folder",
        "coexistence.classNames: class App.Note of Note", "coexistence.hashes: Note",
        "coexistence.history: old.sqlite",
      ]
    )
    // The report must not state a broken rule as a fact.
    let text = MigrationView(comparison).report.text().split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(
      text.contains("✗ the rule 'Core Data sets NSPersistentHistoryTrackingKey: SwiftData keeps"),
      "\(text)"
    )
  }

  @Test func `attributes that both entities inherit are no sign of a rename`() throws {
    let fixture = try ModelFixture()
    let record = Entity(
      name: "Record",
      isAbstract: true,
      attributes: ["zone", "offset", "author", "place", "code"].map {
        Attribute(name: $0, type: .string)
      }
    )
    let state = Attribute(name: "state", type: .integer32)
    func model(_ name: String, _ entity: String, _ others: Attribute...) throws -> ModelInput {
      let own = Entity(name: entity, superentity: "Record", attributes: [state] + others)
      return try fixture.model(name, record, own)
    }
    let comparison = try ModelComparison(
      from: model("old", "FileMessage"),
      to: model("new", "SurveyResponse", Attribute(name: "answers", type: .binary))
    )
    #expect(comparison.suspectedRenames == [])
  }

  @Test func `calls a migration simple, moderate or complex, with the reasons`() throws {
    let fixture = try ModelFixture()
    let plain = try fixture.model("plain", ModelFixture.note, ModelFixture.folderEntity)
    #expect(try ModelComparison(from: plain, to: plain, target: .ios18).complexity.level == .simple)
    let tags = try fixture.model(
      "tags",
      Entity(
        name: "Note",
        relationships: [
          Relationship(name: "tags", destination: "Tag", inverse: "notes", isToMany: true)
        ]
      ),
      Entity(
        name: "Tag",
        relationships: [
          Relationship(name: "notes", destination: "Note", inverse: "tags", isToMany: true)
        ]
      )
    )
    let moderate = try ModelComparison(from: tags, to: tags, target: .ios18).complexity
    #expect(moderate.level == .moderate)
    #expect(moderate.reasons == ["many-to-many: Note.tags, Tag.notes"])
    let retyped = try fixture.model(
      "retyped",
      Entity(name: "Note", attributes: [Attribute(name: "title", type: .date)])
    )
    let small = try ModelComparison(from: plain, to: retyped, target: .ios18).complexity
    #expect(small.level == .moderate)
    #expect(small.reasons == ["1 change is not lightweight"])
    let other = try fixture.model("other", Entity(name: "Song"))
    let complex = try ModelComparison(from: plain, to: other, target: .ios18).complexity
    #expect(complex.level == .complex)
    #expect(complex.level.weeks == "6 weeks and more")
  }

  @Test func `answers the checklist from the files, and leaves the rest to a person`() throws {
    let fixture = try ModelFixture()
    let model = try fixture.model("m", ModelFixture.note, ModelFixture.folderEntity)
    let items = try ModelComparison(from: model, to: model, target: .ios26).checklist
    func state(_ text: String) -> ChecklistItem.State? {
      items.first { $0.text.hasPrefix(text) }?.state
    }
    #expect(state("a lightweight migration") == .checked)
    #expect(state("no data prevents the migration") == .yours)
    #expect(state("no Core Data class") == .failed)
    #expect(state("back up the store") == .yours)
    #expect(Set(items.map(\.state)).count == 3)
  }
}
