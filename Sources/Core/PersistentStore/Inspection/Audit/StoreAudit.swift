import Basics
import DataModel
import SQLite

/// Checks a store against the layout's own rules, by plain SQL.
///
/// Nothing in such a store enforces them: it has no FOREIGN KEY, NOT NULL or CHECK clauses.
///
///     let findings = try StoreAudit(store: store, layout: layout).findings()
package struct StoreAudit {
  package let store: StoreFile
  package let layout: StoreLayout
  /// Rules that a store may break, such as `missingIndex` where a strategy leaves indexes out.
  package var exceptions: Set<AuditRule> = []
  /// The attributes whose files are checked as well.
  package var pathAttributes: Set<PathAttribute> = []
  /// An open connection to read by, instead of one of the audit's own.
  package var connection: Connection?
  /// Whether every page is checked, and every entry of an index against its row.
  package var checksIntegrity = true
  /// Whether every object is checked for its entity, its version and its values; a caller that
  /// reads them all anyway may do so itself.
  package var checksObjects = true

  package init(store: StoreFile, layout: StoreLayout) {
    self.store = store
    self.layout = layout
  }

  /// Every broken rule, a finding for each place.
  package func findings() throws -> [AuditFinding] {
    let outcome = try findingsSoFar()
    if let failure = outcome.failure { throw failure }
    return outcome.findings
  }

  /// Every broken rule up to where the file could be read no further, and why not.
  package func findingsSoFar() throws -> (findings: [AuditFinding], failure: SQLiteError?) {
    let run = try AuditRun(store: store, layout: layout, connection: connection)
    var failure: SQLiteError?
    do {
      try check(run)
    } catch let error as SQLiteError where error.isCorrupt || error.isNotADatabase {
      // A damaged file is found out by whichever query meets the damage first.
      run.add(.damaged, store.name, example: error.message)
    } catch let error as SQLiteError {
      failure = error
    }
    return (run.findings.filter { !exceptions.contains($0.rule) }, failure)
  }

  private func check(_ run: AuditRun) throws {
    if checksIntegrity { try run.checkIntegrity() }
    try run.checkSchema()
    try run.checkMetadata()
    if checksObjects { try run.checkObjects() }
    try run.checkPrimaryKeys()
    for table in layout.tables where run.has(table.name) {
      if checksObjects { try run.checkValues(of: table) }
      try run.checkReferences(of: table)
      try run.checkUniqueness(of: table)
    }
    for table in layout.joinTables where run.has(table.name) { try run.checkPairs(of: table) }
    try run.checkExternalData(pathAttributes: pathAttributes)
    if layout.keepsHistory { try run.checkHistory() }
  }
}

/// A rule that a store breaks in one place, however often.
package struct AuditFinding: Hashable, Sendable, CustomStringConvertible {
  package let rule: AuditRule
  /// A table, a column as `TABLE.COLUMN`, or a folder.
  package let place: String
  /// How often.
  package let count: Int64
  /// The first case, such as `Z_PK 17`.
  package let example: String

  var key: String { "\(rule.rawValue) \(place)" }

  package init(rule: AuditRule, place: String, count: Int64 = 1, example: String) {
    self.rule = rule
    self.place = place
    self.count = count
    self.example = example
  }

  package var description: String {
    "\(place): \(rule.words): \(count), the first: \(example)"
  }
}

extension Sequence<AuditFinding> {
  /// What is wrong here and was not so before: for stores that break rules from the start.
  package func new(since earlier: some Sequence<AuditFinding>) -> [AuditFinding] {
    var known: [String: Int64] = [:]
    for finding in earlier {
      known[finding.key] = Swift.max(finding.count, known[finding.key] ?? 0)
    }
    return filter { $0.count > known[$0.key] ?? 0 }
  }
}

/// One audit under way: the open store, what is in its schema, and what was found.
///
/// Each group of rules is an extension in a file of its own.
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
  private var columns: [String: Set<String>] = [:]

  init(store: StoreFile, layout: StoreLayout, connection: Connection?) throws {
    self.store = store
    self.layout = layout
    self.connection = try connection ?? StoreContent.open(store)
    // A virtual table has no page: it would run code when it is read.
    let tables = try self.connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
    )
    for name in tables { columns[name] = Set(try self.connection.columnNames(of: name)) }
  }

  var access: String { isIntact ? "" : " NOT INDEXED" }

  /// The tables of the file, in name order.
  var tables: [String] { columns.keys.sorted() }

  func has(_ table: String) -> Bool { columns[table] != nil }
  func has(_ column: String, in table: String) -> Bool { columns[table]?.contains(column) ?? false }
  func columns(of table: String) -> Set<String> { columns[table] ?? [] }

  func add(_ rule: AuditRule, _ place: String, count: Int64 = 1, example: String) {
    findings.append(AuditFinding(rule: rule, place: place, count: count, example: example))
  }

  func add(_ rule: AuditRule, _ place: String, cases: [String]) {
    if let first = cases.first { add(rule, place, count: Int64(cases.count), example: first) }
  }

  /// Runs a query whose row is a count and an example; a count above 0 is a finding.
  func check(_ rule: AuditRule, _ place: String, example: String = "Z_PK", _ sql: String) throws {
    let row = try connection.prepare(sql)
    guard try row.step(), row.integer(at: 0) > 0 else { return }
    add(rule, place, count: row.integer(at: 0), example: "\(example) \(row.text(at: 1))")
  }

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
        let example = "Z_PK \(row.text(at: 2 * index + 1))"
        add(condition.rule, condition.place, count: row.integer(at: 2 * index), example: example)
      }
    }
  }

  func family(of entity: String) -> String {
    "(\(layout.numberList(ofFamily: entity)))"
  }

  /// The rows of an entity's table, for a FROM clause; `nil` where the file has no such table.
  func table(of entity: String) -> String? {
    layout.table(of: entity).flatMap { has($0.name) ? $0.name.quotedName : nil }
  }
}
