import Basics
import Compare
import Foundation
import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests the gate on the project's own counters, which must work with any version of SQLite.
struct GateTests {
  private static let folder = Repository.path("Results/baselines")
  private static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix(".csv") }.sorted()

  private let results: StoredResults

  init() throws {
    results = try StoredResults()
  }

  @Test func `there is a baseline of Workloads/ci`() {
    #expect(Self.files.contains { $0.hasPrefix("ci-sqlite-") })
  }

  @Test(arguments: files)
  func `one statement, sync or page write more fails, one less does not`(file: String) throws {
    let baseline = try BaselineCSV.read(path: "\(Self.folder)/\(file)")
    func status(adding count: Double, to metric: String) throws -> CommandStatus {
      var document = baseline.document
      if count != 0 { try change(&document, metric, by: count) }
      let result = try results.write("\(metric)\(count)") { $0 = document }
      return results.run(["compare", Self.folder, result, "--require-verdict"]).status
    }
    #expect(try status(adding: 0, to: "") == .done)
    for metric in ["sqlite.statementsRun", "vfs.syncs", "vfs.main.writes", "vfs.wal.writes"] {
      #expect(try status(adding: 1, to: metric) == .regression, "\(metric)")
    }
    #expect(try status(adding: -1, to: "vfs.syncs") == .done)
  }

  /// Changes a metric in the first case in which it is not 0.
  private func change(
    _ document: inout ResultDocument,
    _ metric: String,
    by count: Double
  ) throws {
    for workload in document.workloads.indices {
      for number in document.workloads[workload].cases.indices {
        let samples = document.workloads[workload].cases[number].samples
        guard
          let place = samples.firstIndex(where: {
            $0.metric.name == metric && $0.trials[0][0] > 0
          })
        else { continue }
        document.workloads[workload].cases[number].samples[place].trials[0][0] += count
        return
      }
    }
    Issue.record("no case counts \(metric)")
  }
}
