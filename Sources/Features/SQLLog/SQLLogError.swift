import Basics

/// Why a log cannot be analyzed.
extension Refusal {
  package static func noSuchLog(path: String) -> Refusal {
    Refusal.noInput("there is no log at '\(path)'")
  }

  /// The file is not text; `kind` names what it is.
  static func binary(path: String, kind: String) -> Refusal {
    Refusal.badInput(
      "'\(path)' is \(kind), not a log: name a text file with Core Data's "
        + "SQLDebug lines or an sqllog_N.sql file"
    )
  }

  /// The file is text without a line of Core Data or a statement of SQLite.
  static func foreign(path: String, lines: Int) -> Refusal {
    Refusal.badInput(
      "'\(path)' is not a log of Core Data, SwiftData or SQLite: none of its "
        + "\(lines) lines contains a statement; run the app with "
        + "'-com.apple.CoreData.SQLDebug 1'"
    )
  }
}
