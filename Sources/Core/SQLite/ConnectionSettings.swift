/// The settings of a connection that affect its counters; all of them are set explicitly when the
/// connection is opened.
///
/// No setting depends on the defaults of the library's build. Evidence/docs/apple-settings.md gives
/// the source of each value, and the effects of the values that Apple's builds use instead.
package struct ConnectionSettings: Codable, Hashable, Sendable {
  /// The values of `PRAGMA journal_mode`.
  package enum JournalMode: String, CaseIterable, Codable, Hashable, Sendable {
    case wal
    case delete
    case truncate
    case memory
    case off
  }

  /// The values of `PRAGMA synchronous`.
  package enum Synchronous: String, CaseIterable, Codable, Hashable, Sendable {
    case off
    case normal
    case full
  }

  package var journalMode: JournalMode
  package var synchronous: Synchronous
  /// The size of the page cache in pages.
  ///
  /// A size in KiB would depend on the build's header sizes. SQLite on macOS uses 2,000 pages; iOS
  /// builds report 128.
  package var cachePages: Int
  /// The page size in bytes, which applies to new files only.
  package var pageSize: Int
  /// The number of WAL frames after which a commit runs a checkpoint.
  package var walAutocheckpoint: Int
  package var usesForeignKeys: Bool
  /// The time to wait for a locked store, in milliseconds.
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

  /// The pragmas that set properties of the file, which a read-only connection does not apply.
  package static let fileProperties: Set<String> = ["page_size", "auto_vacuum", "journal_mode"]

  /// The pragmas in the order in which they run: page size and auto-vacuum precede any write.
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
      // Recursive triggers are on in Apple's builds and in a log of SwiftData. StoreBench leaves
      // them off until the stored baselines are measured again.
      ("recursive_triggers", "off"),
      ("soft_heap_limit", "0"),
      ("journal_mode", journalMode.rawValue),
      ("synchronous", synchronous.rawValue),
      ("wal_autocheckpoint", String(walAutocheckpoint)),
      // The size in bytes to which a -wal is truncated after a checkpoint; -1 sets no limit.
      // Apple's builds set 32,768.
      ("journal_size_limit", "-1"),
      ("busy_timeout", String(busyTimeout)),
    ]
  }
}
