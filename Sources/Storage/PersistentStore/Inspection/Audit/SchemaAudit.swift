import DataModel
import SQLite

/// Checks the file's pages, tables, columns and indexes.
struct SchemaAudit {
  private struct Index: Hashable {
    let columns: [String]
    let isUnique: Bool
  }

  let run: AuditRun

  func check(withIntegrity checksIntegrity: Bool) throws {
    if checksIntegrity { try checkIntegrity() }
    let entityTables = run.layout.tables.map { ($0.name, $0.columnNames) }
    let joinTables = run.layout.joinTables.map { ($0.name, $0.columnNames) }
    for (table, columns) in entityTables + joinTables { checkColumns(columns, of: table) }
    checkSystemTables()
    checkUnexpectedTables()
    try checkIndexes()
  }

  private func checkIntegrity() throws {
    let row = try run.connection.prepare("PRAGMA integrity_check(100)")
    var problems: [String] = []
    while try row.step() { problems.append(row.text(at: 0)) }
    run.isIntact = problems == ["ok"]
    guard !run.isIntact else { return }
    run.add(
      AuditFinding(
        rule: .damaged,
        place: run.store.name,
        count: Int64(problems.count),
        example: problems.first ?? "no answer"
      )
    )
  }

  private func checkColumns(_ columns: [String], of table: String) {
    guard run.has(table) else {
      run.add(AuditFinding(rule: .missingTable, place: table, example: table))
      return
    }
    let found = run.columns(of: table)
    let missing = columns.filter { !found.contains($0) }
    let unexpected = found.subtracting(columns).sorted()
    for (rule, names) in [(AuditRule.missingColumn, missing), (.unexpectedColumn, unexpected)] {
      guard let first = names.first else { continue }
      run.add(
        AuditFinding(rule: rule, place: table, count: Int64(names.count), example: first)
      )
    }
  }

  private func checkSystemTables() {
    for table in systemTables where !run.has(table) {
      run.add(AuditFinding(rule: .missingTable, place: table, example: table))
    }
  }

  private var systemTables: [String] {
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
      + (run.layout.keepsHistory ? ["ACHANGE", "ATRANSACTION"] : [])
      // Before framework 973 transactions held the names themselves (coredata-format.md, 2).
      + (run.has("ZAUTHORTS", in: "ATRANSACTION") ? ["ATRANSACTIONSTRING"] : [])
  }

  private func checkUnexpectedTables() {
    let known = Set(
      run.layout.tables.map(\.name) + run.layout.joinTables.map(\.name) + systemTables
    )
    // SQLite's own, R-trees, and what the frameworks keep for mirroring.
    let prefixes = ["sqlite_", "Z_RT_", "ANSCK"]
    let unexpected = run.tables.filter { name in
      !known.contains(name) && !prefixes.contains { name.hasPrefix($0) }
    }
    guard let first = unexpected.first else { return }
    run.add(
      AuditFinding(
        rule: .unexpectedTable,
        place: run.store.name,
        count: Int64(unexpected.count),
        example: first
      )
    )
  }

  /// Indexes are known by their columns: after a migration old names stay (coredata-format.md, 12).
  private func checkIndexes() throws {
    for table in run.layout.tables where run.has(table.name) {
      for index in run.layout.indexes(of: table) where !index.columns.isEmpty {
        let wanted = Index(
          columns: index.columns.map { $0.name + ($0.direction == .descending ? " DESC" : "") },
          isUnique: index.isUnique
        )
        try require(wanted, on: index.table, name: index.name)
      }
    }
    for table in run.layout.joinTables where run.has(table.name) {
      let columns = [table.master.ownColumn, table.master.otherColumn]
      try require(
        Index(columns: columns, isUnique: true),
        on: table.name,
        name: "the primary key"
      )
    }
  }

  private func require(_ index: Index, on table: String, name: String) throws {
    guard run.has(table), try !indexes(of: table).contains(index) else { return }
    run.add(AuditFinding(rule: .missingIndex, place: table, example: name))
  }

  private func indexes(of table: String) throws -> Set<Index> {
    let row = try run.connection.prepare(
      "SELECT l.seq, l.\"unique\", x.name, x.desc FROM pragma_index_list(?1) AS l, "
        + "pragma_index_xinfo(l.name) AS x WHERE x.key AND NOT l.partial ORDER BY l.seq, x.seqno"
    )
    row.bind(table, at: 1)
    var columns: [Int64: [String]] = [:]
    var unique: [Int64: Bool] = [:]
    while try row.step() {
      let index = row.integer(at: 0)
      columns[index, default: []].append(row.text(at: 2) + (row.integer(at: 3) == 1 ? " DESC" : ""))
      unique[index] = row.integer(at: 1) == 1
    }
    return Set(columns.map { Index(columns: $1, isUnique: unique[$0] ?? false) })
  }
}

/// Checks that there is one row of metadata with a readable property list, and that the model
/// cache holds the model whose layout this is.
struct MetadataAudit {
  let run: AuditRun

  func check() throws {
    if run.has("Z_METADATA") { try checkMetadata() }
    if run.has("Z_MODELCACHE"), let fault = modelCacheFault() {
      run.add(AuditFinding(rule: .wrongModelCache, place: "Z_MODELCACHE", example: fault))
    }
  }

  private func checkMetadata() throws {
    let row = try run.connection.prepare(
      "SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION"
    )
    var faults: [String] = []
    var count = 0
    while try row.step() {
      count += 1
      if row.integer(at: 0) != 1 { faults.append("version \(row.integer(at: 0))") }
      if !BlobContent.isUUID(Array(row.text(at: 1).utf8)) { faults.append("no UUID") }
      if let fault = listFault(row.blob(at: 2)) { faults.append(fault) }
    }
    if count != 1 { faults.insert("\(count) rows", at: 0) }
    guard let first = faults.first else { return }
    run.add(
      AuditFinding(
        rule: .wrongMetadata,
        place: "Z_METADATA",
        count: Int64(faults.count),
        example: first
      )
    )
  }

  private func listFault(_ bytes: [UInt8]) -> String? {
    guard let list = try? PropertyList(binary: bytes).dictionary else {
      return "no readable property list"
    }
    guard let hashes = list["NSStoreModelVersionHashes"]?.dictionary, !hashes.isEmpty else {
      return nil
    }
    let entities = Set(run.layout.numbers.entities.map(\.name))
    return Set(hashes.keys) == entities ? nil : "version hashes of other entities"
  }

  /// The model's layout is compared and not the model: what has no place in a store may differ.
  private func modelCacheFault() -> String? {
    guard let model = try? ModelCache.read(from: run.connection, path: run.store.path) else {
      return "no readable model"
    }
    let cached = StoreLayout(
      model: model,
      keepsHistory: run.layout.keepsHistory,
      generation: run.layout.generation,
      existing: Set(run.layout.joinTables.map(\.name))
    )
    return cached.definitions == run.layout.definitions ? nil : "another model"
  }
}
