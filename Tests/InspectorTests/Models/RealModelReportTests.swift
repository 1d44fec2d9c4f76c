import DataModel
import Foundation
import Inspector
import PersistentStore
import Testing

/// Over real models and stores; skipped where there are none.
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
    #expect(steps.allSatisfy { !$0.changes.isEmpty && $0.isLightweight })
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
