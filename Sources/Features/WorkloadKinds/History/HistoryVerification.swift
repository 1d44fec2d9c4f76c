import DataModel
import PersistentStore
import Runner
import SQLite

extension HistoryWorkload {
  package func verify(_ session: HistorySession, _ trial: Trial) throws -> Verification {
    let layout = StoreLayout(model: session.model.model, keepsHistory: true)
    var inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = false
    // Changes of objects whose insertion was purged are all that is left of it.
    var expected = ExpectedContent(from: try StoreContent(store: trial.start, layout: layout))
    if parameters.operation == .grow { try change(&expected, session) }
    var problems = try inspection.problems(
      expecting: expected,
      history: parameters.operation == .read ? .unchanged : nil
    ) { $0.comparesVersions = true }
    switch parameters.operation {
    case .read: problems += try readingProblems(session, trial)
    case .purge: problems += try historyProblems(trial, after: session.token, added: 0)
    case .grow: problems += try growthProblems(trial, session)
    }
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: try inspection.digest(),
      notes: ["objects shaped as '\(parameters.entity)'"],
      losses: unknownDeletions(session)
    )
  }

  /// The saves that change each object, and the last of them.
  private func change(_ expected: inout ExpectedContent, _ session: HistorySession) throws {
    var saves: [Int64: [Int]] = [:]
    for save in 0..<parameters.saves {
      for key in session.savedKeys(save) { saves[key, default: []].append(save) }
    }
    let model = session.model
    try expected.change(model.entity) { object in
      guard let numbers = saves[object.key], let last = numbers.last,
        case .integer(let version) = object.version
      else { return }
      let value = model.rows.counterValue(of: object.key, version: 2 + last)
      try object.set(model.counter, ContentValue(value))
      object.version = .integer(version + Int64(numbers.count))
    }
  }

  // MARK: Reading

  /// Whether the reader knows what the store has, and read no more than it had to.
  private func readingProblems(_ session: HistorySession, _ trial: Trial) throws -> [String] {
    let model = session.model
    let live = Set((1...Int64(parameters.objects - parameters.deleted)))
    let readsAll = parameters.reader != .history
    let wanted = readsAll ? live : model.changedSince
    var problems: [String] = []
    if Set(session.known.keys) != wanted {
      problems.append("the reader knows \(session.known.count) objects instead of \(wanted.count)")
    }
    if !readsAll {
      let tombstones = model.deleted.map { key in
        (key, parameters.tombstones ? Value.text(model.identifier(of: key)) : .null)
      }
      if session.removed != Dictionary(tombstones, uniquingKeysWith: { first, _ in first }) {
        problems.append("the reader has not removed the deleted objects")
      }
    }
    let layout = session.store.layout
    guard let table = layout.table(of: model.entity)?.name,
      let column = layout.column(of: model.counter, in: model.entity)?.name
    else { throw InspectionError.unknownEntity(model.entity) }
    let row = try trial.store.plainConnection().prepare("SELECT Z_PK, \(column) FROM \(table)")
    while try row.step() {
      let key = row.integer(at: 0)
      if let known = session.known[key], known != row.value(at: 1) {
        problems.append("the reader has an old value of \(model.entity) \(key)")
        break
      }
    }
    return problems
  }

  private func unknownDeletions(_ session: HistorySession) -> [String] {
    guard parameters.operation == .read, parameters.reader == .history, !parameters.tombstones,
      parameters.deleted > 0
    else { return [] }
    return ["\(parameters.deleted) deleted objects without an identifier"]
  }

  // MARK: Purging

  /// Whether the history is that of the start after a token, with so many transactions more.
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

  private func growthProblems(_ trial: Trial, _ session: HistorySession) throws -> [String] {
    let start = try trial.start.plainConnection()
    let last = try session.model.lastToken(start)
    let saves = parameters.saves
    let every = parameters.purgeEvery
    guard every > 0, saves >= every else {
      return try historyProblems(trial, after: 0, added: saves)
    }
    // The last purge leaves what the slowest reader has not read, and the saves after it.
    let purged = last + Int64(saves / every * every) - Int64(parameters.behind)
    let gone = max(0, min(Int64(saves), purged - last))
    return try historyProblems(trial, after: min(purged, last), added: saves - Int(gone))
  }
}
