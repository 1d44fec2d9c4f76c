import Measurement

/// Small results, of which each test changes the one thing it is about.
enum Fixture {
  static let environment = Environment(
    machine: "Test Machine",
    architecture: "x86_64",
    cores: 2,
    memoryBytes: 8_000_000_000,
    operatingSystem: "Debian 12",
    kernel: "Linux 6.1",
    fileSystem: "ext4",
    sqliteSourceID: "2022-12-28 14:03:47 df5c253c",
    sqliteVersion: "3.40.1",
    sqliteCompileOptions: ["ENABLE_FTS5", "THREADSAFE=1"],
    swiftVersion: "6.3.1",
    build: "release",
    commit: "a1b2c3d",
    startedAt: "2026-04-01T09:12:44Z"
  )

  static func document(_ workloads: WorkloadResult...) -> ResultDocument {
    ResultDocument(environment: environment, workloads: workloads)
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

  /// A sample with one trial a value.
  static func sample(_ metric: Metric, _ values: Double...) -> Sample {
    Sample(metric: metric, trials: values.map { [$0] })
  }

  static let vmSteps = Metric.counter("sqlite.vmSteps")
}
