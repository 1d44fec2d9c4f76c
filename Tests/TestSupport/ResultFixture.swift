import Runner

/// A result of four workload files that contains every kind of outcome.
package enum ResultFixture {
  package static let document = ResultDocument(
    environment: .example,
    workloads: [paging, stages, sizes, fanOut]
  )

  package static let pragmas = [
    "cache_size": "2000", "journal_mode": "wal", "mmap_size": "0", "page_size": "4096",
    "synchronous": "1",
  ]

  package static let tasks = StoreDescription(
    source: "recipes/tasks.yaml",
    seed: 20_260_401,
    objects: [
      "Attachment": 2500, "Category": 12, "Project": 400, "Subtask": 24_981, "Tag": 60,
      "Task": 10_000,
    ],
    bytes: 30_314_496,
    digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  )

  package static func workload(
    _ name: String,
    kind: String,
    pragmas: [String: String] = pragmas,
    cache: String = "warm",
    trials: Int = 5,
    iterations: Int = 1,
    cases: [CaseResult]
  ) -> WorkloadResult {
    WorkloadResult(
      workload: name,
      kind: kind,
      store: tasks,
      pragmas: pragmas,
      cache: cache,
      trialCount: trials,
      iterationCount: iterations,
      cases: cases
    )
  }

  package static func result(
    _ workload: String,
    _ parameters: [String: String],
    outcome: CaseResult.Outcome = .passed,
    samples: [Sample] = [],
    behaviours: [Behaviour] = [],
    notes: [String] = []
  ) -> CaseResult {
    let cell = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return CaseResult(
      id: "\(workload)/\(cell.joined(separator: ","))",
      parameters: parameters,
      outcome: outcome,
      samples: samples.sorted { $0.metric.name < $1.metric.name },
      behaviours: behaviours,
      notes: notes,
      digest: outcome == .passed ? "2c26b46b68ffc68f" : nil
    )
  }

  /// A sample of five trials that differ by a few percent.
  package static func noisy(_ metric: Metric, _ value: Double) -> Sample {
    Sample(metric: metric, trials: [0.98, 1, 1.04, 0.99, 1.01].map { [$0 * value] })
  }

  /// A sample of five trials with identical values.
  package static func exact(_ metric: Metric, _ value: Double) -> Sample {
    Sample(metric: metric, trials: [[Double]](repeating: [value.rounded()], count: 5))
  }

  /// Samples of the time, SQLite's share of it, memory, and `sqlite.vmSteps`.
  package static func costs(
    _ seconds: Double,
    inSQLite: Double,
    megabytes: Double,
    vmSteps: Double
  ) -> [Sample] {
    [
      noisy(.wallClock, seconds), noisy(.sqliteTime, seconds * inSQLite),
      Sample(metric: .sqliteShare, trials: [[inSQLite]]),
      noisy(.userCPU, seconds * 0.9), exact(.peakMemory, megabytes * 1_048_576),
      exact(.counter("sqlite.vmSteps"), vmSteps),
    ]
  }
}
