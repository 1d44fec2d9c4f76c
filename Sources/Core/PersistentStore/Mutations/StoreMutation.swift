import DataModel
import SQLite

/// An error in a store that verification must detect.
package struct StoreMutation: Sendable, CustomStringConvertible {
  /// The check that must detect the error.
  package enum Sort: Sendable {
    case content
    /// The comparison of contents, including the optimistic-lock counters (Z_OPT).
    case versions
    case layout
    case history
  }

  /// A short description of the change.
  package let description: String
  package let sort: Sort
  private let body: @Sendable (MutationSite) throws -> Bool

  package init(
    _ description: String,
    _ sort: Sort = .content,
    _ body: @escaping @Sendable (MutationSite) throws -> Bool
  ) {
    self.description = description
    self.sort = sort
    self.body = body
  }

  /// Changes a store by SQL or in its files, at a location that depends on the seed.
  ///
  /// - Returns: Whether the store has a suitable location; otherwise nothing is changed.
  package func apply(to store: StoreFile, layout: StoreLayout, seed: UInt64) throws -> Bool {
    try body(MutationSite(store: store, layout: layout, seed: seed))
  }

  /// The changes to objects and values, which are possible in almost every store.
  package static let common = objects + values
}

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
  ]

  /// Inserts a copy of a row with the next key and with the values that a closure changes; returns
  /// false if a unique constraint prevents it.
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

extension StoreMutation {
  static let values = [
    value("a date one second later", [.date], where: "~ IS NOT NULL", becomes: "~ + 1"),
    value(
      "a text changed in case only",
      [.string],
      where: "iif(upper(~) <> ~, upper(~), lower(~)) <> ~",
      becomes: "iif(upper(~) <> ~, upper(~), lower(~))"
    ),
    value("a text with a space at its end", [.string], where: "~ IS NOT NULL", becomes: "~ || ' '"),
    value(
      "a text one character shorter",
      [.string],
      where: "length(~) > 0",
      becomes: "substr(~, 1, length(~) - 1)"
    ),
    value("NULL in place of an empty text", [.string], where: "~ = ''", becomes: "NULL"),
    value("an empty text in place of NULL", [.string], where: "~ IS NULL", becomes: "''"),
    value(
      "an integer off by one",
      [.integer16, .integer32, .integer64],
      where: "~ IS NOT NULL",
      becomes: "~ + 1"
    ),
    value("a Boolean flipped", [.boolean], where: "~ IS NOT NULL", becomes: "1 - ~"),
    value("a real off by a little", [.double], where: "~ <> 0", becomes: "~ * 1.000000000000001"),
  ]

  private static func value(
    _ name: String,
    _ types: Set<AttributeType>,
    where condition: String,
    becomes value: String
  ) -> StoreMutation {
    StoreMutation(name) { site in
      try site.first(of: site.attributes { types.contains($0.type) }) { place in
        let column = place.column.name
        guard
          let key = try site.key(
            in: place.table.name,
            where: "(\(condition.replacing("~", with: column))) AND Z_ENT IN "
              + "(\(site.layout.numberList(ofFamily: place.column.entity)))"
          )
        else { return false }
        let new = value.replacing("~", with: column)
        do {
          return try site.change(
            "UPDATE \(place.table.name) SET \(column) = \(new) WHERE Z_PK = \(key)"
          )
        } catch let error as SQLiteError where error.isConstraint {
          return false
        }
      }
    }
  }
}
