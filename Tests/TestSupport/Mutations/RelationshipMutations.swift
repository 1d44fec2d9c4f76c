import DataModel
import PersistentStore
import SQLite

extension StoreMutation {
  static let relationships = [
    StoreMutation("two foreign keys swapped") { site in
      try site.first(of: site.toOnes) { table, column, _ in
        let name = column.name
        guard let first = try site.key(in: table.name, where: "\(name) IS NOT NULL"),
          let second = try site.key(
            in: table.name,
            where: "\(name) <> (SELECT \(name) FROM \(table.name) WHERE Z_PK = \(first))"
          )
        else { return false }
        return try exchange(name, of: table.name, first, second, site)
      }
    },
    StoreMutation("a foreign key nulled") { site in
      try site.first(of: site.toOnes) { table, column, _ in
        guard let key = try site.key(in: table.name, where: "\(column.name) IS NOT NULL") else {
          return false
        }
        return try site.change("UPDATE \(table.name) SET \(column.name) = NULL WHERE Z_PK = \(key)")
      }
    },
    StoreMutation("a foreign key that leads nowhere") { site in
      try site.first(of: site.toOnes) { table, column, _ in
        guard let key = try site.key(in: table.name, where: "\(column.name) IS NOT NULL") else {
          return false
        }
        return try site.change(
          "UPDATE \(table.name) SET \(column.name) = 999999999 WHERE Z_PK = \(key)"
        )
      }
    },
    StoreMutation("an orphan left after a cascade") { site in
      try site.first(of: site.toOnes) { table, column, relationship in
        guard let target = site.layout.table(of: relationship.destination),
          let child = try site.key(
            in: table.name,
            where: "\(column.name) IN (SELECT Z_PK FROM \(target.name))"
          )
        else { return false }
        return try site.change(
          "DELETE FROM \(target.name) WHERE Z_PK = "
            + "(SELECT \(column.name) FROM \(table.name) WHERE Z_PK = \(child))"
        )
      }
    },
    StoreMutation("a reference that names another entity") { site in
      let places = site.layout.tables.flatMap { table in
        table.columns.compactMap { column -> (EntityTable, Column, Relationship)? in
          guard case .foreignEntity(let relationship) = column.content else { return nil }
          return (table, column, relationship)
        }
      }
      return try site.first(of: places) { table, column, relationship in
        guard let key = try site.key(in: table.name, where: "\(column.name) IS NOT NULL"),
          let destination = site.layout.model.entity(named: relationship.destination)
        else { return false }
        let numbers = site.layout.model.family(of: destination)
          .compactMap { site.layout.numbers[$0.name] }
        return try site.change(
          "UPDATE \(table.name) SET \(column.name) = "
            + "iif(\(column.name) = \(numbers[0]), \(numbers[1]), \(numbers[0])) "
            + "WHERE Z_PK = \(key)"
        )
      }
    },
    StoreMutation("order keys swapped in an ordered relationship") { site in
      let places = site.layout.tables.flatMap { table in
        table.columns.compactMap { column -> (EntityTable, Column, Column)? in
          guard case .orderKey(let relationship) = column.content,
            let key = table.columns.first(where: { $0.content == .foreignKey(relationship) })
          else { return nil }
          return (table, column, key)
        }
      }
      return try site.first(of: places) { table, order, key in
        let siblings =
          "Z_PK IN (SELECT a.Z_PK FROM \(table.name) AS a, \(table.name) AS b "
          + "WHERE a.\(key.name) = b.\(key.name) AND a.\(order.name) < b.\(order.name))"
        guard let first = try site.key(in: table.name, where: siblings),
          let second = try site.key(
            in: table.name,
            where: "Z_PK <> \(first) AND \(key.name) = "
              + "(SELECT \(key.name) FROM \(table.name) WHERE Z_PK = \(first))"
          )
        else { return false }
        return try exchange(order.name, of: table.name, first, second, site)
      }
    },
  ]

  static let pairs = [
    StoreMutation("a join row dropped") { site in
      try site.first(of: site.layout.joinTables) { table in
        guard let row = try pair(of: table, site) else { return false }
        return try site.change("DELETE FROM \(table.name) WHERE rowid = \(row)")
      }
    },
    StoreMutation("a join row added") { site in
      try site.first(of: site.layout.joinTables) { table in
        let (own, other) = (table.master.ownColumn, table.master.otherColumn)
        let orders = table.columnNames.dropFirst(2)
        let columns = ([own, other] + orders).joined(separator: ", ")
        let places = orders.map { ", (SELECT max(\($0)) + 1024 FROM \(table.name))" }.joined()
        return try site.change(
          "INSERT INTO \(table.name) (\(columns)) SELECT a.\(own), b.\(other)\(places) "
            + "FROM \(table.name) AS a, \(table.name) AS b WHERE NOT EXISTS (SELECT 1 "
            + "FROM \(table.name) AS c WHERE c.\(own) = a.\(own) AND c.\(other) = b.\(other)) "
            + "ORDER BY a.\(own), b.\(other) LIMIT 1"
        )
      }
    },
    StoreMutation("two join rows swapped") { site in
      try site.first(of: site.layout.joinTables) { table in
        let (name, own, other) = (table.name, table.master.ownColumn, table.master.otherColumn)
        func rows(_ column: String) -> String {
          "SELECT \(column) FROM \(name) AS a, \(name) AS b WHERE a.\(own) < b.\(own) "
            + "AND a.\(other) <> b.\(other) "
            + "AND NOT EXISTS (SELECT 1 FROM \(name) AS c WHERE c.\(own) = a.\(own) "
            + "AND c.\(other) = b.\(other)) "
            + "AND NOT EXISTS (SELECT 1 FROM \(name) AS c WHERE c.\(own) = b.\(own) "
            + "AND c.\(other) = a.\(other)) ORDER BY a.rowid, b.rowid LIMIT 1"
        }
        guard let first = try site.connection.integer(rows("a.rowid")),
          let second = try site.connection.integer(rows("b.rowid"))
        else { return false }
        return try exchange(other, of: name, by: "rowid", first, second, site)
      }
    },
  ]

  private static func pair(of table: JoinTable, _ site: MutationSite) throws -> Int64? {
    let rows = try site.integers("SELECT rowid FROM \(table.name) ORDER BY rowid")
    return rows.isEmpty ? nil : rows[site.random(below: rows.count)]
  }
}
