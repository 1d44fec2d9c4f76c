import DataModel
import SQLite

extension StoreMutation {
  static let objects = [
    StoreMutation("a row dropped") { site in
      try site.first(of: site.layout.tables) { table in
        guard let key = try site.key(in: table.name, where: "true") else { return false }
        return try site.change("DELETE FROM \(table.name) WHERE Z_PK = \(key)")
      }
    },
    StoreMutation("a row added") { site in
      try site.first(of: site.layout.tables) { table in
        guard let key = try site.key(in: table.name, where: "true") else { return false }
        return try copy(key, of: table, site) { column, new in
          switch column.content {
          case .attribute(let attribute) where attribute.type == .string: "'added \(new)'"
          case .attribute(let attribute) where attribute.type == .uuid:
            "CAST(printf('%016d', \(new)) AS BLOB)"
          default: nil
          }
        }
      }
    },
    StoreMutation("a row doubled under another key") { site in
      try site.first(of: site.layout.tables) { table in
        guard let key = try site.key(in: table.name, where: "true") else { return false }
        return try copy(key, of: table, site) { _, _ in nil }
      }
    },
    StoreMutation("a wrong Z_ENT") { site in
      try site.first(of: site.layout.tables) { table in
        guard let key = try site.key(in: table.name, where: "true") else { return false }
        let other = site.layout.numbers.entities.count + 1
        let family = table.entities.compactMap { site.layout.numbers[$0] }
        let number =
          family.count > 1
          ? "iif(Z_ENT = \(family[0]), \(family[1]), \(family[0]))"
          : site.random(below: 2) == 0 ? "\(other)" : "NULL"
        return try site.change("UPDATE \(table.name) SET Z_ENT = \(number) WHERE Z_PK = \(key)")
      }
    },
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

  /// Inserts a row again under the next key, with other values where a closure gives some; false
  /// where a unique constraint keeps it out.
  private static func copy(
    _ key: Int64,
    of table: EntityTable,
    _ site: MutationSite,
    changing value: (Column, Int64) -> String?
  ) throws -> Bool {
    let new = try site.takeKey(of: table)
    let columns = table.columns.map(\.name).map { ", \($0)" }.joined()
    let values = table.columns.map { ", " + (value($0, new) ?? $0.name) }.joined()
    do {
      return try site.change(
        "INSERT INTO \(table.name) (Z_PK, Z_ENT, Z_OPT\(columns)) "
          + "SELECT \(new), Z_ENT, 1\(values) FROM \(table.name) WHERE Z_PK = \(key)"
      )
    } catch let error as SQLiteError where error.isConstraint {
      try site.connection.execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX - 1 "
          + "WHERE Z_ENT = \(site.layout.numbers[table.root] ?? 0)"
      )
      return false
    }
  }
}
