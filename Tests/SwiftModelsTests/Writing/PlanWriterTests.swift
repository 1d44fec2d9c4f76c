import DataModel
import Foundation
import TestSupport
import Testing

@testable import SwiftModels

@Suite struct PlanWriterTests {
  private func versions(_ entities: [Entity]...) -> [VersionedSchema] {
    entities.enumerated().map { place, entities in
      VersionedSchema(name: "v\(place + 1)", model: Model(entities: entities))
    }
  }

  private func note(_ attributes: Attribute..., relationships: [Relationship] = []) -> Entity {
    Entity(name: "Note", attributes: attributes, relationships: relationships)
  }

  private func code(of versions: [VersionedSchema]) throws -> String {
    let files = SchemaWriter(versions: versions, source: "App").files
    let check = try #require(try WrittenSwiftCheck.shared())
    #expect(try check.problems(of: files.map { ($0.path, $0.text) }) == [])
    return files.map(\.text).joined()
  }

  @Test func `an added attribute is a lightweight stage`() throws {
    let old = note(Attribute(name: "title", type: .string))
    let new = note(Attribute(name: "title", type: .string), Attribute(name: "due", type: .date))
    let plan = WrittenPlan(versions([old], [new]))
    #expect(plan.versions.map(\.type) == ["SchemaV1", "SchemaV2"])
    let text = try code(of: versions([old], [new]))
    #expect(text.contains(".lightweight(fromVersion: SchemaV1.self, toVersion: SchemaV2.self)"))
    #expect(
      text.contains("static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }")
    )
  }

  @Test func `a value of another type goes over a bridge, and keeps its identifier later`() throws {
    let old = note(Attribute(name: "code", type: .string))
    let new = note(Attribute(name: "code", type: .integer64))
    let last = note(Attribute(name: "code", type: .integer64), Attribute(name: "x", type: .date))
    let family = versions([old], [new], [last])
    let plan = WrittenPlan(family)
    #expect(plan.versions.map(\.type) == ["SchemaV1", "SchemaV1Bridge", "SchemaV2", "SchemaV3"])
    let text = try code(of: family)
    #expect(text.contains("object.codeMigrated = Convert.textToInteger(object.code)"))
    #expect(text.contains("@Attribute(originalName: \"codeMigrated\") var code: Int?"))
    // The frameworks can infer each stage.
    for (from, to) in zip(plan.versions, plan.versions.dropFirst()) {
      let mapping = MappingModel(from: from.model, to: to.model)
      #expect(mapping.obstacles == [])
    }
    let kept = MappingModel(from: plan.versions[1].model, to: plan.versions[2].model)
    #expect(kept.entities[0].attributes.map { $0.source?.name } == ["codeMigrated"])
    let later = MappingModel(from: plan.versions[2].model, to: plan.versions[3].model)
    #expect(later.entities[0].attributes.first?.source?.name == "code")
  }

  @Test func `identifiers are the models' own where they rise, and leave room for bridges`() {
    func family(_ type: AttributeType) -> [VersionedSchema] {
      [("1.0.0", AttributeType.string), ("1.0.1", type)].map { identifier, type in
        VersionedSchema(
          name: identifier,
          model: Model(
            entities: [
              note(
                Attribute(name: "a", type: type),
                Attribute(name: "v" + identifier.filter(\.isNumber), type: type)
              )
            ],
            versionIdentifiers: [identifier]
          )
        )
      }
    }
    let own = WrittenPlan(family(.string)).versions.map(\.identifier)
    #expect(own == [[1, 0, 0], [1, 0, 1]])
    let bridged = WrittenPlan(family(.integer64)).versions.map(\.identifier)
    #expect(bridged == [[1, 0, 0], [1, 0, 1], [2, 0, 0]])
  }

  @Test func `a to-many that becomes a to-one keeps its first object`() throws {
    func relation(_ isToMany: Bool) -> Relationship {
      Relationship(name: "tag", destination: "Tag", isToMany: isToMany)
    }
    let family = versions(
      [note(relationships: [relation(true)]), Entity(name: "Tag")],
      [note(relationships: [relation(false)]), Entity(name: "Tag")]
    )
    #expect(try code(of: family).contains("object.tagMigrated = object.tag?.first"))
  }

  @Test func `a required attribute without default gets an empty one, and code`() throws {
    let old = note()
    let new = note(Attribute(name: "title", type: .string, isOptional: false))
    let text = try code(of: versions([old], [new]))
    #expect(text.contains("var title: String = \"\""))
    #expect(text.contains("// Note.title is empty in every object that had no value"))
    #expect(text.contains("didMigrate: { _ in"))
  }

  @Test func `a renamed entity stops the plan, so that no object is dropped`() throws {
    let old = Entity(name: "Todo", attributes: [Attribute(name: "a", type: .string)])
    var new = old
    new.name = "Task"
    new.renamingIdentifier = "Todo"
    let text = try code(of: versions([old], [new]))
    #expect(text.contains("throw StoreNeedsCopy("))
  }

  @Test func `versions of one shape are one version`() throws {
    var indexed = note(Attribute(name: "title", type: .string))
    indexed.fetchIndexes = [FetchIndex(name: "i", elements: [.init(property: "title")])]
    let family = versions([note(Attribute(name: "title", type: .string))], [indexed])
    let plan = WrittenPlan(family)
    #expect(plan.versions.map(\.name) == ["v2"])
    #expect(plan.notes.map(\.text).contains { $0.contains("have the same shape") })
  }

  @Test func `a unique constraint makes another version, and its stage names what may repeat`()
    throws
  {
    let old = note(Attribute(name: "title", type: .string))
    var new = old
    new.uniquenessConstraints = [["title"]]
    let family = versions([old], [new])
    let plan = WrittenPlan(family)
    #expect(plan.versions.map(\.name) == ["v1", "v2"])
    #expect(plan.notes.map(\.text) == [])
    let text = try code(of: family)
    #expect(text.contains("/// - Note: title"))
  }

  @Test func `versions that may be one are not said to have the same shape`() {
    let old = note(Attribute(name: "image", type: .binary))
    let new = note(Attribute(name: "image", type: .binary, allowsExternalStorage: true))
    let texts = WrittenPlan(versions([old], [new])).notes.map(\.text)
    #expect(
      texts == [
        "'v1' and 'v2' may have the same identity (Note.image differs in its external storage), "
          + "and a plan may list it only once: one version stands for both"
      ]
    )
  }

  @Test func `the warning about lightweight stages counts those of the plan`() {
    func steps(_ family: [VersionedSchema]) -> Substring? {
      let text = SchemaWriter(versions: family, source: "App").files.map(\.text).joined()
      return text.firstMatch(of: /Warning: all (\d) steps/)?.output.1
    }
    let title = Attribute(name: "title", type: .string)
    let first = note(title)
    var indexed = first
    indexed.fetchIndexes = [FetchIndex(name: "i", elements: [.init(property: "title")])]
    let second = note(title, Attribute(name: "due", type: .date))
    let third = note(title, Attribute(name: "due", type: .date), Attribute(name: "x", type: .date))
    #expect(steps(versions([first], [second], [third])) == "2")
    #expect(steps(versions([first], [indexed], [second])) == nil)
    var renamed = third
    (renamed.name, renamed.renamingIdentifier) = ("Memo", "Note")
    #expect(steps(versions([first], [second], [renamed])) == nil)
  }

  /// Tests real models in the folder that `STOREBENCH_REAL_MODELS` names.
  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["STOREBENCH_REAL_MODELS"] != nil,
      "STOREBENCH_REAL_MODELS is not set"
    )
  )
  func `every real model becomes code that compiles`() throws {
    let check = try #require(try WrittenSwiftCheck.shared())
    let folder = ProcessInfo.processInfo.environment["STOREBENCH_REAL_MODELS"] ?? ""
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    where name.hasSuffix(".xcdatamodeld") || name.hasSuffix(".momd") {
      guard let family = try? ModelSource.read(path: folder + "/" + name) else { continue }
      let files = SchemaWriter(versions: family.versions, source: "model").files
      #expect(try check.problems(of: files.map { ($0.path, $0.text) }) == [], "\(name)")
      count += 1
    }
    #expect(count > 0)
  }

  @Test func `the models of the repository become code that compiles and is formatted`() throws {
    let check = try #require(try WrittenSwiftCheck.shared())
    let format = try #require(OutsideProgram("swift"))
    let family = try ModelSource.read(path: Repository.path("Workloads/models/tasks"))
    let files = SchemaWriter(versions: family.versions, source: "tasks").files
    #expect(try check.problems(of: files.map { ($0.path, $0.text) }) == [])
    // The compiler check must reject broken code.
    let broken = files.map {
      ($0.path, $0.text.replacing("inverse: \\Task.", with: "inverse: \\Task.x"))
    }
    #expect(try check.problems(of: broken).contains { $0.contains("has no member 'x") })
    let folder = try TemporaryFolder()
    for file in files { try folder.write(file.text, to: file.path) }
    let formatted = try format.run(["format", "-r", "-i", folder.path])
    #expect(formatted.status == 0, "\(formatted.errors)")
    for file in files {
      #expect(String(decoding: try folder.bytes(of: file.path), as: UTF8.self) == file.text)
    }
  }
}
