import Basics
import DataModel
import SQLite

/// Checks a store against the rules of its layout, using SQL queries only.
///
/// Core Data's stores have no FOREIGN KEY, NOT NULL or CHECK clauses that would enforce the rules.
///
/// ```swift
/// let findings = try StoreAudit(store: store, layout: layout).findings()
/// ```
package struct StoreAudit {
  package let store: StoreFile
  package let layout: StoreLayout
  /// Rules that the store may break, such as `missingIndex` if a strategy omits indexes.
  package var exceptions: Set<AuditRule> = []
  /// The attributes that contain paths of the app's own files, which are checked too.
  package var pathAttributes: Set<PathAttribute> = []
  /// An open connection for reading; by default, the audit opens its own.
  package var connection: Connection?
  /// Whether to run SQLite's integrity check, which reads every page and index entry.
  package var checksIntegrity = true
  /// Whether to check every object's entity, version and values.
  package var checksObjects = true

  package init(store: StoreFile, layout: StoreLayout) {
    self.store = store
    self.layout = layout
  }

  /// Returns one finding per broken rule and location.
  package func findings() throws -> [AuditFinding] {
    let outcome = try findingsSoFar()
    if let failure = outcome.failure { throw failure }
    return outcome.findings
  }

  /// Returns the findings up to the first read error, and that error, if any.
  package func findingsSoFar() throws -> (findings: [AuditFinding], failure: SQLiteError?) {
    let run = try AuditRun(store: store, layout: layout, connection: connection)
    var failure: SQLiteError?
    do {
      try check(run)
    } catch let error as SQLiteError where error.isCorrupt || error.isNotADatabase {
      // Any query may be the first to read a damaged page, so treat such an error as a finding.
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

/// The violations of a rule in one location.
package struct AuditFinding: Hashable, Sendable, CustomStringConvertible {
  package let rule: AuditRule
  /// The location: a table, a column as `TABLE.COLUMN`, or a folder.
  package let place: String
  /// The number of violations.
  package let count: Int64
  /// The first violation, such as `Z_PK 17`.
  package let example: String
  /// The entity of an object that has a dangling reference's key but is not of the destination
  /// entity; `nil` if there is none.
  package fileprivate(set) var otherEntity: String?

  var key: String { "\(rule.rawValue) \(place)" }

  package init(rule: AuditRule, place: String, count: Int64 = 1, example: String) {
    self.rule = rule
    self.place = place
    self.count = count
    self.example = example
  }

  /// A noun phrase that describes the violations.
  package var words: String {
    rule.words + (otherEntity.map { " or are of another entity, such as \($0)" } ?? "")
  }

  package var description: String {
    "\(place): \(words): \(count), the first: \(example)"
  }
}

extension Sequence<AuditFinding> {
  /// Returns the findings that are new or have more violations than before.
  ///
  /// Used for stores that break rules from the start.
  package func new(since earlier: some Sequence<AuditFinding>) -> [AuditFinding] {
    var known: [String: Int64] = [:]
    for finding in earlier {
      known[finding.key] = Swift.max(finding.count, known[finding.key] ?? 0)
    }
    return filter { $0.count > known[$0.key] ?? 0 }
  }
}

/// A running audit; each group of rules is an extension in its own file.
final class AuditRun {
  /// A condition on the rows of the table `t`; a row that meets it violates a rule.
  struct Condition {
    let rule: AuditRule
    let place: String
    let sql: String
  }

  let store: StoreFile
  let layout: StoreLayout
  let connection: Connection
  private(set) var findings: [AuditFinding] = []
  /// Whether every index is known to agree with its table, so that queries may use the indexes.
  var isIntact = false
  private var columns: [String: Set<String>] = [:]

  init(store: StoreFile, layout: StoreLayout, connection: Connection?) throws {
    self.store = store
    self.layout = layout
    self.connection = try connection ?? StoreContent.open(store)
    // Exclude virtual tables, which have no root page, because reading them would run code.
    let tables = try self.connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
    )
    for name in tables { columns[name] = Set(try self.connection.columnNames(of: name)) }
  }

  var access: String { isIntact ? "" : " NOT INDEXED" }

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

  /// Runs a query that returns the number of violations and an example, and adds a finding if there
  /// are any violations.
  ///
  /// The query `other` returns the entity number of an object to which a dangling key belongs.
  func check(
    _ rule: AuditRule,
    _ place: String,
    example: String = "Z_PK",
    other: String? = nil,
    _ sql: String
  ) throws {
    let row = try connection.prepare(sql)
    guard try row.step(), row.integer(at: 0) > 0 else { return }
    var finding = AuditFinding(
      rule: rule,
      place: place,
      count: row.integer(at: 0),
      example: "\(example) \(row.text(at: 1))"
    )
    if let other, let number = try connection.integer(other) {
      finding.otherEntity = layout.numbers.entity(Int(truncatingIfNeeded: number))?.name
    }
    findings.append(finding)
  }

  func check(_ conditions: [Condition], table: String) throws {
    // Check the conditions in groups, because SQLite limits a result to 2000 columns.
    var rest = conditions[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(400))
      rest = rest.dropFirst(part.count)
      let list = part.map { condition in
        "count(*) FILTER (WHERE \(condition.sql)), min(t.Z_PK) FILTER (WHERE \(condition.sql))"
      }
      let row = try connection.prepare(
        // Discard valid rows in the WHERE clause, before any aggregate processes them.
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

  func table(of entity: String) -> String? {
    layout.table(of: entity).flatMap { has($0.name) ? $0.name.quotedName : nil }
  }
}
