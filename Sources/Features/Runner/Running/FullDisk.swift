import Basics

/// Advice for errors whose cause is a full disk.
package enum FullDisk {
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
