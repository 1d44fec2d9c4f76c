extension Mismatch {
  /// Everything that forbids comparing two results, in the order of the baseline.
  ///
  /// The counters repeat only for one SQLite build, one store and one set of settings
  /// (sqlite.md, section 1); the work must have been the same, which the digests show.
  static func forbidding(
    _ candidate: ResultDocument,
    against baseline: ResultDocument
  ) -> [Mismatch] {
    let workloads = candidate.workloadsByName
    return forbidding(candidate.environment, against: baseline.environment)
      + [
        Mismatch(
          "document version",
          unless: "\(baseline.version)",
          equals: "\(candidate.version)"
        )
      ].compactMap { $0 }
      + baseline.workloads.flatMap { workload in
        workloads[workload.workload].map { forbidding($0, against: workload) } ?? []
      }
  }

  /// What makes times differ without forbidding to compare counters.
  static func cautioning(
    _ candidate: ResultDocument,
    against baseline: ResultDocument
  ) -> [Mismatch] {
    let workloads = candidate.workloadsByName
    return cautioning(candidate.environment, against: baseline.environment)
      + baseline.workloads.compactMap { workload in
        workloads[workload.workload].flatMap { trialCount($0, against: workload) }
      }
  }

  /// Everything in which two environments differ that may move a time.
  static func unequal(_ ours: Environment, beside theirs: Environment) -> [Mismatch] {
    forbidding(ours, against: theirs) + cautioning(ours, against: theirs)
  }

  /// Everything in which two runs of a workload file differ that may move a time of all cases.
  static func unequal(_ ours: WorkloadResult, beside theirs: WorkloadResult) -> [Mismatch] {
    facts(ours, against: theirs) + [trialCount(ours, against: theirs)].compactMap { $0 }
  }

  private static func cautioning(
    _ candidate: Environment,
    against baseline: Environment
  ) -> [Mismatch] {
    let (ours, theirs) = (candidate, baseline)
    return [
      Mismatch("machine", unless: theirs.machine, equals: ours.machine),
      Mismatch("architecture", unless: theirs.architecture, equals: ours.architecture),
      Mismatch("number of cores", unless: "\(theirs.cores)", equals: "\(ours.cores)"),
      Mismatch("memory", unless: "\(theirs.memoryBytes)", equals: "\(ours.memoryBytes)"),
      Mismatch("operating system", unless: theirs.operatingSystem, equals: ours.operatingSystem),
      Mismatch("kernel", unless: theirs.kernel, equals: ours.kernel),
      Mismatch("file system", unless: theirs.fileSystem, equals: ours.fileSystem),
      Mismatch("Swift version", unless: theirs.swiftVersion, equals: ours.swiftVersion),
    ].compactMap { $0 }
  }

  private static func trialCount(
    _ candidate: WorkloadResult,
    against baseline: WorkloadResult
  ) -> Mismatch? {
    Mismatch(
      "number of trials",
      place: baseline.workload,
      unless: "\(baseline.trialCount)",
      equals: "\(candidate.trialCount)"
    )
  }

  private static func forbidding(
    _ candidate: Environment,
    against baseline: Environment
  ) -> [Mismatch] {
    [
      Mismatch(
        "SQLite source id",
        unless: baseline.sqliteSourceID,
        equals: candidate.sqliteSourceID
      ),
      Mismatch(
        "set of SQLite compile options",
        unless: baseline.optionsOnly(beside: candidate),
        equals: candidate.optionsOnly(beside: baseline)
      ),
      Mismatch("build", unless: baseline.build, equals: candidate.build),
    ].compactMap { $0 }
  }

  private static func forbidding(
    _ candidate: WorkloadResult,
    against baseline: WorkloadResult
  ) -> [Mismatch] {
    let cases = candidate.casesByID
    return facts(candidate, against: baseline)
      + baseline.cases.flatMap { result in
        cases[result.id].map { forbidding($0, against: result) } ?? []
      }
  }

  private static func facts(
    _ candidate: WorkloadResult,
    against baseline: WorkloadResult
  ) -> [Mismatch] {
    let place = baseline.workload
    let facts: [(String, String, String)] = [
      ("kind", baseline.kind, candidate.kind),
      ("store digest", baseline.store.digest, candidate.store.digest),
      ("cache state", baseline.cache, candidate.cache),
      ("number of iterations", "\(baseline.iterationCount)", "\(candidate.iterationCount)"),
      ("seed", "\(baseline.seed)", "\(candidate.seed)"),
    ]
    let pragmas = differences(
      "pragma",
      place: place,
      baseline: baseline.pragmas,
      candidate: candidate.pragmas
    )
    // A parameter that only one side sets is in the IDs of its cases.
    let common = Set(baseline.defaults.keys).intersection(candidate.defaults.keys)
    let defaults = differences(
      "default of parameter",
      place: place,
      baseline: baseline.defaults.filter { common.contains($0.key) },
      candidate: candidate.defaults.filter { common.contains($0.key) }
    )
    return facts.compactMap { Mismatch($0.0, place: place, unless: $0.1, equals: $0.2) }
      + pragmas + defaults
  }

  static func forbidding(
    _ candidate: CaseResult,
    against baseline: CaseResult
  ) -> [Mismatch] {
    guard candidate.outcome == .passed, baseline.outcome == .passed else { return [] }
    let behaviours = differences(
      "behaviour",
      place: baseline.id,
      baseline: baseline.choices,
      candidate: candidate.choices
    )
    let digest = Mismatch(
      "content digest",
      place: baseline.id,
      unless: baseline.digest ?? "",
      equals: candidate.digest ?? ""
    )
    let metrics = baseline.samples.compactMap { sample in
      candidate.sample(of: sample.metric.name).flatMap {
        Mismatch(
          "metric '\(sample.metric.name)'",
          place: baseline.id,
          unless: sample.metric.facts,
          equals: $0.metric.facts
        )
      }
    }
    return behaviours + [digest].compactMap { $0 } + metrics
  }

  private static func differences(
    _ kind: String,
    place: String,
    baseline: [String: String],
    candidate: [String: String]
  ) -> [Mismatch] {
    Set(baseline.keys).union(candidate.keys).sorted().compactMap { name in
      Mismatch(
        "\(kind) \(name)",
        place: place,
        unless: baseline[name] ?? "",
        equals: candidate[name] ?? ""
      )
    }
  }
}

extension ResultDocument {
  var workloadsByName: [String: WorkloadResult] {
    Dictionary(workloads.map { ($0.workload, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension WorkloadResult {
  var casesByID: [String: CaseResult] {
    Dictionary(cases.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension Environment {
  fileprivate func optionsOnly(beside other: Environment) -> String {
    let theirs = Set(other.sqliteCompileOptions)
    return Set(sqliteCompileOptions).subtracting(theirs).sorted().joined(separator: " ")
  }
}

extension CaseResult {
  fileprivate var choices: [String: String] {
    Dictionary(behaviours.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}

extension Metric {
  fileprivate var facts: String {
    "\(unit.rawValue), \(direction.rawValue), \(isExact ? "exact" : "not exact")"
  }
}
