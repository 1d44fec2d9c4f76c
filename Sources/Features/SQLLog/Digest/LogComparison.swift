import Basics

/// The statements that differ between two logs of one app, such as before and after a change.
package struct LogComparison: Sendable {
  package enum Change: String, CaseIterable, Sendable {
    case new, removed
    case moreFrequent = "more frequent"
    case lessFrequent = "less frequent"
    case slower, faster
  }

  package struct Item: Sendable {
    package let fingerprint: String
    package let operation: String
    package let changes: [Change]
    package let callsBefore: Int
    package let callsAfter: Int
    /// The mean time per call in microseconds; `nil` if the log has no times for the calls.
    package let timeBefore: Double?
    package let timeAfter: Double?
    /// The line of the first call; 0 if there is no call.
    package let lineBefore: Int
    package let lineAfter: Int

    /// The total time in the second log minus the total time in the first log, in microseconds.
    package var added: Double {
      Double(callsAfter) * (timeAfter ?? 0) - Double(callsBefore) * (timeBefore ?? 0)
    }
  }

  /// The statements with a change, sorted by added time, the largest first.
  package let items: [Item]
  package let unchanged: Int

  /// The factor by which calls or mean time must differ to count as a change, and the minimum
  /// difference in calls.
  static let ratio = 1.5
  static let fewestCalls = 5
  /// The minimum total time in microseconds; shorter times may differ only because the log rounds
  /// them.
  static let shortestTime = 1_000.0

  /// Compares two logs, regardless of the order of their statements.
  ///
  /// - Throws: a ``Refusal`` if one log has Core Data's statements and the other an app's own.
  package init(_ before: LogAnalysis, _ after: LogAnalysis) throws {
    guard before.statements.isPlain == after.statements.isPlain else {
      throw Refusal.differentKinds(before.report.files[0], after.report.files[0])
    }
    let (old, new) = (Self.figures(before), Self.figures(after))
    var items: [Item] = []
    for fingerprint in Set(old.keys).union(new.keys).sorted() {
      let (first, second) = (old[fingerprint], new[fingerprint])
      let changes = Self.changes(first?.figures, second?.figures)
      guard !changes.isEmpty else { continue }
      items.append(
        Item(
          fingerprint: fingerprint,
          operation: second?.operation ?? first?.operation ?? "",
          changes: changes,
          callsBefore: first?.figures.calls ?? 0,
          callsAfter: second?.figures.calls ?? 0,
          timeBefore: first.flatMap { Self.mean($0.figures) },
          timeAfter: second.flatMap { Self.mean($0.figures) },
          lineBefore: first?.figures.firstLine ?? 0,
          lineAfter: second?.figures.firstLine ?? 0
        )
      )
    }
    unchanged = Set(old.keys).union(new.keys).count - items.count
    self.items = items.sorted {
      ($1.added, $1.callsAfter, $0.fingerprint) < ($0.added, $0.callsAfter, $1.fingerprint)
    }
  }

  private static func figures(
    _ analysis: LogAnalysis
  ) -> [String: (figures: CallFigures, operation: String)] {
    var found: [String: (figures: CallFigures, operation: String)] = [:]
    for (entry, figures) in analysis.digest.statements.enumerated() where figures.calls > 0 {
      found[analysis.statements[entry].fingerprint] = (figures, analysis.operation(entry))
    }
    return found
  }

  private static func mean(_ figures: CallFigures) -> Double? {
    figures.times.count > 0 ? figures.times.mean : nil
  }

  private static func changes(_ before: CallFigures?, _ after: CallFigures?) -> [Change] {
    guard let before else { return [.new] }
    guard let after else { return [.removed] }
    var changes: [Change] = []
    func grew(_ first: Double, _ second: Double) -> Bool { second >= first * ratio }
    let (calls, callsAfter) = (Double(before.calls), Double(after.calls))
    if abs(after.calls - before.calls) >= fewestCalls {
      if grew(calls, callsAfter) { changes.append(.moreFrequent) }
      if grew(callsAfter, calls) { changes.append(.lessFrequent) }
    }
    if before.times.count > 0, after.times.count > 0,
      Double(max(before.time, after.time)) >= shortestTime
    {
      if grew(before.times.mean, after.times.mean) { changes.append(.slower) }
      if grew(after.times.mean, before.times.mean) { changes.append(.faster) }
    }
    return changes
  }
}

extension LogAnalysis {
  /// Describes a statement in Core Data's terms, with the batch size that the log shows.
  package func operation(_ entry: Int) -> String {
    let figures = digest.statements[entry]
    return vocabulary.operation(
      statements[entry].shape,
      purpose: figures.purpose,
      batchSize: figures.batchSize > 0 ? figures.batchSize : figures.limit
    )
  }
}
