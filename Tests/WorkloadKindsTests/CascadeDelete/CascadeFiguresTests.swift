import Runner
import TestSupport
import Testing

@testable import WorkloadKinds

/// Tests exact counts for deleting 2 of 4 roots, each with 3 children of 3 leaves each.
struct CascadeFiguresTests {
  private func figures(_ values: [String: ParameterValue]) throws -> [String: Double] {
    let bench = try CascadeFixture.bench()
    let chain: [String: ParameterValue] = [
      "depth": .integer(2), "fanOut": .integer(3), "roots": .integer(4), "share": .real(0.5),
      "blob": .integer(102_401),
    ]
    let opened = try bench.open(chain.merging(values) { $1 })
    _ = try opened.finish()
    return opened.figures
  }

  // With 2 roots, 6 children and 18 leaves, 24 objects are below the roots and 8 to-manys fire.
  @Test(arguments: [("keys", 32.0), ("rows", 8.0)])
  func `a context counts what it fires and deletes`(_ fault: String, _ fired: Double) throws {
    let figures = try figures(["toManyFault": .text(fault)])
    #expect(figures["objects.deleted"] == 26)
    #expect(figures["objects.materialised"] == 26)
    #expect(figures["objects.faultsFired"] == fired)
    #expect(figures["objects.saves"] == 1)
    #expect(figures["files.deletes"] == 18)
  }

  @Test func `a save for each root counts as one`() throws {
    #expect(try figures(["rootsPerSave": .integer(1)])["objects.saves"] == 2)
  }

  @Test(arguments: [("removed", 18.0), ("left", 0)])
  func `a batch delete removes the files it is said to remove`(
    _ files: String,
    _ removals: Double
  ) throws {
    let figures = try figures([
      "strategy": .text("batchDelete"), "batchExternalFiles": .text(files),
    ])
    #expect(figures["files.deletes"] == removals)
    #expect(figures["objects.materialised"] == nil)
  }

  @Test func `a foreign key without its index scans the children's tables`() throws {
    func steps(_ hasIndex: Bool) throws -> Double {
      let bench = try CascadeFixture.bench()
      let opened = try bench.open([
        "strategy": .text("sqlForeignKey"), "childIndex": .boolean(hasIndex),
        "roots": .integer(20), "depth": .integer(2),
      ])
      _ = try opened.finish()
      return opened.figures["sqlite.vmSteps"] ?? 0
    }
    #expect(try steps(false) > 5 * steps(true))
  }

  /// Every second way to delete is tried; in `make fuzz`, every way.
  @Test func `fuzz: a case repeats to the last digit`() throws {
    let bench = try CascadeFixture.bench()
    for way in FuzzSeeds.part(of: CascadeFixture.ways, every: 2) {
      func exact() throws -> [String: Double] {
        let response = try bench.perform(way)
        let taken = try #require(response.iterations.first, "\(response.outcome)")
        return Dictionary(taken.filter(\.isExact).map { ($0.name, $0.value) }) { $1 }
      }
      let (first, second) = (try exact(), try exact())
      #expect(first == second)
      #expect(first["sqlite.vmSteps"] ?? 0 > 100)
    }
  }
}
