import CSQLite

/// What SQLite opens a file for.
package enum FileClass: Int, CaseIterable, Hashable, Sendable {
  /// A store's main file; also attached ones and the target of a copy.
  case main
  case wal
  /// A rollback journal, or the super-journal of several stores.
  case journal
  /// Sorter runs, ephemeral tables and statement journals, unlinked as soon as they are open.
  case temporary

  /// By the flags of `xOpen` (https://www.sqlite.org/c3ref/c_open_autoproxy.html).
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

  /// By the name, which is all that a deletion is told.
  init(path: String) {
    if path.hasSuffix("-wal") {
      self = .wal
    } else if path.hasSuffix("-journal") || path.contains("-mj") {
      self = .journal
    } else {
      self = .main
    }
  }

  /// As in a metric's name: `vfs.main.reads`.
  package var name: String {
    switch self {
    case .main: "main"
    case .wal: "wal"
    case .journal: "journal"
    case .temporary: "temporary"
    }
  }
}
