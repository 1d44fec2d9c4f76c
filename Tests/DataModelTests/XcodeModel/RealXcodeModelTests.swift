import DataModel
import Testing

/// Tests real source models against the compiled models that Apple's tools made.
@Suite(.enabled(if: RealModels.isAvailable, "STOREBENCH_REAL_STORES is not set"))
struct RealXcodeModelTests {
  static let families = RealModels.paths(endingWith: ".xcdatamodeld")
  static let sources = RealModels.paths(endingWith: "contents.xml")
  static let compiled = RealModels.paths(endingWith: ".momd")

  // Without this test, the other tests would pass if no models were found.
  @Test func `the folder has models to read`() {
    #expect([Self.families, Self.sources, Self.compiled].allSatisfy { !$0.isEmpty })
  }

  @Test(arguments: families)
  func `understands all of a real family`(path: String) throws {
    let family = try ModelSource.read(path: RealModels.absolute(path))
    #expect(family.unknown == [])
    #expect(family.current.flatMap { family.version(named: $0) } != nil)
    for schema in family.versions {
      #expect(schema.model.problems().filter { $0.severity == .error } == [])
    }
  }

  @Test func `reads from the source what a store's model cache says`() throws {
    let stores = RealModels.paths(endingWith: ".sqlite").filter { $0.hasPrefix("bookmarks/") }
    let folder = try #require(RealXcodeModelTests.families.first { $0.hasPrefix("bookmarks/") })
    let versions = try ModelSource.read(path: RealModels.absolute(folder)).versions
    #expect(versions.count == stores.count + 1)
    for (schema, store) in zip(versions, stores) {
      let bytes = try #require(try RealModels.archive(at: store))
      #expect(try ModelArchive.read(bytes).model == schema.model)
    }
  }

  @Test(arguments: sources)
  func `reads from the source what the compiler made of it`(path: String) throws {
    let folder = String(path.dropLast("contents.xml".count))
    let source = try ModelSource.read(path: RealModels.absolute(path)).versions[0].model
    let compiled = try ModelSource.read(path: RealModels.absolute(folder + "CartStorage.mom"))
    // At the commit 6ab4050, the compiled model is older than its source.
    let isStale = folder.hasSuffix("6ab4050/")
    #expect((compiled.versions[0].model == source) != isStale)
  }

  @Test(arguments: compiled)
  func `reads hashes for every entity of a compiled family`(path: String) throws {
    let family = try ModelSource.read(path: RealModels.absolute(path))
    #expect(family.unknown == [])
    for schema in family.versions {
      let entities = schema.model.entities.map(\.name)
      #expect(family.versionHashes[schema.name]?.keys.sorted() == entities.sorted())
    }
  }
}
