import Measurement
import PersistentStore

/// A kind of work on a store, seen as one case: never the matrix, the clock, a file or the console.
///
/// A trial calls `prepare` once, `run` once an iteration and `verify` once, in a process of its
/// own. Only `run` is timed. A case that changes the store runs one iteration a trial.
package protocol Workload: Sendable {
  /// What `prepare` opens and `run` works with.
  associatedtype Session

  /// The kind's name in workload files, such as `fetch`.
  static var kind: String { get }
  /// One line for help and the catalogue.
  static var summary: String { get }
  /// Every parameter of the kind.
  static var axes: [Axis] { get }
  /// Every metric that the kind records itself, beside those of ``Metric/catalogue``.
  static var metrics: [Metric] { get }

  /// The parameters that change nothing in this cell; the plan drops them from the case's ID and
  /// keeps one of the cells that become equal.
  static func irrelevantParameters(of values: ParameterValues) -> Set<String>
  /// Why a cell cannot be run, a sentence that says what to change; `nil` for a possible one.
  static func impossibility(of values: ParameterValues) -> String?

  init(parameters: ParameterValues)

  /// Whether no byte of the store changes, then trials share one copy; open it read-only, since
  /// closing the last connection that may write moves the WAL into the store.
  var onlyReads: Bool { get }
  /// Whether several threads or processes work at once: then no counter repeats, and none is exact.
  var isConcurrent: Bool { get }
  /// What must go wrong, in a word that the error's text must contain; `nil` where nothing may.
  var expectedFailure: String? { get }
  /// The name of the state the case must reach; cases of one state have equal digests.
  var endState: String { get }
  /// What stands for Apple's behaviour in this case, with its evidence.
  var behaviours: [Behaviour] { get }
  /// Facts for the reader, such as `altered store: FOREIGN KEY clauses added`.
  var notes: [String] { get }
  /// The name of the store that the case starts from, where it is not the workload's own.
  ///
  /// Cases of one name share one store, which `makeStartingStore` makes once.
  var startingStore: String? { get }
  /// The largest factor by which the case's files outgrow the store it starts from.
  var diskFactor: Double { get }
  /// The most bytes that the case's files take where the workload's own store has some bytes.
  func diskBytes(from store: Int64) -> Int64

  /// Turns `trial.store`, a copy of the workload's own store, into the case's starting store and
  /// closes it; not timed, and done once for all cases that name the same starting store.
  func makeStartingStore(_ trial: Trial) throws
  /// Opens the trial's store and makes everything that must not be timed.
  func prepare(_ trial: Trial) throws -> Session
  /// Does the work.
  func run(_ session: Session, _ recorder: Recorder) throws
  /// Checks the outcome of every iteration, independently of the code that brought it about.
  ///
  /// Called with the error that an expected failure threw, to check that the store is as it was.
  /// - Throws: ``VerificationFailure`` naming what is wrong.
  func verify(_ session: Session, _ trial: Trial, failure: (any Error)?) throws -> Verification
}

extension Workload {
  package static var metrics: [Metric] { [] }
  package static func irrelevantParameters(of values: ParameterValues) -> Set<String> { [] }
  package static func impossibility(of values: ParameterValues) -> String? { nil }
  package var isConcurrent: Bool { false }
  package var expectedFailure: String? { nil }
  package var behaviours: [Behaviour] { [] }
  package var notes: [String] { [] }
  package var startingStore: String? { nil }
  package func makeStartingStore(_ trial: Trial) throws {}
  package var diskFactor: Double { onlyReads ? 1 : 3 }

  package func diskBytes(from store: Int64) -> Int64 {
    // The starting store is a copy that has been worked on as well.
    let copies = diskFactor * (startingStore == nil ? 1 : 2)
    return Int64(min(Double(store) * copies, 1e18))
  }
}

/// What a verification found: the digest of the content that was reached or read.
package struct Verification: Codable, Hashable, Sendable {
  package var digest: String
  /// Facts that only the work shows, such as `12 rows merged`.
  package var notes: [String]
  /// What was lost or made up, as the case's parameters ask for, counted.
  package var losses: [String]

  package init(digest: String, notes: [String] = [], losses: [String] = []) {
    self.digest = digest
    self.notes = notes
    self.losses = losses
  }
}

/// An outcome that is not what the work had to bring about.
package struct VerificationFailure: Error, Codable, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, the first few findings, each a sentence.
  package var findings: [String]

  package init(_ findings: [String]) {
    self.findings = findings
  }

  package var description: String { "verification failed: " + findings.joined(separator: "; ") }
}
