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
  /// Nanoseconds that every sync takes longer: a slow disk that repeats on any machine.
  package var syncDelay: UInt64
  /// When the process ends, or the disk is full.
  package var kill: KillPoint?
  /// A file that the commits of databases are noted in; `nil` for no notes.
  package var commitLog: String?

  package init(
    failures: [FileEvent.Place: Cause] = [:],
    syncDelay: UInt64 = 0,
    kill: KillPoint? = nil,
    commitLog: String? = nil
  ) {
    self.failures = failures
    self.syncDelay = syncDelay
    self.kill = kill
    self.commitLog = commitLog
  }

  /// Whether what is written must be remembered until it is synced.
  var losesPower: Bool { kill?.losesPower ?? false }
}

/// Something that is about to happen to a file, or that the process says it has done.
package struct FileEvent: Hashable, Sendable {
  /// What happens.
  package enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
    case open
    case write
    case sync
    case truncate
    case delete
    /// By the process itself; SQLite renames nothing.
    case rename
    /// Of the names in a folder, by the process itself.
    case folderSync
    /// The process says that a transaction was committed.
    case commit
    /// The process says that it has noted how far it is.
    case marker
  }

  /// One event of a run: `write:17` is its 17th write.
  package struct Place: Codable, CustomStringConvertible, Hashable, Sendable {
    package let kind: Kind
    /// Which of its kind it is, counted from 1.
    package let number: Int

    package init(_ kind: Kind, number: Int) {
      self.kind = kind
      self.number = number
    }

    package var description: String { "\(kind.rawValue):\(number)" }
  }

  package let place: Place
  /// `nil` for a file of the process's own.
  package let fileClass: FileClass?
  /// `nil` for a temporary file, which has no name.
  package let path: String?
}

/// Where a process is killed and how: `write:17` is by SIGKILL just before the 17th write,
/// `write:17:4711` by a loss of power that the last number decides; at `write:17:full` the process goes
/// on, on a disk that is full.
package struct KillPoint: Codable, CustomStringConvertible, Hashable, Sendable {
  /// How the process ends.
  package enum Ending: Codable, Hashable, Sendable {
    /// By `SIGKILL`: the system still has all that was written.
    case signal
    /// By a loss of power: what was not synced is lost, or some of it, as the seed decides.
    case powerLoss(seed: UInt64)
    /// Not at all: from that event on no file can grow.
    case fullDisk
  }

  /// What it is killed just before.
  package let event: FileEvent.Place
  package let ending: Ending

  package init(before event: FileEvent.Place, ending: Ending) {
    self.event = event
    self.ending = ending
  }

  /// Reads a point as it is written; `nil` for other text.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 || parts.count == 3, let kind = FileEvent.Kind(rawValue: parts[0]),
      let number = Int(parts[1]), number > 0
    else { return nil }
    event = FileEvent.Place(kind, number: number)
    guard parts.count == 3 else {
      ending = .signal
      return
    }
    if parts[2] == Self.full {
      ending = .fullDisk
      return
    }
    guard let seed = UInt64(parts[2]) else { return nil }
    ending = .powerLoss(seed: seed)
  }

  private static let full = "full"

  package var losesPower: Bool { if case .powerLoss = ending { true } else { false } }

  package var description: String {
    switch ending {
    case .signal: "\(event)"
    case .powerLoss(let seed): "\(event):\(seed)"
    case .fullDisk: "\(event):\(Self.full)"
    }
  }
}
