import CSQLite

/// The numbers of SQLite's file operations, and of the bytes read and written.
package struct FileActivity: CounterSet {
  package var opens: Int64 = 0
  package var reads: Int64 = 0
  package var readBytes: Int64 = 0
  package var writes: Int64 = 0
  package var writeBytes: Int64 = 0
  package var syncs: Int64 = 0
  package var truncates: Int64 = 0
  package var deletes: Int64 = 0

  package init() {}

  package static var fields: [Field] {
    [
      ("deletes", \.deletes), ("opens", \.opens), ("readBytes", \.readBytes), ("reads", \.reads),
      ("syncs", \.syncs), ("truncates", \.truncates), ("writeBytes", \.writeBytes),
      ("writes", \.writes),
    ]
  }
}

/// The purpose for which SQLite opens a file.
package enum FileClass: Int, CaseIterable, Hashable, Sendable {
  /// A store's main file; also an attached database and the target of a copy.
  case main
  case wal
  /// A rollback journal, or the super-journal of several stores.
  case journal
  /// Sorter runs, ephemeral tables and statement journals, which are unlinked as soon as they are
  /// open.
  case temporary

  /// Determines a file's class from the flags of `xOpen`
  /// (https://www.sqlite.org/c3ref/c_open_autoproxy.html).
  init(flags: Int32) {
    if flags & SQLITE_OPEN_MAIN_DB != 0 {
      self = .main
    } else if flags & SQLITE_OPEN_WAL != 0 {
      self = .wal
    } else if flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL) != 0 {
      self = .journal
    } else {
      self = .temporary
    }
  }

  /// Determines a file's class from its name, because a call that deletes a file passes only the
  /// path.
  init(path: String) {
    if path.hasSuffix("-wal") {
      self = .wal
    } else if path.hasSuffix("-journal") || path.contains("-mj") {
      self = .journal
    } else {
      self = .main
    }
  }

  /// The file class's name in metrics, such as `main` in `vfs.main.reads`.
  package var name: String { "\(self)" }
}

/// A reading of a counting VFS: the activity so far, by class of file.
package struct VFSReading: Hashable, Sendable {
  var activities: [FileActivity]
  /// The number of bytes by which files have grown since the VFS was created.
  package var diskGrowth: Int64
  /// The largest `diskGrowth` since the peak was last reset.
  package var peakDiskGrowth: Int64

  package subscript(fileClass: FileClass) -> FileActivity { activities[fileClass.rawValue] }

  /// The activity of all file classes together.
  package var total: FileActivity { activities.reduce(FileActivity(), +) }

  /// The activity between two readings; the peak is relative to the earlier disk growth.
  package static func - (later: VFSReading, earlier: VFSReading) -> VFSReading {
    VFSReading(
      activities: zip(later.activities, earlier.activities).map { $0 - $1 },
      diskGrowth: later.diskGrowth - earlier.diskGrowth,
      peakDiskGrowth: later.peakDiskGrowth - earlier.diskGrowth
    )
  }
}
