import Runner
import TestSupport

enum Fixture {
  static func document(_ workloads: WorkloadResult...) -> ResultDocument {
    ResultDocument(environment: .example, workloads: workloads)
  }

  static func workload(_ name: String = "fetch/paging", _ cases: CaseResult...) -> WorkloadResult {
    WorkloadResult(
      workload: name,
      kind: "fetch",
      store: StoreDescription(
        source: "recipes/tasks.yaml",
        seed: 7,
        objects: ["Task": 1000],
        bytes: 409_600,
        digest: "5e884898"
      ),
      pragmas: ["journal_mode": "wal", "page_size": "4096"],
      cache: "warm",
      trialCount: 3,
      iterationCount: 1,
      defaults: ["limit": "0"],
      cases: cases
    )
  }

  static func result(
    _ id: String = "fetch/paging/batchSize=20",
    outcome: CaseResult.Outcome = .passed,
    _ samples: Sample...
  ) -> CaseResult {
    CaseResult(
      id: id,
      parameters: ["batchSize": "20"],
      outcome: outcome,
      samples: samples,
      behaviours: [Behaviour(name: "batchIDs", value: "oneStatement", evidence: .log)],
      digest: "c0ffee"
    )
  }

  /// A sample in which each trial has one value.
  static func sample(_ metric: Metric, _ values: Double...) -> Sample {
    Sample(metric: metric, trials: values.map { [$0] })
  }

  static let vmSteps = Metric.counter("sqlite.vmSteps")
}
