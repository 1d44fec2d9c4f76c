import DataModel
import PersistentStore
import SQLite

extension StoreMutation {
  static let schema = [
    index("a unique index dropped") { $0.isUnique },
    index("an index dropped") { !$0.isUnique },
    StoreMutation("a duplicate under a unique constraint") { site in
      try site.first(of: uniqueIndexes(site)) { index in
        let columns = index.columns.map(\.name)
        guard
          let first = try site.key(
            in: index.table,
            where: columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
          ),
          let second = try site.key(in: index.table, where: "Z_PK <> \(first)")
        else { return false }
        let values = columns.map {
          "\($0) = (SELECT t.\($0) FROM \(index.table) AS t WHERE t.Z_PK = \(first))"
        }
        return try site.withSchema(
          of: index.name,
          replacing: "CREATE UNIQUE INDEX",
          by: "CREATE INDEX"
        ) {
          try site.change(
            "UPDATE \(index.table) SET \(values.joined(separator: ", ")) WHERE Z_PK = \(second)"
          )
        }
      }
    },
    StoreMutation("a column left over", .layout) { site in
      try site.first(of: site.layout.tables) { table in
        try site.connection.execute("ALTER TABLE \(table.name) ADD COLUMN ZLEFTOVER VARCHAR")
        return true
      }
    },
    StoreMutation("a table left over", .layout) { site in
      try site.connection.execute("CREATE TABLE ZLEFTOVER ( Z_PK INTEGER PRIMARY KEY )")
      return true
    },
    StoreMutation("a second row of metadata", .layout) { site in
      try site.change(
        "INSERT INTO Z_METADATA SELECT Z_VERSION + 1, Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1"
      )
    },
    StoreMutation("the metadata's property list cut short", .layout) { site in
      try site.change("UPDATE Z_METADATA SET Z_PLIST = substr(Z_PLIST, 1, length(Z_PLIST) - 1)")
    },
    StoreMutation("the model cache missing", .layout) { site in
      try site.change("DELETE FROM Z_MODELCACHE")
    },
    StoreMutation("an entity's row misnamed", .layout) { site in
      try site.change(
        "UPDATE Z_PRIMARYKEY SET Z_NAME = Z_NAME || 's' "
          + "WHERE Z_ENT = \(1 + site.random(below: site.layout.numbers.entities.count))"
      )
    },
  ]

  private static func uniqueIndexes(_ site: MutationSite) -> [TableIndex] {
    site.layout.tables.flatMap { site.layout.indexes(of: $0) }
      .filter { $0.isUnique && !$0.columns.isEmpty }
  }

  private static func index(
    _ name: String,
    _ matches: @escaping @Sendable (TableIndex) -> Bool
  ) -> StoreMutation {
    StoreMutation(name, .layout) { site in
      let indexes = site.layout.tables.flatMap { site.layout.indexes(of: $0) }.filter(matches)
      return try site.first(of: indexes) { index in
        try site.connection.execute("DROP INDEX \(index.name)")
        return true
      }
    }
  }
}
