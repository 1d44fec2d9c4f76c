import Basics
import DataModel
import Foundation
import Inspector
import Reporting
import Testing

/// Tests properties of a new model that the old model does not fill, and known ways of migration.
@Suite struct UnfilledPlaceTests {
  private static let insert =
    "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (1, 2, 1, 'a'), (2, 2, 1, 'b')"

  private static func pair(_ fixture: ModelFixture) throws -> ModelComparison {
    let old = try fixture.store(
      "old.sqlite",
      [ModelFixture.note, ModelFixture.folderEntity],
      insert
    )
    let new = try fixture.model(
      "new",
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "title", type: .string),
          Attribute(name: "body", type: .string),
          Attribute(name: "code", type: .string, isOptional: false),
          Attribute(name: "rank", type: .integer16, isOptional: false, defaultValue: .integer(0)),
        ],
        relationships: [
          Relationship(name: "folder", destination: "Folder", inverse: "items"),
          Relationship(name: "author", destination: "Person", isOptional: false),
        ]
      ),
      Entity(
        name: "Folder",
        relationships: [
          Relationship(name: "items", destination: "Note", inverse: "folder", isToMany: true)
        ]
      ),
      Entity(name: "Person")
    )
    return try ModelComparison(from: old, to: new)
  }

  @Test func `is listed with its objects, the worst first`() throws {
    let unfilled = try Self.pair(ModelFixture()).unfilled
    #expect(
      unfilled.map { "\($0.kind) \($0.name) \($0.objects ?? -1)" } == [
        "requiredAttribute Note.code 2", "requiredRelationship Note.author 2", "entity Person -1",
        "defaulted Note.rank 2", "optional Note.body 2",
      ]
    )
  }

  @Test func `is printed with what to do, as is what goes`() throws {
    let comparison = try Self.pair(ModelFixture())
    let text = MigrationView(comparison).report.text()
    let start = try #require(text.range(of: "Dropped when"))
    let end = try #require(text.range(of: "\n\nCloudKit\n") ?? text.range(of: "\n\nNext\n"))
    #expect(
      text[start.lowerBound..<end.lowerBound] == """
        Dropped when the store is opened with the new model
            Note.stars  nothing in it
            → keep the attribute; or, if a new attribute takes its values, set this name
            as renaming identifier, or add it to the map
          New, and not filled from the old model
            ✗ required, without a default and without a source:
            - Note.code, 2 objects
            → give it a default or make it optional, and lightweight is enough; or fill
            it by a map; if it was renamed, set the renaming identifier
            ✗ required, but existing objects may have no target:
            - Note.author, 2 objects
            → the migration succeeds and the next save of such an object fails: set it
            at the first launch, make it optional, or fill it by a map
            - new, but no object of the old model becomes one of its objects:
            - Person
            → make objects at the first launch, or map an entity of the old model to it;
            if it was renamed, set the renaming identifier
            - new, all objects have the default:
            - Note.rank, 2 objects
            → if older objects need another value, set it in a custom stage or by a map
            - new and empty, which is allowed:
            - Note.body, 2 objects
            → nothing is required; fill it if the app expects values
        """
    )
  }

  @Test func `an array of SwiftData begins empty, and no object lacks it`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store(
      "old.sqlite",
      [Entity(name: "Note", attributes: [Attribute(name: "title", type: .string)])],
      "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)"
    )
    let new = try fixture.model(
      "new",
      Entity(
        name: "Note",
        attributes: [Attribute(name: "title", type: .string)],
        relationships: [
          Relationship(
            name: "photos",
            destination: "Photo",
            inverse: "note",
            isToMany: true,
            isOptional: false
          )
        ]
      ),
      Entity(
        name: "Photo",
        relationships: [Relationship(name: "note", destination: "Note", inverse: "photos")]
      ),
      configurations: ["default": ["Note", "Photo"]]
    )
    let unfilled = try ModelComparison(from: old, to: new).unfilled
    #expect(unfilled.map { "\($0.kind) \($0.name)" } == ["entity Photo", "optional Note.photos"])
  }

  @Test func `is what no map fills`() throws {
    let fixture = try ModelFixture()
    let pair = try Self.pair(fixture)
    let path = fixture.folder + "/map.yaml"
    try """
    entities:
      Note: { from: Note, attributes: { code: { value: x }, body: title } }
      Folder: { from: Folder }
    """
    .write(toFile: path, atomically: true, encoding: .utf8)
    let mapped = try ModelComparison(from: pair.old, to: pair.new, mapPath: path)
    #expect(
      mapped.unfilled.map { "\($0.kind) \($0.name)" } == [
        "requiredRelationship Note.author", "entity Person", "defaulted Note.rank",
      ]
    )
  }

  @Test func `what a map's conversion cannot convert is said by its name`() throws {
    let fixture = try ModelFixture()
    let old = try fixture.store(
      "old.sqlite",
      [ModelFixture.note, ModelFixture.folderEntity],
      Self.insert
    )
    let new = try fixture.model(
      "new",
      Entity(
        name: "Note",
        attributes: [
          Attribute(name: "title", type: .integer64), Attribute(name: "stars", type: .integer16),
        ],
        relationships: ModelFixture.note.relationships
      ),
      ModelFixture.folderEntity
    )
    let path = fixture.folder + "/map.yaml"
    try "entities:\n  Note: { attributes: { title: { from: title, as: textToInteger } } }\n"
      .write(toFile: path, atomically: true, encoding: .utf8)
    let comparison = try ModelComparison(from: old, to: new, mapPath: path)
    let text = MigrationView(comparison).report.text()
    #expect(text.contains("Note.title  2 values that 'textToInteger' cannot convert"), "\(text)")
    #expect(!text.contains("keep the attribute"))
  }

  @Test func `an identifier that does not continue the one before is named`() throws {
    let fixture = try ModelFixture()
    func task(_ name: String, _ former: String?, _ title: String, _ formerTitle: String?) -> Entity
    {
      Entity(
        name: name,
        attributes: [Attribute(name: title, type: .string, renamingIdentifier: formerTitle)],
        renamingIdentifier: former
      )
    }
    let second = try fixture.model("2", task("Task", "Todo", "text", nil))
    let third = try fixture.model("3", task("Job", "Task", "text", nil))
    let renames = try ModelComparison(from: second, to: third).suspectedRenames
    #expect(
      renames.map(\.sentence) == [
        "'Task' is removed and 'Job' is new, because the old property has the identifier 'Todo' and "
          + "the new property 'Task'; a renaming identifier is the name in the first version: give "
          + "'Job' the identifier 'Todo'"
      ]
    )
    let renamed = try fixture.model("4", task("Task", "Todo", "heading", "text"))
    let cleared = task("Task", "Todo", "heading", nil)
    let same = try fixture.model("5", cleared)
    #expect(try ModelComparison(from: second, to: renamed).suspectedRenames == [])
    // A model with equal hashes needs no migration.
    #expect(try ModelComparison(from: renamed, to: same).suspectedRenames == [])
    var longer = cleared
    longer.attributes.append(Attribute(name: "note", type: .string))
    let next = try ModelComparison(from: renamed, to: fixture.model("6", longer))
    #expect(next.suspectedRenames.map(\.identifier) == ["text"])
  }

  // MARK: Versions between

  private static func family(_ fixture: ModelFixture, _ versions: [[String]]) throws -> String {
    let path = fixture.folder + "/F.xcdatamodeld"
    for (index, attributes) in versions.enumerated() {
      let list = attributes.map {
        "<attribute name=\"\($0)\" optional=\"YES\" \($0.last == "N" ? "attributeType=\"Integer 16\"" : "attributeType=\"String\"")/>"
      }
      let folder = "\(path)/F\(index + 1).xcdatamodel"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try "<model><entity name=\"Note\">\(list.joined())</entity></model>"
        .write(toFile: folder + "/contents", atomically: true, encoding: .utf8)
    }
    return path
  }

  @Test func `a family says where steps and the direct way differ, and what its plan risks`() throws
  {
    let fixture = try ModelFixture()
    let path = try Self.family(fixture, [["title", "body"], ["title"], ["title", "body"]])
    let report = try ModelReport(path: path)
    let family = report.sources[0].family
    #expect(ModelReport.detours(of: family).map(\.from) == ["F1"])
    #expect(ModelReport.stagePlanRisk(of: family)?.steps == 2)
    let text = report.report.text()
    #expect(
      text.contains(
        """
          F1 → F3, step by step or in one step
          Both are permitted, but they end with different stores:
          - Note.body: the chain leaves it empty, the direct step keeps the values of
            'body'
          ! Risk: all 2 steps from 'F1' to 'F3' are lightweight, and a stage manager
        """
      )
    )
    #expect(text.contains("(reported)\n    \(StagePlanRisk.report)"))
  }

  @Test func `a store that skips versions is told of both, in text, JSON and checklist`() throws {
    let fixture = try ModelFixture()
    let path = try Self.family(fixture, [["title", "body"], ["title"], ["title", "body"]])
    let first = try ModelInput.read(path: path + "/F1.xcdatamodel")
    let old = try fixture.store("old.sqlite", first.version.model.entities)
    let comparison = try ModelComparison(from: old, to: try ModelInput.read(path: path))
    #expect(comparison.versions.map(\.name) == ["F1", "F2", "F3"] || comparison.isSameVersion)
    let other = try Self.family(fixture, [["title", "body"], ["title"], ["title", "more"]])
    let next = try ModelComparison(from: old, to: try ModelInput.read(path: other))
    #expect(next.versions.map(\.name) == ["F1", "F2", "F3"])
    #expect(next.stagePlanRisk?.isInferredDirectly == true)
    let text = MigrationView(next, showsChecklist: true).report.text()
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("If the app uses a stage manager: all 2 steps from 'F1' to 'F3' are"))
    #expect(text.contains("? a staged migration (SchemaMigrationPlan, NSStagedMigrationManager)"))
    let item = try #require(next.checklist.first { $0.text.hasPrefix("a staged migration") })
    #expect(item.state == .yours)
    let json = try MigrationView(next).jsonText()
    #expect(json.contains("\"stagePlanRisk\" : {"))
  }

  @Test func `only a plan of lightweight stages is a decision; Xcode's models have none`() throws {
    let fixture = try ModelFixture()
    let versions = [["title"], ["title", "body"], ["title", "body", "more"]]
    let path = try Self.family(fixture, versions)
    let first = try ModelInput.read(path: path + "/F1.xcdatamodel")
    let old = try fixture.store("old.sqlite", first.version.model.entities)
    let plain = try ModelComparison(from: old, to: try ModelInput.read(path: path))
    #expect(plain.stagePlanRisk?.steps == 2)
    #expect(Readiness(plain, survey: nil).decisions == [])
    var family = try ModelSource.read(path: path)
    family.stages = [
      .init(from: "F1", to: "F2", isCustom: false), .init(from: "F2", to: "F3", isCustom: false),
    ]
    let planned = try ModelComparison(from: old, to: ModelInput(path: path, family: family))
    let decisions = Readiness(planned, survey: nil).decisions.map(\.text)
    #expect(decisions.count == 1)
    #expect(decisions.first?.hasPrefix("all 2 stages from 'F1' to 'F3' are lightweight") == true)
    let text = MigrationView(planned, showsChecklist: true).report.text()
    #expect(text.contains("  ! Risk: all 2 steps from 'F1' to 'F3' are lightweight"))
    #expect(text.contains("✗ a staged migration (SchemaMigrationPlan, NSStagedMigrationManager)"))
  }
}
