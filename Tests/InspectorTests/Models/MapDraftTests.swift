import Basics
import DataModel
import Foundation
import PersistentStore
import Reporting
import TestSupport
import Testing

@testable import Inspector

struct MapDraftTests {
  private static let models = Repository.path("Workloads/models/planner")

  private static func input(_ name: String) throws -> ModelInput {
    try ModelInput.read(path: models + "/" + name)
  }

  @Test func `finds renamed, split and joined entities, each with its reason`() throws {
    let (old, new) = (try Self.input("v1.yaml"), try Self.input("v2.yaml"))
    let draft = MapDraft(from: old.version.model, to: new.version.model)
    let pairs = draft.map.entities.map { "\($0.source ?? "")>\($0.destination ?? "")" }
    #expect(
      Set(pairs) == [
        "CDContact>Address", "CDContact>Contact", "CDAuthor>Person", "CDEditor>Person",
        "CDProject>Project", "CDTag>Tag", "CDTask>Task",
      ]
    )
    #expect(draft.unmatched == ["CDLogEntry"])
    let task = try #require(draft.map.entities.first { $0.destination == "Task" })
    #expect(task.attributes["id"] == .source(["identifier"]))
    #expect(task.attributes["title"] == .source(["taskTitle"]))
    #expect(task.attributes["state"] == .source(["status"]))
    let text = draft.text(title: "From A to B.", counts: ["CDLogEntry": 7])
    // The map file has a reason for every guess, and is read back as the same guesses.
    #expect(try MapFile.parse(text, file: "map.yaml").entities == draft.map.entities)
    let guesses = text.split(separator: "\n").filter { line in
      !line.trimmingCharacters(in: .whitespaces).hasPrefix("#") && !line.hasSuffix(":")
    }
    #expect(guesses.allSatisfy { $0.contains("  # ") }, "\(text)")
    #expect(text.contains("# - CDLogEntry: 7 objects"))
    let mapping = try MappingModel(from: old.version.model, to: new.version.model, by: draft.map)
    #expect(mapping.obstacles.isEmpty)
  }

  @Test func `stands in for what is required and unlike anything`() throws {
    let old = Model(entities: [
      Entity(name: "CDNote", attributes: [.init(name: "text", type: .string)])
    ])
    let new = Model(entities: [
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "id", type: .uuid, isOptional: false),
          Attribute(name: "text", type: .string),
          Attribute(name: "words", type: .integer64, isOptional: false),
        ]
      )
    ])
    let draft = MapDraft(from: old, to: new).map
    #expect(draft.entities.first?.attributes["id"] == .identifier)
    #expect(draft.entities.first?.attributes["words"] == .constant(.integer(0)))
  }

  @Test func `names are readable in every script, and read back`() throws {
    let model = Model(entities: [
      Entity(
        name: "Größe",
        attributes: [
          Attribute(name: "Überschrift", type: .string), Attribute(name: "名前", type: .string),
        ]
      )
    ])
    let old = Model(entities: [
      Entity(name: "CDGröße", attributes: model.entities[0].attributes)
    ])
    let draft = MapDraft(from: old, to: model)
    let text = draft.text(title: "From A to B.")
    #expect(text.contains("  Größe:\n    from: CDGröße  # the same name except for prefixes"))
    #expect(try MapFile.parse(text, file: "map.yaml").entities == draft.map.entities)
    #expect(try ModelFile.parse(ModelWriter.text(of: model), file: "m.yaml").model == model)
    #expect(ModelWriter.text(of: model).contains("名前"))
  }

  @Test func `a name that differs in case only is said to`() throws {
    let attributes = [Attribute(name: "title", type: .string)]
    let draft = MapDraft(
      from: Model(entities: [Entity(name: "Note", attributes: attributes)]),
      to: Model(entities: [Entity(name: "note", attributes: attributes)])
    )
    #expect(draft.text(title: "").contains("from: Note  # the same name except for case; 1 of 1"))
  }

  @Test func `a draft without a match shows where to write, and NEXT what is missing`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store(
      "Old.sqlite",
      [Entity(name: "Rock", attributes: [Attribute(name: "weight", type: .double)])],
      "INSERT INTO ZROCK (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)"
    )
    let new = try fixture.model("new", Entity(name: "Song"))
    let text = MapDraft(from: old.version.model, to: new.version.model).text(title: "")
    #expect(text.contains("entities: {}\n# No entity was matched. Replace {} by"))
    let map = fixture.folder + "/map.yaml"
    try text.write(toFile: map, atomically: true, encoding: .utf8)
    let comparison = try ModelComparison(from: old, to: new, mapPath: map)
    let steps = NextSteps(comparison: comparison, showsChecklist: true).all
    #expect(
      steps.first
        == .advice(
          "'\(map)' matches no entity, so nothing would be copied: give the source of each new "
            + "entity below 'entities' (NEW: { from: OLD }), and inspect the pair again"
        )
    )
    #expect(!steps.contains { if case .command = $0 { true } else { false } })
  }

  @Test func `finds what is renamed throughout by its shape, and what is left over by its type`()
    throws
  {
    func model(_ names: [String]) -> Model {
      Model(entities: [
        Entity(
          name: names[0],
          attributes: [.init(name: names[2], type: .string), .init(name: names[3], type: .double)],
          relationships: [
            Relationship(name: names[4], destination: names[0], inverse: names[5]),
            Relationship(name: names[5], destination: names[0], inverse: names[4], isToMany: true),
            Relationship(name: names[6], destination: names[1], inverse: names[7], isToMany: true),
          ]
        ),
        Entity(
          name: names[1],
          attributes: [.init(name: names[8], type: .date), .init(name: names[9], type: .date)],
          relationships: [Relationship(name: names[7], destination: names[0], inverse: names[6])]
        ),
      ])
    }
    let old = model([
      "Employee", "Job", "name", "wage", "boss", "team", "jobs", "holder", "start", "end",
    ])
    let new = model([
      "Person", "Contract", "nickname", "pay", "lead", "group", "work", "of", "first", "last",
    ])
    let draft = MapDraft(from: old, to: new)
    #expect(draft.map.entities.compactMap(\.source) == ["Job", "Employee"])
    #expect(draft.map.entities.compactMap(\.destination) == ["Contract", "Person"])
    let person = try #require(draft.map.entities.last)
    #expect(person.attributes["pay"] == .source(["wage"]))
    #expect(person.relationships["work"] == .source("jobs"))
    #expect(person.relationships["group"] == .source("team"))
    // Nothing shows which date of Job became which date of Contract.
    #expect(draft.map.entities.first?.attributes.isEmpty == true)
    #expect(
      draft.text(title: "").contains("pay: wage  # the only remaining double attribute in both")
    )
  }

  @Test func `a pair with other names has no ticked lightweight migration`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store(
      "Old.sqlite",
      Self.input("v1.yaml").version.model.entities,
      history: true,
      "INSERT INTO ZCDTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 6, 1)",
      "CREATE TABLE ANSCKDATABASEMETADATA (Z_PK INTEGER PRIMARY KEY)"
    )
    let comparison = try ModelComparison(from: old, to: Self.input("v2.yaml"), target: .ios18)
    let items = Dictionary(keepingFirst: comparison.checklist.map { ($0.text, $0) })
    #expect(items["a lightweight migration can make all changes"]?.state == .failed)
    func item(_ words: String) -> ChecklistItem? {
      comparison.checklist.first { $0.text.contains(words) }
    }
    #expect(item("becomes read-only")?.source.evidence == .reported)
    #expect(item("every object is uploaded again")?.state == .failed)
    #expect(item("_SUPPORT")?.state == .yours)
    #expect(item("App Group")?.source.evidence == .documented)
    #expect(item("widgets")?.source.evidence == .assumed)
    #expect(item("originalName")?.source.evidence == .documented)
    let cites = comparison.checklist.allSatisfy {
      $0.source.url != nil || $0.source.evidence == .assumed
    }
    #expect(cites)
    // A CloudKit mirroring table shows that the store is synced.
    #expect(MigrationView(comparison).report.text().contains("\nCloudKit\n"))
  }

  @Test func `says that no file shows sync, and what would hold for a synced app`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store("Old.sqlite", Self.input("v1.yaml").version.model.entities)
    let comparison = try ModelComparison(from: old, to: Self.input("v2.yaml"), target: .ios17)
    let text = MigrationView(comparison, showsChecklist: true).report.text()
    #expect(text.contains("\nCloudKit\n  No file shows that CloudKit syncs this app"), "\(text)")
    #expect(!text.contains("CloudKit syncs this app, and"))
    #expect(!(try MigrationView(comparison).jsonText().contains("\"cloudKit\" :")))
  }

  @Test func `SwiftData to SwiftData has no class of Core Data to rename`() throws {
    let fixture = try ModelFixture()
    let entities = try Self.input("v2.yaml").version.model.entities
    let configurations = ["default": entities.map(\.name)]
    let old = try fixture.store("default.store", entities, configurations: configurations)
    var next = entities
    next[0].fetchIndexes = [FetchIndex(name: "byCity", elements: [.init(property: "city")])]
    let new = try fixture.store("next.store", next, configurations: configurations)
    let comparison = try ModelComparison(from: old, to: new, target: .ios17)
    #expect(comparison.coexistence.isEmpty)
    #expect(comparison.renameFirst == nil)
    // The new model's index requires iOS 18, but the target is iOS 17.
    let broken = comparison.swiftData.filter(\.isBroken)
    #expect(broken.map(\.rule) == ["swiftData.needs.indexes"])
    #expect(broken.first?.text.contains("iOS 18") == true)
    let text = MigrationView(comparison, showsChecklist: true).report.text()
    #expect(!text.contains("CDName") && !text.contains("Side by side"))
  }

  @Test func `renaming first is said to work where it does, and what blocks it`() throws {
    let map = Repository.path("Workloads/maps/renamed.yaml")
    let renamed = try ModelComparison(
      from: Self.input("v1.yaml"),
      to: Self.input("renamed.yaml"),
      target: .ios17,
      mapPath: map
    )
    #expect(renamed.renameFirst?.isPossible == true)
    #expect(MigrationView(renamed).report.text().contains("\nRename first\n  Works:"))
    let blocked = try ModelComparison(
      from: Self.input("v1.yaml"),
      to: Self.input("v2.yaml"),
      target: .ios17,
      mapPath: Repository.path("Workloads/maps/planner.yaml")
    )
    #expect(blocked.renameFirst?.blockers.first == "Person combines CDAuthor and CDEditor")
  }
}

extension MapDraft {
  fileprivate var map: MigrationMap {
    MigrationMap(
      entities: rules.map { rule in
        EntityMap(
          source: rule.source,
          destination: rule.destination,
          attributes: Dictionary(keepingFirst: rule.attributes.map { ($0.name, $0.value) }),
          relationships: Dictionary(keepingFirst: rule.relationships.map { ($0.name, $0.value) })
        )
      }
    )
  }
}
