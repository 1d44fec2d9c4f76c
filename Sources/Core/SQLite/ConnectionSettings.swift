/// Every setting of a connection that shapes its counters, all set explicitly when it opens.
///
/// None is left to the library's build or its defaults. Evidence/docs/apple-settings.md has the source
/// of each value, and what would change with those of Apple's builds that differ.
package struct ConnectionSettings: Codable, Hashable, Sendable {
  /// `PRAGMA journal_mode`.
  package enum JournalMode: String, CaseIterable, Codable, Hashable, Sendable {
    case wal
    case delete
    case truncate
    case memory
    case off
  }

  /// `PRAGMA synchronous`.
  package enum Synchronous: String, CaseIterable, Codable, Hashable, Sendable {
    case off
    case normal
    case full
  }

  package var journalMode: JournalMode
  package var synchronous: Synchronous
  /// Pages of page cache; positive, since a size in KiB depends on the build's header sizes.
  ///
  /// 2,000 are those of macOS; builds of iOS report 128.
  package var cachePages: Int
  /// Bytes; only a new file takes it.
  package var pageSize: Int
  /// Frames after which a commit checkpoints.
  package var walAutocheckpoint: Int
  package var usesForeignKeys: Bool
  /// How long a locked store is waited for, in milliseconds.
  package var busyTimeout: Int

  package init(
    journalMode: JournalMode = .wal,
    synchronous: Synchronous = .normal,
    cachePages: Int = 2000,
    pageSize: Int = 4096,
    walAutocheckpoint: Int = 1000,
    usesForeignKeys: Bool = false,
    busyTimeout: Int = 0
  ) {
    self.journalMode = journalMode
    self.synchronous = synchronous
    self.cachePages = cachePages
    self.pageSize = pageSize
    self.walAutocheckpoint = walAutocheckpoint
    self.usesForeignKeys = usesForeignKeys
    self.busyTimeout = busyTimeout
  }

  /// The pragmas that are properties of the file, which a connection that only reads leaves alone.
  package static let fileProperties: Set<String> = ["page_size", "auto_vacuum", "journal_mode"]

  /// The pragmas in the order they are set: page size and auto-vacuum before anything is written.
  package var pragmas: [(name: String, value: String)] {
    [
      ("page_size", String(pageSize)),
      ("auto_vacuum", "incremental"),
      ("mmap_size", "0"),
      ("temp_store", "file"),
      ("threads", "0"),
      ("cache_size", String(cachePages)),
      ("cache_spill", "on"),
      ("secure_delete", "off"),
      ("automatic_index", "on"),
      ("locking_mode", "normal"),
      ("foreign_keys", usesForeignKeys ? "on" : "off"),
      // Apple's builds and a log of SwiftData have them on: no default until baselines are made again.
      ("recursive_triggers", "off"),
      ("soft_heap_limit", "0"),
      ("journal_mode", journalMode.rawValue),
      ("synchronous", synchronous.rawValue),
      ("wal_autocheckpoint", String(walAutocheckpoint)),
      // 32,768 in Apple's builds: what a checkpoint leaves of a -wal.
      ("journal_size_limit", "-1"),
      ("busy_timeout", String(busyTimeout)),
    ]
  }
}
