import Basics
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Forecasting
@testable import Runner

struct LadderRunTests {
  private let design = LadderDesign(rungs: [1000, 2000, 4000], repeats: 2, seed: 3)

  @Test func `measures every turn in the design's order`() throws {
    let bench = try StubbedMigration()
    let outcome = try #require(try bench.measure(design).first)
    #expect(outcome.failure == nil)
    #expect(outcome.observations.map(\.size) == design.turns.map { Double($0.objects) })
    #expect(bench.runs.withLock { $0 } == design.turns.map(\.objects))
  }

  @Test func `takes costs, counters and phases that do not overlap`() throws {
    let observation = try #require(try StubbedMigration().measure(design).first?.observations.first)
    #expect(abs(observation.seconds - 0.03) < 1e-9)
    #expect(observation.peakMemory == 3e7)
    #expect(observation.storeBytes == 1_000_000)
    #expect(observation.counters == ["sqlite.cacheMisses": 200])
    #expect(observation.phases.keys.sorted() == ["export"])
    #expect(observation.isAnchor)
    #expect(try #require(observation.yardstick) > 0)
  }

  @Test func `what is kept is known without measuring`() throws {
    let bench = try StubbedMigration()
    let measured = try bench.measure(design)
    let kept = try bench.kept(design)
    #expect(kept.map(\.observations) == measured.map(\.observations))
    #expect(bench.runs.withLock { $0.count } == design.turns.count)
  }

  @Test func `what was measured once is not measured again`() throws {
    let bench = try StubbedMigration()
    let first = try bench.measure(design)
    let second = try bench.measure(design)
    #expect(bench.runs.withLock { $0.count } == design.turns.count)
    #expect(first.first?.observations == second.first?.observations)
  }

  @Test(arguments: ["to", "via"])
  func `models of other content are another ladder`(parameter: String) throws {
    let bench = try StubbedMigration()
    let file = try bench.folder.write(
      "kind: migration\nstore: { recipe: recipes/tasks.yaml }\n"
        + "parameters: { to: models/to.yaml, via: [[models/first.yaml, models/via.yaml]] }\n",
      to: "w/chain.yaml"
    )
    for name in ["to", "first", "via"] { try bench.folder.write("entities: {}\n", to: name.path) }
    let plan = try Plan(paths: [file], kinds: [StubbedMigration.Kind.self])
    let ladderCase = try #require(try LadderCase.all(of: plan, like: nil).first)
    func key() throws -> String {
      try ladderCase.key(on: .example, cacheFolder: bench.folder.file("cache"))
    }
    let before = try key()
    #expect(try key() == before)
    try bench.folder.write("entities: { A: {} }\n", to: parameter.path)
    #expect(try key() != before)
  }

  @Test func `a ladder that was interrupted goes on where it was`() throws {
    let bench = try StubbedMigration()
    #expect(throws: Refusal.interrupted) {
      try bench.measure(design, isStopped: { bench.runs.withLock { $0.count >= 4 } })
    }
    let before = bench.runs.withLock { $0.count }
    #expect(before < design.turns.count)
    let outcome = try #require(try bench.measure(design).first)
    #expect(outcome.observations.count == design.turns.count)
    // The interrupted run is repeated.
    #expect(bench.runs.withLock { $0.count } <= design.turns.count + 1)
  }

  @Test func `what was kept can be measured again`() throws {
    let bench = try StubbedMigration()
    _ = try bench.measure(design)
    _ = try bench.measure(design, again: true)
    #expect(bench.runs.withLock { $0.count } == design.turns.count * 2)
  }

  @Test func `counts only the runs that are still to be made`() throws {
    let bench = try StubbedMigration()
    #expect(throws: Refusal.interrupted) {
      try bench.measure(design, isStopped: { bench.runs.withLock { $0.count >= 4 } })
    }
    let totals = Mutex<[Int]>([])
    _ = try bench.measure(
      design,
      events: { progress in totals.withLock { $0.append(progress.total) } }
    )
    let found = totals.withLock { $0 }
    #expect(Set(found) == [found.count])
    #expect(found.count < design.turns.count)
  }

  @Test func `a kept file that is damaged counts for nothing`() throws {
    let bench = try StubbedMigration()
    _ = try bench.measure(design)
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: bench.folder.file("kept")).first
    )
    try bench.folder.write("{\"format\": 1, \"entries\": [{\"objects\"", to: "kept/" + name)
    let outcome = try #require(try bench.measure(design).first)
    #expect(outcome.observations.count == design.turns.count)
    #expect(bench.runs.withLock { $0.count } == design.turns.count * 2)
  }

  @Test func `another model is another ladder`() throws {
    let bench = try StubbedMigration()
    _ = try bench.measure(design)
    try bench.folder.write(
      "identifier: \"1\"\nentities:\n  Task: { attributes: { name: string } }\n",
      to: "w/models/v1.yaml"
    )
    _ = try bench.measure(design)
    #expect(bench.runs.withLock { $0.count } == design.turns.count * 2)
  }

  @Test func `a run that fails ends the ladder, with its size`() throws {
    let bench = try StubbedMigration(failing: 4000)
    let outcome = try #require(try bench.measure(design).first)
    let failure = try #require(outcome.failure)
    #expect(failure == "at 4,000 objects: it broke")
    #expect(outcome.observations.allSatisfy { $0.size < 4000 })
  }

  @Test func `a migration that is refused as expected has its own reason`() throws {
    let outcome = try #require(try StubbedMigration(isRefused: true).measure(design).first)
    #expect(outcome.failure?.hasSuffix(" objects: refused as expected: no mapping") == true)
    #expect(outcome.observations.isEmpty)
  }
}

extension String {
  /// The path of the model file of this name, relative to the workload files.
  fileprivate var path: String { "w/models/\(self).yaml" }
}
