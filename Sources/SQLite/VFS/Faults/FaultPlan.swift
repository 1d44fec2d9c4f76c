/// What goes wrong below SQLite, and when; nothing by default.
///
/// It is data, so that a worker can be given one.
package struct FaultPlan: Codable, Hashable, Sendable {
  /// Why a call fails.
  package enum Cause: String, Codable, Hashable, Sendable {
    /// `ENOSPC`: the disk is full.
    case noSpace
    /// `EIO`: the disk does not work.
    case inputOutput
  }

  /// A call that fails without having done anything.
  package struct Failure: Codable, Hashable, Sendable {
    package var kind: FileEvent.Kind
    /// Which of its kind, counted from 1.
    package var number: Int
    package var cause: Cause

    package init(_ kind: FileEvent.Kind, number: Int, cause: Cause) {
      self.kind = kind
      self.number = number
      self.cause = cause
    }
  }

  /// How the process ends.
  package enum Ending: Codable, Hashable, Sendable {
    /// By `SIGKILL`: the system still has all that was written.
    case signal
    /// By a loss of power: what was not synced is lost, or some of it, as the seed decides.
    case powerLoss(seed: UInt64)
  }

  /// When the process ends: just before an event.
  package struct Kill: Codable, Hashable, Sendable {
    package var kind: FileEvent.Kind
    /// Which of its kind, counted from 1.
    package var number: Int
    package var ending: Ending

    package init(before kind: FileEvent.Kind, number: Int, ending: Ending) {
      self.kind = kind
      self.number = number
      self.ending = ending
    }
  }

  package var failures: [Failure]
  /// Bytes that files may grow by before the disk is full; `nil` for no limit.
  package var freeDisk: Int64?
  /// Nanoseconds that every sync takes longer: a slow disk that repeats on any machine.
  package var syncDelay: UInt64
  package var kill: Kill?

  package init(
    failures: [Failure] = [],
    freeDisk: Int64? = nil,
    syncDelay: UInt64 = 0,
    kill: Kill? = nil
  ) {
    self.failures = failures
    self.freeDisk = freeDisk
    self.syncDelay = syncDelay
    self.kill = kill
  }

  /// Whether what is written must be remembered until it is synced.
  var losesPower: Bool {
    if case .powerLoss = kill?.ending { true } else { false }
  }
}
