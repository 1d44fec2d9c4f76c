import Runner
import Testing

@testable import WorkloadKinds

struct BlobStorageTests {
  @Test(arguments: BlobParameters.Operation.allCases)
  func `every strategy and engine reaches the same content`(_ operation: BlobParameters.Operation)
    throws
  {
    let bench = try BlobFixture.bench()
    var digests: [String: String] = [:]
    for strategy in BlobFixture.strategies {
      for engine in BlobFixture.engines(operation) {
        for durability in ["none", "commit"] {
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
