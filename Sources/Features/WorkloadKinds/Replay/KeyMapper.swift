import DataModel
import PersistentStore
import SQLLog
import SQLite

/// Maps the keys in a log to keys of a store.
///
/// Equal keys stay equal, and distinct keys stay distinct if possible. A key that the log reads
/// after a fetch becomes the next key in that fetch's result, as in an app's loop. Any other key
/// becomes the store's key of the same rank.
final class KeyMapper {
  private struct Span {
    var first: Int64
    var last: Int64
  }

  private var images: [String: [Int64: Int64]] = [:]
  private var used: [String: Set<Int64>] = [:]
  private var logged: [String: [Int64]] = [:]
  private var spans: [String: Span] = [:]
  private var next: [String: Int64] = [:]

  init(_ script: ReplayScript, schema: ReplaySchema) {
    var found: [String: Set<Int64>] = [:]
    var inserted: [String: Set<Int64>] = [:]
    for step in script.steps {
      let statement = script.statements[step.statement]
      for (role, value) in zip(statement.roles, step.values) {
        guard case .value(.integer(let key))? = value else { continue }
        switch role {
        case .inserted(let table, "Z_PK"): inserted[table, default: []].insert(key)
        case .compared(let table, let column, "="), .inserted(let table, let column),
          .set(let table, let column):
          if let target = schema.keyTable(table, column) { found[target, default: []].insert(key) }
        default: continue
        }
      }
      if let (table, key) = Self.purposeKey(step, statement, schema) {
        found[table, default: []].insert(key)
      }
    }
    logged = found.reduce(into: [:]) { result, entry in
      result[entry.key] = entry.value.subtracting(inserted[entry.key] ?? []).sorted()
    }
  }

  /// The key in a log line's annotation (its description of the statement), and the key's table.
  static func purposeKey(
    _ step: ReplayScript.Step,
    _ statement: ReplayStatement,
    _ schema: ReplaySchema
  ) -> (table: String, key: Int64)? {
    switch step.purpose {
    case .fault(_, let key): (statement.shape.table, Int64(key))
    case .toManyFault(_, _, let key):
      statement.ownerColumn.flatMap { schema.keyTable($0.table, $0.column) }.map {
        ($0, Int64(key))
      }
    default: nil
    }
  }

  func loggedKeys(of table: String) -> [Int64] { logged[table] ?? [] }

  func known(_ key: Int64, of table: String) -> Int64? { images[table]?[key] }

  func isUsed(_ image: Int64, of table: String) -> Bool { used[table]?.contains(image) ?? false }

  func set(_ image: Int64, for key: Int64, of table: String) {
    images[table, default: [:]][key] = image
    used[table, default: []].insert(image)
  }

  func ranked(_ key: Int64, of table: String, on connection: Connection) throws -> Int64 {
    guard let span = try span(of: table, connection) else { return key }
    let all = logged[table] ?? []
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle] < key { low = middle + 1 } else { high = middle }
    }
    let share = all.isEmpty ? 0.5 : (Double(low) + 0.5) / Double(all.count)
    let place = span.first + Int64(share * Double(span.last - span.first))
    // Take the next existing key that is not mapped yet; look at 1,000 keys at most.
    let keys = try connection.prepare(
      "SELECT Z_PK FROM \(table.quotedName) WHERE Z_PK >= ? ORDER BY Z_PK LIMIT 1000"
    )
    keys.bind(place, at: 1)
    var first: Int64?
    while try keys.step() {
      let candidate = keys.integer(at: 0)
      first = first ?? candidate
      if !isUsed(candidate, of: table) {
        keys.reset()
        return candidate
      }
    }
    return first ?? span.last
  }

  private func span(of table: String, _ connection: Connection) throws -> Span? {
    if let known = spans[table] { return known }
    let bounds = try connection.prepare("SELECT min(Z_PK), max(Z_PK) FROM \(table.quotedName)")
    guard try bounds.step(), !bounds.isNull(at: 0) else { return nil }
    let span = Span(first: bounds.integer(at: 0), last: bounds.integer(at: 1))
    spans[table] = span
    return span
  }

  /// A key that does not exist in the table.
  func fresh(of table: String, on connection: Connection) throws -> Int64 {
    let last: Int64
    if let known = next[table] {
      last = known
    } else {
      last = try connection.integer("SELECT max(Z_PK) FROM \(table.quotedName)") ?? 0
    }
    next[table] = last + 1
    return last + 1
  }
}

extension ReplayStatement {
  /// The column that a to-many fault compares with the key of the relationship's owner.
  var ownerColumn: (table: String, column: String)? {
    for case .compared(let table, let column, "=") in roles where column != "Z_ENT" {
      return (table, column)
    }
    return nil
  }
}
