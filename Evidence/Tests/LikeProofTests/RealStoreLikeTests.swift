import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

/// The real stores that tests may read; empty unless STOREBENCH_REAL_STORES names a folder.
private enum RealStores {
  static let folder = ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"]

  /// The paths of all `.sqlite` files, relative to the folder of real stores.
  static var names: [String] {
    let paths = folder.flatMap { FileManager.default.subpaths(atPath: $0) } ?? []
    return paths.filter { $0.hasSuffix(".sqlite") }.sorted()
  }
}

@Suite(.enabled(if: RealStores.folder != nil, "STOREBENCH_REAL_STORES is not set"))
struct RealStoreLikeTests {
  private func copy(_ name: String, into target: TemporaryFolder) throws -> StoreContent {
    let source = try #require(RealStores.folder) + "/" + name
    let path = target.file(URL(fileURLWithPath: name).lastPathComponent)
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: source + ending) {
      try FileManager.default.copyItem(atPath: source + ending, toPath: path + ending)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + ending)
    }
    return try .reading(StoreFile(path: path))
  }

  @Test(arguments: RealStores.names, [1, 20])
  func `a store made like a real one has its tables, its shape and its metadata`(
    name: String,
    k: Int
  ) throws {
    let folder = try TemporaryFolder()
    let original = try copy(name, into: folder)
    let profile = try StoreProfiler(original, k: k).profile()
    let like = LikeRecipe(profile)
    let recipe = like.recipe(name: "like", seed: 1)
    let made = try StoreContent.reading(
      StoreGenerator(recipe).generate(at: folder.file("like.sqlite")).file
    )
    #expect(try made.statements() == original.statements())
    let report = try StoreFidelity(
      profile: profile,
      original: original,
      made: made,
      expectation: like.expectation(of: recipe)
    ).report()
    #expect(report.differences == [])
    #expect(report.missing == [])
    let old = try StoreMetadata(from: original.connection, path: name)
    let new = try StoreMetadata(from: made.connection, path: "like")
    #expect(new.versionHashes == old.versionHashes)
    #expect(new.frameworkVersion == old.frameworkVersion)
    #expect(new.versionIdentifiers == old.versionIdentifiers)
    let findings = try StoreAudit(store: made.store, layout: made.layout).findings()
    #expect(findings.map(\.description) == [])
  }

  @Test(arguments: RealStores.names, [1, 20])
  func `the profile of a real store is read back as it was`(name: String, k: Int) throws {
    let profile = try StoreProfiler(try copy(name, into: TemporaryFolder()), k: k).profile()
    let diagnostics = Diagnostics(file: "profile.yaml")
    let text = ProfileWriter(profile).text
    let read = YAMLDocument.parse(text, into: diagnostics).flatMap(ProfileFile.profile)
    #expect(!diagnostics.hasErrors)
    let again = try #require(read)
    #expect(again.entities == profile.entities)
    #expect(again.history == profile.history)
    #expect(ProfileWriter(again).text == text)
  }
}
