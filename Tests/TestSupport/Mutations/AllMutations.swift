import DataModel
import PersistentStore
import SQLite

extension StoreMutation {
  /// Every mutation, grouped by the kind of data that it changes.
  package static let all: [StoreMutation] =
    common + numbers + moreValues + relationships + pairs + blobs + schema + history

  /// The mutations that change more than the optimistic-lock counters, Z_OPT.
  package static let beyondVersions = all.filter { $0.sort != .versions }

  private static let numbers = [
    StoreMutation("Z_MAX too low", .layout) { site in
      try site.first(of: site.layout.tables) { table in
        guard let last = try site.connection.integer("SELECT max(Z_PK) FROM \(table.name)") else {
          return false
        }
        return try site.change(
          "UPDATE Z_PRIMARYKEY SET Z_MAX = \(last - 1) "
            + "WHERE Z_ENT = \(site.layout.numbers[table.root] ?? 0)"
        )
      }
    },
    StoreMutation("Z_OPT wrong", .versions) { site in
      try site.first(of: site.layout.tables) { table in
        guard let key = try site.key(in: table.name, where: "true") else { return false }
        return try site.change("UPDATE \(table.name) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = \(key)")
      }
    },
    StoreMutation("Z_OPT missing", .layout) { site in
      try site.first(of: site.layout.tables) { table in
        guard let key = try site.key(in: table.name, where: "true") else { return false }
        return try site.change("UPDATE \(table.name) SET Z_OPT = NULL WHERE Z_PK = \(key)")
      }
    },
  ]
}

extension MutationSite {
  /// The columns of to-one relationships, with their tables.
  var toOnes: [(table: EntityTable, column: Column, relationship: Relationship)] {
    layout.tables.flatMap { table in
      table.columns.compactMap { column in
        guard case .foreignKey(let relationship) = column.content else { return nil }
        return (table, column, relationship)
      }
    }
  }

  /// Runs `body` with a part of the schema's text replaced, so that SQLite permits changes that
  /// another program could make to the file.
  func withSchema(
    of name: String,
    replacing text: String,
    by replacement: String,
    _ body: () throws -> Bool
  ) throws -> Bool {
    func rewrite(_ from: String, _ to: String) throws {
      try connection.execute("PRAGMA writable_schema=on")
      let statement = try connection.prepare(
        "UPDATE sqlite_schema SET sql = replace(sql, ?1, ?2) WHERE name = ?3"
      )
      statement.bind(from, at: 1)
      statement.bind(to, at: 2)
      statement.bind(name, at: 3)
      try statement.run()
      try connection.execute("PRAGMA writable_schema=reset")
    }
    try rewrite(text, replacement)
    let result = try body()
    try rewrite(replacement, text)
    return result
  }
}
