import CSQLite

/// A family of exact counters, such as the counters of a connection.
package protocol CounterSet: Hashable, Sendable {
  typealias Field = (name: String, path: WritableKeyPath<Self, Int64>)

  /// All counters, sorted by the names of their metrics without the family's prefix.
  static var fields: [Field] { get }

  init()
}

extension CounterSet {
  package static func + (first: Self, second: Self) -> Self { combine(first, second, &+) }

  /// The differences between the counts of two readings.
  package static func - (later: Self, earlier: Self) -> Self { combine(later, earlier, &-) }

  private static func combine(
    _ first: Self,
    _ second: Self,
    _ operation: (Int64, Int64) -> Int64
  ) -> Self {
    var result = Self()
    for (_, path) in fields {
      result[keyPath: path] = operation(first[keyPath: path], second[keyPath: path])
    }
    return result
  }
}

/// The counters of a connection's statements and page cache.
///
/// They are exact for a given SQLite build and settings (sqlite.md, section 1), unlike
/// ``Library/memoryHighWater(reset:)``.
package struct Counters: CounterSet {
  package var vmSteps: Int64 = 0
  package var fullScanSteps: Int64 = 0
  package var sorts: Int64 = 0
  package var autoIndexRows: Int64 = 0
  package var reprepares: Int64 = 0
  package var statementsPrepared: Int64 = 0
  package var statementsRun: Int64 = 0
  package var cacheHits: Int64 = 0
  package var cacheMisses: Int64 = 0
  package var cacheWrites: Int64 = 0
  package var cacheSpills: Int64 = 0

  package init() {}

  package static var fields: [Field] {
    [
      ("autoIndexRows", \.autoIndexRows), ("cacheHits", \.cacheHits),
      ("cacheMisses", \.cacheMisses), ("cacheSpills", \.cacheSpills),
      ("cacheWrites", \.cacheWrites), ("fullScanSteps", \.fullScanSteps),
      ("reprepares", \.reprepares), ("sorts", \.sorts),
      ("statementsPrepared", \.statementsPrepared), ("statementsRun", \.statementsRun),
      ("vmSteps", \.vmSteps),
    ]
  }

  /// Adds the counts of a statement's executions, without its preparation.
  mutating func add(statement: OpaquePointer) {
    func status(_ operation: Int32) -> Int64 {
      Int64(sqlite3_stmt_status(statement, operation, 0))
    }
    vmSteps += status(SQLITE_STMTSTATUS_VM_STEP)
    fullScanSteps += status(SQLITE_STMTSTATUS_FULLSCAN_STEP)
    sorts += status(SQLITE_STMTSTATUS_SORT)
    autoIndexRows += status(SQLITE_STMTSTATUS_AUTOINDEX)
    reprepares += status(SQLITE_STMTSTATUS_REPREPARE)
    statementsRun += status(SQLITE_STMTSTATUS_RUN)
  }

  mutating func add(pageCacheOf connection: OpaquePointer) {
    func status(_ operation: Int32) -> Int64 {
      var (current, highWater): (Int32, Int32) = (0, 0)
      sqlite3_db_status(connection, operation, &current, &highWater, 0)
      return Int64(current)
    }
    cacheHits += status(SQLITE_DBSTATUS_CACHE_HIT)
    cacheMisses += status(SQLITE_DBSTATUS_CACHE_MISS)
    cacheWrites += status(SQLITE_DBSTATUS_CACHE_WRITE)
    cacheSpills += status(SQLITE_DBSTATUS_CACHE_SPILL)
  }
}

/// The SQLite library that this process uses.
package enum Library {
  /// The version, such as `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// The date and hash of SQLite's sources.
  ///
  /// Counters are comparable only for the same source ID and compile options.
  package static var sourceID: String { String(cString: sqlite3_sourceid()) }

  /// The options with which SQLite was compiled, without their `SQLITE_` prefix.
  package static var compileOptions: [String] {
    var options: [String] = []
    while let option = sqlite3_compileoption_get(Int32(options.count)) {
      options.append(String(cString: option))
    }
    return options
  }

  /// The maximum number of bytes that SQLite has allocated since the last reset; not exact across
  /// builds.
  package static func memoryHighWater(reset: Bool = false) -> Int64 {
    sqlite3_memory_highwater(reset ? 1 : 0)
  }
}
