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

  /// The calls that fail without having done anything.
  package var failures: [FileEvent.Place: Cause]
  /// Bytes that files may grow by before the disk is full; `nil` for no limit.
  package var freeDisk: Int64?
  /// Nanoseconds that every sync takes longer: a slow disk that repeats on any machine.
  package var syncDelay: UInt64
  /// When the process ends.
  package var kill: KillPoint?

  package init(
    failures: [FileEvent.Place: Cause] = [:],
    freeDisk: Int64? = nil,
    syncDelay: UInt64 = 0,
    kill: KillPoint? = nil
  ) {
    self.failures = failures
    self.freeDisk = freeDisk
    self.syncDelay = syncDelay
    self.kill = kill
  }

  /// Whether what is written must be remembered until it is synced.
  var losesPower: Bool { kill?.losesPower ?? false }
}
