import DataModel
import TestSupport
import Testing

@testable import SwiftModels

@Suite struct MigratorWriterTests {
  private func model(_ name: String) throws -> Model {
    let path = Repository.path("Workloads/models/planner/\(name).yaml")
    return try #require(try ModelSource.read(path: path).versions.first).model
  }

  private func map(_ name: String) throws -> MigrationMap {
    try MapFile.read(path: Repository.path("Workloads/maps/\(name).yaml"))
  }

  private func files(_ old: Model, _ new: Model, _ map: MigrationMap) throws -> [SwiftFile] {
    let mapping = try MappingModel(from: old, to: new, by: map)
    return SchemaWriter(classesOf: VersionedSchema(name: "new", model: new), source: "x").files
      + MigratorWriter(mapping, source: "map.yaml").files
  }

  private func problems(_ files: [SwiftFile]) throws -> [String] {
    let check = try #require(try WrittenSwiftCheck.shared())
    return try check.problems(of: files.map { ($0.path, $0.text) })
  }

  @Test func `the migrator and its test compile for a map that splits, joins and converts`() throws
  {
    let files = try files(model("v1"), model("v2"), map("planner"))
    #expect(try problems(files) == [])
    let text = files.map(\.text).joined()
    for part in [
      "Convert.textToInteger(", "copied(name(of: old), by: [\"CDContactToContact\"])",
      "role: (\"author\" as String?)", "value(of: old, \"project.projectName\", as: String.self)",
      "print(\"duration_seconds,objects,device,work,case,strategy,bytes,peak_memory_bytes\")",
      "replacePersistentStore(", "case diskFull(bytes: Int64)",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    // Required objects are made before the objects that need them.
    #expect(!text.contains("CDLogEntry becomes"))
  }

  @Test func `without a new model the map's names make one`() throws {
    let old = try model("v1")
    let renamed = old.renamed(by: try map("renamed"))
    let expected = try model("renamed")
    #expect(renamed.entities.map(\.name) == expected.entities.map(\.name))
    for entity in expected.entities {
      let found = try #require(renamed.entity(named: entity.name))
      #expect(found.attributes.map(\.name) == entity.attributes.map(\.name))
      #expect(found.relationships.map(\.name) == entity.relationships.map(\.name))
    }
    #expect(try problems(files(old, renamed, map("renamed"))) == [])
    let split = old.renamed(by: try map("planner"))
    #expect(try problems(files(old, split, map("planner"))) == [])
  }

  @Test func `conditions and empty values are code`() throws {
    let old = Model(entities: [
      Entity(
        name: "CDTask",
        attributes: [
          Attribute(name: "gone", type: .boolean), Attribute(name: "title", type: .string),
        ]
      )
    ])
    let new = Model(entities: [
      Entity(
        name: "Task",
        attributes: [Attribute(name: "title", type: .string, isOptional: false)]
      )
    ])
    let map = MigrationMap(entities: [
      EntityMap(
        source: "CDTask",
        destination: "Task",
        conditions: [.init("gone", in: [.integer(1), .null], isNegated: true)]
      )
    ])
    let files = try files(old, new, map)
    #expect(try problems(files) == [])
    let text = files.map(\.text).joined()
    #expect(
      text.contains(
        "guard !holds(value(of: old, \"gone\", as: Bool.self), [true, nil]) else { return nil }"
      )
    )
    #expect(text.contains("filled(value(of: old, \"title\", as: String.self), \"Task.title\""))
  }
}
