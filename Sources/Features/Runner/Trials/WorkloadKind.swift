import PersistentStore

/// A kind of work on a store, with the check of its outcome.
///
/// A case has one value for each parameter. Each of its trials runs in a separate process on a
/// fresh copy of the store, and calls ``prepare(_:)`` once, ``run(_:_:)`` once per iteration, and
/// ``verify(_:_:)`` once. Only ``run(_:_:)`` is timed. An example of a kind:
///
/// ```swift
/// struct FlagTasks: WorkloadKind {
///   struct Parameters: ParameterSet {
///     @Parameter(1...10_000, "tasks flagged in one transaction") var tasks = 100
///   }
///
///   static let description = KindDescription(
///     name: "flagTasks",
///     summary: "Flag the oldest tasks in one transaction"
///   )
///   let parameters: Parameters
///
///   func prepare(_ trial: Trial) throws -> Database { try Database(path: trial.store.path) }
///
///   func run(_ database: Database, _ recorder: Recorder) throws {
///     recorder.observe(database)
///     try database.execute("UPDATE ZTASK SET ZISFLAGGED = 1 WHERE Z_PK <= ?1", parameters.tasks)
///   }
///
///   func verify(_ database: Database, _ trial: Trial) throws -> Verification {
///     let expected = try ExpectedStore(trial)
///     try expected.change("UPDATE ZTASK SET ZISFLAGGED = 1 WHERE Z_PK <= \(parameters.tasks)")
///     return try expected.verification()
///   }
/// }
/// ```
public protocol WorkloadKind: Sendable {
  /// The parameters that a workload file may set; ``NoParameters`` if the kind has none.
  associatedtype Parameters: ParameterSet = NoParameters
  /// The objects that ``prepare(_:)`` opens and ``run(_:_:)`` works with.
  associatedtype Session

  /// The properties of the kind that do not depend on a case, such as its name, summary and
  /// metrics.
  static var description: KindDescription { get }

  /// The parameters of the case.
  var parameters: Parameters { get }
  /// Creates the kind with the parameters of one case; a structure with only that property gets
  /// this initializer automatically.
  init(parameters: Parameters)

  /// The properties of the case that are known without running it.
  ///
  /// By default, the case changes the store, and the values of all parameters name its end state.
  var traits: CaseTraits { get }

  /// Turns `trial.store`, a copy of the workload's own store, into the starting store of the case,
  /// and closes the store.
  ///
  /// Called only if ``CaseTraits/startingStore`` has a name, once for all cases with that name.
  ///
  /// - Throws: Any error, which fails the cases with the error's description.
  func makeStartingStore(_ trial: Trial) throws
  /// Opens the trial's store and does everything else that must not be timed.
  ///
  /// - Throws: Any error, which fails the case with the error's description.
  func prepare(_ trial: Trial) throws -> Session
  /// Does the work; only this call is timed.
  ///
  /// Called once per trial if the case changes the store, and otherwise once per iteration.
  ///
  /// - Throws: Any error, which fails the case with the error's description.
  func run(_ session: Session, _ recorder: Recorder) throws
  /// Checks the outcome independently of the code under test, for example with plain SQL.
  ///
  /// The check is not timed. A case without a valid outcome has no time, and the run exits with
  /// status 1.
  ///
  /// - Throws: ``VerificationFailure`` if the outcome is wrong, or any other error.
  func verify(_ session: Session, _ trial: Trial) throws -> Verification
  /// Returns everything that decides the result of ``verify(_:_:)``, except the case and its
  /// starting store.
  ///
  /// Called before ``verify(_:_:)``, which may close connections. The default is `nil`: every trial
  /// is verified in full.
  func evidence(_ session: Session, _ trial: Trial) -> Evidence?
}

extension WorkloadKind {
  /// The default traits of a case that changes the store; the values of all parameters name its end
  /// state.
  public var traits: CaseTraits { CaseTraits(endState: parameters.values.canonical) }
  /// Does nothing: the case starts from a copy of the workload's own store.
  public func makeStartingStore(_ trial: Trial) throws {}
  /// Returns `nil`, so that every trial is verified in full.
  public func evidence(_ session: Session, _ trial: Trial) -> Evidence? { nil }
}

/// The parameter set of a kind without parameters.
public struct NoParameters: ParameterSet {
  /// Creates the empty parameter set.
  public init() {}
}

// MARK: Properties of a kind

/// The properties of a kind that do not depend on a case.
public struct KindDescription: Sendable {
  /// The name of the kind in workload files, such as `flagTasks`; it must be unique in the program.
  public let name: String
  /// A one-line summary for the reference, without a full stop.
  public let summary: String
  /// The question that a workload of the kind answers, in one sentence, unless its file asks a
  /// different question.
  public let question: String
  /// The metrics that the kind records itself, in addition to time, memory and SQLite's counters.
  ///
  /// A case fails if it records a metric that is not listed here.
  public let metrics: [Metric]
  /// The frequency of each operation in an app; used if a workload file does not contain
  /// frequencies.
  package var mix: OperationMix?
  /// Well-known sizes to mark in winner maps (the fastest alternative at each size), such as limits
  /// recommended by guides.
  package var landmarks: [LeadMap.Mark] = []
  /// The alternatives in order of simplicity, and the advice of guides by size, for winner maps.
  package var guide: LeadMap.Guide?
  /// Whether the cases name parts of their work and record metrics for each part, such as
  /// `step.list.vmSteps` and `phase.list`.
  package var namesParts = false
  /// Whether a forecast can predict the time, memory and disk space of the kind's cases on larger
  /// stores.
  package var isForecast = false
  /// The parameters of a small case for testing the kind, as in a workload file.
  package var example = ""
  /// The contents of the files that the example names, by path relative to the workload file.
  package var exampleFiles: [String: String] = [:]
  /// Checks that the store has the entities and properties that a case's parameters name, and
  /// chooses names for parameters that are not set.
  ///
  /// It is called once per case, before any case runs. Parameters that do not matter in the case
  /// have their defaults and need no check.
  package var fit: Fitting?
  /// Reads the state that a killed launch left behind, for kinds that resume the work of an earlier
  /// launch.
  ///
  /// If `nil`, the store of a killed launch must contain all saves up to some point and no part of
  /// a later save.
  package var remains: RemainsReading?

  /// A function that adapts a case to the store that it runs on.
  package typealias Fitting = @Sendable (inout CaseFit, StoreOffer) -> Void
  /// A function that reports the content that the app's own code finds after a kill; the function
  /// may change the files.
  ///
  /// Its arguments are the case's parameters, the killed trial, an undisturbed trial, and the
  /// digest of the undisturbed trial's content.
  package typealias RemainsReading =
    @Sendable (ParameterValues, _ killed: Trial, _ finished: Trial, _ digest: String) throws ->
    Remains

  /// Creates the description of a kind.
  public init(
    name: String,
    summary: String,
    question: String = "Which alternative takes the least time?",
    metrics: [Metric] = []
  ) {
    (self.name, self.summary) = (name, summary)
    (self.question, self.metrics) = (question, metrics)
  }

  package init(
    name: String,
    summary: String,
    question: String = "Which alternative takes the least time?",
    metrics: [Metric] = [],
    example: String = "",
    exampleFiles: [String: String] = [:],
    mix: OperationMix? = nil,
    landmarks: [LeadMap.Mark] = [],
    guide: LeadMap.Guide? = nil,
    namesParts: Bool = false,
    isForecast: Bool = false,
    fit: Fitting? = nil,
    remains: RemainsReading? = nil
  ) {
    self.init(name: name, summary: summary, question: question, metrics: metrics)
    (self.example, self.exampleFiles) = (example, exampleFiles)
    (self.mix, self.landmarks, self.isForecast) = (mix, landmarks, isForecast)
    self.guide = guide
    (self.fit, self.remains, self.namesParts) = (fit, remains, namesParts)
  }
}

// MARK: Properties of a case

/// The properties of a case that are known without running it.
public struct CaseTraits: Hashable, Sendable {
  /// The name of the state that the case must reach; cases with the same name must have equal
  /// digests.
  ///
  /// The name should omit parameters that change only how the work is done; cases with the same end
  /// state fail if they reach different content.
  public var endState: String
  /// Whether the case leaves every byte of the store unchanged, so that all trials can share one
  /// copy.
  ///
  /// The kind must then open the store read-only, because closing the last writable connection
  /// moves the WAL into the store.
  public var onlyReads: Bool
  /// The name of the store that the case starts from; `nil` for the workload's own store.
  ///
  /// Cases with the same name share one store, which ``WorkloadKind/makeStartingStore(_:)`` makes
  /// once.
  public var startingStore: String?
  /// The work from a user's point of view.
  ///
  /// Only cases of the same job with the same safeguards are alternatives to one another.
  package var job: String
  /// The name of the method, if cases with different parameters do exactly the same work; such
  /// cases are not compared with one another.
  package var method: String?
  /// Whether several threads or processes work at the same time, so that no counter is exact.
  package var isConcurrent = false
  /// Whether a kill must leave either all objects unchanged or all objects in their final state.
  package var isAtomic = false
  /// A string that the error must contain if the case must fail; `nil` if the case must succeed.
  package var expectedFailure: String?
  /// The behaviors of Core Data and SwiftData that the case imitates, with their evidence.
  package var behaviours: [Behaviour] = []
  /// The protection of the data during the work, such as a backup.
  package var safeguards = ""
  /// The job and its safeguards, on which cases must agree to be compared; the trials of such cases
  /// alternate.
  package var goal: String { [job, safeguards].filter { !$0.isEmpty }.joined(separator: ", ") }
  /// Whether the case does work that no app can ship; such a case is a lower bound and never
  /// recommended.
  package var isLowerBound = false
  /// The name of the method if Core Data does the work without any code in the app, such as
  /// `lightweight`.
  ///
  /// If this method is fast enough, the other cases need not be considered.
  package var frameworkWay: String?
  /// Notes for display, such as `altered store: FOREIGN KEY clauses added`.
  package var notes: [String] = []
  /// The number of objects per batch; `nil` if the case does not work in batches.
  package var batchSize: Int?
  /// The maximum size of the case's files in bytes, in addition to the part that depends on the
  /// workload's own store.
  package var diskBytes: Int64 = 0
  private var statedDiskFactor: Double?

  /// The maximum size of the case's files as a multiple of the workload's own store.
  package var diskFactor: Double {
    get { statedDiskFactor ?? (onlyReads ? 1 : 3) * startingFactor }
    set { statedDiskFactor = newValue }
  }
  /// The factor by which a starting store multiplies the size of the case's files.
  ///
  /// The factor is 2 with a starting store, because the starting store is itself made from a copy.
  /// Without a starting store, the factor is 1.
  package var startingFactor: Double { startingStore == nil ? 1 : 2 }

  /// Creates the traits of a case with the given end state and starting store.
  public init(endState: String, onlyReads: Bool = false, startingStore: String? = nil) {
    (self.endState, self.onlyReads, self.startingStore) = (endState, onlyReads, startingStore)
    job = endState
  }

  /// Creates the traits of a case that makes its own small store of known size.
  package init(
    endState: String,
    onlyReads: Bool = false,
    ownStore: String,
    bytes: Int64
  ) {
    self.init(endState: endState, onlyReads: onlyReads, startingStore: ownStore)
    diskFactor = 0
    diskBytes = bytes
  }

  func diskBytes(from store: Int64) -> Int64 {
    Int64(min(Double(store) * diskFactor + Double(diskBytes), 1e18))
  }
}

// MARK: Access through a metatype

extension WorkloadKind {
  /// The name of the kind in workload files.
  package static var name: String { description.name }
  /// The metrics that the kind records itself.
  package static var metrics: [Metric] { description.metrics }
  package static var axes: [Axis] { Parameters.axes }

  static func judge(
    _ values: ParameterValues
  ) -> (irrelevant: Set<ParameterName>, impossibility: String?) {
    let parameters = Parameters(values)
    return (parameters.irrelevant, parameters.impossibility)
  }

  static func remedy(for name: String, in values: ParameterValues) -> String? {
    Parameters(values).remedies.first { $0.key.description == name }?.value
  }

  /// Returns the parameters that have no effect in any case with the given values.
  ///
  /// Only combinations with a few values of one or two other parameters are tried.
  package static func idle(beside given: [String: ParameterValue]) -> Set<String> {
    var idle = Set(axes.map(\.name)).subtracting(given.keys)
    let choices = axes.filter { given[$0.name] == nil }.map { axis in
      axis.samples.map { (axis.name, $0) }
    }
    func look(_ values: [String: ParameterValue]) {
      let named = Set(judge(ParameterValues(values)).irrelevant.map(\.description))
      idle.formIntersection(named)
    }
    look(given)
    for (index, first) in choices.enumerated() where !idle.isEmpty {
      for (name, value) in first {
        var values = given
        values[name] = value
        look(values)
        for (other, value) in choices[(index + 1)...].joined() {
          look(values.merging([other: value]) { $1 })
        }
      }
    }
    return idle
  }

  package static func impossibility(of values: ParameterValues) -> String? {
    Parameters(values).impossibility
  }

  /// Returns the reason why this program cannot run a case that other programs can run, or `nil` if
  /// this program can run the case.
  package static func absence(of values: ParameterValues) -> String? { Parameters(values).absence }

  package init(parameters values: ParameterValues) {
    self.init(parameters: Parameters(values))
  }

  static func traits(of values: ParameterValues) -> CaseTraits { Self(parameters: values).traits }
}

/// The result of a successful verification.
public struct Verification: Codable, Hashable, Sendable {
  /// The digest of the content that the work reached or read, such as a SHA-256; equal contents
  /// have equal digests.
  public var digest: String
  /// Notes that are known only after the work, such as `12 rows merged`.
  public var notes: [String]
  /// The losses and made-up values that the case's parameters permit, with their counts.
  public var losses: [String]

  /// Creates the result of a successful verification.
  public init(digest: String, notes: [String] = [], losses: [String] = []) {
    self.digest = digest
    self.notes = notes
    self.losses = losses
  }
}

/// The error for a wrong outcome.
public struct VerificationFailure: Error, Codable, Hashable, Sendable, CustomStringConvertible {
  /// The first few problems, one sentence each.
  public var findings: [String]

  /// Creates the error with the problems, one sentence each.
  public init(_ findings: [String]) {
    self.findings = findings
  }

  /// The problems on one line.
  public var description: String { "verification failed: " + findings.joined(separator: "; ") }
}

/// The state of a store's objects after the work was killed.
package struct Remains: Hashable, Sendable {
  /// The progress of the work, as far as the files show it.
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// All objects are in their state before the work.
    case old
    /// All objects are in their state after the complete work.
    case new
    case between
  }

  package var state: State
  /// The digest of the content that the app's own code finds; unchanged if a launch made no
  /// progress.
  package var digest: String
  /// The number of missing objects.
  package var lost: Int
  /// The number of duplicated objects.
  package var doubled: Int

  package init(_ state: State, digest: String, lost: Int = 0, doubled: Int = 0) {
    self.state = state
    self.digest = digest
    self.lost = lost
    self.doubled = doubled
  }
}
