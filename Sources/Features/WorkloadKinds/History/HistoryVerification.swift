import DataModel
import PersistentStore
import Runner
import SQLite

extension HistoryWorkload {
  func outcome(
    of session: HistorySession,
    _ expected: ExpectedStore,
    _ content: HistoryContent
  ) throws -> Outcome {
    let trial = expected.trial
    let names = try EntityNames(content.entity, in: expected.layout)
    // Skip the general check of the history after a purge, because the insertions of changed
    // objects may have been purged.
    expected.history = parameters.operation == .read ? .unchanged : nil
    switch parameters.operation {
    case .read:
      return Outcome(
        problems: try readingProblems(session, names, trial),
        losses: unknownDeletions
      )
    case .purge:
      return Outcome(problems: try historyProblems(trial, after: session.token, added: 0))
    case .grow:
      let rows = content.rows
      for save in 0..<parameters.saves {
        for key in content.saved(by: save) {
          let value = rows.counterValue(of: key, version: 2 + save)
          try expected.set([(content.counter, value)], of: key, in: names)
        }
      }
      return Outcome(problems: try growthProblems(trial, content))
    }
  }

  // MARK: Verifying a reader

  /// The differences between the reader's state and the store.
  ///
  /// A reader of the history must also have read only the changed objects.
  private func readingProblems(
    _ session: HistorySession,
    _ names: EntityNames,
    _ trial: Trial
  ) throws -> [String] {
    let content = session.content
    let live = Set((1...Int64(parameters.objects - parameters.deleted)))
    let readsAll = parameters.reader != .history
    let wanted = readsAll ? live : content.changedSince
    var problems: [String] = []
    if Set(session.known.keys) != wanted {
      problems.append("the reader knows \(session.known.count) objects instead of \(wanted.count)")
    }
    if !readsAll {
      let tombstones = content.deleted.map { key in
        (key, parameters.tombstones ? Value.text(content.identifier(of: key)) : .null)
      }
      if session.removed != Dictionary(tombstones, uniquingKeysWith: { first, _ in first }) {
        problems.append("the reader has not removed the deleted objects")
      }
    }
    let row = try trial.store.plainConnection().prepare(
      "SELECT Z_PK, \(names.column(content.counter)) FROM \(names.table)"
    )
    while try row.step() {
      let key = row.integer(at: 0)
      if let known = session.known[key], known != row.value(at: 1) {
        problems.append("the reader has an old value of \(content.entity) \(key)")
        break
      }
    }
    return problems
  }

  private var unknownDeletions: [String] {
    guard parameters.operation == .read, parameters.reader == .history, !parameters.tombstones,
      parameters.deleted > 0
    else { return [] }
    return ["\(parameters.deleted) deleted objects without an identifier"]
  }

  // MARK: Verifying purges

  /// Problems of a history that must consist of the starting store's transactions after a token and
  /// the given number of new transactions.
  private func historyProblems(
    _ trial: Trial,
    after token: Int64,
    added: Int
  ) throws -> [String] {
    let (before, after) = (try trial.start.plainConnection(), try trial.store.plainConnection())
    var problems: [String] = []
    let last = try before.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0
    for (table, column) in [("ATRANSACTION", "Z_PK"), ("ACHANGE", "ZTRANSACTIONID")] {
      let rows = "SELECT * FROM \(table) NOT INDEXED WHERE \(column)"
      let (kept, found) = (
        try before.prepare(rows + " > \(token) ORDER BY Z_PK"),
        try after.prepare(rows + " <= \(last) ORDER BY Z_PK")
      )
      if try !Self.areEqual(kept, found) {
        problems.append("\(table) lacks the rows after the token \(token)")
      }
    }
    let new = try after.integer("SELECT count(*) FROM ATRANSACTION WHERE Z_PK > \(last)") ?? 0
    if new != Int64(added) {
      problems.append("ATRANSACTION has \(new) new rows, but \(added) are expected")
    }
    return problems
  }

  private static func areEqual(_ first: Statement, _ second: Statement) throws -> Bool {
    while true {
      let (left, right) = (try first.step(), try second.step())
      guard left, right else { return left == right }
      for column in 0..<first.columnCount where first.value(at: column) != second.value(at: column)
      {
        return false
      }
    }
  }

  private func growthProblems(_ trial: Trial, _ content: HistoryContent) throws -> [String] {
    let start = try trial.start.plainConnection()
    let last = try content.lastToken(start)
    let saves = parameters.saves
    let every = parameters.purgeEvery
    guard every > 0, saves >= every else {
      return try historyProblems(trial, after: 0, added: saves)
    }
    // The last purge keeps the transactions that the slowest reader has not read yet, and later
    // saves add transactions.
    let purged = last + Int64(saves / every * every) - Int64(parameters.behind)
    let gone = max(0, min(Int64(saves), purged - last))
    return try historyProblems(trial, after: min(purged, last), added: saves - Int(gone))
  }
}
