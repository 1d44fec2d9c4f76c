import DataModel
import Foundation
import Inspector
import PersistentStore
import Testing

@Suite struct VersionMatchTests {
  private func family(_ versions: [String: [String: [UInt8]]]) -> ModelFamily {
    ModelFamily(
      versions: versions.keys.sorted().map {
        VersionedSchema(name: $0, model: Model(entities: [Entity(name: "A")]))
      },
      versionHashes: versions
    )
  }

  @Test func `matches by the hashes alone, and says where two versions fit`() {
    let one = ["A": ModelFixture.hash(1), "B": ModelFixture.hash(2)]
    let two = ["A": ModelFixture.hash(1), "B": ModelFixture.hash(3)]
    let versions = family(["v1": one, "v2": two])
    #expect(
      VersionMatch.byHashes(two, in: versions, hashed: ["v1", "v2"]) == .hashes(version: "v2")
    )
    let twins = family(["v1": one, "v2": one])
    #expect(
      VersionMatch.byHashes(one, in: twins, hashed: ["v1", "v2"])
        == .ambiguous(versions: ["v1", "v2"])
    )
  }

  @Test(arguments: 0..<8)
  func `does not know a store with one bit of a hash altered`(bit: Int) {
    let one = ["A": ModelFixture.hash(1), "B": ModelFixture.hash(2)]
    var altered = one
    altered["B"]?[bit * 4] ^= 1 << UInt8(bit)
    let match = VersionMatch.byHashes(altered, in: family(["v1": one]), hashed: ["v1"])
    #expect(match == .unknown(nearest: "v1", differing: ["B"]))
    #expect(match.version == nil)
  }

  @Test func `falls back on the model where the source has no hashes`() throws {
    let fixture = try ModelFixture()
    let store = try fixture.store("a.sqlite", [ModelFixture.note, ModelFixture.folderEntity])
    let facts = try #require(store.store)
    let same = VersionedSchema(name: "v1", model: facts.model)
    let other = VersionedSchema(name: "v2", model: Model(entities: [Entity(name: "X")]))
    #expect(
      VersionMatch.of(facts, in: ModelFamily(versions: [other, same])) == .model(version: "v1")
    )
    #expect(
      VersionMatch.of(facts, in: ModelFamily(versions: [other]))
        == .unknown(nearest: nil, differing: [])
    )
  }

  @Test func `a version that differs in user info alone is the store's`() throws {
    let fixture = try ModelFixture()
    let store = try fixture.store("a.sqlite", [ModelFixture.note, ModelFixture.folderEntity])
    var note = ModelFixture.note
    note.userInfo = ["made": "by hand"]
    let model = Model(entities: [note, ModelFixture.folderEntity])
    let family = ModelFamily(versions: [VersionedSchema(name: "v1", model: model)])
    let match = VersionMatch.of(try #require(store.store), in: family)
    #expect(match == .model(version: "v1"))
    #expect("\(match)".contains("the schema in its cache is equal"))
  }

  @Test func `a model that was given is not said to be in the store's cache`() throws {
    let fixture = try ModelFixture()
    let store = try fixture.store("a.sqlite", [ModelFixture.note, ModelFixture.folderEntity])
    let version = VersionedSchema(name: "v1", model: store.version.model)
    let family = ModelFamily(versions: [version])
    let facts = try StoreFacts(store: StoreFile(path: store.path), model: family)
    let match = VersionMatch.of(facts, in: family)
    #expect(match == .model(version: "v1", isGiven: true))
    #expect(
      "\(match)"
        == "is of version 'v1' of the given model, as far as its tables show; the source has no "
        + "hashes to compare"
    )
  }
}
