import Basics
import Foundation
import Runner
import SQLite
import Synchronization

/// Runs trials, and measures the machine's pace before and after each.
///
/// A machine that is shared runs at half its pace for seconds or minutes; a fixed piece of work of the
/// same sort as a migration's tells in which of them a run fell.
final class PacedExecutor: TrialExecutor {
  private let executor: any TrialExecutor
  private let yardstick: Yardstick
  private let reading = Mutex<Double?>(nil)

  init(_ executor: any TrialExecutor, _ yardstick: Yardstick) {
    self.executor = executor
    self.yardstick = yardstick
  }

  /// Seconds that the yardstick took around the last trial, the mean of before and after.
  var lastReading: Double? { reading.withLock { $0 } }

  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
    let before = try yardstick.read()
    let response = try executor.execute(request, within: limits)
    let after = try yardstick.read()
    reading.withLock { $0 = (before + after) / 2 }
    return response
  }
}

/// A fixed piece of work in memory: rows inserted into a table with an index of random keys, and found.
struct Yardstick: Sendable {
  private static let rounds = 5
  /// Fewer take less time and show the pace less well.
  var rows: Int64 = 2000

  /// Seconds that a round takes, the median of several.
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

  /// Knuth's multiplicative hashing: keys that come in no order.
  private static func key(of row: Int64) -> Int64 { row &* 2_654_435_761 & 0xffff_ffff }
}

/// This machine's unit costs, with the pace that it had while they were measured.
package struct PacedCosts: Sendable {
  package let costs: UnitCosts
  /// Seconds of the yardstick, the mean of before and after.
  package let yardstick: Double

  /// Measures them in a folder as those of a profile are.
  ///
  /// - Throws: ``StoreCalibration/Failure`` if SQLite refuses, ``SQLiteError`` if there is not
  ///   enough memory.
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

  /// The costs at the usual pace of a ladder, which is the one that its times are for.
  package func costs(at pace: Pace?) -> UnitCosts {
    guard let usual = pace?.usual, yardstick > 0 else { return costs }
    var paced = costs
    // A sync waits for the disk, not for the processor.
    for cost in [\UnitCosts.row, \.pageRead, \.pageWrite] {
      paced[keyPath: cost] *= usual / yardstick
    }
    return paced
  }
}

extension StoreCalibration.Costs {
  /// The costs in a line, and whether they can be trusted.
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
  /// The source that measures, for the test target of an app.
  package static var source: String {
    String(decoding: PackageResources.StoreCalibration_txt, as: UTF8.self)
  }
}
