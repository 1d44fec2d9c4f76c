import Foundation
import TestSupport
import Testing

@testable import Runner
@testable import StoreBenchCommand

/// Tests that the counters that CI compares are equal in several worker processes.
struct CounterExactnessTests {
  private func document(running files: [String], _ options: [String]) throws -> ResultDocument {
    let program = try StorebenchProcess()
    let generate = [
      "generate", Repository.path("Workloads/recipes/tasks.yaml"), "--objects", "Task=200",
    ]
    #expect(try program.run(generate + ["--output", "tasks.sqlite"]).status == 0)
    let run = ["run"] + files.map { Repository.path("Workloads/\($0)") }
    let ending = try program.run(
      run + ["--store", "tasks.sqlite", "--allow-debug", "--output", "out"] + options
    )
    #expect(ending.status == 0, "\(ending.errors)")
    return try ResultDocument(readingFrom: program.folder.path + "/out")
  }

  /// Workload files that read, write, migrate and store external files; in `make fuzz`, all of
  /// Workloads/ci.
  private static func files() throws -> [String] {
    guard FuzzSeeds.isThorough else {
      return ["blobStorage.yaml", "fetch.yaml", "firstLaunch.yaml", "scenario.yaml"]
    }
    // Some tasks of replicas.yaml have the same identifier, so replicas cannot distinguish them.
    return try FileManager.default.contentsOfDirectory(atPath: Repository.path("Workloads/ci"))
      .filter { $0 != "replicas.yaml" }.sorted()
  }

  /// Memory layouts, hash seeds and environments of processes must not affect counters.
  @Test func `fuzz: every counter of Workloads-ci is the same in two processes`() throws {
    let files = try Self.files()
    let document = try document(running: files.map { "ci/\($0)" }, ["--trials", "2"])
    let cases = document.workloads.flatMap(\.cases)
    #expect(cases.count >= 12)
    for result in cases {
      #expect(result.outcome == .passed, "\(result.id)")
      #expect(result.unequalCounters(trials: 2) == [], "\(result.id)")
      #expect(result.sample(of: "vfs.opens") != nil && result.exactSamples.count > 10)
      #expect(!result.notes.contains { $0.contains("unseen") }, "\(result.id)")
      let peak = try #require(result.sample(of: "peakDisk")?.values.first)
      let left = ["storeBytes", "walBytes", "externalBytes"].compactMap {
        result.sample(of: $0)?.values.first
      }
      #expect(peak >= left.reduce(0, +), "\(result.id)")
    }
    let pragmas = try #require(document.workloads.first?.pragmas)
    #expect(pragmas["sqlite_stat1"] == "none")
    #expect(pragmas["sector_size"].flatMap { Int($0) } ?? 0 >= 512)
    #expect(pragmas["device_characteristics"]?.hasPrefix("0x") == true)
  }

  /// A store that is restored temporarily has two names; removing the last name frees its bytes.
  @Test func `nothing of a rollback comes to the disk unseen`() throws {
    let filter = "*backup=copy,*duplicates=merged,*rollback=true*"
    // `dropped=allowed` permits dropping values that have no attribute in the new model.
    let options = ["--trials", "1", "--filter", filter, "--set", "dropped=allowed"]
    let document = try document(running: ["migration/deduplicate.yaml"], options)
    let cases = document.workloads.flatMap(\.cases)
    #expect(cases.count == 2)
    for result in cases {
      #expect(result.outcome == .passed, "\(result.id)")
      #expect(!result.notes.contains { $0.contains("unseen") }, "\(result.id): \(result.notes)")
    }
  }
}
