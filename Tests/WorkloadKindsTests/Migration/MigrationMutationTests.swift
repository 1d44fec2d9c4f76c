import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `The verification of a migration` {
  /// Each case takes a third of the mutations; in `make fuzz`, all of them.
  @Test(arguments: zip([0, 1, 3, 5, 6, 8], 0..<6))
  func `fuzz: catches every mutation that can occur`(strategy: Int, place: Int) throws {
    try MigrationFixture.expectMutationsCaught(
      MigrationWorkloadTests.strategies[strategy].merging(MigrationFixture.toV2) { $1 },
      FuzzSeeds.part(of: StoreMutation.beyondVersions, every: 3, from: place)
    )
  }

  /// A copy renumbers ordered objects, so only the sequence of the objects can be compared.
  @Test(arguments: [("sideBySide", 0), ("exportImport", 1)])
  func `fuzz: catches every mutation of a copy with ordered relationships`(
    way: String,
    place: Int
  ) throws {
    let bench = try LibraryFixture.bench()
    // Use finite values: a small change does not alter an infinite value.
    try Connection(path: bench.original.path).execute("UPDATE ZREADER SET ZWEIGHT = Z_PK + 0.5")
    let to = try LibraryFixture.write(LibraryFixture.nextModel(isUnique: false), in: bench)
    try MigrationFixture.expectMutationsCaught(
      ["strategy": .text(way), "to": to],
      FuzzSeeds.part(of: StoreMutation.beyondVersions, every: 2, from: place),
      on: bench
    )
  }

  @Test func `catches a change of the old store that a copy had to leave alone`() throws {
    let bench = try MigrationFixture.tasks()
    let values = MigrationWorkloadTests.strategies[3].merging(MigrationFixture.toV2) { $1 }
    let opened = try bench.open(values)
    try opened.workload.run(opened.session, opened.recorder)
    let store = try #require(opened.session.store)
    try store.connection.execute("UPDATE ZTASK SET ZTITLE = 'x' WHERE Z_PK = 1")
    #expect(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
  }

  @Test func `catches a store that a failed or undone migration changed`() throws {
    let bench = try MigrationFixture.tasks()
    let values = MigrationFixture.toV3.merging(["duplicates": .text("failing")]) { $1 }
    for sql in [
      "UPDATE ZTASK SET Z_OPT = 2 WHERE Z_PK = 1", "CREATE INDEX extra ON ZTASK (ZTITLE)",
      "UPDATE Z_METADATA SET Z_UUID = '5A0B5FB4-7E6A-4F0E-9D4B-2C1C0A4F6E11'",
      "",
    ] {
      let opened = try bench.open(values)
      #expect(throws: (any Error).self) {
        try opened.workload.run(opened.session, opened.recorder)
      }
      let store = try #require(opened.session.store)
      guard !sql.isEmpty else {
        _ = try opened.workload.verify(opened.session, opened.trial)
        continue
      }
      try store.connection.execute(sql)
      #expect(throws: VerificationFailure.self) {
        try opened.workload.verify(opened.session, opened.trial)
      }
    }
  }
}

extension MigrationFixture {
  /// Runs a case and checks that the verification finds each mutation of the store.
  static func expectMutationsCaught(
    _ values: [String: ParameterValue],
    _ mutations: [StoreMutation] = StoreMutation.beyondVersions,
    on given: KindBench<MigrationWorkload>? = nil
  ) throws {
    // Releasing the bench removes the folder of the stores.
    let bench = try given ?? tasks()
    let opened = try bench.open(values)
    try opened.workload.run(opened.session, opened.recorder)
    opened.session.closeAll()
    let store = opened.session.result
    let template = StoreFile(path: opened.trial.folder + "/template/" + store.name)
    try template.replace(with: store)
    _ = try opened.workload.verify(opened.session, opened.trial)
    let tally = try MutationTally(of: mutations) { mutation in
      try store.replace(with: template)
      let layout = opened.session.destination
      guard try mutation.apply(to: store, layout: layout, seed: 5) else { return nil }
      return { _ = try opened.workload.verify(opened.session, opened.trial) }
    }
    #expect(tally.missed == [])
    let isWhole = mutations.count == StoreMutation.beyondVersions.count
    #expect(tally.occurred > (isWhole ? 20 : 3))
    withExtendedLifetime(bench) {}
  }
}

extension StoreFile {
  /// Replaces this store's files with copies of the files of another store.
  fileprivate func replace(with other: StoreFile) throws {
    try remove()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (from, to) in zip(other.paths, paths) where FileManager.default.fileExists(atPath: from) {
      try FileManager.default.copyItem(atPath: from, toPath: to)
    }
  }
}

extension MigrationSession {
  /// Closes every connection, so that the stores are not in use.
  func closeAll() {
    store = nil
    target = nil
  }
}
