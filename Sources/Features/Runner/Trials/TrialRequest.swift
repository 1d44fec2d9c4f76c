import Basics
import Generators
import PersistentStore
import SQLite

/// A request to a worker, with everything that its process needs to know.
package struct TrialRequest: Codable, Hashable, Sendable {
  /// The requested work.
  package enum Task: String, Codable, Hashable, Sendable {
    /// Run a trial, or one iteration of a cold trial.
    case measure
    /// Run the work as one launch of an app, without checking its outcome.
    case launch
    /// Make a case's starting store.
    case makeStartingStore
  }

  package var task: Task
  package var kind: String
  package var parameters: ParameterValues
  package var trial: Trial
  package var cache: CacheState
  package var iterations: Int
  package var warmUps: Int
  /// Whether to measure the time inside SQLite, which slows down the work.
  package var isProfiled: Bool
  /// The faults to inject below SQLite, to test which data survives them.
  package var faults: FaultPlan?
  /// A folder that receives a copy of each database after each commit, for fault tests.
  package var commitCopies: String?
  /// The options for logging the work's statements; `nil` for measured trials, because logging
  /// slows the work down.
  package var log: SQLDebugWriter.Options?
  /// A verified outcome of an earlier trial of the case; it is reused if this trial has the same
  /// ``Evidence``.
  package var verified: VerifiedOutcome?

  package init(
    task: Task = .measure,
    kind: String,
    parameters: ParameterValues,
    trial: Trial,
    cache: CacheState = .warm,
    iterations: Int = 1,
    warmUps: Int = 0,
    isProfiled: Bool = false,
    faults: FaultPlan? = nil,
    log: SQLDebugWriter.Options? = nil,
    verified: VerifiedOutcome? = nil
  ) {
    self.task = task
    self.kind = kind
    self.parameters = parameters
    self.trial = trial
    self.cache = cache
    self.iterations = iterations
    self.warmUps = warmUps
    self.isProfiled = isProfiled
    self.faults = faults
    self.log = log
    self.verified = verified
  }
}

/// The time limit of a trial, and the padding of its process's environment.
package struct TrialLimits: Hashable, Sendable {
  /// The time limit of the process, in seconds.
  package var time: Double
  /// The length of a padding variable in the environment, which shifts the stack so that trials do
  /// not all have the same memory layout.
  package var environmentPadding: Int

  package init(time: Double = 600, environmentPadding: Int = 0) {
    self.time = time
    self.environmentPadding = environmentPadding
  }
}

/// The stores, folders and settings that one trial of a case works with.
public struct Trial: Codable, Hashable, Sendable {
  /// The copy of the store that the work may change; trials that only read share one copy.
  public let store: StoreFile
  /// The store that the copy was made from; it is never opened for writing.
  public let start: StoreFile
  /// The workload's own store, from its recipe or its user; it is never opened for writing.
  ///
  /// This store differs from `start` only for cases with a starting store of their own.
  package let original: StoreFile
  /// The recipe of the workload's own store; `nil` if an app made the store.
  package let recipe: RecipeReference?
  /// The trial's own folder for backups, exports and new stores, on the same file system as the
  /// store.
  public let folder: String
  /// The folder to which model paths in parameters are relative.
  public let workloadsFolder: String
  package let settings: ConnectionSettings
  /// The seed of every random choice in the work, such as the choice of rows to jump to; all trials
  /// have the same seed.
  public let seed: UInt64
  /// Whether the workload's own store may break rules of its layout; if `nil`, the recipe decides.
  private let isDirty: Bool?
  /// The path at which the user keeps the workload's own store; `nil` if it was generated from a
  /// recipe.
  private let userPath: String?

  package init(
    store: StoreFile,
    start: StoreFile,
    original: StoreFile,
    recipe: RecipeReference? = nil,
    folder: String,
    workloadsFolder: String,
    settings: ConnectionSettings = ConnectionSettings(),
    seed: UInt64 = 1,
    isDirty: Bool? = nil,
    userPath: String? = nil
  ) {
    self.store = store
    self.start = start
    self.original = original
    self.recipe = recipe
    self.folder = folder
    self.workloadsFolder = workloadsFolder
    self.settings = settings
    self.seed = seed
    self.isDirty = isDirty
    self.userPath = userPath
  }

  /// Returns the response with the paths of the working copies replaced by the path of the user's
  /// store.
  package func naming(_ response: TrialResponse) -> TrialResponse {
    guard let userPath else { return response }
    let copies = [store, start, original].map(\.path)
    func named(_ text: String) -> String {
      copies.reduce(text) { $0.replacing("'\($1)'", with: "'\(userPath)'") }
    }
    var response = response
    response.notes = response.notes.map(named)
    switch response.outcome {
    case .passed: break
    case .failed(let cause): response.outcome = .failed(named(cause))
    case .failedAsExpected(let cause, let found):
      response.outcome = .failedAsExpected(named(cause), found)
    }
    return response
  }

  /// Returns whether the store may break rules of its layout from the start, because an app made it
  /// or its recipe plants defects.
  ///
  /// - Throws: Any error from reading the recipe.
  package func mayBreakRules() throws -> Bool {
    try isDirty ?? recipe.map { try $0.read().isDirty } ?? true
  }
}

/// A worker's response to a request.
package struct TrialResponse: Codable, Hashable, Sendable {
  /// The result of the work: success, expected failure or failure.
  package enum Outcome: Codable, Hashable, Sendable {
    case passed(Verification)
    /// The work failed with an error that its case expects; contains the error's description.
    case failedAsExpected(String, Verification)
    /// The work or its verification failed; contains the reason.
    case failed(String)
  }

  package var outcome: Outcome
  /// The measurements of each iteration; empty for a failed trial.
  package var iterations: [[TakenMeasurement]]
  package var notes: [String]
  /// The resolution of the clock that measured the times, in seconds.
  package var clockResolution: Double
  /// The breakdown of the trial's wall time; `nil` if no work was done.
  package var times: Times?
  /// The digest of the trial's ``Evidence``, which decides whether the outcome is correct; `nil` if
  /// the trial failed or if every trial is verified in full.
  package var evidence: String?
  /// The number of file events of each kind during the work; `nil` unless faults were requested.
  package var events: [FileEvent.Kind: Int]?

  /// The breakdown of a trial's wall time, in seconds.
  package struct Times: Codable, Hashable, Sendable {
    /// The seconds of work in all iterations, including warm-ups.
    package var work = 0.0
    /// The seconds spent checking the outcome.
    package var checks = 0.0
    /// The seconds spent before the work, such as for opening the store.
    package var preparation = 0.0

    /// Sets ``preparation`` to the trial's total time minus work and checks.
    mutating func endPreparation(after seconds: Double) {
      preparation = max(0, seconds - work - checks)
    }
  }

  /// The outcome with its evidence, for later trials; `nil` if every trial must be verified in
  /// full.
  var verified: VerifiedOutcome? {
    switch outcome {
    case .passed(let verification), .failedAsExpected(_, let verification):
      evidence.map { VerifiedOutcome(evidence: $0, verification: verification) }
    case .failed: nil
    }
  }

  package init(
    outcome: Outcome,
    iterations: [[TakenMeasurement]] = [],
    notes: [String] = [],
    clockResolution: Double = 0
  ) {
    self.outcome = outcome
    self.iterations = iterations
    self.notes = notes
    self.clockResolution = clockResolution
  }
}

/// One value from one iteration, with the properties of its metric.
package struct TakenMeasurement: Codable, Hashable, Sendable {
  package var name: String
  package var unit: Metric.Unit
  package var direction: Metric.Direction
  package var isExact: Bool
  package var value: Double

  package init(_ metric: Metric, _ value: Double) {
    name = metric.name
    unit = metric.unit
    direction = metric.direction
    isExact = metric.isExact
    self.value = value
  }

  package var metric: Metric {
    Metric(name, unit: unit, direction: direction, isExact: isExact)
  }
}

/// A random generator determined by a seed, a name and a number.
package struct SeededCoins {
  private var numbers: SplitMix64

  package init(seed: UInt64, name: String, number: Int) {
    let position = seed &+ UInt64(bitPattern: Int64(number)) &* SplitMix64.increment
    numbers = SplitMix64(state: SplitMix64.mix(SplitMix64.hash(name) ^ position))
  }

  /// Returns `true` or `false` with equal probability.
  package mutating func flip() -> Bool { numbers.next() >> 63 == 1 }

  /// Returns a random number from 0 up to, but not including, a bound.
  package mutating func number(below bound: UInt64) -> Int { Int(numbers.next() % bound) }

  /// The exclusive upper bound of a worker's environment padding.
  package static let paddingBound: UInt64 = 4096

  /// Returns the length of a worker's environment padding, drawn for each trial from the workload's
  /// seed.
  ///
  /// The padding shifts the start of the stack, which affects times. With the same memory layout in
  /// all trials, its effect would look like a property of the case (statistics.md, section 2).
  package static func padding(seed: UInt64, case id: String, trial: Int) -> Int {
    var coins = SeededCoins(seed: seed, name: id, number: trial)
    return coins.number(below: paddingBound)
  }
}
