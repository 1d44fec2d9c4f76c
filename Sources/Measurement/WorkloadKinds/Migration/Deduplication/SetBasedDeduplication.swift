import DataModel
import PersistentStore
import SQLite

/// Merges objects that a unique constraint will not allow beside each other, in SQL.
///
/// Of a cluster one object survives, with its own values and one-to-one relationships; what the
/// others' to-manys lead to becomes the survivor's.
struct SetBasedDeduplication {
  let store: PersistentStore
  let constraints: [UniqueConstraint]

  private var connection: Connection { store.connection }
  private var layout: StoreLayout { store.layout }

  /// Merges the clusters of every constraint and returns the number of objects that went.
  @discardableResult
  func run() throws -> Int {
    var merged = 0
    for constraint in constraints {
      var files: [String] = []
      try connection.transaction {
        try findDuplicates(of: constraint)
        files = try externalFiles(of: constraint)
        merged += Int(try connection.integer("SELECT count(*) FROM temp.duplicates") ?? 0)
        try merge(constraint)
        try connection.execute("DROP TABLE temp.duplicates")
      }
      var bytes = FileBytes()
      for name in files { try bytes.remove(store.file.externalDataFolder + "/" + name) }
    }
    return merged
  }

  private func table(of constraint: UniqueConstraint) throws -> EntityTable {
    guard let table = layout.table(of: constraint.entity) else {
      throw ObjectContextError.unknownEntity(constraint.entity)
    }
    return table
  }

  /// Keys of duplicates with the keys of their survivors; NULL equals nothing.
  private func findDuplicates(of constraint: UniqueConstraint) throws {
    let table = try table(of: constraint)
    func names(of attributes: [String]) -> [String] {
      attributes.compactMap { layout.column(of: $0, in: constraint.entity)?.name }
    }
    let columns = names(of: constraint.attributes)
    let rank = constraint.survivor.rankSQL(names(of: constraint.survivor.attributes))
    let family = store.model.entity(named: constraint.entity).map(store.model.family(of:)) ?? []
    let numbers = family.compactMap { layout.numbers[$0.name] }.map(String.init)
    let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    try connection.execute(
      "CREATE TEMP TABLE duplicates (key INTEGER PRIMARY KEY, survivor INTEGER)"
    )
    try connection.execute(
      "INSERT INTO temp.duplicates SELECT key, survivor FROM (SELECT Z_PK AS key, first_value(Z_PK) "
        + "OVER (PARTITION BY \(columns.joined(separator: ", ")) ORDER BY \(rank) DESC, Z_PK) "
        + "AS survivor FROM \(table.name) "
        + "WHERE \(present) AND Z_ENT IN (\(numbers.joined(separator: ", ")))) "
        + "WHERE key <> survivor"
    )
    let mixed = try connection.integer(
      "SELECT 1 FROM temp.duplicates AS d JOIN \(table.name) AS a ON a.Z_PK = d.key "
        + "JOIN \(table.name) AS b ON b.Z_PK = d.survivor WHERE a.Z_ENT <> b.Z_ENT LIMIT 1"
    )
    if mixed != nil { throw MigrationCaseError.mixedDuplicates(constraint) }
  }

  private func externalFiles(of constraint: UniqueConstraint) throws -> [String] {
    let table = try table(of: constraint)
    var names: [String] = []
    for column in table.columns {
      guard case .attribute(let attribute) = column.content, attribute.allowsExternalStorage
      else { continue }
      let statement = try connection.prepare(
        "SELECT \(column.name) FROM \(table.name) WHERE Z_PK IN (SELECT key FROM temp.duplicates)"
      )
      while try statement.step() {
        if let name = ExternalStorage.fileName(in: statement.blob(at: 0)) { names.append(name) }
      }
    }
    return names
  }

  private func merge(_ constraint: UniqueConstraint) throws {
    let target = try table(of: constraint)
    for table in layout.tables {
      for column in table.columns where destination(of: column) == target.name {
        try connection.executeScript(adoption(of: column, in: table))
      }
    }
    for table in layout.joinTables {
      for side in Set([table.master, table.slave])
      where layout.table(of: side.entity)?.name == target.name {
        try connection.executeScript([
          "UPDATE OR IGNORE \(table.name) SET \(side.ownColumn) = (SELECT survivor "
            + "FROM temp.duplicates WHERE key = \(side.ownColumn)) "
            + "WHERE \(side.ownColumn) IN (SELECT key FROM temp.duplicates)",
          "DELETE FROM \(table.name) WHERE \(side.ownColumn) IN "
            + "(SELECT key FROM temp.duplicates)",
        ])
      }
    }
    try connection.execute(
      "DELETE FROM \(target.name) WHERE Z_PK IN (SELECT key FROM temp.duplicates)"
    )
  }

  /// The table whose keys a column holds.
  private func destination(of column: Column) -> String? {
    switch column.content {
    case .foreignKey(let relationship): layout.table(of: relationship.destination)?.name
    case .inverselessKey(_, let source): layout.table(of: source)?.name
    default: nil
    }
  }

  /// The statements that lead a key column's objects to the survivors.
  private func adoption(of column: Column, in table: EntityTable) -> [String] {
    let duplicates = "\(column.name) IN (SELECT key FROM temp.duplicates)"
    var order: String?
    if case .foreignKey(let relationship) = column.content {
      if let inverse = layout.model.inverse(of: relationship), !inverse.isToMany {
        // The survivor keeps its own; one object cannot be led to by two.
        return ["UPDATE \(table.name) SET \(column.name) = NULL WHERE \(duplicates)"]
      }
      order =
        table.columns.first {
          $0.entity == column.entity && $0.content == .orderKey(relationship)
        }?.name
    }
    let adoption =
      "UPDATE \(table.name) SET \(column.name) = (SELECT survivor FROM temp.duplicates "
      + "WHERE key = \(column.name)) WHERE \(duplicates)"
    return (order.map { [placing($0, beside: column.name, in: table.name)] } ?? []) + [adoption]
  }

  /// Puts the objects of duplicates behind those of the survivor, duplicate by duplicate.
  private func placing(_ order: String, beside key: String, in table: String) -> String {
    "UPDATE \(table) SET \(order) = o.place FROM (SELECT c.Z_PK AS child, 1024 + 1024 * row_number()"
      + " OVER (PARTITION BY coalesce(d.survivor, c.\(key)) ORDER BY d.survivor IS NOT NULL, "
      + "c.\(key), c.\(order)) AS place"
      + " FROM \(table) AS c LEFT JOIN temp.duplicates AS d ON d.key = c.\(key)"
      + " WHERE coalesce(d.survivor, c.\(key)) IN (SELECT survivor FROM temp.duplicates)) AS o"
      + " WHERE \(table).Z_PK = o.child"
  }
}
