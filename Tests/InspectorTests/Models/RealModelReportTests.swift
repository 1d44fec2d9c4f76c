import DataModel
import Foundation
import Inspector
import PersistentStore
import Testing

/// Tests real models and stores, if there are any.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] != nil,
    "STOREBENCH_REAL_STORES is not set"
  )
)
struct RealModelReportTests {
  private let folder = ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] ?? ""

  @Test func `loads all six versions of the bookmarks model and describes the steps`() throws {
    let report = try ModelReport(path: folder + "/bookmarks/BookmarksModel.xcdatamodeld")
    let steps = ModelReport.steps(of: report.sources[0].family)
    #expect(steps.count == 5)
    #expect(steps.allSatisfy { $0.isLightweight && $0.obstacles.isEmpty })
    #expect(
      steps.map { $0.changes.map { String($0.dropFirst("BookmarkEntity: ".count)) } } == [
        [
          "'url' has a different hash modifier", "'uuid' has a different hash modifier",
          "index 'uuid' is new", "index 'url' is new", "index 'byUUID' is new",
          "index 'byURL' is new",
        ],
        [
          "optional attribute 'isPendingDeletion' is new, boolean, with a default",
          "optional attribute 'modifiedAt' is new, date", "'url' has a different hash modifier",
          "'uuid' has a different hash modifier", "attribute 'isFavorite' goes",
          "index 'isPendingDeletion' is new", "it has a different index 'byUUID'",
          "it has a different index 'byURL'", "index 'byIsPendingDeletion' is new",
          "index 'uuid' goes", "index 'url' goes",
        ],
        [
          "relationship 'favoriteFolder' becomes 'favoriteFolders'",
          "'favoriteFolders' becomes to-many",
          "'favorites' has the inverse 'favoriteFolders', not 'favoriteFolder'",
        ],
        ["optional attribute 'lastChildrenPayloadReceivedFromSync' is new, string"],
        ["optional attribute 'isStub' is new, boolean"],
      ]
    )
  }

  /// Commits of the cart model, each of which adds or removes properties.
  private static let commits = [
    "48ffe53", "8bde0bb", "0cd9455", "6ab4050", "e06d3be", "5cbc0f9", "63f7d27", "cb4e6cd",
  ]

  @Test func `loads all eight versions of the cart model and describes the steps`() throws {
    let versions = try Self.commits.map { commit in
      let path = "\(folder)/cart/history/\(commit)/contents.xml"
      return VersionedSchema(name: commit, model: try ModelInput.read(path: path).version.model)
    }
    let steps = ModelReport.steps(of: ModelFamily(versions: versions))
    #expect(steps.allSatisfy { $0.isLightweight && $0.obstacles.isEmpty })
    #expect(
      steps.map(\.changes) == [
        [], [], ["CDCart: optional attribute 'sessionId' is new, string"], [],
        ["CDCart: optional attribute 'promotionKindsJSON' is new, binary"],
        [
          "CDCartItem: 'modifiers' has the inverse 'item', not none",
          "CDCartItemModifier: 'item' has the inverse 'modifiers', not none",
        ],
        [
          "CDCartItem: 'modifiers' has the inverse none, not 'item'",
          "CDCartItemModifier: 'item' has the inverse none, not 'modifiers'",
        ],
      ]
    )
  }

  @Test func `matches the cart store to the commits whose hashes it carries`() throws {
    let facts = try StoreFacts(store: StoreFile(path: folder + "/cart/CartStorage_v1.sqlite"))
    let matching = try Self.commits.filter { commit in
      let path = "\(folder)/cart/history/\(commit)/CartStorage.mom"
      return VersionMatch.of(facts, in: try ModelSource.read(path: path)).version != nil
    }
    // The compiled model of commit 6ab4050 is stale: it has the hashes of earlier commits.
    #expect(matching == ["48ffe53", "8bde0bb", "0cd9455", "6ab4050"])
    let hashes = try Self.commits.compactMap { commit in
      let path = "\(folder)/cart/history/\(commit)/CartStorage.mom"
      return try ModelSource.read(path: path).versionHashes["CartStorage"].map { (commit, $0) }
    }
    let all = Dictionary(uniqueKeysWithValues: hashes)
    let family = ModelFamily(
      versions: all.keys.sorted().map { VersionedSchema(name: $0, model: facts.model) },
      versionHashes: all
    )
    #expect(
      VersionMatch.byHashes(facts.metadata.versionHashes, in: family, hashed: Self.commits)
        == .ambiguous(versions: ["48ffe53", "8bde0bb", "0cd9455", "6ab4050"])
    )
  }

  @Test(arguments: 1...5)
  func `with one bit of a hash altered no bookmarks store is of any version`(number: Int) throws {
    let path = "\(folder)/bookmarks/Bookmarks_V\(number).sqlite"
    let facts = try StoreFacts(store: StoreFile(path: path))
    let own = ["V": facts.metadata.versionHashes]
    let family = ModelFamily(
      versions: [VersionedSchema(name: "V", model: facts.model)],
      versionHashes: own
    )
    #expect(VersionMatch.of(facts, in: family) == .hashes(version: "V"))
    var altered = family
    altered.versionHashes["V"]?["BookmarkEntity"]?[31] ^= 128
    // The altered hash is that of the store's only entity, so no version is similar to the store.
    #expect(VersionMatch.of(facts, in: altered) == .unknown(nearest: nil, differing: []))
  }

  @Test func `matches each bookmarks store to its version by the model that it carries`() throws {
    let report = try ModelReport(path: folder + "/bookmarks")
    let versions = Dictionary(
      uniqueKeysWithValues: report.stores.map { store in
        (store.facts.store.name, store.matches.compactMap { $0.match.version })
      }
    )
    #expect(versions["Bookmarks_V1.sqlite"] == ["BookmarksModel"])
    for number in 2...5 {
      #expect(versions["Bookmarks_V\(number).sqlite"] == ["BookmarksModel \(number)"])
    }
  }

  @Test func `matches the cart store to its compiled model by the hashes`() throws {
    let facts = try StoreFacts(store: StoreFile(path: folder + "/cart/CartStorage_v1.sqlite"))
    let family = try ModelSource.read(path: folder + "/cart/history/0cd9455/CartStorage.mom")
    #expect(VersionMatch.of(facts, in: family) == .hashes(version: "CartStorage"))
    var altered = family
    altered.versionHashes["CartStorage"]?["CDCart"]?[0] ^= 1
    #expect(
      VersionMatch.of(facts, in: altered)
        == .unknown(nearest: "CartStorage", differing: ["CDCart"])
    )
  }

  @Test func `finds the one stale compiled model among eight`() throws {
    let history = folder + "/cart/history"
    let commits = try FileManager.default.contentsOfDirectory(atPath: history).sorted()
    #expect(commits.count == 8)
    let stale = try commits.filter { commit in
      let agreements = try ModelReport(path: history + "/" + commit).agreements
      #expect(agreements.count == 1)
      return agreements.contains(where: \.isContradiction)
    }
    #expect(stale == ["6ab4050"])
  }

  @Test func `proposes the SwiftData entities that the cart's become`() throws {
    let comparison = try ModelComparison(
      from: ModelInput.read(path: folder + "/cart/CartStorage_v1.sqlite"),
      to: ModelInput.read(path: folder + "/cart/CartKitSwiftData_v1.sqlite")
    )
    #expect(comparison.hasNothingInCommon)
    #expect(
      comparison.suspectedRenames.map(\.name)
        == ["CartModel", "CartItemModel", "CartItemModifierModel"]
    )
    #expect(comparison.dropped.map(\.count) == [1, 1, 0])
  }
}
