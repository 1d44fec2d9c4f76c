import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// The store that a case must reach: a copy of its starting store that plain SQL changes, step by
/// step, as the work had to change its own.
///
/// Its statements are the verification's own: it shares no code with any engine.
final class ExpectedStore {
  let layout: StoreLayout
  /// How the trial's store is examined: kinds set the rules that it may break.
  var inspection: StoreInspection
  /// What the trial's history must contain; `nil` if the kind checks it by itself.
  var history: ExpectedHistory?
  let trial: Trial
  private let folder: String
  private var copy: (store: StoreFile, rows: ConnectionWriter, connection: Connection)?

  init(_ trial: Trial, _ layout: StoreLayout) throws {
    self.trial = trial
    self.layout = layout
    folder = trial.folder + "/expected"
    inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = false
    history = .unchanged
  }

  /// Removes the copy.
  func remove() {
    copy = nil
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The copy, made when it is first used, in one transaction.
  private var rows: ConnectionWriter {
    get throws {
      if let copy { return copy.rows }
      remove()
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let store = try StoreCopier.copy(trial.start, into: folder)
      let connection = try Connection(
        path: store.path,
        mode: .readWrite,
        settings: ConnectionSettings(synchronous: .off)
      )
      try connection.execute("BEGIN")
      let rows = ConnectionWriter(connection)
      copy = (store, rows, connection)
      return rows
    }
  }

  // MARK: Changing the copy

  /// Changes rows; `?1` stands for the first of the values.
  func change(_ sql: String, _ values: Value...) throws {
    _ = try rows.run(sql, values)
  }

  /// The rows that the copy has at present.
  func read(_ sql: String, _ values: Value...) throws -> [[Value]] {
    try rows.rows(sql, values)
  }

  /// The whole numbers of the first two columns, such as keys with counts.
  func numbers(_ sql: String) throws -> [Int64: Int] {
    let pairs = try read(sql).map { ($0[0].integer ?? 0, Int($0[1].integer ?? 0)) }
    return Dictionary(pairs) { $1 }
  }

  /// Sets values of an object, whose version rises if they differ and `raises` is true.
  func set(
    _ values: [PropertyValue],
    of key: Int64,
    in names: EntityNames,
    raises: Bool = true
  ) throws {
    guard !values.isEmpty else { return }
    let columns = try values.map { try names.column($0.property) }
    let sets = columns.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")
    let differs = columns.enumerated().map { "\($1) IS NOT ?\($0 + 2)" }.joined(separator: " OR ")
    let version = raises ? ", Z_OPT = Z_OPT + (\(differs))" : ""
    _ = try rows.run(
      "UPDATE \(names.table) SET \(sets)\(version) WHERE Z_PK = ?1",
      [.integer(key)] + values.map(\.value)
    )
  }

  /// Adds an object; its other values are NULL.
  func insert(
    _ key: Int64,
    _ values: [PropertyValue],
    version: Int64 = 1,
    in names: EntityNames
  ) throws {
    let columns = try values.map { ", " + (try names.column($0.property)) }.joined()
    let marks = values.indices.map { ", ?\($0 + 4)" }.joined()
    _ = try rows.run(
      "INSERT INTO \(names.table) (Z_PK, Z_ENT, Z_OPT\(columns)) VALUES (?1, ?2, ?3\(marks))",
      [.integer(key), .integer(names.number), .integer(version)] + values.map(\.value)
    )
  }

  // MARK: Comparing

  /// One sentence for each thing of the trial's store that is not as in the copy.
  func problems() throws -> [String] {
    let start = try StoreContent(store: trial.start, layout: layout)
    var expected = ExpectedContent(from: start)
    if let copy {
      try copy.connection.execute("COMMIT")
      try copy.connection.checkpoint()
      self.copy = nil
      expected = ExpectedContent(
        from: start,
        to: try StoreContent(store: copy.store, layout: layout)
      )
    }
    return try inspection.problems(expecting: expected, history: history) {
      $0.comparesVersions = true
    }
  }

  /// What is wrong with the number of rows that the history has since the start.
  func historyProblems(
    _ counts: [(table: String, condition: String, count: Int)]
  ) throws -> [String] {
    let (before, after) = (try trial.start.plainConnection(), try trial.store.plainConnection())
    return try counts.compactMap { table, condition, count in
      let query = "SELECT count(*) FROM \(table) WHERE \(condition)"
      let found = try (after.integer(query) ?? 0) - (before.integer(query) ?? 0)
      guard found != Int64(count) else { return nil }
      let rows = condition == "true" ? "new rows" : "new rows where \(condition)"
      return "\(table) has \(found) \(rows), but \(count) are expected"
    }
  }
}

extension Value {
  /// A whole number; `nil` for every other value.
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  /// A text; `nil` for every other value.
  var text: String? { if case .text(let text) = self { text } else { nil } }
}
