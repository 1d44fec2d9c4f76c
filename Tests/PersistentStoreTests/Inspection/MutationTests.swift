import PersistentStore
import TestSupport
import Testing

@Suite struct MutationTests {
  @Test func `finds nothing wrong with a store that nobody changed`() throws {
    let sample = try SampleStore.filled()
    let copy = try sample.copy()
    let expected = ExpectedContent(
      from: try StoreContent(store: sample.file, layout: sample.layout)
    )
    let inspection = StoreInspection(store: copy.file, layout: sample.layout)
    #expect(try inspection.problems(expecting: expected) == [])
  }

  /// Each mutation is tried in one place; in `make fuzz`, in two.
  @Test(arguments: StoreMutation.all)
  func `fuzz: finds a store that was changed by`(_ mutation: StoreMutation) throws {
    let sample = try SampleStore.filled()
    let original = try StoreContent(store: sample.file, layout: sample.layout)
    for seed: UInt64 in FuzzSeeds.part(of: [1, 2], every: 2) {
      let copy = try sample.copy()
      try #require(
        try mutation.apply(to: copy.file, layout: sample.layout, seed: seed),
        "it did not occur"
      )
      let problems = try StoreInspection(store: copy.file, layout: sample.layout)
        .problems(expecting: ExpectedContent(from: original)) { comparison in
          comparison.comparesVersions = mutation.sort == .versions
        }
      #expect(!problems.isEmpty, "seed \(seed)")
      switch mutation.sort {
      case .content: try expectDifference(copy.file, from: original, seed: seed)
      case .layout:
        let findings = try StoreAudit(store: copy.file, layout: sample.layout).findings()
        #expect(!findings.isEmpty, "audit, seed \(seed)")
      case .versions, .history: break
      }
    }
  }

  private func expectDifference(_ file: StoreFile, from original: StoreContent, seed: UInt64) throws
  {
    let actual = try StoreContent(store: file, layout: original.layout)
    let comparison = ContentComparison(expected: ExpectedContent(from: original), actual: actual)
    #expect(try !comparison.findings().isEmpty, "comparison, seed \(seed)")
    #expect(try actual.digest().total != original.digest().total, "digest, seed \(seed)")
  }

  @Test(arguments: StoreMutation.all)
  func `leaves a store alone that has no place for`(_ mutation: StoreMutation) throws {
    let sample = try SampleStore(keepsHistory: false)
    try sample.finish()
    let before = try StoreContent(store: sample.file, layout: sample.layout).digest().total
    if try !mutation.apply(to: sample.file, layout: sample.layout, seed: 1) {
      #expect(try StoreContent(store: sample.file, layout: sample.layout).digest().total == before)
      #expect(try StoreAudit(store: sample.file, layout: sample.layout).findings() == [])
    }
  }
}
