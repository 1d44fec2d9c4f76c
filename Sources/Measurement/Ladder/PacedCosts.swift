import Calibration
import Forecasting

/// This machine's unit costs, with the pace that it had while they were measured.
package struct PacedCosts: Sendable {
  package let costs: UnitCosts
  /// Seconds of the yardstick, the mean of before and after.
  package let yardstick: Double

  /// Measures them in a folder as those of a profile are.
  ///
  /// - Throws: ``StoreCalibration/Failure`` where SQLite refuses, ``SQLiteError`` where there is not
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
    let factor = usual / yardstick
    return UnitCosts(
      row: costs.row * factor,
      pageRead: costs.pageRead * factor,
      pageWrite: costs.pageWrite * factor,
      sync: costs.sync,
      scatter: costs.scatter
    )
  }
}
