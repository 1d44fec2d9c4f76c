import Runner

extension ResultFixture {
  /// The smallest result in which every field of the document has a value.
  package static let small = ResultDocument(
    environment: .example,
    workloads: [
      WorkloadResult(
        workload: "fetch/paging",
        kind: "fetch",
        store: StoreDescription(
          source: "recipes/tasks.yaml",
          seed: .max,
          objects: ["Task": 10, "Project": 2],
          bytes: 40_960,
          digest: tasks.digest
        ),
        pragmas: ["page_size": "4096", "journal_mode": "wal"],
        cache: "warm",
        trialCount: 2,
        iterationCount: 1,
        seed: .max,
        defaults: ["limit": "0"],
        budget: ["sqlite.vmSteps": .percent(2), "vfs.syncs": .absolute(0)],
        cases: [
          CaseResult(
            id: "fetch/paging/batchSize=20,order=\"title\"",
            parameters: ["order": "\"title\"", "batchSize": "20"],
            outcome: .passed,
            samples: [
              Sample(metric: .counter("sqlite.vmSteps"), trials: [[1_234_567], [1_234_567]]),
              Sample(metric: .wallClock, trials: [[0.1], [0.2 + 0.1]]),
            ],
            behaviours: [Behaviour(name: "load", value: "onFetch", evidence: .assumed)],
            notes: ["cold, residency unverified"],
            digest: "c0ffee"
          ),
          CaseResult(
            id: "fetch/paging/batchSize=50",
            parameters: ["batchSize": "50"],
            outcome: .failed("lost a row"),
            samples: [Sample(metric: .wallClock, trials: [[0.01]])]
          ),
          CaseResult(
            id: "fetch/paging/batchSize=90",
            parameters: ["batchSize": "90"],
            outcome: .failedAsExpected("UNIQUE"),
            samples: [Sample(metric: .wallClock, trials: [[3]])]
          ),
        ]
      )
    ]
  )

  /// A result whose names try to break out of the output formats.
  package static let hostile: ResultDocument = {
    var document = small
    document.workloads[0].workload = "a\"}\n# EOF <b>&\u{1}"
    document.workloads[0].cases[0].id = "::error::\\ \"\n|x|"
    document.workloads[0].cases[0].samples = [
      Sample(metric: Metric("a b", unit: .count), trials: [[1]]),
      Sample(metric: Metric("a.b", unit: .count), trials: [[2]]),
    ]
    document.workloads[0].cases[1].outcome = .failed("]]>\u{0}\n::error::")
    return document
  }()
}
