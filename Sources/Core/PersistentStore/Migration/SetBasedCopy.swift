import DataModel
import SQLite

/// Copies all objects of a store into a new store of another model, table by table in SQL.
///
/// Objects keep their primary keys. An app that knows the layout could copy its store in this way;
/// Core Data does not.
package struct SetBasedCopy {
  package let destination: StoreLayout
  private let tables: TableMappings

  /// Prepares a copy between two layouts.
  ///
  /// - Throws: ``MigrationError`` if no mapping between the models can be inferred.
  package init(from source: StoreLayout, to destination: StoreLayout) throws {
    let mapping = MappingModel(from: source.model, to: destination.model)
    guard mapping.isLightweight else { throw MigrationError.notLightweight(mapping.obstacles) }
    self.destination = destination
    tables = TableMappings(mapping: mapping, source: source, destination: destination)
  }

  /// Returns the statements for the new store's connection, to which the old store is attached
  /// under a schema name.
  package func statements(from schema: String) -> [String] {
    let objects = tables.all.compactMap { mapping in
      mapping.source.map { mapping.copy(from: "\(schema).\($0.name)") }
    }
    let pairs = tables.joinTables.compactMap { mapping in
      mapping.source.flatMap { mapping.copy(from: "\(schema).\($0.table)") }
    }
    let maxima = tables.rootNumbers.map { former, number in
      "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT Z_MAX FROM \(schema).Z_PRIMARYKEY "
        + "WHERE Z_ENT = \(former)) WHERE Z_ENT = \(number)"
    }
    let repair = OneToOneRepair(mapping: tables.mapping, destination: destination)
    return objects + pairs + tables.corrections + repair.statements + maxima
  }

  /// Copies all objects and relationships in one transaction; external files are not copied.
  package func run(from store: StoreFile, on connection: Connection) throws {
    let attach = try connection.prepare("ATTACH DATABASE ? AS original")
    attach.bind(store.path, at: 1)
    try attach.run()
    try connection.transaction("BEGIN EXCLUSIVE") {
      try connection.executeScript(statements(from: "original"))
    }
    try connection.execute("DETACH DATABASE original")
  }
}
