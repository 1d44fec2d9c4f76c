/// What a worker in lock-step is asked to prepare.
struct LockstepRequest: Codable, Hashable, Sendable {
  /// ``LockstepFrame/version`` of the coordinator.
  var version: Int
  var trial: TrialRequest
  /// The share by which every slice is made longer, by waiting busily: a planted regression.
  var slowdown: Double
  /// Whether the counting VFS is installed.
  var isCounting: Bool
}

/// The first thing that a worker in lock-step says.
struct LockstepGreeting: Codable, Hashable, Sendable {
  /// ``LockstepFrame/version`` of the worker.
  var version: Int
  /// The sources of the SQLite library that it runs with.
  var sqliteSourceID: String
}
