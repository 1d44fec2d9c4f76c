import CSQLite

/// What a connection's statements and its page cache have done so far.
///
/// Exact per SQLite build and settings (sqlite.md, section 1). `memoryHighWater` is not.
package struct Counters: Hashable, Sendable {
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

  /// The counters by the metric's name, without the family, in name order.
  package var named: [(name: String, value: Int64)] {
    [
      ("autoIndexRows", autoIndexRows), ("cacheHits", cacheHits), ("cacheMisses", cacheMisses),
      ("cacheSpills", cacheSpills), ("cacheWrites", cacheWrites),
      ("fullScanSteps", fullScanSteps), ("reprepares", reprepares), ("sorts", sorts),
      ("statementsPrepared", statementsPrepared), ("statementsRun", statementsRun),
      ("vmSteps", vmSteps),
    ]
  }

  /// What was counted between an earlier reading and this one.
  package static func - (later: Counters, earlier: Counters) -> Counters {
    var result = Counters()
    result.vmSteps = later.vmSteps - earlier.vmSteps
    result.fullScanSteps = later.fullScanSteps - earlier.fullScanSteps
    result.sorts = later.sorts - earlier.sorts
    result.autoIndexRows = later.autoIndexRows - earlier.autoIndexRows
    result.reprepares = later.reprepares - earlier.reprepares
    result.statementsPrepared = later.statementsPrepared - earlier.statementsPrepared
    result.statementsRun = later.statementsRun - earlier.statementsRun
    result.cacheHits = later.cacheHits - earlier.cacheHits
    result.cacheMisses = later.cacheMisses - earlier.cacheMisses
    result.cacheWrites = later.cacheWrites - earlier.cacheWrites
    result.cacheSpills = later.cacheSpills - earlier.cacheSpills
    return result
  }

  /// Adds what one statement has counted since it was prepared, but for its preparation.
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

  /// Adds what a connection's page cache has counted since it was opened.
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
