import PersistentStore

/// Opens the content of stores that somebody else made.
package enum PlainContent {
  /// The content by the model that the store carries, read in place without a trace.
  ///
  /// - Throws: ``PersistentStoreError`` or ``InspectionError`` where it is no sound store; a table of
  ///   the model that is a view or computes columns would run code of the file's author.
  package static func open(_ store: StoreFile) throws -> StoreContent {
    let facts = try StoreFacts(store: store)
    let schema = try StoreReader(store).schema
    for (table, columns) in tables(of: facts.layout) {
      guard columns.allSatisfy({ schema.has($0, in: table) }) else {
        throw PersistentStoreError.damaged(
          path: store.path,
          reason: "\(table) is no ordinary table with the columns of the model"
        )
      }
    }
    return try StoreContent(store: store, layout: facts.layout)
  }

  private static func tables(of layout: StoreLayout) -> [(name: String, columns: [String])] {
    var tables = layout.tables.map { (name: $0.name, columns: $0.columnNames) }
    tables += layout.joinTables.map { (name: $0.name, columns: $0.columnNames) }
    if layout.keepsHistory {
      tables.append(("ACHANGE", ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZTRANSACTIONID"]))
      tables.append(("ATRANSACTION", ["Z_PK", "ZTIMESTAMP"]))
    }
    return tables
  }
}
