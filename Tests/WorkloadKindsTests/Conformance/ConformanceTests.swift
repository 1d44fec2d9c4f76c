import Foundation
import Measurement
import Runner
import StoreMutations
import Testing

@testable import WorkloadKinds

/// What every kind must hold.
///
/// Its line in the catalog is enough to test a kind: all that is needed is taken from the kind, the
/// parameters of a small case from its ``Workload/conformance``.
@Suite struct `Every kind of the catalog` {
  @Test(arguments: WorkloadCatalog.kinds)
  func `documents its parameters and metrics`(kind: any Workload.Type) {
    #expect(!kind.kind.isEmpty && !kind.summary.isEmpty)
    let axes = kind.axes
    #expect(Set(axes.map(\.name)).count == axes.count)
    for axis in axes { #expect(!axis.summary.isEmpty, "\(axis.name)") }
    let metrics = Metric.catalogue + kind.metrics
    #expect(Set(metrics.map(\.name)).count == metrics.count)
    for metric in metrics {
      #expect(!metric.description.isEmpty && !metric.column.isEmpty, "\(metric.name)")
    }
  }

  @Test func `has a name of its own, and its metrics mean the same in every kind`() {
    let kinds = WorkloadCatalog.kinds.map { $0.kind }
    #expect(Set(kinds).count == kinds.count)
    let metrics = WorkloadCatalog.metrics
    #expect(Set(metrics).count == Set(metrics.map(\.name)).count)
  }

  @Test(arguments: WorkloadCatalog.kinds)
  func `runs, verifies its outcome and repeats its exact counters`(kind: any Workload.Type) throws {
    let bench = try ConformanceBench(kind)
    let (first, second) = (try bench.run(), try bench.run())
    #expect(first.failedCases == [])
    #expect(!bench.cases(of: first).isEmpty)
    #expect(bench.endings(of: first) == bench.endings(of: second))
    for result in bench.cases(of: first) {
      #expect(result.unequalCounters(trials: 2) == [], "\(result.id)")
      let declared = Set((Metric.catalogue + kind.metrics).map(\.name))
      #expect(declared.isSuperset(of: result.samples.map(\.metric.name)), "\(result.id)")
    }
  }

  @Test(arguments: WorkloadCatalog.kinds)
  func `catches an injected wrong outcome`(kind: any Workload.Type) throws {
    let bench = try ConformanceBench(kind, trials: 1)
    var (occurred, missed) = (0, [String]())
    for mutation in StoreMutation.all where mutation.sort == .content && occurred < 5 {
      let executor = MutatingExecutor(kind: kind, mutation: mutation)
      _ = try bench.run(executor)
      guard let isCaught = executor.isCaught else { continue }
      occurred += 1
      if !isCaught { missed.append(mutation.name) }
    }
    #expect(occurred == 5)
    // Who only reads need not look at what is wrong elsewhere.
    #expect(bench.onlyReads ? missed.count < occurred : missed.isEmpty, "\(missed)")
  }

  @Test(arguments: WorkloadCatalog.kinds)
  func `survives an interruption`(kind: any Workload.Type) throws {
    let bench = try ConformanceBench(kind)
    let before = try bench.fingerprint()
    let stop = StopFlag()
    #expect(throws: RunnerError.interrupted) {
      try bench.run(
        isStopped: { stop.isSet },
        events: { event in
          if case .trialFinished = event { stop.set() }
        }
      )
    }
    #expect(try bench.fingerprint() == before)
    let after = try bench.run()
    #expect(after.failedCases == [])
    #expect(bench.endings(of: after) == bench.endings(of: try bench.run()))
  }
}
