import Foundation
import SQLite

/// Gives a store altered in place the indexes of its new layout.
///
/// An index that has the columns of a needed one keeps its old name beside the new index, as in
/// real stores, where they pile up (coredata-format.md, section 12).
struct IndexReconciliation {
  private struct Existing {
    let name: String
    let shape: String
  }

  let layout: StoreLayout
  let connection: Connection

  func run() throws {
    let needed = layout.tables.flatMap { layout.indexes(of: $0) }
    let shapes = Set(needed.map { Self.shape(of: $0.sql) })
    let byName = Dictionary(
      needed.map { ($0.name, Self.shape(of: $0.sql)) },
      uniquingKeysWith: { first, _ in first }
    )
    var kept: Set<String> = []
    for index in try existing() {
      let isWanted = byName[index.name].map { $0 == index.shape } ?? shapes.contains(index.shape)
      if isWanted {
        kept.insert(index.name)
      } else {
        try connection.execute("DROP INDEX \"\(index.name)\"")
      }
    }
    for index in needed where !kept.contains(index.name) {
      try connection.execute(index.sql)
    }
  }

  private func existing() throws -> [Existing] {
    let tables = Set(layout.tables.map(\.name) + layout.joinTables.map(\.name))
    let statement = try connection.prepare(
      "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    )
    var result: [Existing] = []
    while try statement.step() {
      guard tables.contains(statement.text(at: 1)) else { continue }
      result.append(
        Existing(name: statement.text(at: 0), shape: Self.shape(of: statement.text(at: 2)))
      )
    }
    return result
  }

  /// The table, the columns and whether they are unique: all of an index but its name.
  private static func shape(of sql: String) -> String {
    let plain = sql.filter { $0 != "\"" }
    let kind = plain.hasPrefix("CREATE UNIQUE ") ? "UNIQUE" : "INDEX"
    guard let start = plain.range(of: " ON ") else { return plain }
    return kind + plain[start.lowerBound...]
  }
}
