import Runner

extension ResultFixture {
  /// A fetch workload: one case fails its verification, and one behavior is only assumed.
  package static let paging = workload(
    "fetch/paging",
    kind: "fetch",
    cache: "cold",
    cases: [
      page(["batchSize": "20", "strategy": "batched"], 0.0124, screen: 0.0031, memory: 41.2),
      page(["batchSize": "100", "strategy": "batched"], 0.0118, screen: 0.0042, memory: 42),
      page(["batchSize": "500", "strategy": "batched"], 0.0131, screen: 0.0094, memory: 47.5),
      page(
        ["strategy": "eager"],
        0.812,
        screen: 0.7901,
        memory: 312,
        notes: ["cold, residency unverified: 7 % stayed in memory"]
      ),
      result(
        "fetch/paging",
        fixed.merging(["strategy": "faultsOneByOne"]) { $1 },
        outcome: .failed(
          "verification failed: 10,000 tasks expected, 9,999 read; the digest of 'Task' is"
            + " 2c26b46b instead of fcde2b2e"
        ),
        samples: costs(0.001, inSQLite: 0.5, megabytes: 40, vmSteps: 12),
        behaviours: [batches, blobs]
      ),
    ]
  )

  private static let fixed = ["accessPattern": "firstScreen", "engine": "objectGraph"]
  private static let batches = Behaviour(
    name: "batchStatement",
    value: "primaryKeysIn",
    evidence: .log
  )
  private static let blobs = Behaviour(
    name: "externalDataLoad",
    value: "onFetch",
    evidence: .assumed
  )

  private static func page(
    _ parameters: [String: String],
    _ seconds: Double,
    screen: Double,
    memory: Double,
    notes: [String] = []
  ) -> CaseResult {
    result(
      "fetch/paging",
      fixed.merging(parameters) { $1 },
      samples: costs(seconds, inSQLite: 0.62, megabytes: memory, vmSteps: seconds * 1e7)
        + [noisy(.firstScreen, screen), exact(.storeBytes, Double(tasks.bytes))],
      behaviours: [batches, blobs],
      notes: notes
    )
  }

  /// A migration workload with phases and an expected failure.
  package static let stages = workload(
    "claims/10k-30s",
    kind: "migration",
    cases: [
      migration("lightweight", 0.184, backup: 0.021, disk: 1.02),
      migration("sideBySide", 1.84, backup: 0.022, disk: 2.1),
      migration("deduplicated", 0.41, backup: 0.021, disk: 1.01),
      result(
        "claims/10k-30s",
        ["strategy": "uniqueOverDuplicates"],
        outcome: .failedAsExpected("UNIQUE constraint failed: ZTASK.ZIDENTIFIER"),
        samples: [noisy(.wallClock, 0.09)]
      ),
    ]
  )

  private static func migration(
    _ strategy: String,
    _ seconds: Double,
    backup: Double,
    disk: Double
  ) -> CaseResult {
    result(
      "claims/10k-30s",
      ["strategy": strategy],
      samples: costs(seconds, inSQLite: 0.8, megabytes: 38, vmSteps: seconds * 1e6) + [
        noisy(.phase("backup"), backup), noisy(.phase("migrate"), seconds - backup),
        exact(.storeBytes, Double(tasks.bytes) * disk), exact(.walBytes, 4_120_032),
      ]
    )
  }

  /// A blob workload: a parameter list longer than a line, a pragma, and a case too short to time.
  package static let sizes = workload(
    "blobStorage/sizes",
    kind: "blobStorage",
    pragmas: pragmas.merging(["page_size": "8192"]) { $1 },
    iterations: 3,
    cases: ["insert", "readOne"].flatMap { operation in
      ["inline", "separateEntity", "externalStorage", "file"].enumerated().map { rank, strategy in
        blob(operation, strategy, rank: Double(rank + 1))
      }
    }
  )

  private static func blob(_ operation: String, _ strategy: String, rank: Double) -> CaseResult {
    let isRead = operation == "readOne"
    var samples = costs(
      isRead ? 4.2e-5 * rank : 0.31 / rank,
      inSQLite: 0.9 / rank,
      megabytes: 30 + rank,
      vmSteps: 500 * rank
    )
    if isRead, strategy == "inline" {
      samples.removeAll { $0.metric.unit == .seconds || $0.metric == .sqliteShare }
    }
    let stored = isRead ? 0 : 104_857_600 / rank
    samples.append(exact(.storeBytes, Double(tasks.bytes) + stored))
    return result(
      "blobStorage/sizes",
      [
        "durability": "commit", "operation": operation, "size": "102400", "strategy": strategy,
      ],
      samples: samples,
      behaviours: strategy == "externalStorage"
        ? [Behaviour(name: "externalThreshold", value: "100 KB", evidence: .file)] : []
    )
  }

  /// A deletion workload whose stores are altered before the work.
  package static let fanOut = workload(
    "cascadeDelete/fanOut",
    kind: "cascadeDelete",
    trials: 1,
    cases: [
      deletion("objectByObject", fanOut: "10", depth: "1", 0.052),
      deletion("objectByObject", fanOut: "1000", depth: "3", 5.91),
      deletion("batchDelete", fanOut: "10", depth: "1", 0.0021),
      deletion("foreignKey", fanOut: "1000", depth: "3", 0.224),
    ]
  )

  private static func deletion(
    _ strategy: String,
    fanOut: String,
    depth: String,
    _ seconds: Double
  ) -> CaseResult {
    result(
      "cascadeDelete/fanOut",
      ["strategy": strategy, "fanOut": fanOut, "depth": depth],
      samples: [
        Sample(metric: .wallClock, trials: [[seconds]]),
        Sample(metric: .peakMemory, trials: [[36 * 1_048_576]]),
        Sample(metric: .storeBytes, trials: [[Double(tasks.bytes)]]),
      ],
      notes: strategy == "foreignKey"
        ? ["altered store, not Core Data's layout: FOREIGN KEY clauses added"] : []
    )
  }
}
