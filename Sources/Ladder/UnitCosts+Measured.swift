import Calibration
import Forecasting

extension UnitCosts {
  /// This machine's, measured in a folder as those of a profile are.
  ///
  /// - Throws: ``StoreCalibration/Failure`` where SQLite refuses.
  package static func measured(in folder: String) throws -> UnitCosts {
    let costs = try StoreCalibration.measure(in: folder)
    return UnitCosts(
      row: costs.row,
      pageRead: costs.pageRead,
      pageWrite: costs.pageWrite,
      sync: costs.sync
    )
  }
}
