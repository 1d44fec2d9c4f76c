import SQLite

/// What one launch that was killed has left.
package struct KillOutcome: Hashable, Sendable {
  package let point: KillPoint
  /// `nil` where nothing could be read.
  package let remains: Remains?
  /// What went wrong: in the killed launch, for the reader, or at the next launch.
  package let failure: String?
}

/// What became of one case's kills.
package struct KilledCase: Hashable, Sendable {
  package let id: String
  /// The workload file's name, with which the ID begins.
  package let workload: String
  /// The workload file's path.
  package let path: String
  package var isAtomic = false
  /// The events of a launch that nobody disturbed.
  package var events: [FileEvent.Kind: Int] = [:]
  package var outcomes: [KillOutcome] = []
  /// Why there were no kills at all.
  package var obstacle: String?

  package init(id: String, workload: String, path: String) {
    self.id = id
    self.workload = workload
    self.path = path
  }
}

/// The kills of all cases.
package struct KillReport: Hashable, Sendable {
  package var cases: [KilledCase]

  package init(cases: [KilledCase] = []) {
    self.cases = cases
  }

  package var outcomes: [KillOutcome] { cases.flatMap(\.outcomes) }

  /// Whether a kill lost something, or a case could not be tried.
  package var hasFailed: Bool {
    cases.contains { $0.obstacle != nil } || outcomes.contains { $0.failure != nil }
  }
}
