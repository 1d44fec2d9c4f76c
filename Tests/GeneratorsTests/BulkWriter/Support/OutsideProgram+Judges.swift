import TestSupport

extension OutsideProgram {
  /// SQLite's own shell; `nil` if it is not installed.
  static let sqlite = OutsideProgram("sqlite3")
  /// The independent reader; `nil` if there is no Python to run it.
  static let checkDatabase =
    Python.isInstalled ? OutsideProgram(Repository.path("scripts/check-database")) : nil
}
