import PersistentStore

/// A kind of work on a store: what is measured, and the check of its outcome.
///
/// A case is one value for each parameter. Its trial calls ``prepare(_:)`` once,
/// ``run(_:_:)`` once an iteration, and ``verify(_:_:)`` once, in a process of its own and on a
/// fresh copy of the store. Only ``run(_:_:)`` is timed. A kind of a user's own:
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
  /// What a workload file may choose; ``NoParameters`` for a kind without a choice.
  associatedtype Parameters: ParameterSet = NoParameters
  /// What ``prepare(_:)`` opens and ``run(_:_:)`` works with.
  associatedtype Session

  /// What is known of the kind without a case: its name, its summary, its metrics.
  static var description: KindDescription { get }

  /// The choices of the case.
  var parameters: Parameters { get }
  /// The kind with the choices of one case; a structure with one property has it already.
  init(parameters: Parameters)

  /// What is known of the case without running it.
  ///
  /// By default the case changes the store, and its end state is the values of all parameters.
  var traits: CaseTraits { get }

  /// Turns `trial.store`, a copy of the workload's own store, into the store that the case starts
  /// from, and closes it.
  ///
  /// It is called if ``CaseTraits/startingStore`` has a name, once for all cases of that name.
  ///
  /// - Throws: Any error, which fails the cases with the error's description.
  func makeStartingStore(_ trial: Trial) throws
  /// Opens the trial's store and makes everything that must not be timed.
  ///
  /// - Throws: Any error, which fails the case with the error's description.
  func prepare(_ trial: Trial) throws -> Session
  /// Does the work, which is timed in seconds of the wall clock.
  ///
  /// It runs once in each trial if it changes the store, and once an iteration otherwise.
  ///
  /// - Throws: Any error, which fails the case with the error's description.
  func run(_ session: Session, _ recorder: Recorder) throws
  /// Checks the outcome independently of the code that brought it about, such as by plain SQL.
  ///
  /// It is not timed. A case without a valid outcome has no time, and the run exits with 1.
  ///
  /// - Throws: ``VerificationFailure`` with what is wrong, or any other error.
  func verify(_ session: Session, _ trial: Trial) throws -> Verification
  /// Everything that decides the verdict of ``verify(_:_:)`` besides the case and its starting
  /// store; called before it, since verification may close connections.
  ///
  /// `nil`, the default, has every trial verified in full.
  func evidence(_ session: Session, _ trial: Trial) -> Evidence?
}

extension WorkloadKind {
  /// The case changes the store, and must reach the state that all its parameters name.
  public var traits: CaseTraits { CaseTraits(endState: parameters.values.canonical) }
  /// The case starts from the workload's own store.
  public func makeStartingStore(_ trial: Trial) throws {}
  /// Every trial is verified in full.
  public func evidence(_ session: Session, _ trial: Trial) -> Evidence? { nil }
}

/// The parameters of a kind that has none.
public struct NoParameters: ParameterSet {
  /// The only value.
  public init() {}
}

// MARK: Facts of a kind

/// What is known of a kind without a case.
public struct KindDescription: Sendable {
  /// The kind's name in workload files, such as `flagTasks`; it must differ from those of the
  /// program's other kinds.
  public let name: String
  /// One line for the reference, without a full stop.
  public let summary: String
  /// What a workload of the kind asks, in one sentence, if its file asks nothing.
  public let question: String
  /// The metrics that the kind records itself, besides time, memory and SQLite's counters.
  ///
  /// Recording a metric that is not listed here fails the case.
  public let metrics: [Metric]
  /// How often an app does each operation, if a file states no mix.
  package var mix: OperationMix?
  /// Sizes that readers know, such as the limits of guides, for winner maps.
  package var landmarks: [LeadMap.Mark] = []
  /// Which alternative is simpler than which, and what guides advise by size, for winner maps.
  package var guide: LeadMap.Guide?
  /// Whether cases name their parts themselves: then they also record metrics of these parts,
  /// `step.list.vmSteps`, and their times, `phase.list`.
  package var namesParts = false
  /// Whether a forecast predicts the time, memory and disk of the kind's cases on larger stores.
  package var isForecast = false
  /// The parameters of a small case, as in a workload file, by which the kind is tested.
  package var example = ""
  /// Files that the example names, by their path relative to the workload file.
  package var exampleFiles: [String: String] = [:]
  /// Checks the names of a case and chooses those that it leaves open, if parameters name parts of
  /// the store; called once a case, before anything is run.
  ///
  /// Parameters that do not matter in the case have their defaults and need no look.
  package var fit: Fitting?
  /// Reads what a killed launch left, if a launch resumes the work of an earlier one.
  ///
  /// Without it, a kill must leave the saves up to some one.
  package var remains: RemainsReading?

  /// Fits a case to the store that it runs on.
  package typealias Fitting = @Sendable (inout CaseFit, StoreOffer) -> Void
  /// What the app's own reader finds after a kill, in files that may be changed: of a case, in a
  /// trial, compared with an undisturbed trial and the digest of that trial's content.
  package typealias RemainsReading =
    @Sendable (ParameterValues, _ killed: Trial, _ finished: Trial, _ digest: String) throws ->
    Remains

  /// Describes a kind.
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

// MARK: Facts of a case

/// What is known of a case without running it.
public struct CaseTraits: Hashable, Sendable {
  /// The name of the state that the case must reach: cases of one name must have equal digests.
  ///
  /// Leave out the parameters that change only how the work is done, and a case that reaches another
  /// content fails.
  public var endState: String
  /// Whether no byte of the store changes: then all trials share one copy of it.
  ///
  /// Such a kind opens the store read-only, since closing the last connection that may write moves
  /// the WAL into the store.
  public var onlyReads: Bool
  /// The name of the store that the case starts from, `nil` for the workload's own.
  ///
  /// Cases of one name share one store, which ``WorkloadKind/makeStartingStore(_:)`` makes once.
  public var startingStore: String?
  /// The work as a user sees it: only cases of one job are alternatives to each other, and their
  /// trials take turns.
  package var job: String
  /// How the work is done, if cases with other parameters do the very same; such cases do not
  /// compete.
  package var method: String?
  /// Whether several threads or processes work at once: then no counter is exact.
  package var isConcurrent = false
  /// Whether a reader must find all objects as before or all as after a kill, and nothing between.
  package var isAtomic = false
  /// What must go wrong, in a word that the error's text must contain.
  package var expectedFailure: String?
  /// What stands for Apple's behaviour in the case, with its evidence.
  package var behaviours: [Behaviour] = []
  /// What protects the data meanwhile, such as a backup: only cases with the same are recommended
  /// over one another.
  package var safeguards = ""
  /// Whether no app can ship this work: it is shown as a lower bound, and never recommended.
  package var isLowerBound = false
  /// The word for work that the framework does without the app's code, such as `lightweight`: where
  /// it is fast enough, no other way is needed.
  package var frameworkWay: String?
  /// Facts for the reader, such as `altered store: FOREIGN KEY clauses added`.
  package var notes: [String] = []
  /// The objects of a batch, if the case works in batches.
  package var batchSize: Int?
  /// The most bytes that the case's files take, whatever the size of the workload's own store.
  package var diskBytes: Int64 = 0
  private var statedDiskFactor: Double?

  /// How many times the bytes of the workload's own store the case's files take at most.
  package var diskFactor: Double {
    get { statedDiskFactor ?? (onlyReads ? 1 : 3) * startingFactor }
    set { statedDiskFactor = newValue }
  }
  /// The copies that the starting store needs: it was itself made from a copy.
  package var startingFactor: Double { startingStore == nil ? 1 : 2 }

  /// A case that must reach a state, and the store that it starts from.
  public init(endState: String, onlyReads: Bool = false, startingStore: String? = nil) {
    (self.endState, self.onlyReads, self.startingStore) = (endState, onlyReads, startingStore)
    job = endState
  }

  /// A case of a kind that makes a small store of its own, whose size is known.
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

  /// The most bytes that the case's files take if the workload's own store has some bytes.
  func diskBytes(from store: Int64) -> Int64 {
    Int64(min(Double(store) * diskFactor + Double(diskBytes), 1e18))
  }
}

// MARK: A kind whose type is not known

extension WorkloadKind {
  /// The kind's name in workload files.
  package static var name: String { description.name }
  /// The metrics that the kind records itself.
  package static var metrics: [Metric] { description.metrics }
  package static var axes: [Axis] { Parameters.axes }

  /// What changes nothing in a case, and why it cannot be run.
  static func judge(
    _ values: ParameterValues
  ) -> (irrelevant: Set<ParameterName>, impossibility: String?) {
    let parameters = Parameters(values)
    return (parameters.irrelevant, parameters.impossibility)
  }

  /// What to write instead of a parameter that changes nothing in a case.
  static func remedy(for name: String, in values: ParameterValues) -> String? {
    Parameters(values).remedies.first { $0.key.description == name }?.value
  }

  /// The parameters that change nothing beside the given ones, whatever one or two of the others say.
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

  /// Why this program cannot run a case, although others can.
  package static func absence(of values: ParameterValues) -> String? { Parameters(values).absence }

  package init(parameters values: ParameterValues) {
    self.init(parameters: Parameters(values))
  }

  /// What a plan states of a case with these parameters.
  static func traits(of values: ParameterValues) -> CaseTraits { Self(parameters: values).traits }
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
