import Runner
import Testing

@testable import WorkloadKinds

struct CascadeDeleteTests {
  @Test(arguments: ["cascade", "nullify", "deny"], [false, true])
  func `every way to delete leaves the same content of a chain`(
    _ rule: String,
    _ history: Bool
  ) throws {
    let bench = try CascadeFixture.bench()
    var digests: [String: String] = [:]
    for way in CascadeFixture.ways {
      let values = way.merging([
        "rule": .text(rule), "history": .boolean(history), "depth": .integer(2),
        "fanOut": .integer(2), "roots": .integer(4), "share": .real(0.5),
        "blob": .integer(102_401),
      ]) { $1 }
      digests["\(way)"] = try bench.verify(values).digest
    }
    #expect(Set(digests.values).count == 1, "\(digests)")
  }

  @Test(arguments: [false, true], ["Folder", "Task"])
  func `every way to delete leaves the same content of a store with all relationships`(
    _ history: Bool,
    _ entity: String
  ) throws {
    let bench = try CascadeFixture.bench(keepsHistory: history)
    var digests: [String: String] = [:]
    for way in CascadeFixture.ways {
      let values = way.merging([
        "shape": .text("own"), "entity": .text(entity), "share": .real(0.4),
      ]) { $1 }
      digests["\(way)"] = try bench.verify(values).digest
    }
    #expect(Set(digests.values).count == 1, "\(digests)")
  }
}
