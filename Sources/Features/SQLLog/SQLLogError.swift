/// Why a log cannot be analyzed.
package enum SQLLogError: Error, Equatable, CustomStringConvertible {
  case noSuchLog(path: String)
  case unreadable(path: String, reason: String)
  /// The file is not text; `kind` names what it is.
  case binary(path: String, kind: String)
  /// The file is text in UTF-16.
  case wideText(path: String)
  /// The file is text without a line of Core Data or a statement of SQLite.
  case foreign(path: String, lines: Int)
  /// Every statement is `<private>`, as the system's log shows it.
  case redacted(path: String, lines: Int)
  /// The store or model has none of the log's tables.
  case otherStore(path: String, tables: [String])
  /// Everything that is wrong with the actions of a file.
  case invalidActions([String])
  case exists(path: String)
  case cannotWrite(path: String, reason: String)
  /// The order of that many distinct values cannot be kept in memory.
  case tooManyValues(path: String, bytes: Int)

  package var description: String {
    switch self {
    case .noSuchLog(let path): "there is no log at '\(path)'"
    case .unreadable(let path, let reason): "cannot read '\(path)': \(reason)"
    case .binary(let path, let kind):
      "'\(path)' is \(kind), not a log: name a text file with Core Data's SQLDebug lines or an "
        + "sqllog_N.sql file"
    case .wideText(let path):
      "'\(path)' is text in UTF-16: convert it with 'iconv -f UTF-16 -t UTF-8' first"
    case .foreign(let path, let lines):
      "'\(path)' is not a log of Core Data, SwiftData or SQLite: none of its \(lines) lines "
        + "contains a statement; run the app with '-com.apple.CoreData.SQLDebug 1'"
    case .redacted(let path, let lines):
      "'\(path)' shows its \(lines) statements as '<private>': copy what Xcode's console prints, or "
        + "run the app with '-com.apple.CoreData.Logging.stderr 1' and save its standard error"
    case .otherStore(let path, let tables):
      "'\(path)' has none of the log's tables (\(tables.joined(separator: ", "))): pass the store "
        + "or model of the app that wrote the log"
    case .invalidActions(let problems): problems.joined(separator: "\n")
    case .exists(let path): "'\(path)' exists already: choose another file"
    case .cannotWrite(let path, let reason): "cannot write '\(path)': \(reason)"
    case .tooManyValues(let path, let bytes):
      "'\(path)' has more than \(bytes >> 20) MiB of different values, too many to keep their "
        + "order: anonymize a part of the log"
    }
  }
}
