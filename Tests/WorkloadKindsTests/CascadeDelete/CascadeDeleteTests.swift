import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

struct CascadeDeleteTests {
  /// Returns half of the ways to delete, for stores with or without history; in `make fuzz`, all
  /// ways.
  private static func ways(_ history: Bool) -> [[String: ParameterValue]] {
    FuzzSeeds.part(of: CascadeFixture.ways, every: 2, from: history ? 1 : 0)
  }

  @Test(arguments: ["cascade", "nullify", "deny"], [false, true])
  func `fuzz: every way to delete leaves the same content of a chain`(
    _ rule: String,
    _ history: Bool
  ) throws {
    let bench = try CascadeFixture.bench()
    var digests: [String: String] = [:]
    for way in Self.ways(history) {
      let values = way.merging([
        "rule": .text(rule), "history": .boolean(history), "depth": .integer(2),
        "fanOut": .integer(2), "roots": .integer(2), "share": .real(0.5),
        "blob": .integer(102_401),
      ]) { $1 }
      digests["\(way)"] = try bench.verify(values).digest
    }
    #expect(Set(digests.values).count == 1, "\(digests)")
  }

  @Test(arguments: [false, true], ["Folder", "Task"])
  func `fuzz: every way to delete leaves the same content of a store with all relationships`(
    _ history: Bool,
    _ entity: String
  ) throws {
    let bench = try CascadeFixture.bench(keepsHistory: history)
    var digests: [String: String] = [:]
    for way in Self.ways(history) {
      let values = way.merging([
        "shape": .text("own"), "entity": .text(entity), "share": .real(0.4),
      ]) { $1 }
      digests["\(way)"] = try bench.verify(values).digest
    }
    #expect(Set(digests.values).count == 1, "\(digests)")
  }

  /// Real stores have one-to-one relationships with only one side set, for example the cloud states
  /// in the Notes app's store.
  @Test func `a one-to-one that does not lead back is followed by the object's own key`() throws {
    let bench = try CascadeFixture.bench()
    try Connection(path: bench.original.path).execute("UPDATE ZPLAN SET ZTASK = NULL")
    let own: [String: ParameterValue] = ["shape": .text("own"), "entity": .text("Task")]
    let context = try bench.verify(own)
    let batch = try bench.verify(own.merging(["strategy": .text("batchDelete")]) { $1 })
    #expect(context == batch)
    for way: [String: ParameterValue] in [
      ["strategy": .text("sqlForeignKey")],
      ["strategy": .text("batchDelete"), "batchShape": .text("orphanCleanup")],
    ] {
      #expect(throws: VerificationFailure.self) { try bench.verify(own.merging(way) { $1 }) }
    }
  }
}
