import DataModel

/// The tables that every store has, and those that keep its history (coredata-format.md, 2).
package enum SystemTables {
  package static let definitions = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
      + "Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
  ]

  /// The history tables and their indexes, with a column for each of the most attributes that one
  /// entity preserves.
  package static func historyDefinitions(tombstones: Int) -> [String] {
    let columns = (0..<tombstones).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
    return [
      "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        + "ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, "
        + "ZCOLUMNS BLOB\(columns) )",
      "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        + "ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, "
        + "ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, "
        + "ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
      "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
        + "Z_OPT INTEGER, ZNAME VARCHAR )",
      "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
      "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
      "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
      "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
      "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
      "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION "
        + "(ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
        + "(ZTIMESTAMP COLLATE BINARY ASC)",
      "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
        + "(ZNAME COLLATE BINARY ASC)",
    ]
  }

  /// The attributes of an entity whose values its tombstones keep, in name order.
  package static func preservedAttributes(of entity: Entity, in model: Model) -> [Attribute] {
    model.attributes(of: entity)
      .filter { $0.preservesValueOnDeletion && !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}
