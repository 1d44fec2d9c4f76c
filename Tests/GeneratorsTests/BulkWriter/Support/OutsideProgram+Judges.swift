import TestSupport

extension OutsideProgram {
  /// SQLite's own shell; `nil` where it is not installed.
  static let sqlite = OutsideProgram("sqlite3")
  /// The independent reader; `nil` where there is no Python for it.
  static let checkDatabase =
    Python.isInstalled ? OutsideProgram(Repository.path("scripts/check-database")) : nil
}
