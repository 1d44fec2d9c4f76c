import Runner
import TestSupport
import Testing

@testable import WorkloadKinds

struct BlobStorageTests {
  /// The durabilities take turns; in `make fuzz`, each case takes all of them.
  @Test(arguments: BlobParameters.Operation.allCases)
  func `fuzz: every strategy and engine reaches the same content`(
    _ operation: BlobParameters.Operation
  ) throws {
    let bench = try BlobFixture.bench()
    var digests: [String: String] = [:]
    for strategy in BlobFixture.strategies {
      for engine in BlobFixture.engines(operation) {
        let turn = digests.count
        for durability in FuzzSeeds.part(of: ["none", "commit"], every: 2, from: turn) {
          let values = BlobFixture.values(
            strategy,
            operation.rawValue,
            engine,
            ["durability": .text(durability)]
          )
          digests["\(strategy) \(engine) \(durability)"] = try bench.verify(values).digest
        }
      }
    }
    #expect(Set(digests.values).count == 1, "\(digests)")
  }
}
