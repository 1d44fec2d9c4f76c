import Basics
import Foundation
import Runner
import SQLite
import Synchronization

/// Runs trials, and measures the machine's pace before and after each trial.
///
/// A shared machine may run at half its pace for seconds or minutes. The yardstick, a fixed piece
/// of work similar to a migration, shows which trials were affected.
final class PacedExecutor: TrialExecutor {
  private struct State {
    /// The limits of the trial to prepare while the outcome of the current trial is checked.
    var next: TrialLimits?
    var ofLastTrial: Double?
    /// The last measurement and the time of its end, both in seconds.
    var latest: (seconds: Double, end: Double)?
  }

  private let executor: any TrialExecutor
  private let read: @Sendable () throws -> Double
  private let now: @Sendable () -> Double
  private let state = Mutex(State())

  /// The age in seconds up to which the measurement after a trial also serves as the measurement
  /// before the next trial.
  private static let oldest = 0.1

  /// Creates an executor; `read` measures the yardstick, and `now` is the time, both in seconds.
  init(
    _ executor: any TrialExecutor,
    read: @escaping @Sendable () throws -> Double,
    now: @escaping @Sendable () -> Double = MonotonicClock.seconds
  ) {
    (self.executor, self.read, self.now) = (executor, read, now)
  }

  /// The yardstick's time in seconds: the mean of the measurements before and after the last trial.
  var lastReading: Double? { state.withLock { $0.ofLastTrial } }

  /// Sets the limits of the next trial, whose process starts while the outcome of the current one
  /// is checked; `nil` if no trial follows.
  func prepare(_ next: TrialLimits?) { state.withLock { $0.next = next } }

  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
    let (next, latest) = state.withLock { ($0.next, $0.latest) }
    let recent = latest.flatMap { now() - $0.end <= Self.oldest ? $0.seconds : nil }
    let before = try recent ?? read()
    let response = try executor.execute(
      request,
      within: limits,
      before: next.map { NextTrial(limits: $0) }
    )
    let after = try read()
    state.withLock {
      ($0.ofLastTrial, $0.latest) = ((before + after) / 2, (after, now()))
    }
    return response
  }
}

/// A fixed piece of work in memory: inserts rows into a table with an index on random keys, and
/// looks them up.
struct Yardstick: Sendable {
  private static let rounds = 5
  /// The number of rows; fewer rows take less time but show the pace less precisely.
  var rows: Int64 = 2000

  /// The median duration of several rounds, in seconds.
  ///
  /// - Throws: ``SQLiteError`` if there is not enough memory.
  func read() throws -> Double {
    let rounds = try (0..<Self.rounds).map { _ in try round() }
    return rounds.sorted()[Self.rounds / 2]
  }

  private func round() throws -> Double {
    let start = ProcessInfo.processInfo.systemUptime
    let connection = try Connection(path: ":memory:", mode: .create, settings: nil)
    try connection.executeScript([
      "CREATE TABLE ZROW (Z_PK INTEGER PRIMARY KEY, ZKEY INTEGER, ZTITLE VARCHAR)",
      "CREATE INDEX ZROW_ZKEY ON ZROW (ZKEY)", "BEGIN",
    ])
    let insert = try connection.prepare("INSERT INTO ZROW VALUES (?, ?, ?)")
    for row in 1...rows {
      insert.bind(row, at: 1)
      insert.bind(Self.key(of: row), at: 2)
      insert.bind("a title of some thirty letters", at: 3)
      try insert.run()
    }
    let select = try connection.prepare("SELECT Z_PK, ZTITLE FROM ZROW WHERE ZKEY = ?")
    for row in 1...rows {
      select.bind(Self.key(of: row), at: 1)
      while try select.step() {}
      select.reset()
    }
    try connection.execute("COMMIT")
    return ProcessInfo.processInfo.systemUptime - start
  }

  /// Knuth's multiplicative hashing, which gives keys in random order.
  private static func key(of row: Int64) -> Int64 { row &* 2_654_435_761 & 0xffff_ffff }
}

/// This machine's unit costs, with its pace during the measurement.
package struct PacedCosts: Sendable {
  package let costs: UnitCosts
  /// The yardstick's time in seconds: the mean of its measurements before and after the costs were
  /// measured.
  package let yardstick: Double

  /// Measures the costs in a folder, in the same way as for a machine profile.
  ///
  /// - Throws: ``StoreCalibration/Failure`` if SQLite reports an error, ``SQLiteError`` if there is
  ///   not enough memory.
  package static func measured(in folder: String) throws -> PacedCosts {
    let before = try Yardstick().read()
    let costs = try StoreCalibration.measure(in: folder)
    return PacedCosts(
      costs: UnitCosts(
        row: costs.row,
        pageRead: costs.pageRead,
        pageWrite: costs.pageWrite,
        sync: costs.sync,
        scatter: costs.scatter
      ),
      yardstick: (before + (try Yardstick().read())) / 2
    )
  }

  /// The costs converted to the usual pace of a ladder (runs on stores of increasing size), to
  /// which the ladder's times are normalized as well.
  package func costs(at pace: Pace?) -> UnitCosts {
    guard let usual = pace?.usual, yardstick > 0 else { return costs }
    var paced = costs
    // A sync waits for the disk, so its cost does not depend on the processor's pace.
    for cost in [\UnitCosts.row, \.pageRead, \.pageWrite] {
      paced[keyPath: cost] *= usual / yardstick
    }
    return paced
  }
}

extension StoreCalibration.Costs {
  /// The costs in one line, with a remark on their reliability.
  package var summary: String {
    let costs = [
      ("a row", row), ("a page read", pageRead), ("a page written", pageWrite), ("a sync", sync),
    ]
    return costs.map { "\($0) \(Figures.seconds($1))" }.joined(separator: ", ")
      + "; rounds scatter by \(scatter.percent)"
      + (scatter > 0.1 ? ": the machine is busy, calibrate when it is not" : "")
  }
}

extension StoreCalibration {
  /// The source file of the calibration, for the test target of an app.
  package static var source: String {
    String(decoding: PackageResources.StoreCalibration_txt, as: UTF8.self)
  }
}
