import DataModel
import PersistentStore
import Runner
import SQLite

// SQL helpers for the verifications of several workload kinds.
extension ExpectedStore {
  func numbers(_ sql: String) throws -> [Int64: Int] {
    let pairs = try read(sql).map { ($0[0].integer ?? 0, Int($0[1].integer ?? 0)) }
    return Dictionary(pairs) { $1 }
  }

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
    // Core Data treats a version of NULL as 0.
    let raised = "CASE WHEN \(differs) THEN ifnull(Z_OPT, 0) + 1 ELSE Z_OPT END"
    let version = raises ? ", Z_OPT = \(raised)" : ""
    try change(
      "UPDATE \(names.table) SET \(sets)\(version) WHERE Z_PK = ?1",
      [.integer(key)] + values.map(\.value)
    )
  }

  func insert(
    _ key: Int64,
    _ values: [PropertyValue],
    version: Int64 = 1,
    in names: EntityNames
  ) throws {
    let row = try values.map { (try names.column($0.property), $0.value) }
    let columns = row.map { ", " + $0.0 }.joined()
    let marks = row.indices.map { ", ?\($0 + 4)" }.joined()
    try change(
      "INSERT INTO \(names.table) (Z_PK, Z_ENT, Z_OPT\(columns)) VALUES (?1, ?2, ?3\(marks))",
      [.integer(key), .integer(names.number), .integer(version)] + row.map(\.1)
    )
  }

  /// For each table, how many more rows meet a condition than at the start.
  func newRows(_ rows: [(table: String, condition: String)]) throws -> [Int64] {
    let (before, after) = (try trial.start.plainConnection(), try trial.store.plainConnection())
    return try rows.map { table, condition in
      let query = "SELECT count(*) FROM \(table) WHERE \(condition)"
      return try (after.integer(query) ?? 0) - (before.integer(query) ?? 0)
    }
  }

  func historyProblems(
    _ counts: [(table: String, condition: String, count: Int)]
  ) throws -> [String] {
    let found = try newRows(counts.map { ($0.table, $0.condition) })
    return zip(counts, found).compactMap { expected, found in
      let (table, condition, count) = expected
      guard found != Int64(count) else { return nil }
      let rows = condition == "true" ? "new rows" : "new rows where \(condition)"
      return "\(table) has \(found) \(rows), but \(count) are expected"
    }
  }
}

extension Value {
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
