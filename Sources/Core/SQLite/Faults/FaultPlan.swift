/// The faults to inject below SQLite; by default, no faults.
///
/// The plan is `Codable`, so that it can be passed to a worker.
package struct FaultPlan: Codable, Hashable, Sendable {
  /// The reason why a call fails.
  package enum Cause: String, Codable, Hashable, Sendable {
    /// `ENOSPC`: the disk is full.
    case noSpace
    /// `EIO`: the disk has failed.
    case inputOutput
  }

  /// The calls that fail without any effect.
  package var failures: [FileEvent.Place: Cause]
  /// Additional nanoseconds per sync, which simulate a slow disk in the same way on any machine.
  package var syncDelay: UInt64
  /// The event at which the process ends or the disk becomes full.
  package var kill: KillPoint?
  /// The path of a file that logs the commits of databases; `nil` for no log.
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

  var losesPower: Bool { kill?.losesPower ?? false }
}

/// An event on a file, which SQLite is about to cause or the process reports.
package struct FileEvent: Hashable, Sendable {
  /// The kind of event.
  package enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
    case open
    case write
    case sync
    case truncate
    case delete
    /// A rename by the process itself; SQLite renames no files.
    case rename
    /// The process itself syncs a folder, and with it the names in the folder.
    case folderSync
    /// The process reports that a transaction has been committed.
    case commit
    /// The process has recorded its progress.
    case marker
  }

  /// The position of an event in a run: `write:17` is the 17th write.
  package struct Place: Codable, CustomStringConvertible, Hashable, Sendable {
    package let kind: Kind
    /// The event's number among the events of its kind, counted from 1.
    package let number: Int

    package init(_ kind: Kind, number: Int) {
      self.kind = kind
      self.number = number
    }

    package var description: String { "\(kind.rawValue):\(number)" }
  }

  package let place: Place
  /// The class of the file; `nil` for a file of the process itself.
  package let fileClass: FileClass?
  /// The file's path; `nil` for a temporary file, which has no name.
  package let path: String?
}

/// An event, and the fault that occurs just before it.
///
/// `write:17` means a SIGKILL just before the 17th write, and `write:17:4711` means a power loss
/// with the seed 4711. At `write:17:full`, the disk becomes full, and the process continues.
package struct KillPoint: Codable, CustomStringConvertible, Hashable, Sendable {
  /// The way in which the process ends, or continues on a full disk.
  package enum Ending: Codable, Hashable, Sendable {
    /// The process is killed by `SIGKILL`: the system keeps everything that was written.
    case signal
    /// The process ends with a simulated power loss: unsynced changes are lost partly or entirely,
    /// depending on the seed.
    case powerLoss(seed: UInt64)
    /// The process continues, but from that event on, no file can grow.
    case fullDisk
  }

  /// The event that the fault precedes.
  package let event: FileEvent.Place
  package let ending: Ending

  package init(before event: FileEvent.Place, ending: Ending) {
    self.event = event
    self.ending = ending
  }

  /// Parses a kill point such as `write:17:full`; returns `nil` for any other string.
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
