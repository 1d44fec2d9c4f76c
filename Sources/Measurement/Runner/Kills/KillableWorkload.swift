/// A kind whose work may end at any moment, by its process or by the power, and be begun again.
package protocol KillableWorkload: Workload {
  /// Whether a reader must find all objects as before or all as after, and nothing between.
  var isAtomic: Bool { get }

  /// What the app's own reader finds on the disk after a launch that was killed, in files that may
  /// be changed; beside a trial that nobody disturbed, and the digest of that trial's content.
  ///
  /// Throws whatever keeps the reader from reading.
  func remains(of trial: Trial, beside finished: Trial, digest: String) throws -> Remains
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
