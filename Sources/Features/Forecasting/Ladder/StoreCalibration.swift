import Foundation

#if canImport(CSQLite)
  import CSQLite
#else
  import SQLite3
#endif

/// Measures the costs of a SQLite store's elementary operations on this machine.
///
/// This file needs only Foundation and SQLite. Add it to the test target of an app and run the test
/// below on a device in a release build, which takes a few seconds and 10 MB of disk. Save the
/// test's output to a file, and predict for the device with `storebench forecast --on FILE`:
///
///     func testCalibration() throws {
///       print(try StoreCalibration.profile(in: NSTemporaryDirectory(), machine: "My iPhone"))
///     }
public struct StoreCalibration {
  /// The costs by kind of work, in seconds.
  public struct Costs {
    /// The time to bind a row and insert it at the end of a table.
    public var row: Double
    /// The time to read a page that is not in the cache from the file.
    public var pageRead: Double
    /// The time to write a page to the log, and from there to the file.
    public var pageWrite: Double
    /// The additional time of a commit that syncs.
    public var sync: Double
    /// The dispersion of the row cost between rounds, as a share of the row cost.
    public var scatter: Double
  }

  /// An error that SQLite reported.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason for the error, as a sentence.
    public let description: String
  }

  private static let rounds = 7
  private static let rows = 20_000
  private static let commits = 20

  private let path: String

  /// Measures this machine in a temporary file in a folder, and returns its profile as JSON.
  ///
  /// Throws ``Failure`` if the file cannot be created or written.
  public static func profile(in folder: String, machine: String) throws -> String {
    try profile(of: try measure(in: folder), machine: machine)
  }

  /// Returns the profile of a machine with the given costs, as JSON.
  public static func profile(of costs: Costs, machine: String) throws -> String {
    let object: [String: Any] = [
      "format": 1, "machine": machine, "sqlite": String(cString: sqlite3_libversion()),
      "costs": [
        "row": costs.row, "pageRead": costs.pageRead, "pageWrite": costs.pageWrite,
        "sync": costs.sync, "scatter": costs.scatter,
      ],
    ]
    let data = try JSONSerialization.data(
      withJSONObject: object,
      options: [.prettyPrinted, .sortedKeys]
    )
    return String(decoding: data, as: UTF8.self)
  }

  /// Measures the costs alternately, each several times, and returns the medians.
  public static func measure(in folder: String) throws -> Costs {
    let path = folder + "/calibration-\(ProcessInfo.processInfo.processIdentifier).sqlite"
    let calibration = StoreCalibration(path: path)
    defer { calibration.removeFiles() }
    var found: [[Double]] = [[], [], [], []]
    for _ in 0..<rounds {
      calibration.removeFiles()
      let store = try Store(path)
      found[0].append(try calibration.rowCost(store))
      found[1].append(try calibration.readCost(store))
      found[2].append(try calibration.writeCost(store))
      found[3].append(try calibration.syncCost(store))
    }
    let middle = found.map { $0.sorted()[rounds / 2] }
    return Costs(
      row: middle[0],
      pageRead: middle[1],
      pageWrite: middle[2],
      sync: middle[3],
      scatter: scatter(of: found[0], about: middle[0])
    )
  }

  /// The dispersion from the median absolute deviation, which is 0.6745 standard deviations, so
  /// that a single slow round has little effect.
  private static func scatter(of costs: [Double], about middle: Double) -> Double {
    let deviations = costs.map { abs($0 - middle) }.sorted()
    return middle > 0 ? deviations[deviations.count / 2] / 0.6745 / middle : 0
  }

  private func removeFiles() {
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + ending)
    }
  }

  private func rowCost(_ store: Store) throws -> Double {
    try store.run(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER, x REAL, name TEXT, b BLOB)"
    )
    let insert = try store.prepare(
      "INSERT INTO item VALUES (?, ?, ?, 'a name of twenty', zeroblob(99))"
    )
    let seconds = try time {
      for row in 0..<Self.rows {
        if row % 1000 == 0 { try store.run(row == 0 ? "BEGIN" : "COMMIT; BEGIN") }
        try insert.step([Int64(row), Int64(row % 7), Int64(row * 3)])
      }
      try store.run("COMMIT")
    }
    return seconds / Double(Self.rows)
  }

  /// The additional time of lookups without a cache, compared with lookups with a cache, per
  /// additional cache miss.
  private func readCost(_ store: Store) throws -> Double {
    func lookups() throws -> (seconds: Double, misses: Int) {
      let select = try store.prepare("SELECT n FROM item WHERE id = ?")
      let before = store.misses
      let seconds = try time {
        for step in 0..<Self.rows / 2 { try select.step([Int64(step * 7919 % Self.rows)]) }
      }
      return (seconds, store.misses - before)
    }
    try store.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size = 5000")
    _ = try lookups()
    let cached = try lookups()
    try store.run("PRAGMA cache_size = 10")
    let uncached = try lookups()
    let misses = Double(max(uncached.misses - cached.misses, 1))
    return max((uncached.seconds - cached.seconds) / misses, 0)
  }

  /// The time of a commit and a checkpoint, per page that they write.
  private func writeCost(_ store: Store) throws -> Double {
    try store.run("PRAGMA cache_size = 5000; BEGIN; UPDATE item SET n = n + 1")
    let before = store.writes
    let seconds = try time { try store.run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)") }
    return seconds / Double(max(store.writes - before, 1))
  }

  private func syncCost(_ store: Store) throws -> Double {
    let update = try store.prepare("UPDATE item SET n = n + 1 WHERE id = ?")
    func commits(_ synchronous: String) throws -> Double {
      try store.run("PRAGMA synchronous = \(synchronous)")
      return try time {
        for row in 0..<Self.commits { try update.step([Int64(row)]) }
      }
    }
    let unsynced = try commits("OFF")
    return max((try commits("FULL") - unsynced) / Double(Self.commits), 0)
  }

  private func time(_ work: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try work()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
  }

  /// A connection with the settings of an app's store.
  private final class Store {
    let handle: OpaquePointer

    init(_ path: String) throws {
      var opened: OpaquePointer?
      let code = sqlite3_open(path, &opened)
      guard code == SQLITE_OK, let opened else {
        let reason = String(cString: sqlite3_errstr(code))
        sqlite3_close(opened)
        throw Failure(description: "cannot calibrate in '\(path)': \(reason)")
      }
      handle = opened
      try run("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) throws {
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    func prepare(_ sql: String) throws -> Statement { try Statement(sql, of: self) }

    var failure: Failure {
      Failure(
        description: "SQLite could not be calibrated: \(String(cString: sqlite3_errmsg(handle)))"
      )
    }

    var misses: Int { status(SQLITE_DBSTATUS_CACHE_MISS) }
    var writes: Int { status(SQLITE_DBSTATUS_CACHE_WRITE) }

    private func status(_ operation: Int32) -> Int {
      var (current, highest): (Int32, Int32) = (0, 0)
      sqlite3_db_status(handle, operation, &current, &highest, 0)
      return Int(current)
    }
  }

  private final class Statement {
    private let store: Store
    private let handle: OpaquePointer

    init(_ sql: String, of store: Store) throws {
      var prepared: OpaquePointer?
      guard sqlite3_prepare_v2(store.handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared
      else { throw store.failure }
      (self.store, handle) = (store, prepared)
    }

    deinit { sqlite3_finalize(handle) }

    func step(_ values: [Int64]) throws {
      for (index, value) in values.enumerated() {
        sqlite3_bind_int64(handle, Int32(index + 1), value)
      }
      let code = sqlite3_step(handle)
      guard code == SQLITE_ROW || code == SQLITE_DONE else { throw store.failure }
      sqlite3_reset(handle)
    }
  }
}
