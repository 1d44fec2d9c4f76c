import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Inspector

/// Tests stores that contain no model, as frameworks up to 641 write them.
struct GivenModelTests {
  private static func version(_ name: String, _ attributes: [String]) -> VersionedSchema {
    VersionedSchema(
      name: name,
      model: Model(entities: [
        Entity(name: "Note", attributes: attributes.map { Attribute(name: $0, type: .string) })
      ])
    )
  }

  private static let family = ModelFamily(
    versions: [
      version("v1", ["title"]), version("v2", ["body", "title"]),
      version("v3", ["body", "place", "title"]),
    ],
    current: "v3"
  )

  /// Makes a store of the model's second version, without Z_MODELCACHE.
  private func store(
    in folder: TemporaryFolder,
    framework: Int = StoreMetadata.currentFrameworkVersion
  ) throws -> StoreFile {
    let path = folder.file("old.sqlite")
    do {
      let store = try PersistentStore.create(
        at: path,
        model: Self.family.versions[1].model,
        metadata: StoreMetadata(
          uuid: "00000000-0000-0000-0000-000000000000",
          versionIdentifiers: ["2"],
          frameworkVersion: framework
        )
      )
      try store.connection.execute("DROP TABLE Z_MODELCACHE")
      try store.connection.checkpoint()
    }
    return StoreFile(path: path)
  }

  @Test func `the store decides which version of a model is meant`() throws {
    let folder = try TemporaryFolder()
    let store = try store(in: folder)
    #expect(throws: PersistentStoreError.noModel(path: store.path)) { try StoreFacts(store: store) }
    let facts = try StoreFacts(store: store, model: Self.family)
    #expect(facts.model == Self.family.versions[1].model)
    var surveyor = StoreSurveyor(store)
    surveyor.model = Self.family
    let survey = try surveyor.survey()
    #expect(survey.layout?.differences(in: .unexplained) == [])
    #expect(survey.entities.map(\.name) == ["Note"])
  }

  @Test(arguments: [(241, false), (519, false), (641, false), (754, true), (1523, true)])
  func `a store without its model is wrong only where its framework writes one`(
    framework: Int,
    isWrong: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let store = try store(in: folder, framework: framework)
    let layout = StoreLayout(model: Self.family.versions[1].model, keepsHistory: false)
    let findings = try StoreAudit(store: store, layout: layout).findings()
    #expect(findings.map(\.rule) == (isWrong ? [.missingTable] : []))
  }

  @Test func `a model that no version of fits is refused by the user's path`() throws {
    let folder = try TemporaryFolder()
    let store = try store(in: folder)
    let other = ModelFamily(versions: [Self.family.versions[2]])
    #expect(
      throws: PersistentStoreError.modelMismatch(path: store.path, table: "ZNOTE", column: "ZPLACE")
    ) { try StoreFacts(store: store, model: other) }
  }

  @Test func `a model of which the store has no entity is said to be another app's`() throws {
    let folder = try TemporaryFolder()
    let store = try store(in: folder)
    let other = Model(entities: [
      Entity(name: "Cart", attributes: [Attribute(name: "total", type: .double)])
    ])
    let family = ModelFamily(versions: [VersionedSchema(name: "shop", model: other)])
    let error = PersistentStoreError.foreignModel(path: store.path)
    #expect(throws: error) { try StoreFacts(store: store, model: family) }
    #expect("\(error)".hasSuffix("it seems to be another app's model"))
  }

  @Test func `a working copy gets the model, and the store stays as it is`() throws {
    let folder = try TemporaryFolder()
    let store = try store(in: folder)
    let copy = StoreFile(path: folder.file("copy.sqlite"))
    try StoreFile.copy(store.path, to: copy.path)
    try ModelCache.write(Self.family.versions[1].model, to: copy)
    #expect(try StoreFacts(store: copy).model == Self.family.versions[1].model)
    #expect(throws: PersistentStoreError.self) { try StoreFacts(store: store) }
  }

  /// After a migration in place, Z_NAME keeps the former name of a renamed entity.
  @Test func `a renamed entity's row may have its former name`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("renamed.sqlite")
    let model = Model(entities: [Entity(name: "Memo", renamingIdentifier: "Note")])
    let store = try PersistentStore.create(at: path, model: model)
    for (name, count) in [("Note", 0), ("Other", 1)] {
      try store.connection.execute("UPDATE Z_PRIMARYKEY SET Z_NAME = '\(name)'")
      let findings = try StoreAudit(store: StoreFile(path: path), layout: store.layout).findings()
      #expect(findings.count { $0.rule == .wrongEntityRow } == count)
    }
  }
}
