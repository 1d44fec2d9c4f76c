import Runner
import TestSupport
import Testing

@testable import WorkloadKinds

/// Tests exact counts for twelve blobs, written three at a time.
struct BlobFiguresTests {
  private func figures(
    _ strategy: String,
    _ operation: String,
    _ engine: String = "objectGraph",
    size: Int = 2000,
    others: [String: ParameterValue] = [:]
  ) throws -> [String: Double] {
    let bench = try BlobFixture.bench()
    let opened = try bench.open(
      BlobFixture.values(strategy, operation, engine, size: size, others)
    )
    _ = try opened.finish()
    return opened.figures
  }

  @Test(arguments: ["externalStorage", "file"])
  func `each file is written once, and synced with its folder only where a commit must last`(
    _ strategy: String
  ) throws {
    for (durability, syncs) in [("none", 0.0), ("commit", 12.0)] {
      let figures = try figures(strategy, "insert", others: ["durability": .text(durability)])
      #expect(figures["files.writes"] == 12)
      #expect(figures["files.writeBytes"] == 24_000)
      #expect(figures["files.syncs"] == syncs)
      #expect(figures["files.folderSyncs"] == syncs)
    }
  }

  @Test func `an update replaces half of the files and removes the former ones`() throws {
    for strategy in ["externalStorage", "file"] {
      let figures = try figures(strategy, "update")
      #expect(figures["files.writes"] == 6)
      #expect(figures["files.deletes"] == 6)
      #expect(figures["files.reads"] == 0)
    }
  }

  @Test(arguments: [("onAccess", 0.0), ("onFetch", 12)])
  func `a list reads external files only where a fetch loads them`(
    _ load: String,
    _ reads: Double
  ) throws {
    let figures = try figures(
      "externalStorage",
      "list",
      others: ["externalDataLoad": .text(load)]
    )
    #expect(figures["files.reads"] == reads)
    #expect(figures["files.readBytes"] == reads * 2000)
    #expect(figures["objects.materialised"] == 12)
  }

  @Test(arguments: [(1000, 0.0), (1001, 12)])
  func `external storage keeps the largest blob of the threshold in the row`(
    _ size: Int,
    _ files: Double
  ) throws {
    #expect(try figures("externalStorage", "insert", size: size)["files.writes"] == files)
  }

  @Test(arguments: ["list", "readOne", "readPrefix"], ["objectGraph", "bareSQL"])
  func `each pass reads the objects and their pages again`(
    _ operation: String,
    _ engine: String
  ) throws {
    let once = try figures("inline", operation, engine, size: 20_000)
    let thrice = try figures(
      "inline",
      operation,
      engine,
      size: 20_000,
      others: ["passes": .integer(3)]
    )
    let misses = "sqlite.cacheMisses"
    let (one, three) = (try #require(once[misses]), try #require(thrice[misses]))
    #expect(one > 0 && abs(three - 3 * one) <= 4, "\(one), \(three)")
    #expect(thrice["objects.materialised"] == once["objects.materialised"].map { 3 * $0 })
  }

  @Test func `a separate blob that is not prefetched costs a fault`() throws {
    for (prefetches, faults) in [(true, 0.0), (false, 12.0)] {
      let figures = try figures(
        "separateEntity",
        "readMany",
        others: ["prefetchBlobs": .boolean(prefetches)]
      )
      #expect(figures["objects.faultsFired"] == faults)
      #expect(figures["objects.materialised"] == 24)
    }
  }

  @Test func `the store keeps its size after a deletion and gives it back by vacuum`() throws {
    let inline = try figures("inline", "delete", size: 100_000)
    let before = try #require(inline["storeBytesBefore"])
    let after = try #require(inline["storeBytesAfterVacuum"])
    #expect(inline["storeBytesAfterDelete"] == before)
    #expect(before - after > 590_000 && before - after < 630_000)
    let file = try figures("file", "delete", size: 100_000)
    #expect(file["storeBytesAfterVacuum"] == file["storeBytesBefore"])
  }

  /// Each strategy is tested with every third operation; in `make fuzz`, with all operations.
  @Test(arguments: BlobFixture.strategies)
  func `fuzz: a case repeats to the last digit`(_ strategy: String) throws {
    let bench = try BlobFixture.bench()
    let place = BlobFixture.strategies.firstIndex(of: strategy) ?? 0
    let operations = BlobParameters.Operation.allCases
    for operation in FuzzSeeds.part(of: operations, every: 3, from: place) {
      for engine in BlobFixture.engines(operation) {
        func exact() throws -> [String: Double] {
          let values = BlobFixture.values(strategy, operation.rawValue, engine)
          let response = try bench.perform(values)
          let taken = try #require(response.iterations.first, "\(response.outcome)")
          return Dictionary(taken.filter(\.isExact).map { ($0.name, $0.value) }) { $1 }
        }
        #expect(try exact() == exact())
      }
    }
  }
}
