import DataModel
import SQLite

extension AuditRun {
  private struct Index: Hashable {
    let columns: [String]
    let isUnique: Bool
  }

  func checkIntegrity() throws {
    let problems = try connection.texts("PRAGMA integrity_check(100)")
    isIntact = problems == ["ok"]
    if !isIntact { add(.damaged, store.name, cases: problems.isEmpty ? ["no answer"] : problems) }
  }

  func checkSchema() throws {
    for (table, columns) in layout.tableColumns { checkColumns(columns, of: table) }
    for table in systemTables where !has(table) { add(.missingTable, table, example: table) }
    checkUnexpectedTables()
    try checkIndexes()
  }

  private func checkColumns(_ columns: [String], of table: String) {
    guard has(table) else { return add(.missingTable, table, example: table) }
    let found = self.columns(of: table)
    add(.missingColumn, table, cases: columns.filter { !found.contains($0) })
    guard !layout.mayHaveMore(table) else { return }
    add(.unexpectedColumn, table, cases: found.subtracting(columns).sorted())
  }

  /// Whether a table may be the join table of a relationship that the model reader did not
  /// understand.
  private func mayBeUnread(_ table: String) -> Bool {
    table.hasPrefix("Z_") && table.dropFirst(2).first?.isNumber == true
      && layout.model.entities.contains { !$0.unreadProperties.isEmpty }
  }

  private var systemTables: [String] {
    ["Z_PRIMARYKEY", "Z_METADATA"]
      + (has("Z_MODELCACHE") || mustCarryModel ? ["Z_MODELCACHE"] : [])
      + (layout.keepsHistory ? ["ACHANGE", "ATRANSACTION"] : [])
      // Before framework version 973, transactions contain author and process names instead of
      // references to ATRANSACTIONSTRING (coredata-format.md, section 2).
      + (has("ZAUTHORTS", in: "ATRANSACTION") ? ["ATRANSACTIONSTRING"] : [])
  }

  /// Whether the store must contain its model; old framework versions did not store it.
  private var mustCarryModel: Bool {
    let framework = try? StoreMetadata(from: connection, path: store.path).frameworkVersion
    return framework.map { LayoutGeneration.carriesModel(framework: $0) } ?? true
  }

  private func checkUnexpectedTables() {
    let known = Set(layout.tableColumns.map(\.table) + systemTables)
    // Allow the tables of SQLite, R-tree indexes and CloudKit mirroring, which are not in a model.
    let prefixes = ["sqlite_", "Z_RT_", "ANSCK"]
    let unexpected = tables.filter { name in
      !known.contains(name) && !prefixes.contains { name.hasPrefix($0) }
        && !mayBeUnread(name)
    }
    add(.unexpectedTable, store.name, cases: unexpected)
  }

  /// Compares indexes by their columns, because old names remain after a migration
  /// (coredata-format.md, section 12).
  private func checkIndexes() throws {
    for table in layout.tables where has(table.name) {
      for index in layout.indexes(of: table) where !index.columns.isEmpty {
        let columns = index.columns.map { $0.name + ($0.direction == .descending ? " DESC" : "") }
        let wanted = Index(columns: columns, isUnique: index.isUnique)
        try require(wanted, on: index.table, name: index.name)
      }
    }
    for table in layout.joinTables where table.hasKey && has(table.name) {
      let columns = [table.master.ownColumn, table.master.otherColumn]
      let key = Index(columns: columns, isUnique: true)
      try require(key, on: table.name, name: "the primary key")
    }
  }

  private func require(_ index: Index, on table: String, name: String) throws {
    guard has(table), try !indexes(of: table).contains(index) else { return }
    add(.missingIndex, table, example: name)
  }

  private func indexes(of table: String) throws -> Set<Index> {
    let row = try connection.prepare(
      "SELECT l.seq, l.\"unique\", x.name, x.desc FROM pragma_index_list(?1) AS l, "
        + "pragma_index_xinfo(l.name) AS x WHERE x.key ORDER BY l.seq, x.seqno"
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

extension AuditRun {
  func checkMetadata() throws {
    if has("Z_METADATA") { try checkMetadataRow() }
    if has("Z_MODELCACHE"), let fault = modelCacheFault() {
      add(.wrongModelCache, "Z_MODELCACHE", example: fault)
    }
  }

  private func checkMetadataRow() throws {
    let row = try connection.prepare(
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
    add(.wrongMetadata, "Z_METADATA", cases: (count == 1 ? [] : ["\(count) rows"]) + faults)
  }

  private func listFault(_ bytes: [UInt8]) -> String? {
    guard let list = try? PropertyList(binary: bytes).dictionary else {
      return "not a readable property list"
    }
    guard let hashes = list["NSStoreModelVersionHashes"]?.dictionary, !hashes.isEmpty else {
      return nil
    }
    let entities = Set(layout.numbers.entities.map(\.name))
    return Set(hashes.keys) == entities ? nil : "version hashes of other entities"
  }

  /// Returns the error in the cached model, if any.
  ///
  /// It compares layouts instead of models, which may differ in properties that are not stored.
  private func modelCacheFault() -> String? {
    guard let model = try? ModelCache.read(from: connection, path: store.path) else {
      return "not a readable model"
    }
    let cached = StoreLayout(
      model: model,
      keepsHistory: layout.keepsHistory,
      generation: layout.generation,
      form: StoreForm(of: layout)
    )
    return cached.schema == layout.schema ? nil : "another model"
  }
}
