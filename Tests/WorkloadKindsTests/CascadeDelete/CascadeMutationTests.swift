import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

struct CascadeMutationTests {
  /// Cases of each strategy, on stores with history and external files.
  static let cases: [[String: ParameterValue]] = [
    ["shape": .text("own"), "strategy": .text("objectByObject")],
    ["shape": .text("own"), "strategy": .text("batchDelete")],
    ["shape": .text("own"), "strategy": .text("sqlForeignKey")],
    ["shape": .text("chain"), "strategy": .text("batchDelete"), "rule": .text("nullify")],
    ["shape": .text("chain"), "strategy": .text("objectByObject"), "rule": .text("deny")],
  ].map {
    $0.merging([
      "history": .boolean(true), "blob": .integer(102_401), "depth": .integer(2),
      "fanOut": .integer(2), "roots": .integer(2), "share": .real(0.5), "entity": .text("Task"),
    ]) { $1 }
  }

  /// Each case takes a third of the mutations; in `make fuzz`, all of them.
  @Test(arguments: zip(cases, cases.indices))
  func `fuzz: every mutation that can occur after a deletion is caught`(
    _ values: [String: ParameterValue],
    _ place: Int
  ) throws {
    let bench = try CascadeFixture.bench(keepsHistory: true)
    let opened = try bench.open(values)
    var failure: (any Error)?
    do { try opened.workload.run(opened.session, opened.recorder) } catch { failure = error }
    #expect((failure == nil) == (opened.workload.expectedFailure == nil))
    _ = try opened.workload.verify(opened.session, bench.copied(opened.trial))
    let layout = opened.session.store.layout
    let mutations = FuzzSeeds.part(of: StoreMutation.all, every: 3, from: place)
    let tally = try MutationTally(of: mutations) { mutation in
      let trial = try bench.copied(opened.trial)
      guard try mutation.apply(to: trial.store, layout: layout, seed: 3) else { return nil }
      return { _ = try opened.workload.verify(opened.session, trial) }
    }
    #expect(tally.missed == [])
    #expect(tally.occurred >= (FuzzSeeds.isThorough ? 20 : 4))
  }

  @Test func `an object that a cascade forgot is caught`() throws {
    let bench = try CascadeFixture.bench()
    let opened = try bench.open(["shape": .text("chain"), "strategy": .text("objectByObject")])
    let table = "ZNODE3"
    try opened.session.store.connection.execute("CREATE TEMP TABLE kept AS SELECT * FROM \(table)")
    try opened.workload.run(opened.session, opened.recorder)
    try opened.session.store.connection.execute(
      "INSERT OR IGNORE INTO \(table) SELECT * FROM kept WHERE Z_PK NOT IN"
        + " (SELECT Z_PK FROM \(table)) LIMIT 1"
    )
    let error = #expect(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
    #expect(error?.findings.contains { $0.contains("is not expected") } == true)
  }

  @Test func `a wrong tombstone is caught`() throws {
    let bench = try CascadeFixture.bench()
    for strategy in ["objectByObject", "batchDelete"] {
      let opened = try bench.open(["strategy": .text(strategy), "history": .boolean(true)])
      try opened.workload.run(opened.session, opened.recorder)
      try opened.session.store.connection.execute(
        "UPDATE ACHANGE SET ZTOMBSTONE0 = upper(ZTOMBSTONE0) WHERE Z_PK ="
          + " (SELECT max(Z_PK) FROM ACHANGE WHERE ZCHANGETYPE = 2)"
      )
      let error = #expect(throws: VerificationFailure.self) {
        try opened.workload.verify(opened.session, opened.trial)
      }
      #expect(error?.findings.first?.hasPrefix("tombstone 0 of Node") == true)
    }
  }
}
