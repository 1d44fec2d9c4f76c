import Basics

/// How far a replay differs from what the log reports.
package struct ReplayDivergence: Codable, Hashable, Sendable {
  /// Statements that were run.
  package var statements = 0
  /// Of them, those whose rows the log reports.
  package var compared = 0
  /// Rows that are expected of them: those that the log reports, on a store of another size up to
  /// their multiple.
  package var loggedRows = 0
  /// Rows that are missing or too many, summed over the statements.
  package var differingRows = 0
  /// Writes of one object by its key, and those that met no object.
  package var writes = 0
  package var missedWrites = 0
  /// Statements that SQLite refused.
  package var errors = 0
  /// Statements with a value or a key that the log does not show.
  package var guessed = 0
  /// Statements of the log that are not replayed.
  package var omitted = 0

  /// Above it a replay is not evidence.
  package static let threshold = 0.1

  package init() {}

  /// The largest of three shares: rows that differ, writes that met no object, and statements that
  /// failed.
  package var share: Double {
    func share(_ part: Int, of whole: Int) -> Double {
      whole > 0 ? min(1, Double(part) / Double(whole)) : part > 0 ? 1 : 0
    }
    return max(
      share(differingRows, of: max(loggedRows, compared)),
      share(missedWrites, of: writes),
      share(errors, of: statements)
    )
  }

  package var isEvidence: Bool { share <= Self.threshold && statements > 0 }

  /// Why the replay is not evidence; empty where it is.
  package var doubt: String {
    isEvidence
      ? ""
      : "the replay differs from the log by \(Figures.percent(share)), more than "
        + Figures.percent(Self.threshold)
  }

  /// Compares a statement's rows with the log's, where a store has `scale` times its objects: any
  /// number between the logged one and its multiple is as expected.
  package mutating func compare(rows: Int, logged: Int, scale: Double = 1) {
    guard logged >= 0 else { return }
    compared += 1
    let other = Int((Double(logged) * scale).rounded())
    let (low, high) = (min(logged, other), max(logged, other))
    let expected = min(max(rows, low), high)
    loggedRows += expected
    differingRows += abs(rows - expected)
  }
}
