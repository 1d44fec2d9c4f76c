import PersistentStore

/// A kind of work on a store, seen as one case: never the matrix, the clock, a file or the console.
///
/// A trial calls `prepare` once, `run` once an iteration and `verify` once, in a process of its
/// own. Only `run` is timed. A case that changes the store runs one iteration a trial.
package protocol Workload: Sendable {
  /// What `prepare` opens and `run` works with.
  associatedtype Session
  /// Every parameter of the kind.
  associatedtype Parameters: ParameterSet

  /// The kind's name in workload files, such as `fetch`.
  static var kind: String { get }
  /// One line for help and the catalogue.
  static var summary: String { get }
  /// What a workload of the kind asks, in one sentence, where its file asks nothing of its own.
  static var question: String { get }
  /// How often an app does each operation, where a file states no mix of its own.
  static var mix: OperationMix? { get }
  /// Sizes that readers know, such as the limits of guides, for winner maps.
  static var landmarks: [LeadMap.Mark] { get }
  /// Every metric that the kind records itself, beside those of ``Metric/catalogue``.
  static var metrics: [Metric] { get }
  /// Whether the parameters name parts of the store that cases run on: then the plan calls ``fit``.
  static var fitsStores: Bool { get }
  /// Whether a launch goes on with what one before it has left, that ended at any moment: then the
  /// kind reads by ``remains(of:beside:digest:)`` what a kill leaves. Of other kinds, a kill must leave
  /// the saves up to some one.
  static var isRestartable: Bool { get }
  /// What a forecast predicts of its cases on larger stores; `nil` where it predicts nothing.
  static var forecast: ForecastSubject? { get }
  /// The parameters of a small case, as in a workload file, by which every kind is tested.
  static var conformance: String { get }
  /// Files that they name, by their path beside the workload file.
  static var conformanceFiles: [String: String] { get }

  /// Checks the names of a case and chooses those that it leaves open; called once a case, before
  /// anything is run.
  ///
  /// Parameters that do not matter in the case have their defaults and need no look.
  static func fit(_ fit: inout CaseFit, to store: StoreOffer)

  init(_ parameters: Parameters)

  /// Whether no byte of the store changes, then trials share one copy; open it read-only, since
  /// closing the last connection that may write moves the WAL into the store.
  var onlyReads: Bool { get }
  /// Whether several threads or processes work at once: then no counter repeats, and none is exact.
  var isConcurrent: Bool { get }
  /// What must go wrong, in a word that the error's text must contain; `nil` where nothing may.
  var expectedFailure: String? { get }
  /// The name of the state the case must reach; cases of one state have equal digests.
  var endState: String { get }
  /// The work as a user sees it; only cases of one job are alternatives to each other, and their
  /// trials take turns. By default that is the state they must reach.
  var job: String { get }
  /// How the work is done, where cases with other parameters do the very same; such cases do not
  /// compete. `nil` where every case has a way of its own.
  var method: String? { get }
  /// What stands for Apple's behaviour in this case, with its evidence.
  var behaviours: [Behaviour] { get }
  /// Facts for the reader, such as `altered store: FOREIGN KEY clauses added`.
  var notes: [String] { get }
  /// The name of the store that the case starts from, where it is not the workload's own.
  ///
  /// Cases of one name share one store, which `makeStartingStore` makes once.
  var startingStore: String? { get }
  /// How many times the bytes of the workload's own store the case's files take at most.
  var diskFactor: Double { get }
  /// The most bytes that they take besides, whatever the store's size.
  var diskBytes: Int64 { get }
  /// The objects of a batch, where the case works in batches.
  var batchSize: Int? { get }
  /// Whether a reader must find all objects as before or all as after a kill, and nothing between.
  var isAtomic: Bool { get }

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
  /// What alone decides the verdict of `verify`, beside the case and the store it started from;
  /// asked before it, since `verify` may close connections.
  ///
  /// `nil`, where what the work keeps in memory decides as well, has every trial checked in full.
  func evidence(_ session: Session, _ trial: Trial) -> Evidence?
  /// What the app's own reader finds on the disk after a launch that was killed, in files that may
  /// be changed; beside an undisturbed trial, and the digest of that trial's content.
  ///
  /// Throws whatever keeps the reader from reading.
  func remains(of trial: Trial, beside finished: Trial, digest: String) throws -> Remains
}

extension Workload {
  package static var question: String { "Which alternative takes the least time?" }
  package static var mix: OperationMix? { nil }
  package static var landmarks: [LeadMap.Mark] { [] }
  package static var metrics: [Metric] { [] }
  package static var conformance: String { "" }
  package static var conformanceFiles: [String: String] { [:] }
  package static var fitsStores: Bool { false }
  package static var isRestartable: Bool { false }
  package static var forecast: ForecastSubject? { nil }
  package static func fit(_ fit: inout CaseFit, to store: StoreOffer) {}
  package var isConcurrent: Bool { false }
  package var expectedFailure: String? { nil }
  package var job: String { endState }
  package var method: String? { nil }
  package var behaviours: [Behaviour] { [] }
  package var notes: [String] { [] }
  package var startingStore: String? { nil }
  package var diskFactor: Double { (onlyReads ? 1 : 3) * startingFactor }
  package var diskBytes: Int64 { 0 }
  package var batchSize: Int? { nil }
  package var isAtomic: Bool { false }
  package func makeStartingStore(_ trial: Trial) throws {}
  package func evidence(_ session: Session, _ trial: Trial) -> Evidence? { nil }

  package func remains(of trial: Trial, beside finished: Trial, digest: String) throws -> Remains {
    throw VerificationFailure(["its kind cannot be begun again"])
  }

  /// The starting store is a copy that has been worked on as well.
  package var startingFactor: Double { startingStore == nil ? 1 : 2 }
}

// MARK: What is asked of a kind whose type is not known

extension Workload {
  package static var axes: [Axis] { Parameters.axes }

  /// What changes nothing in a case, and why it cannot be run.
  static func judge(
    _ values: ParameterValues
  ) -> (irrelevant: Set<String>, impossibility: String?) {
    let parameters = Parameters(values)
    return (Set(parameters.irrelevant.map(\.description)), parameters.impossibility)
  }

  package static func impossibility(of values: ParameterValues) -> String? {
    Parameters(values).impossibility
  }

  package init(parameters values: ParameterValues) {
    self.init(Parameters(values))
  }

  /// What a plan states of a case with these parameters.
  static func traits(of values: ParameterValues) -> Case.Traits {
    let workload = Self(parameters: values)
    return Case.Traits(
      onlyReads: workload.onlyReads,
      isConcurrent: workload.isConcurrent,
      isAtomic: workload.isAtomic,
      expectedFailure: workload.expectedFailure,
      endState: workload.endState,
      job: workload.job,
      method: workload.method,
      startingStore: workload.startingStore,
      behaviours: workload.behaviours,
      notes: workload.notes,
      diskFactor: workload.diskFactor,
      diskBytes: workload.diskBytes,
      batchSize: workload.batchSize
    )
  }
}

/// What a forecast predicts of a kind's cases.
package enum ForecastSubject: Hashable, Sendable {
  /// Time, memory and disk.
  case resources
  /// Exact counters without times.
  ///
  /// A parameter holds how many times the store's own objects a store of another size has; others
  /// have fixed values, so that all sizes do the same.
  case counters(scale: String, fixed: [String: String])
}

/// What a verification found: the digest of the content that was reached or read.
public struct Verification: Codable, Hashable, Sendable {
  /// The same for the same content, such as a SHA-256.
  public var digest: String
  /// Facts that only the work shows, such as `12 rows merged`.
  public var notes: [String]
  /// What was lost or made up, as the case's parameters ask for, counted.
  public var losses: [String]

  /// A right outcome.
  public init(digest: String, notes: [String] = [], losses: [String] = []) {
    self.digest = digest
    self.notes = notes
    self.losses = losses
  }
}

/// An outcome that is not what the work had to bring about.
public struct VerificationFailure: Error, Codable, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, the first few findings, each a sentence.
  public var findings: [String]

  /// A wrong outcome, with what is wrong.
  public init(_ findings: [String]) {
    self.findings = findings
  }

  /// The findings in one line.
  public var description: String { "verification failed: " + findings.joined(separator: "; ") }
}

/// What is left of the objects of a store whose work was ended.
package struct Remains: Hashable, Sendable {
  /// How far the work seems to have come.
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// Wholly as before.
    case old
    /// Wholly as after.
    case new
    case between
  }

  package var state: State
  /// What the reader's content comes to: the same where a launch has added nothing.
  package var digest: String
  /// Objects that are nowhere.
  package var lost: Int
  /// Objects that are there more than once.
  package var doubled: Int

  package init(_ state: State, digest: String, lost: Int = 0, doubled: Int = 0) {
    self.state = state
    self.digest = digest
    self.lost = lost
    self.doubled = doubled
  }
}
