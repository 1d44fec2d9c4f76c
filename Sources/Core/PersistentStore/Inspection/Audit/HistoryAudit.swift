import DataModel
import SQLite

extension AuditRun {
  private static let historyTables = [
    ("ACHANGE", EntityNumbers.change), ("ATRANSACTION", EntityNumbers.transaction),
    ("ATRANSACTIONSTRING", EntityNumbers.transactionString),
  ]

  func checkHistory() throws {
    guard Self.historyTables.allSatisfy({ has($0.0) }) else { return }
    try checkHistoryKeys()
    try checkChanges()
    try checkStrings()
    for table in layout.tables where has(table.name) { try checkLastChanges(of: table) }
    try checkSequences()
  }

  private func checkHistoryKeys() throws {
    for (table, number) in Self.historyTables {
      try check(
        .wrongEntityNumber,
        "\(table).Z_ENT",
        "SELECT count(*), min(Z_PK) FROM \(table) WHERE Z_ENT IS NOT \(number)"
      )
      guard has("Z_PRIMARYKEY") else { continue }
      let maximum = "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number))"
      try check(
        .keyAboveMaximum,
        table,
        "SELECT count(*), max(last) FROM (SELECT max(Z_PK) AS last FROM \(table)) "
          + "WHERE last > \(maximum)"
      )
      // Keys of ATRANSACTIONSTRING may have gaps, because a failed insertion uses up a key. Keys of
      // changes and transactions have no gaps, but a purge deletes the oldest rows.
      guard number != EntityNumbers.transactionString else { continue }
      try check(
        .historyGap,
        table,
        example: "Z_PK after",
        "SELECT coalesce(max(\(maximum), max(Z_PK)) - min(Z_PK) + 1 - count(*), 0), "
          + "coalesce((SELECT min(t.Z_PK) FROM \(table) AS t WHERE NOT EXISTS (SELECT 1 FROM "
          + "\(table) AS u WHERE u.Z_PK = t.Z_PK + 1)), 0) FROM \(table)"
      )
    }
  }

  private func checkChanges() throws {
    try check(
      .changeWithoutTransaction,
      "ACHANGE",
      "SELECT count(*), min(Z_PK) FROM ACHANGE AS c WHERE NOT EXISTS "
        + "(SELECT 1 FROM ATRANSACTION AS t WHERE t.Z_PK = c.ZTRANSACTIONID)"
    )
    try check(
      .transactionWithoutChange,
      "ATRANSACTION",
      "SELECT count(*), min(Z_PK) FROM ATRANSACTION WHERE Z_PK NOT IN "
        + "(SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID IS NOT NULL)"
    )
    let concrete = layout.numbers.entities.filter { !$0.isAbstract }.map(\.name)
    let numbers = layout.numbers.list(of: concrete)
    try check(
      .unknownChange,
      "ACHANGE",
      "SELECT count(*), min(Z_PK) FROM ACHANGE WHERE ZCHANGETYPE IS NULL OR ZENTITY IS NULL "
        + "OR ZENTITYPK IS NULL OR ZCHANGETYPE NOT IN (0, 1, 2) OR ZENTITY NOT IN (\(numbers))"
    )
    try check(
      .wrongChangedColumns,
      "ACHANGE.ZCOLUMNS",
      "SELECT count(*), min(Z_PK) FROM ACHANGE "
        + "WHERE (ZCHANGETYPE = 1) <> (typeof(ZCOLUMNS) = 'blob')"
    )
  }

  private func checkStrings() throws {
    for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
    where has(column, in: "ATRANSACTION") {
      try check(
        .danglingString,
        "ATRANSACTION.\(column)",
        "SELECT count(*), min(Z_PK) FROM ATRANSACTION AS t WHERE \(column) IS NOT NULL AND "
          + "NOT EXISTS (SELECT 1 FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.\(column))"
      )
    }
  }

  private func checkLastChanges(of table: EntityTable) throws {
    let numbers = layout.numbers.list(of: table.entities)
    // In a query with max(), SQLite takes other columns from the row with the maximum.
    let last =
      "(SELECT ZENTITYPK, ZCHANGETYPE, max(Z_PK) FROM ACHANGE "
      + "WHERE ZENTITY IN (\(numbers)) GROUP BY ZENTITYPK) AS c"
    let exists =
      "EXISTS (SELECT 1 FROM \(table.name.quotedName) AS t NOT INDEXED WHERE t.Z_PK = c.ZENTITYPK)"
    try check(
      .changeOfMissingObject,
      table.name,
      "SELECT count(*), min(ZENTITYPK) FROM \(last) WHERE ZCHANGETYPE <> 2 AND NOT \(exists)"
    )
    try check(
      .deletedObjectExists,
      table.name,
      "SELECT count(*), min(ZENTITYPK) FROM \(last) WHERE ZCHANGETYPE = 2 AND \(exists)"
    )
  }

  /// Checks that an insertion is an object's first change, that a deletion is its last, and that
  /// each occurs at most once.
  ///
  /// Keys are never reused, so an object cannot be inserted again.
  private func checkSequences() throws {
    try check(
      .changeOutOfOrder,
      "ACHANGE",
      example: "ZENTITYPK",
      "SELECT count(*), min(ZENTITYPK) FROM (SELECT ZENTITYPK FROM ACHANGE "
        + "GROUP BY ZENTITY, ZENTITYPK HAVING count(*) > 1 AND ("
        + "max(Z_PK) FILTER (WHERE ZCHANGETYPE = 0) > min(Z_PK) "
        + "OR min(Z_PK) FILTER (WHERE ZCHANGETYPE = 2) < max(Z_PK)))"
    )
  }
}
