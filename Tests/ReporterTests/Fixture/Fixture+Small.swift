import TestSupport

@testable import Runner

extension Fixture {
  /// The smallest result in which every field of the document has a value.
  static let small = ResultDocument(
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

  /// A sweep of three sizes: a change, one alternative throughout, and two that nothing tells apart.
  static var leads: LeadMap {
    let sizes = [10_240.0, 40_960, 163_840]
    func row(
      _ name: String,
      _ leaders: [[String]],
      _ changes: [LeadMap.Change] = []
    ) -> LeadMap.Row {
      LeadMap.Row(
        name: name,
        metric: Metric.wallClock.name,
        cells: zip(sizes, leaders).map { size, leaders in
          LeadMap.Cell(size: size, leaders: leaders, medians: ["inline": 1, "file": 2], lead: nil)
        },
        changes: changes
      )
    }
    let change = LeadMap.Change(
      from: "inline",
      to: "file",
      size: 40_960,
      lower: 20_480,
      upper: 81_920
    )
    let both = ["inline", "file"]
    return LeadMap(
      parameter: "size",
      unit: .bytes,
      alternatives: "strategy",
      sizes: sizes,
      landmarks: [LeadMap.Mark(size: 102_400, text: "guides: in the row up to 100 KB")],
      rows: [
        row("insert", [["inline"], both, ["file"]], [change]),
        row("list", [both, ["file"], ["file"]]),
        row("copyStore", [both, both, both]),
      ]
    )
  }
}
