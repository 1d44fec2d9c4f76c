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

  package init(
    task: Task = .measure,
    kind: String,
    parameters: ParameterValues,
    trial: Trial,
    cache: CacheState = .warm,
    iterations: Int = 1,
    warmUps: Int = 0,
    isProfiled: Bool = false,
    faults: FaultPlan? = nil
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
  }
}
