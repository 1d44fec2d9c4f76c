import Basics
import PersistentStore

/// Errors whose cause is a full disk, whoever met it.
package enum FullDisk {
  /// The words of SQLite, of the system and of Foundation, which wrappers pass on.
  ///
  /// The last one is what SQLite reports where the index of a WAL cannot grow (`SQLITE_IOERR_SHMSIZE`).
  private static let words = [
    "database or disk is full", "no space left on device", "disk quota exceeded",
    "nscocoaerrordomain code=640", "sqlite error 4874",
  ]

  /// Whether a full disk has caused an error.
  package static func caused(_ error: any Error) -> Bool {
    if let failure = error as? FileBytes.Failure { return [ENOSPC, EDQUOT].contains(failure.code) }
    let text = "\(error)".lowercased()
    return words.contains(where: text.contains)
  }

  /// What to do where a trial's disk is full, and the error that said so.
  static func advice(_ error: any Error, folder: String, needed: Int64) -> String {
    "the disk of '\(folder)' is full: free up to \(Figures.bytes(needed, .significant)) on it, the "
      + "most that the case takes, or \(remedy) (\(error))"
  }

  /// What to do where a full disk ends a command, and the error that said so.
  package static func advice(_ error: any Error) -> String {
    "\(error)\nthe disk is full: free some of it, or \(remedy); nothing that was there is changed"
  }

  /// Whether a message says what to do.
  static func isNamed(in message: String) -> Bool {
    message.contains(" is full: free ") && message.contains(remedy)
  }

  private static let remedy = "name another disk with --work-folder"
}
