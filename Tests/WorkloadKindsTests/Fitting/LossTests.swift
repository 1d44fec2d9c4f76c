import DataModel
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests models to which a user's own store cannot be migrated without loss of data.
struct LossTests {
  private static let strategies = [
    "lightweight", "customStage", "sideBySide", "exportImport", "gradual",
  ]

  /// Writes the store's own model, with changes, next to the workload files.
  private static func given(_ change: (inout Entity) -> Void) throws -> (GivenStore, String) {
    let given = try GivenStore()
    var entities = GivenStore.model.entities
    for index in entities.indices { change(&entities[index]) }
    let next = Model(entities: entities, versionIdentifiers: ["2"])
    return (given, try given.folder.write(ModelWriter.text(of: next), to: "models/next.yaml"))
  }

  private static func withoutSubject(_ entity: inout Entity) {
    entity.attributes.removeAll { $0.name == "subject" }
  }

  private static func file(_ strategy: String) -> String {
    "kind: migration\nstore: { recipe: recipes/tasks.yaml }\n"
      + "parameters: { strategy: \(strategy) }\n"
  }

  private static func problem(
    _ given: GivenStore,
    _ strategy: String,
    _ overrides: [String: String]
  ) throws -> String {
    let problems = try given.problems(["app": file(strategy)], overrides)
    #expect(problems.count == 1)
    return problems.first ?? ""
  }

  @Test(arguments: strategies)
  func `are refused, with what would go`(strategy: String) throws {
    let (given, path) = try Self.given { entity in
      guard entity.name == "Letter" else { return }
      Self.withoutSubject(&entity)
      entity.attributes.append(Attribute(name: "topic", type: .string))
    }
    #expect(
      try Self.problem(given, strategy, ["to": path]).hasSuffix(
        "the model 'models/next.yaml' has no place for 6 values of Letter.subject; if a property "
          + "was renamed, set its former name as the renaming identifier; or allow the loss with "
          + "'dropped: allowed'"
      )
    )
  }

  @Test(arguments: strategies)
  func `are found by the app's model where the store has none`(strategy: String) throws {
    let (given, path) = try Self.given(Self.withoutSubject)
    try Connection(path: given.path, settings: nil).execute("DROP TABLE Z_MODELCACHE")
    let model = ModelFamily(versions: [VersionedSchema(name: "own", model: GivenStore.model)])
    let error = try #require(throws: InvalidInput.self) {
      try given.plan(["app": Self.file(strategy)], ["to": path], model: model)
    }
    #expect("\(error)".contains("has no place for 6 values of Letter.subject"))
    guard ["lightweight", "sideBySide"].contains(strategy) else { return }
    let allowed = ["to": path, "dropped": "allowed"]
    #expect(try given.plan(["app": Self.file(strategy)], allowed, model: model).caseCount == 1)
  }

  @Test func `are run where what goes may go, and say so`() throws {
    let (given, path) = try Self.given(Self.withoutSubject)
    let plan = try given.plan(
      ["app": Self.file("sideBySide")],
      ["to": path, "dropped": "allowed"]
    )
    let notes = plan.workloads.flatMap(\.cases).flatMap(\.notes)
    #expect(notes.contains("dropped as allowed: 6 values of Letter.subject"))
  }

  @Test(arguments: ["lightweight", "sideBySide"])
  func `may be all objects of the largest entity, if what goes may go`(strategy: String) throws {
    let given = try GivenStore()
    let label = Attribute(name: "label", type: .string, isOptional: true)
    let next = Model(
      entities: [Entity(name: "Box", attributes: [label])],
      versionIdentifiers: ["2"]
    )
    let path = try given.folder.write(ModelWriter.text(of: next), to: "models/next.yaml")
    #expect(
      try Self.problem(given, strategy, ["to": path]).hasSuffix(
        "'models/next.yaml' has no 'Letter', the entity with most objects: if it was renamed, set "
          + "its former name as the renaming identifier; if it was removed, allow the loss with "
          + "'dropped: allowed'"
      )
    )
    let plan = try given.plan(
      ["app": Self.file(strategy)],
      ["to": path, "dropped": "allowed"]
    )
    let notes = plan.workloads.flatMap(\.cases).flatMap(\.notes)
    #expect(notes.contains { $0.hasPrefix("dropped as allowed: 6 objects of Letter") })
  }

  @Test func `lose nothing where nothing is held`() throws {
    let (given, path) = try Self.given { $0.attributes.removeAll { $0.name == "words" } }
    #expect(try given.plan(["app": Self.file("lightweight")], ["to": path]).caseCount == 1)
  }

  @Test(arguments: ["objectGraph", "bareSQL"])
  func `are refused where a copy cannot carry a value`(engine: String) throws {
    let (given, path) = try Self.given { entity in
      guard entity.name == "Letter" else { return }
      Self.withoutSubject(&entity)
      entity.attributes.append(Attribute(name: "subject", type: .integer32))
    }
    #expect(
      try Self.problem(given, "sideBySide", ["to": path, "engine": engine]).contains(
        "copies would lose data: Letter: 'subject' cannot be converted from string to integer32"
      )
    )
  }

  @Test func `are refused where a version on the way loses what the direct step keeps`() throws {
    let (given, path) = try Self.given(Self.withoutSubject)
    let last = try given.folder.write(
      ModelWriter.text(of: Model(entities: GivenStore.model.entities, versionIdentifiers: ["3"])),
      to: "models/last.yaml"
    )
    let chain = ["via": "[[\(path)]]", "to": last]
    #expect(
      try Self.problem(given, "lightweight", chain)
        .contains(
          "an intermediate version has no place for 6 values of Letter.subject, which the direct step "
            + "keeps"
        )
    )
    let plan = try given.plan(
      ["app": Self.file("lightweight")],
      chain.merging(["dropped": "allowed"]) { $1 }
    )
    let notes = plan.workloads.flatMap(\.cases).flatMap(\.notes)
    #expect(
      notes.contains(
        "the chain of versions ends with a different store than the direct step; both results are "
          + "permitted: Letter.subject: the chain leaves it empty, the direct step keeps the "
          + "values of 'subject'"
      )
    )
  }
}
