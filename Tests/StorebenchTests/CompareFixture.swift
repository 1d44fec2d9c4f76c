import Measurement

/// The smallest results that can be compared.
enum CompareFixture {
  static func environment(startedAt: String) -> Environment {
    Environment(
      machine: "Test Machine",
      architecture: "x86_64",
      cores: 2,
      memoryBytes: 8_000_000_000,
      operatingSystem: "Debian 12",
      kernel: "Linux 6.1",
      fileSystem: "ext4",
      sqliteSourceID: "2022 a",
      sqliteVersion: "3.40.1",
      sqliteCompileOptions: ["THREADSAFE=1"],
      swiftVersion: "6.3",
      build: "release",
      commit: "a1b2c3d",
      startedAt: startedAt
    )
  }

  static func workload(steps: Double, syncs: Double, seconds: Double) -> WorkloadResult {
    WorkloadResult(
      workload: "ci/fetch",
      kind: "fetch",
      store: StoreDescription(
        source: "recipes/tasks.yaml",
        seed: 1,
        objects: ["Task": 300],
        bytes: 40_960,
        digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
      ),
      pragmas: ["journal_mode": "wal", "page_size": "4096"],
      cache: "warm",
      trialCount: 2,
      iterationCount: 1,
      cases: [
        CaseResult(
          id: "ci/fetch/strategy=eager",
          parameters: ["strategy": "eager"],
          outcome: .passed,
          samples: [
            Sample(metric: .counter("sqlite.vmSteps"), trials: [[steps], [steps]]),
            Sample(metric: .counter("vfs.syncs"), trials: [[syncs], [syncs]]),
            Sample(metric: .wallClock, trials: [[seconds], [seconds]]),
          ],
          digest: "c0ffee"
        )
      ]
    )
  }
}
