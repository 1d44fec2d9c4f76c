import PersistentStore
import Runner

/// A kind of work on a store: what is measured, and the check of its outcome.
///
/// A case is one value for each parameter. Its trial calls ``prepare(_:)`` once,
/// ``run(_:_:)`` once an iteration, and ``verify(_:_:)`` once, in a process of its own and on a
/// fresh copy of the store. Only ``run(_:_:)`` is timed.
///
/// ```swift
/// struct FlagTasks: WorkloadKind {
///   struct Parameters: ParameterSet {
///     @Parameter(1...10_000, "tasks flagged in one transaction") var tasks = 100
///   }
///
///   static let name = "flagTasks"
///   static let summary = "Flag the oldest tasks in one transaction"
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
///     try trial.verification(expecting: [
///       "ZTASK": ["ZISFLAGGED": "CASE WHEN Z_PK <= \(parameters.tasks) THEN 1 ELSE ZISFLAGGED END"]
///     ])
///   }
/// }
/// ```
public protocol WorkloadKind: Sendable {
  /// What a workload file may choose; ``NoParameters`` for a kind without a choice.
  associatedtype Parameters: ParameterSet = NoParameters
  /// What ``prepare(_:)`` opens and ``run(_:_:)`` works with.
  associatedtype Session

  /// The kind's name in workload files, such as `flagTasks`; it must differ from those of the
  /// program's other kinds.
  static var name: String { get }
  /// One line for `kinds` and the reference, without a full stop.
  static var summary: String { get }
  /// The metrics that ``run(_:_:)`` records itself, beside time, memory and SQLite's counters.
  ///
  /// Recording a metric that is not listed here fails the case.
  static var metrics: [Metric] { get }

  /// The choices of the case.
  var parameters: Parameters { get }
  /// The kind with the choices of one case; a structure with one property has it already.
  init(parameters: Parameters)

  /// Whether no byte of the store changes: then all trials share one copy of it.
  ///
  /// The default is `false`. Such a kind opens the store read-only.
  var onlyReads: Bool { get }
  /// The name of the state that the case must reach: cases of one name must have equal digests.
  ///
  /// The default is the values of all parameters, so that no two cases are compared. Leave out those
  /// that change only how the work is done, and a case that reaches another content fails.
  var endState: String { get }

  /// Opens the trial's store and makes everything that must not be timed.
  ///
  /// - Throws: Any error, which fails the case with the error's description.
  func prepare(_ trial: Trial) throws -> Session
  /// Does the work, which is timed in seconds of the wall clock.
  ///
  /// It runs once in each trial where it changes the store, and once an iteration otherwise.
  ///
  /// - Throws: Any error, which fails the case with the error's description.
  func run(_ session: Session, _ recorder: Recorder) throws
  /// Checks the outcome independently of the code that brought it about, such as by plain SQL.
  ///
  /// It is not timed. A case without a valid outcome has no time, and the run exits with 1.
  ///
  /// - Throws: ``VerificationFailure`` with what is wrong, or any other error.
  func verify(_ session: Session, _ trial: Trial) throws -> Verification
}

extension WorkloadKind {
  /// None.
  public static var metrics: [Metric] { [] }
  /// `false`: the work changes its copy of the store.
  public var onlyReads: Bool { false }
  /// The values of all parameters.
  public var endState: String { parameters.values.canonical }
}

/// The parameters of a kind that has none.
public struct NoParameters: ParameterSet {
  /// The only value.
  public init() {}
}

/// A public kind as the runner knows kinds.
struct AdaptedKind<Kind: WorkloadKind>: Workload {
  static var kind: String { Kind.name }
  static var summary: String { Kind.summary }
  static var metrics: [Metric] { Kind.metrics }

  private let kind: Kind

  init(_ parameters: Kind.Parameters) {
    kind = Kind(parameters: parameters)
  }

  var onlyReads: Bool { kind.onlyReads }
  var endState: String { kind.endState }

  func prepare(_ trial: Trial) throws -> Kind.Session { try kind.prepare(trial) }

  func run(_ session: Kind.Session, _ recorder: Recorder) throws {
    try kind.run(session, recorder)
  }

  func verify(
    _ session: Kind.Session,
    _ trial: Trial,
    failure: (any Error)?
  ) throws -> Verification {
    try kind.verify(session, trial)
  }
}

extension WorkloadKind {
  /// The kind as the runner knows it.
  package static var workload: any Workload.Type { AdaptedKind<Self>.self }
}
