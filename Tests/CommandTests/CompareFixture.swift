import Runner

enum CompareFixture {
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
