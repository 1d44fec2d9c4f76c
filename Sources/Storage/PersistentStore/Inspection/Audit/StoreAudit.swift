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
  ///
  /// - Throws: ``InspectionError`` where the file cannot be opened or read.
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
      run.add(AuditFinding(rule: .damaged, place: store.name, example: error.message))
    } catch let error as SQLiteError {
      failure = error
    }
    return (run.findings.filter { !exceptions.contains($0.rule) }, failure)
  }

  private func check(_ run: AuditRun) throws {
    try SchemaAudit(run: run).check(withIntegrity: checksIntegrity)
    try MetadataAudit(run: run).check()
    try EntityAudit(run: run).check(objects: checksObjects)
    for table in layout.tables where run.has(table.name) {
      if checksObjects { try ValueAudit(run: run, table: table).check() }
      try ReferenceAudit(run: run, table: table).check()
      try UniquenessAudit(run: run, table: table).check()
    }
    for table in layout.joinTables where run.has(table.name) {
      try PairAudit(run: run, table: table).check()
    }
    try ExternalDataAudit(run: run, pathAttributes: pathAttributes).check()
    if layout.keepsHistory { try HistoryAudit(run: run).check() }
  }
}
