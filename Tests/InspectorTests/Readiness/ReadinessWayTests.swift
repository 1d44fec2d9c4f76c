import DataModel
import Foundation
import Reporting
import TestSupport
import Testing

@testable import Inspector

/// Tests that the headline, the verdict and the sections agree on the way to the new model.
@Suite struct ReadinessWayTests {
  private static let mirror = "CREATE TABLE ANSCKDATABASEMETADATA (Z_PK INTEGER PRIMARY KEY)"
  private static let attributes = [
    Attribute(name: "title", type: .string), Attribute(name: "stars", type: .integer16),
  ]

  private func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func `a rule of CloudKit that a synced app breaks is a blocker with its own advice`() throws
  {
    let fixture = try ModelFixture()
    var next = ModelFixture.note
    next.uniquenessConstraints = [["title"]]
    next.attributes.removeAll { $0.name == "stars" }
    let old = try fixture.store(
      "old.sqlite",
      [ModelFixture.note, ModelFixture.folderEntity],
      Self.mirror
    )
    let new = try fixture.model("new", next, ModelFixture.folderEntity)
    let comparison = try ModelComparison(from: old, to: new)
    let readiness = Readiness(comparison, survey: nil)
    #expect(
      readiness.blockers.map { "\($0.text): \($0.places.joined(separator: ", "))" } == [
        "CloudKit's rule 'entities and properties are only added' is broken: Note.stars removed",
        "CloudKit's rule 'no unique constraints' is broken: Note.title",
      ]
    )
    #expect(
      readiness.blockers.map(\.advice) == [
        "keep the old entity or property in the model, and add a new one",
        "drop the constraint and remove duplicates in code",
      ]
    )
    #expect(readiness.headline.hasPrefix("old.sqlite is not ready for new.yaml: 2 blockers"))
    let text = words(MigrationView(comparison).report.text())
    #expect(text.contains("may not make these changes: they break 2 of 9 rules"), "\(text)")
  }

  @Test func `what a synced store's own model has does not block the next one`() throws {
    let fixture = try ModelFixture()
    var unique = ModelFixture.note
    unique.uniquenessConstraints = [["title"]]
    var next = unique
    next.attributes.append(Attribute(name: "pages", type: .integer16))
    let old = try fixture.store("old.sqlite", [unique, ModelFixture.folderEntity], Self.mirror)
    let new = try fixture.model("new", next, ModelFixture.folderEntity)
    let readiness = Readiness(try ModelComparison(from: old, to: new), survey: nil)
    #expect(readiness.blockers == [])
    #expect(readiness.decisions.map(\.text) == ["CloudKit syncs it"])
  }

  @Test(arguments: [true, false])
  func `a suspected rename within Core Data is a decision, and lightweight stays the way`(
    _ isAlone: Bool
  ) throws {
    let fixture = try ModelFixture()
    let folder = Entity(name: "Folder", attributes: [Attribute(name: "name", type: .string)])
    let note = Entity(name: "Note", attributes: Self.attributes)
    let memo = Entity(name: "Memo", attributes: Self.attributes)
    let number = isAlone ? 1 : 2
    let old = try fixture.store(
      "old.sqlite",
      isAlone ? [note] : [note, folder],
      "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT) VALUES (1, \(number), 1), (2, \(number), 1)"
    )
    let new = try isAlone ? fixture.model("new", memo) : fixture.model("new", memo, folder)
    let comparison = try ModelComparison(from: old, to: new)
    let readiness = Readiness(comparison, survey: nil)
    #expect(readiness.way == .lightweight)
    #expect(readiness.headline == "old.sqlite is ready for new.yaml after 1 decision")
    #expect(
      readiness.decisions.map(\.text) == [
        "'Note' is removed and 'Memo' is new, 2 of 2 attributes alike"
      ]
    )
    #expect(
      readiness.decisions.map(\.advice) == [
        "set Memo's renaming identifier to 'Note', or its 2 objects go"
      ]
    )
    #expect(readiness.next.hasPrefix("storebench inspect "))
    #expect(
      MigrationView(comparison).report.verdict?.plain
        == "Lightweight; a renamed entity keeps its objects only by its renaming identifier."
    )
  }

  @Test func `entities with nothing alike still ask for a map`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store("old.sqlite", [Entity(name: "Rock", attributes: Self.attributes)])
    let new = try fixture.model("new", Entity(name: "Song"))
    let readiness = Readiness(try ModelComparison(from: old, to: new), survey: nil)
    #expect(readiness.way == .copyByMap)
    #expect(readiness.headline.hasPrefix("old.sqlite needs a copy by a map for new.yaml"))
  }

  @Test func `renaming first is one answer in headline, section and checklist`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store(
      "old.sqlite",
      [Entity(name: "CDMemo", attributes: Self.attributes)],
      history: true
    )
    let new = try fixture.model("new", Entity(name: "Memo", attributes: Self.attributes))
    let comparison = try ModelComparison(from: old, to: new, target: .ios18)
    #expect(comparison.renameFirst == RenameFirst(comparison.mapping))
    #expect(comparison.renameFirst?.isPossible == true)
    #expect(comparison.renameFirst?.isDrafted == true)
    let readiness = Readiness(comparison, survey: nil)
    #expect(readiness.way == .renameFirst)
    #expect(
      readiness.headline.hasPrefix(
        "old.sqlite needs a last Core Data release for SwiftData on iOS 18"
      ),
      "\(readiness.headline)"
    )
    let text = words(MigrationView(comparison, showsChecklist: true).report.text())
    #expect(
      text.contains("Rename first Works, if the guesses of --draft-map are right: a final"),
      "\(text)"
    )
    #expect(!text.contains("cannot give the store the new names"))
    let item = comparison.checklist.first { $0.text.hasPrefix("a last Core Data release") }
    #expect(item?.state == .yours)
  }

  @Test func `another type asks for a version between or a map, in one sentence`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store("old.sqlite", [Entity(name: "Note", attributes: Self.attributes)])
    let new = try fixture.model(
      "new",
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "title", type: .date), Attribute(name: "stars", type: .integer16),
        ]
      )
    )
    let comparison = try ModelComparison(from: old, to: new)
    let readiness = Readiness(comparison, survey: nil)
    let need = "a version between or a copy by a map"
    #expect(readiness.headline == "old.sqlite needs \(need) for new.yaml")
    #expect(
      readiness.reason == "Note: 'title' cannot be converted from string to date automatically"
    )
    let report = MigrationView(comparison).report
    #expect(
      report.verdict?.plain
        == "Not lightweight: it needs \(need), or the new model has to change."
    )
    let text = words(report.text())
    #expect(text.contains("add a version between that has both properties"), "\(text)")
    #expect(!text.contains("custom stage"), "\(text)")
  }

  @Test func `a required attribute without a default is a blocker of a lightweight migration`()
    throws
  {
    let fixture = try ModelFixture()
    let old = try fixture.store("old.sqlite", [Entity(name: "Note", attributes: Self.attributes)])
    let code = Attribute(name: "code", type: .string, isOptional: false)
    let new = try fixture.model("new", Entity(name: "Note", attributes: Self.attributes + [code]))
    let comparison = try ModelComparison(from: old, to: new)
    let readiness = Readiness(comparison, survey: nil)
    #expect(readiness.way == .lightweight)
    #expect(readiness.headline == "old.sqlite is not ready for new.yaml: 1 blocker")
    #expect(
      readiness.blockers.map(\.advice) == [
        "give it a default or make it optional; then lightweight is enough"
      ]
    )
    #expect(
      MigrationView(comparison).report.verdict?.plain
        == "Not lightweight until each attribute marked ✗ has a default or is optional."
    )
    #expect(
      NextSteps(comparison: comparison, showsChecklist: true).all.first
        == .advice(
          "give each attribute marked ✗ a default or make it optional, and inspect the pair again: "
            + "then lightweight is enough"
        )
    )
  }

  @Test func `a model of Swift sources is SwiftData's, with the same target as in ready`() throws {
    let fixture = try ModelFixture()
    let model = Model(
      entities: [ModelFixture.note, ModelFixture.folderEntity],
      configurations: ["default": ["Folder", "Note"]]
    )
    let version = VersionedSchema(name: "current", model: model)
    let family = ModelFamily(versions: [version], current: "current")
    let old = try fixture.store("old.sqlite", [ModelFixture.note, ModelFixture.folderEntity])
    let new = try ModelInput(path: "Sources", family: family)
    let comparison = try ModelComparison(from: old, to: new)
    #expect(new.isSwiftData)
    #expect(comparison.target == .standard)
    #expect(comparison.isTowardsSwiftData)
    let readiness = Readiness(comparison, survey: nil)
    #expect(readiness.headline.contains("SwiftData on iOS 18"))
    #expect(readiness.blockers == [])
    #expect(readiness.way == .none)
    #expect(try ModelComparison(from: new, to: new).target == nil)
  }

  @Test func `a synced app cannot rename first, since CloudKit allows no renames`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store(
      "old.sqlite",
      [Entity(name: "CDMemo", attributes: Self.attributes)],
      history: true,
      Self.mirror
    )
    let new = try fixture.model("new", Entity(name: "Memo", attributes: Self.attributes))
    let comparison = try ModelComparison(from: old, to: new, target: .ios18)
    let readiness = Readiness(comparison, survey: nil)
    #expect(comparison.renameFirst?.isPossible == false)
    #expect(readiness.way == .copyByMap)
    #expect(readiness.reason == "CloudKit allows no renames of entities and properties")
    #expect(!readiness.isReady)
    let text = words(MigrationView(comparison).report.text())
    #expect(text.contains("✗ CloudKit allows no renames"), "\(text)")
  }

  @Test func `a reason that rests on a drafted map is said to be a guess`() throws {
    let models = Repository.path("Workloads/models/planner")
    let comparison = try ModelComparison(
      from: ModelInput.read(path: models + "/v1.yaml"),
      to: ModelInput.read(path: models + "/v2.yaml"),
      target: .ios18
    )
    let reason = Readiness(comparison, survey: nil).reason
    #expect(reason.hasPrefix("it seems that Person combines CD"), "\(reason)")
  }

  @Test func `classes without hash modifiers are not older, and are asked for them`() throws {
    let fixture = try ModelFixture()
    var title = Attribute(name: "title", type: .string)
    let plain = Entity(name: "Note", attributes: [title])
    title.versionHashModifier = "2"
    let old = try fixture.store("old.sqlite", [Entity(name: "Note", attributes: [title])])
    let model = Model(entities: [plain], configurations: ["default": ["Note"]])
    let version = VersionedSchema(name: "current", model: model)
    let new = try ModelInput(path: "Sources", family: ModelFamily(versions: [version]))
    let comparison = try ModelComparison(from: old, to: new)
    #expect(comparison.signOfSwap == nil)
    let readiness = Readiness(comparison, survey: nil)
    let lacking = readiness.decisions.first { $0.text.contains("lack hash modifiers") }
    #expect(lacking?.places == ["Note.title"])
    #expect(readiness.wayWords == "lightweight, one inferred migration")
  }
}
