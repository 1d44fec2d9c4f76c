import TestSupport

extension OutsideProgram {
  /// SQLite's shell; `nil` if it is not installed.
  static let sqlite = OutsideProgram("sqlite3")
  /// The independent reader of database files; `nil` if Python is not installed.
  static let checkDatabase =
    Python.isInstalled ? OutsideProgram(Repository.path("scripts/check-database")) : nil
}
