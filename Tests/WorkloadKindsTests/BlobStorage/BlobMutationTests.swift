import DataModel
import Foundation
import PersistentStore
import Runner
import TestSupport
import Testing

@testable import WorkloadKinds

struct BlobMutationTests {
  /// Each operation takes a third of the mutations, so a strategy's three cases cover them all.
  @Test(arguments: BlobFixture.strategies, [BlobParameters.Operation.insert, .update, .delete])
  func `fuzz: every mutation that can occur after the work is caught`(
    _ strategy: String,
    _ operation: BlobParameters.Operation
  ) throws {
    let bench = try BlobFixture.bench()
    let opened = try bench.open(BlobFixture.values(strategy, operation.rawValue))
    try opened.workload.run(opened.session, opened.recorder)
    _ = try opened.workload.verify(opened.session, bench.copied(opened.trial))
    let layout = opened.session.store.layout
    let place = (BlobFixture.strategies.firstIndex(of: strategy) ?? 0) + operation.place
    let mutations = FuzzSeeds.part(of: StoreMutation.all, every: 3, from: place)
    let tally = try MutationTally(of: mutations) { mutation in
      let trial = try bench.copied(opened.trial)
      guard try mutation.apply(to: trial.store, layout: layout, seed: 5) else { return nil }
      return { _ = try opened.workload.verify(opened.session, trial) }
    }
    #expect(tally.missed == [])
    #expect(tally.occurred >= (FuzzSeeds.isThorough ? 15 : 3))
  }

  /// Outside `make fuzz`, each mutation is tried on half of the strategies.
  @Test(arguments: BlobFixture.strategies, [BlobParameters.Operation.readOne, .readMany, .list])
  func `fuzz: every mutation of a store that is only read is caught`(
    _ strategy: String,
    _ operation: BlobParameters.Operation
  ) throws {
    let bench = try BlobFixture.bench()
    let values = BlobFixture.values(strategy, operation.rawValue)
    let layout = try bench.open(values).session.store.layout
    let place = BlobFixture.strategies.firstIndex(of: strategy) ?? 0
    let third = StoreMutation.all.indices.filter { $0 % 3 == operation.place }
    for mutation in FuzzSeeds.part(of: third, every: 2, from: place) {
      var wasApplied = false
      let verification = Result {
        // A mutation before the work may make the work fail, which also fails the case.
        let opened = try bench.open(values) { trial in
          let store = trial.store
          wasApplied = try StoreMutation.all[mutation].apply(to: store, layout: layout, seed: 5)
        }
        return try opened.finish()
      }
      #expect((try? verification.get()) == nil || !wasApplied, "\(StoreMutation.all[mutation])")
    }
  }

  /// Corruptions of blob files that the app writes itself.
  enum FileMutation: String, CaseIterable {
    case truncated
    case flipped
    case missing
    case orphaned
    case swapped

    func apply(in folder: String) throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      let paths = names.map { URL(fileURLWithPath: folder + "/" + $0) }
      let (first, second) = (try #require(paths.first), try #require(paths.last))
      var bytes = Array(try Data(contentsOf: first))
      switch self {
      case .truncated: try Data(bytes.dropLast()).write(to: first)
      case .flipped:
        bytes[bytes.count / 2] ^= 1
        try Data(bytes).write(to: first)
      case .missing: try FileManager.default.removeItem(at: first)
      case .orphaned: try Data(bytes).write(to: URL(fileURLWithPath: folder + "/orphan"))
      case .swapped:
        let other = try Data(contentsOf: second)
        try Data(bytes).write(to: second)
        try other.write(to: first)
      }
    }
  }

  @Test(arguments: [BlobParameters.Operation.insert, .update, .delete])
  func `a wrong file of the app's own is caught`(_ operation: BlobParameters.Operation) throws {
    let bench = try BlobFixture.bench()
    let opened = try bench.open(BlobFixture.values("file", operation.rawValue))
    try opened.workload.run(opened.session, opened.recorder)
    _ = try opened.workload.verify(opened.session, bench.copied(opened.trial))
    for mutation in FileMutation.allCases {
      let trial = try bench.copied(opened.trial)
      try mutation.apply(in: trial.store.filesFolder)
      #expect(throws: VerificationFailure.self, "\(mutation)") {
        try opened.workload.verify(opened.session, trial)
      }
    }
  }
}

extension BlobParameters.Operation {
  /// The third of the mutations that a reading operation takes.
  fileprivate var place: Int {
    BlobParameters.Operation.allCases.firstIndex(of: self).map { $0 % 3 } ?? 0
  }
}
