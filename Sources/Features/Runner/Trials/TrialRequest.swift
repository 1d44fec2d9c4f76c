import Basics
import Generators
import PersistentStore
import SQLite

/// What a worker is asked to do: all that one process needs to know.
package struct TrialRequest: Codable, Hashable, Sendable {
  /// The work asked for.
  package enum Task: String, Codable, Hashable, Sendable {
    /// A trial, or one iteration of a cold one.
    case measure
    /// One launch of an app: the work, and no check of what it has brought about.
    case launch
    /// A case's starting store.
    case makeStartingStore
  }

  package var task: Task
  package var kind: String
  package var parameters: ParameterValues
  package var trial: Trial
  package var cache: CacheState
  package var iterations: Int
  package var warmUps: Int
  /// Whether the time inside SQLite is taken, which slows what is measured down.
  package var isProfiled: Bool
  /// What goes wrong below SQLite, where it is tried what survives it.
  package var faults: FaultPlan?
  /// A folder that gets a copy of each database for each of its commits, where faults are asked for.
  package var commitCopies: String?
  /// Where the statements of the work are logged, which slows what is measured down; `nil` where
  /// it is measured.
  package var log: SQLDebugWriter.Options?
  /// The outcome of an earlier trial of the case, which needs no second check.
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

/// When an executor gives a trial up, and what its process is given besides.
package struct TrialLimits: Hashable, Sendable {
  /// Seconds, of a process.
  package var time: Double
  /// The length of a variable in the process's environment: it moves the stack, so that no layout
  /// of memory is measured again and again.
  package var environmentPadding: Int

  package init(time: Double = 600, environmentPadding: Int = 0) {
    self.time = time
    self.environmentPadding = environmentPadding
  }
}

/// What one trial of a case works on.
public struct Trial: Codable, Hashable, Sendable {
  /// The copy that the work may change; shared by trials that only read.
  public let store: StoreFile
  /// The store that the copy was made from, never opened for writing.
  public let start: StoreFile
  /// The workload's own store, as its recipe or its user gave it, never opened for writing.
  ///
  /// The same as `start` but for cases that ask for a starting store of their own.
  package let original: StoreFile
  /// What the workload's own store was generated from; `nil` for a store made elsewhere.
  package let recipe: RecipeReference?
  /// A folder of the trial's own, for backups, exports and new stores, on the store's file system.
  public let folder: String
  /// The folder that model paths in parameters are relative to.
  public let workloadsFolder: String
  package let settings: ConnectionSettings
  /// Decides every choice of the work, such as which rows are jumped to; the same in all trials.
  public let seed: UInt64
  /// Whether the workload's own store may break rules of its layout; `nil` where the request's
  /// sender does not know, and the recipe shows it.
  private let isDirty: Bool?
  /// Where its user has the workload's own store; `nil` for a store of a recipe.
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

  /// A response whose texts name the user's store in place of its working copies.
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

  /// Whether the store may break rules of its layout before anything is done to it: one made
  /// elsewhere, or by a recipe with defects.
  ///
  /// - Throws: what reading the recipe throws.
  package func mayBreakRules() throws -> Bool {
    try isDirty ?? recipe.map { try $0.read().isDirty } ?? true
  }
}

/// What a worker answers.
package struct TrialResponse: Codable, Hashable, Sendable {
  /// How the work ended.
  package enum Outcome: Codable, Hashable, Sendable {
    case passed(Verification)
    /// The work threw this error, as its case said it must.
    case failedAsExpected(String, Verification)
    /// The work or its verification failed, for this cause.
    case failed(String)
  }

  package var outcome: Outcome
  /// The measurements of each iteration; none of a failed trial.
  package var iterations: [[TakenMeasurement]]
  package var notes: [String]
  /// The smallest step of the clock that the times were taken with, in seconds.
  package var clockResolution: Double
  /// How long the trial took beside what it measures.
  package var times: Times?
  /// The digest of what decided the outcome; `nil` where it has to be checked each time.
  package var evidence: String?
  /// What happened to files until the work was done, where faults were asked for.
  package var events: [FileEvent.Kind: Int]?

  /// Where a trial's wall time went, in seconds.
  package struct Times: Codable, Hashable, Sendable {
    /// The work of all iterations, warm-ups included.
    package var work = 0.0
    /// The check of the outcome.
    package var checks = 0.0
    /// What goes before the work, such as opening the store.
    package var preparation = 0.0

    /// Takes what is left of a trial's time as its preparation.
    mutating func endPreparation(after seconds: Double) {
      preparation = max(0, seconds - work - checks)
    }
  }

  /// The outcome, for the trials that follow; `nil` where each of them is checked.
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

/// One number from one iteration, with all that is known of its metric.
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

/// Draws that a seed, a name and a number decide: the same in every run of the same seed.
package struct SeededCoins {
  private var numbers: SplitMix64

  package init(seed: UInt64, name: String, number: Int) {
    let position = seed &+ UInt64(bitPattern: Int64(number)) &* SplitMix64.increment
    numbers = SplitMix64(state: SplitMix64.mix(SplitMix64.hash(name) ^ position))
  }

  /// Heads or tails.
  package mutating func flip() -> Bool { numbers.next() >> 63 == 1 }

  /// A number below a bound.
  package mutating func number(below bound: UInt64) -> Int { Int(numbers.next() % bound) }

  /// What the length of a variable in a worker's environment stays below.
  package static let paddingBound: UInt64 = 4096

  /// The length of a variable in a worker's environment, drawn for each trial.
  ///
  /// Where the stack begins depends on it, and so do times; one layout for all trials would pass
  /// for a property of the case (statistics.md, section 2). The workload's seed decides it.
  package static func padding(seed: UInt64, case id: String, trial: Int) -> Int {
    var coins = SeededCoins(seed: seed, name: id, number: trial)
    return coins.number(below: paddingBound)
  }
}
