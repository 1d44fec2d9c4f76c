import DataModel
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct FetchMutationTests {
  /// Fetches on a table with one entity do not read Z_ENT (seen in logs), so only the audit finds a
  /// wrong one.
  private static let readable = StoreMutation.all.filter {
    $0.sort == .content && $0.description != "a wrong Z_ENT"
  }

  /// Each mutation is tried in one place; in `make fuzz`, in two.
  @Test(arguments: ChangeEngine.built.map(\.rawValue))
  func `fuzz: finds tasks that are not those of the original`(engine: String) throws {
    let bench = try makeTaskBench()
    let seeds = FuzzSeeds.part(of: [0, 1], every: 2)
    for (mutation, seed) in Self.readable.flatMap({ mutation in seeds.map { (mutation, $0) } }) {
      let opened = try bench.open(tasks(["engine": .text(engine)])) { trial in
        let store = try PersistentStore.open(trial.start, mode: .readOnly)
        _ = try mutation.apply(to: trial.store, layout: store.layout, seed: UInt64(seed))
      }
      guard try Self.haveOtherTasks(opened.trial, opened.session.store.layout) else { continue }
      #expect(throws: (any Error).self, "\(mutation), seed \(seed)") { try opened.finish() }
    }
  }

  /// Returns whether any attribute of any task has changed.
  private static func haveOtherTasks(_ trial: Trial, _ layout: StoreLayout) throws -> Bool {
    let entity = try #require(layout.model.entity(named: "Task"))
    let shape = ObjectDigest.Shape(entity: "Task", properties: entity.attributes.map(\.name))
    let before = try StoreContent(store: trial.start, layout: layout).digest(shape)
    return try before != StoreContent(store: trial.store, layout: layout).digest(shape)
  }

  @Test(arguments: ["a foreign key nulled", "two foreign keys swapped", "a join row dropped"])
  func `finds relationships that lead elsewhere`(name: String) throws {
    let mutation = try #require(StoreMutation.all.first { $0.description == name })
    let bench = try makeTaskBench()
    var failures = 0
    for (seed, relationship) in (0..<4).flatMap({ seed in
      ["project", "tags"].map { (seed, $0) }
    }) {
      let opened = try bench.open(
        tasks(["touchedShare": .real(1), "relationship": .text(relationship)])
      ) { trial in
        let store = try PersistentStore.open(trial.start, mode: .readOnly)
        #expect(try mutation.apply(to: trial.store, layout: store.layout, seed: UInt64(seed)))
      }
      do { _ = try opened.finish() } catch is VerificationFailure { failures += 1 }
    }
    // Each mutation damages only one of the two relationships.
    #expect(failures == 4)
  }

  @Test func `finds a batch that was not read`() throws {
    let bench = try makeTaskBench()
    let opened = try bench.open(tasks(["strategy": .text("batched")]))
    try opened.workload.run(opened.session, opened.recorder)
    var partial = ReadLog()
    partial.fetched = 90
    opened.session.logs = [partial]
    let error = try #require(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
    #expect(error.findings == ["0 objects were read instead of 90"])
  }

  @Test func `finds an object read out of order`() throws {
    let bench = try makeTaskBench()
    let values = tasks(["sort": .list(["-createdAt"]), "accessPattern": .text("firstScreen")])
    let opened = try bench.open(values)
    try opened.workload.run(opened.session, opened.recorder)
    let log = opened.session.logs[0]
    var swapped = ReadLog()
    swapped.fetched = log.fetched
    for key in [log.keys[6]] + log.keys[1..<6] + [log.keys[0]] + log.keys[7...] {
      swapped.add(key, 0)
    }
    opened.session.logs = [swapped]
    let error = try #require(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
    #expect(error.findings.first?.hasSuffix("at position 0 is out of order") == true)
  }
}
