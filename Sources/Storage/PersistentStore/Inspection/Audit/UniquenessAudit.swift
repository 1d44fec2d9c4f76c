import DataModel
import SQLite

/// Checks the unique constraints of a table's entities, without their indexes.
struct UniquenessAudit {
  let run: AuditRun
  let table: EntityTable

  func check() throws {
    for index in run.layout.indexes(of: table) where index.isUnique {
      let columns = index.columns.map(\.name)
      guard !columns.isEmpty, columns.allSatisfy({ run.has($0, in: table.name) }) else { continue }
      let list = columns.map(\.quotedColumn)
      // NULLs are no duplicates of each other, here as in SQLite's unique indexes.
      let condition = list.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
      try run.check(
        .duplicate,
        "\(table.name).\(columns.joined(separator: "+"))",
        "SELECT coalesce(sum(number), 0), min(second) FROM (SELECT count(*) - 1 AS number, "
          + "max(t.Z_PK) AS second FROM \(table.name.quotedName) AS t\(run.access) "
          + "WHERE \(condition) GROUP BY \(list.joined(separator: ", ")) HAVING count(*) > 1)"
      )
    }
  }
}
