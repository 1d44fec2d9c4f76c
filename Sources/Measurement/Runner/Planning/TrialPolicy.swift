/// How often a case is measured, and in which state of the system's page cache.
package struct TrialPolicy: Hashable, Sendable {
  /// Fresh copies of the store, each prepared once in a process of its own.
  package var trials: Int
  /// Calls of `run` in a trial; those of a cold trial have a process each.
  package var iterations: Int
  /// Iterations before the first counted one, of cases that only read.
  package var warmUps: Int
  package var cache: CacheState
  /// Seconds after which a trial has failed.
  package var timeLimit: Double
  /// Decides every choice of the work, the same in all trials.
  package var seed: UInt64

  package init(
    trials: Int = 5,
    iterations: Int = 1,
    warmUps: Int = 0,
    cache: CacheState = .warm,
    timeLimit: Double = 600,
    seed: UInt64 = 1
  ) {
    self.trials = trials
    self.iterations = iterations
    self.warmUps = warmUps
    self.cache = cache
    self.timeLimit = timeLimit
    self.seed = seed
  }
}

/// What the system's page cache holds of the store when the work starts.
package enum CacheState: String, CaseIterable, Codable, Hashable, Sendable {
  /// The whole store, read through before the work is prepared.
  case warm
  /// Nothing of it, as far as the system does what it is asked for.
  case cold
}
