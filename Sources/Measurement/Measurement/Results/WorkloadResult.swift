/// What one workload file gave.
package struct WorkloadResult: Hashable, Sendable {
  /// The file's path without its ending, relative to the workloads folder: `fetch/paging`.
  package var workload: String
  package var kind: String
  /// The store the cases started from.
  package var store: StoreDescription
  /// The settings of the connection: pragma name to value, all of them set by the runner.
  package var pragmas: [String: String]
  /// `cold` or `warm`, and how many trials and iterations.
  package var cache: String
  package var trialCount: Int
  package var iterationCount: Int
  /// What decided every choice of the work, such as which rows were jumped to.
  package var seed: UInt64
  /// The parameters that the file left to their defaults, by name; no part of a case's ID.
  package var defaults: [String: String]
  /// How much exact costs may grow, by metric; what has none may not grow at all.
  package var budget: [String: Budget]
  package var claim: ClaimResult?
  package var cases: [CaseResult]

  package init(
    workload: String,
    kind: String,
    store: StoreDescription,
    pragmas: [String: String],
    cache: String,
    trialCount: Int,
    iterationCount: Int,
    seed: UInt64 = 1,
    defaults: [String: String] = [:],
    budget: [String: Budget] = [:],
    claim: ClaimResult? = nil,
    cases: [CaseResult] = []
  ) {
    self.workload = workload
    self.kind = kind
    self.store = store
    self.pragmas = pragmas
    self.cache = cache
    self.trialCount = trialCount
    self.iterationCount = iterationCount
    self.seed = seed
    self.defaults = defaults
    self.budget = budget
    self.claim = claim
    self.cases = cases
  }
}

/// The store a workload started from.
package struct StoreDescription: Codable, Hashable, Sendable {
  /// The recipe's path or the real store's file name.
  package var source: String
  package var seed: UInt64?
  /// Objects by entity name.
  package var objects: [String: Int]
  package var bytes: Int64
  /// SHA-256 of the main file, lower-case hexadecimal.
  package var digest: String

  package init(
    source: String,
    seed: UInt64?,
    objects: [String: Int],
    bytes: Int64,
    digest: String
  ) {
    self.source = source
    self.seed = seed
    self.objects = objects
    self.bytes = bytes
    self.digest = digest
  }
}

/// A claim that a workload file puts to the test, and what came out.
package struct ClaimResult: Codable, Hashable, Sendable {
  /// What the measurements say of the claim.
  package enum Finding: String, Codable, Hashable, Sendable {
    case holds
    case doesNotHold
    /// It depends on what is only assumed, or on a parameter; `detail` says on what.
    case trueOnlyIf
    case notTestableHere
  }

  package var text: String
  package var source: String
  package var finding: Finding
  /// The measured figures and their margin, in a sentence.
  package var detail: String

  package init(text: String, source: String, finding: Finding, detail: String) {
    self.text = text
    self.source = source
    self.finding = finding
    self.detail = detail
  }
}
