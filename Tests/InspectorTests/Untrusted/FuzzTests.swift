import Basics
import Foundation
import PersistentStore
import Reporting
import TestSupport
import Testing

@testable import Inspector

struct FuzzTests {
  private static let seeds = FuzzSeeds.range(usually: 30)

  @Test func `fuzz: no broken store crashes, hangs or changes`() throws {
    let bases = try BrokenStore.bases()
    var outcomes: [String: Int] = [:]
    for seed in Self.seeds {
      let broken = try BrokenStore(seed: UInt64(seed), bases: bases)
      let before = try FolderFingerprint(of: broken.folder.path)
      let clock = ContinuousClock()
      let start = clock.now
      outcomes[outcome(of: broken), default: 0] += 1
      let took = clock.now - start
      #expect(took < .seconds(10), "seed \(seed), \(broken.what) took \(took)")
      #expect(
        try FolderFingerprint(of: broken.folder.path) == before,
        "seed \(seed), \(broken.what)"
      )
    }
    let summary = outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("fuzz: \(Self.seeds.count) broken stores: \(summary.joined(separator: ", "))")
    #expect(outcomes["reported", default: 0] > Self.seeds.count / 20)
    #expect(outcomes["refused", default: 0] > 0)
  }

  @Test(.enabled(if: RealStores.isAvailable, "STOREBENCH_REAL_STORES is not set"))
  func `fuzz: no broken copy of a real store crashes, hangs or changes`() throws {
    let bases = try RealStores.all.map { try BrokenStore.Base($0) }
    for seed in Self.seeds.prefix(Self.seeds.count / 3) {
      let broken = try BrokenStore(seed: UInt64(seed), bases: bases)
      let before = try FolderFingerprint(of: broken.folder.path)
      let clock = ContinuousClock()
      let start = clock.now
      _ = outcome(of: broken)
      let took = clock.now - start
      #expect(took < .seconds(10), "seed \(seed), \(broken.what) took \(took)")
      #expect(
        try FolderFingerprint(of: broken.folder.path) == before,
        "seed \(seed), \(broken.what)"
      )
    }
  }

  /// The outcome of an inspection; an error that does not concern the store fails the test.
  private func outcome(of broken: BrokenStore) -> String {
    do {
      let survey = try StoreSurveyor(broken.file).survey()
      let text = survey.report.text()
      #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" }, "\(broken.what)")
      _ = try survey.jsonText()
      return "reported"
    } catch is PersistentStoreError {
      return "refused"
    } catch is Refusal {
      return "refused"
    } catch {
      Issue.record("\(broken.what): \(error)")
      return "failed"
    }
  }
}
