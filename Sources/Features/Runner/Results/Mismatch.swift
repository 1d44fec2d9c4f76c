import Basics

/// A property of the run or store that differs between a baseline and a result.
package struct Mismatch: Hashable, Sendable {
  /// The name of the property, such as `SQLite source id` or `pragma page_size`.
  package var fact: String
  /// The workload or case to which the property belongs; `nil` if it belongs to the whole run.
  package var place: String?
  package var baseline: String
  package var candidate: String

  package init(_ fact: String, place: String? = nil, baseline: String, candidate: String) {
    self.fact = fact
    self.place = place
    self.baseline = baseline
    self.candidate = candidate
  }
}

extension Mismatch: CustomStringConvertible {
  package var description: String {
    "\(subject) is \(Self.named(baseline)) in the baseline and \(Self.named(candidate)) in the result"
  }

  /// A description of the difference for a baseline that is being replaced, with the old and the
  /// new value.
  package var change: String {
    "\(subject) was \(Self.named(baseline)), now \(Self.named(candidate))"
  }

  /// The property, followed by the workload or case to which it belongs.
  package var subject: String { place.map { "\(fact) of '\($0)'" } ?? fact }

  private static func named(_ value: String) -> String {
    value.isEmpty ? "not set" : "'\(value)'"
  }
}

extension Mismatch {
  /// Returns the mismatches that rule out comparing two results, in the order of the baseline.
  ///
  /// Counters are reproducible only with the same SQLite build, store and settings (sqlite.md,
  /// section 1). The digests must also match, because they show that the work is the same.
  package static func forbidding(
    _ candidate: ResultDocument,
    against baseline: ResultDocument
  ) -> [Mismatch] {
    let workloads = candidate.workloadsByName
    return forbidding(candidate.environment, against: baseline.environment)
      + differing([("document version", "\(baseline.version)", "\(candidate.version)")])
      + baseline.workloads.flatMap { theirs in
        guard let ours = workloads[theirs.workload] else { return [Mismatch]() }
        let cases = ours.casesByID
        return facts(ours, against: theirs)
          + theirs.cases.flatMap { result in
            cases[result.id].map { forbidding($0, against: result) } ?? []
          }
      }
  }

  /// Returns the mismatches that may change times but still allow counters to be compared.
  package static func cautioning(
    _ candidate: ResultDocument,
    against baseline: ResultDocument
  ) -> [Mismatch] {
    let workloads = candidate.workloadsByName
    return cautioning(candidate.environment, against: baseline.environment)
      + baseline.workloads.flatMap { workload in
        workloads[workload.workload].map { trialCount($0, against: workload) } ?? []
      }
  }

  /// Returns the differences between two environments that may affect times.
  package static func unequal(_ ours: Environment, beside theirs: Environment) -> [Mismatch] {
    forbidding(ours, against: theirs) + cautioning(ours, against: theirs)
  }

  /// Returns the differences between two runs of a workload file that may affect the times of all
  /// its cases.
  package static func unequal(_ ours: WorkloadResult, beside theirs: WorkloadResult) -> [Mismatch] {
    facts(ours, against: theirs) + trialCount(ours, against: theirs)
  }

  /// Returns the mismatches that rule out comparing two results of one case.
  package static func forbidding(_ candidate: CaseResult, against baseline: CaseResult)
    -> [Mismatch]
  {
    guard candidate.outcome == .passed, baseline.outcome == .passed else { return [] }
    let metrics = baseline.samples.compactMap { sample in
      candidate.sample(of: sample.metric.name).map {
        ("metric '\(sample.metric.name)'", sample.metric.facts, $0.metric.facts)
      }
    }
    return differing(
      paired("behaviour", baseline.choices, candidate.choices)
        + [(contentDigest, baseline.digest ?? "", candidate.digest ?? "")] + metrics,
      place: baseline.id
    )
  }

  private static func cautioning(
    _ ours: Environment,
    against theirs: Environment
  ) -> [Mismatch] {
    differing(
      [
        ("machine", theirs.machine, ours.machine),
        ("architecture", theirs.architecture, ours.architecture),
        ("number of cores", "\(theirs.cores)", "\(ours.cores)"),
        ("memory", "\(theirs.memoryBytes)", "\(ours.memoryBytes)"),
        ("operating system", theirs.operatingSystem, ours.operatingSystem),
        ("kernel", theirs.kernel, ours.kernel),
        ("file system", theirs.fileSystem, ours.fileSystem),
        ("Swift version", theirs.swiftVersion, ours.swiftVersion),
      ] + packages(ours, against: theirs)
    )
  }

  /// Compares the versions of packages, such as GRDB, that take part in the timed work of some
  /// kinds.
  ///
  /// Returns nothing unless both results record their packages.
  private static func packages(_ ours: Environment, against theirs: Environment) -> [Fact] {
    guard let old = theirs.packages, let new = ours.packages else { return [] }
    return paired("version of package", old, new)
  }

  private static func trialCount(
    _ ours: WorkloadResult,
    against theirs: WorkloadResult
  ) -> [Mismatch] {
    differing(
      [("number of trials", "\(theirs.trialCount)", "\(ours.trialCount)")],
      place: theirs.workload
    )
  }

  package static func forbidding(
    _ ours: Environment,
    against theirs: Environment
  ) -> [Mismatch] {
    differing([
      ("SQLite source id", theirs.sqliteSourceID, ours.sqliteSourceID),
      (
        "set of SQLite compile options", theirs.optionsOnly(beside: ours),
        ours.optionsOnly(beside: theirs)
      ),
      ("build", theirs.build, ours.build),
    ])
  }

  /// Returns the workload's settings and inputs whose differences rule out comparing counters.
  package static func facts(
    _ ours: WorkloadResult,
    against theirs: WorkloadResult
  ) -> [Mismatch] {
    // Accept a different store digest if a model changed. The content digests of the cases still
    // show that the objects are the same, and the counters show the cost of the new model.
    let isExplained = ours.hasOtherModel(than: theirs)
    // Compare only the defaults that both results record: if only one workload file sets a
    // parameter, the case IDs differ anyway.
    let common = Set(theirs.defaults.keys).intersection(ours.defaults.keys)
    let facts = [
      ("kind", theirs.kind, ours.kind),
      (storeDigest, theirs.store.digest, isExplained ? theirs.store.digest : ours.store.digest),
      ("cache state", theirs.cache, ours.cache),
      ("number of iterations", "\(theirs.iterationCount)", "\(ours.iterationCount)"),
      ("seed", "\(theirs.seed)", "\(ours.seed)"),
    ]
    return differing(
      facts + paired("pragma", theirs.pragmas, ours.pragmas)
        + paired("default of parameter", theirs.defaults, ours.defaults, names: common),
      place: theirs.workload
    )
  }

  private typealias Fact = (name: String, baseline: String, candidate: String)

  private static func differing(_ facts: [Fact], place: String? = nil) -> [Mismatch] {
    facts.filter { $0.baseline != $0.candidate }.map {
      Mismatch($0.name, place: place, baseline: $0.baseline, candidate: $0.candidate)
    }
  }

  /// Pairs the values of the baseline and the candidate by name.
  ///
  /// Without `names`, all names are included, even names that occur on only one side.
  private static func paired(
    _ kind: String,
    _ baseline: [String: String],
    _ candidate: [String: String],
    names: Set<String>? = nil
  ) -> [Fact] {
    (names ?? Set(baseline.keys).union(candidate.keys)).sorted().map {
      ("\(kind) \($0)", baseline[$0] ?? "", candidate[$0] ?? "")
    }
  }
}

extension Mismatch {
  /// Whether the values are digests, which are not worth displaying.
  package var isOfDigests: Bool { fact == Self.storeDigest || fact == Self.contentDigest }

  package static let storeDigest = "store digest"
  package static let contentDigest = "content digest"
}

extension WorkloadResult {
  /// Whether the only differences in the inputs are changed contents of model files that both runs
  /// use.
  fileprivate func hasOtherModel(than other: WorkloadResult) -> Bool {
    let (own, theirs) = (Set(inputs), Set(other.inputs))
    let changed = own.symmetricDifference(theirs)
    let files = Set(theirs.map(\.file)).intersection(own.map(\.file))
    return !changed.isEmpty && changed.allSatisfy { $0.role == .model && files.contains($0.file) }
  }
}

extension ResultDocument {
  package var workloadsByName: [String: WorkloadResult] {
    Dictionary(keepingFirst: workloads.map { ($0.workload, $0) })
  }
}

extension WorkloadResult {
  package var casesByID: [String: CaseResult] {
    Dictionary(keepingFirst: cases.map { ($0.id, $0) })
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
    Dictionary(keepingFirst: behaviours.map { ($0.name, $0.value) })
  }
}

extension Metric {
  fileprivate var facts: String {
    "\(unit.rawValue), \(direction.rawValue), \(isExact ? "exact" : "not exact")"
  }
}
