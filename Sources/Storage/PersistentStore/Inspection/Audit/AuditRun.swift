import DataModel
import SQLite

/// One audit under way: the open store, what is in its schema, and what was found.
final class AuditRun {
  /// A condition on the table `t` that no row may meet.
  struct Condition {
    let rule: AuditRule
    let place: String
    let sql: String
  }

  let store: StoreFile
  let layout: StoreLayout
  let connection: Connection
  private(set) var findings: [AuditFinding] = []
  /// Whether every index is known to agree with its table, so that it may answer for it.
  var isIntact = false
  private let columns: [String: Set<String>]

  init(store: StoreFile, layout: StoreLayout, connection: Connection?) throws {
    self.store = store
    self.layout = layout
    self.connection = try connection ?? StoreContent.open(store)
    var columns: [String: Set<String>] = [:]
    // A virtual table has no page: it would run code when it is read.
    let tables = try self.connection.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
    )
    while try tables.step() {
      let name = tables.text(at: 0)
      columns[name] = Set(try self.connection.columnNames(of: name))
    }
    self.columns = columns
  }

  /// What keeps a query from an index that may differ from its table.
  var access: String { isIntact ? "" : " NOT INDEXED" }

  /// The tables of the file, in name order.
  var tables: [String] { columns.keys.sorted() }

  func has(_ table: String) -> Bool { columns[table] != nil }
  func has(_ column: String, in table: String) -> Bool { columns[table]?.contains(column) ?? false }
  func columns(of table: String) -> Set<String> { columns[table] ?? [] }

  func add(_ finding: AuditFinding) { findings.append(finding) }

  /// Runs a query whose row is a count and an example; a count above 0 is a finding.
  func check(_ rule: AuditRule, _ place: String, example: String = "Z_PK", _ sql: String) throws {
    let row = try connection.prepare(sql)
    guard try row.step(), row.integer(at: 0) > 0 else { return }
    add(
      AuditFinding(
        rule: rule,
        place: place,
        count: row.integer(at: 0),
        example: "\(example) \(row.text(at: 1))"
      )
    )
  }

  /// Counts the rows of a table that meet conditions, all of them in as few scans as may be.
  func check(_ conditions: [Condition], table: String) throws {
    // SQLite gives a result no more than 2000 columns.
    var rest = conditions[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(400))
      rest = rest.dropFirst(part.count)
      let list = part.map { condition in
        "count(*) FILTER (WHERE \(condition.sql)), min(t.Z_PK) FILTER (WHERE \(condition.sql))"
      }
      let row = try connection.prepare(
        // The rows of a sound table are left at the first look, and no aggregate sees them.
        "SELECT \(list.joined(separator: ", ")) FROM \(table.quotedName) AS t NOT INDEXED WHERE "
          + part.map { "(\($0.sql))" }.joined(separator: " OR ")
      )
      guard try row.step() else { continue }
      for (index, condition) in part.enumerated() where row.integer(at: 2 * index) > 0 {
        add(
          AuditFinding(
            rule: condition.rule,
            place: condition.place,
            count: row.integer(at: 2 * index),
            example: "Z_PK \(row.text(at: 2 * index + 1))"
          )
        )
      }
    }
  }

  /// The numbers of an entity and its sub-entities, as an SQL list.
  func family(of entity: String) -> String {
    let numbers = layout.model.entity(named: entity).map { described in
      layout.model.family(of: described).compactMap { layout.numbers[$0.name] }
    }
    return "(" + (numbers ?? []).map(String.init).joined(separator: ", ") + ")"
  }

  /// The rows of an entity's table, for a FROM clause; `nil` where the file has no such table.
  func table(of entity: String) -> String? {
    layout.table(of: entity).flatMap { has($0.name) ? $0.name.quotedName : nil }
  }
}
