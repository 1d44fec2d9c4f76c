import DataModel
import SQLite

/// Checks the history tables against each other and against the objects (coredata-format.md, 11).
struct HistoryAudit {
  private static let tables = [
    ("ACHANGE", EntityNumbers.change), ("ATRANSACTION", EntityNumbers.transaction),
    ("ATRANSACTIONSTRING", EntityNumbers.transactionString),
  ]

  let run: AuditRun

  func check() throws {
    guard Self.tables.allSatisfy({ run.has($0.0) }) else { return }
    try checkKeys()
    try checkChanges()
    try checkStrings()
    for table in run.layout.tables where run.has(table.name) { try checkObjects(of: table) }
    try checkSequences()
  }

  private func checkKeys() throws {
    for (table, number) in Self.tables {
      try run.check(
        .wrongEntityNumber,
        "\(table).Z_ENT",
        "SELECT count(*), min(Z_PK) FROM \(table) WHERE Z_ENT IS NOT \(number)"
      )
      guard run.has("Z_PRIMARYKEY") else { continue }
      let maximum = "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number))"
      try run.check(
        .keyAboveMaximum,
        table,
        "SELECT count(*), max(last) FROM (SELECT max(Z_PK) AS last FROM \(table)) "
          + "WHERE last > \(maximum)"
      )
      // Names are inserted on trial, so their keys have gaps; changes and transactions are not,
      // and a purge takes the oldest: in real stores their keys follow each other to the maximum.
      guard number != EntityNumbers.transactionString else { continue }
      try run.check(
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
    try run.check(
      .changeWithoutTransaction,
      "ACHANGE",
      "SELECT count(*), min(Z_PK) FROM ACHANGE AS c WHERE NOT EXISTS "
        + "(SELECT 1 FROM ATRANSACTION AS t WHERE t.Z_PK = c.ZTRANSACTIONID)"
    )
    try run.check(
      .transactionWithoutChange,
      "ATRANSACTION",
      "SELECT count(*), min(Z_PK) FROM ATRANSACTION WHERE Z_PK NOT IN "
        + "(SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID IS NOT NULL)"
    )
    let numbers = run.layout.numbers.entities.filter { !$0.isAbstract }
      .compactMap { run.layout.numbers[$0.name] }.map(String.init).joined(separator: ", ")
    try run.check(
      .unknownChange,
      "ACHANGE",
      "SELECT count(*), min(Z_PK) FROM ACHANGE WHERE ZCHANGETYPE IS NULL OR ZENTITY IS NULL "
        + "OR ZENTITYPK IS NULL OR ZCHANGETYPE NOT IN (0, 1, 2) OR ZENTITY NOT IN (\(numbers))"
    )
    try run.check(
      .wrongChangedColumns,
      "ACHANGE.ZCOLUMNS",
      "SELECT count(*), min(Z_PK) FROM ACHANGE "
        + "WHERE (ZCHANGETYPE = 1) <> (typeof(ZCOLUMNS) = 'blob')"
    )
  }

  private func checkStrings() throws {
    for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
    where run.has(column, in: "ATRANSACTION") {
      try run.check(
        .danglingString,
        "ATRANSACTION.\(column)",
        "SELECT count(*), min(Z_PK) FROM ATRANSACTION AS t WHERE \(column) IS NOT NULL AND "
          + "NOT EXISTS (SELECT 1 FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.\(column))"
      )
    }
  }

  /// The last change of an object says whether it exists.
  private func checkObjects(of table: EntityTable) throws {
    let numbers = table.entities.compactMap { run.layout.numbers[$0] }.map(String.init)
    // Beside max() SQLite takes the other columns from the row of the maximum.
    let last =
      "(SELECT ZENTITYPK, ZCHANGETYPE, max(Z_PK) FROM ACHANGE "
      + "WHERE ZENTITY IN (\(numbers.joined(separator: ", "))) GROUP BY ZENTITYPK) AS c"
    let exists =
      "EXISTS (SELECT 1 FROM \(table.name.quotedName) AS t NOT INDEXED WHERE t.Z_PK = c.ZENTITYPK)"
    try run.check(
      .changeOfMissingObject,
      table.name,
      "SELECT count(*), min(ZENTITYPK) FROM \(last) WHERE ZCHANGETYPE <> 2 AND NOT \(exists)"
    )
    try run.check(
      .deletedObjectExists,
      table.name,
      "SELECT count(*), min(ZENTITYPK) FROM \(last) WHERE ZCHANGETYPE = 2 AND \(exists)"
    )
  }

  /// An object is inserted first and once, and deleted last: keys are never used again.
  private func checkSequences() throws {
    try run.check(
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
