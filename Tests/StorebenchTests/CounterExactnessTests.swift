import Foundation
import Measurement
import Reporter
import TestSupport
import Testing

@testable import Runner
@testable import storebench

/// The cases that CI counts, on a small store, each in several worker processes.
struct CounterExactnessTests {
  private let workloads = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../../Workloads").standardizedFileURL.path

  /// Layouts, hash seeds and environments differ from process to process.
  @Test func `every counter of Workloads-ci is the same in three processes`() throws {
    let program = try StorebenchProcess()
    let generate = ["generate", workloads + "/recipes/tasks.yaml", "--objects", "Task=200"]
    #expect(try program.run(generate + ["--output", "tasks.sqlite"]).status == 0)
    let run = ["run", workloads + "/ci", "--store", "tasks.sqlite", "--trials", "3"]
    let ending = try program.run(run + ["--allow-debug", "--output", "out"])
    #expect(ending.status == 0, "\(ending.errors)")
    let document = try ResultDocument(readingFrom: program.folder.path + "/out")
    let cases = document.workloads.flatMap(\.cases)
    #expect(cases.count >= 12)
    #expect(document.workloads.map(\.kind).count == Set(document.workloads.map(\.kind)).count)
    for result in cases {
      #expect(result.outcome == .passed, "\(result.id)")
      #expect(result.unequalCounters(trials: 3) == [], "\(result.id)")
      #expect(result.sample(of: "vfs.opens") != nil && result.exactSamples.count > 10)
      // What is on the disk at the end is what was counted on the way.
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
}
