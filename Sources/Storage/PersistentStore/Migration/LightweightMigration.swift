import DataModel
import SQLite

/// Brings a store into another model as an inferred mapping says, inside its file and in one
/// transaction.
///
/// What the frameworks leave behind is known from stores (coredata-format.md, section 12); the
/// statements by which they rebuild a table are not, and those used here are assumed.
package struct LightweightMigration {
  /// How tables come into their new shape.
  package enum Shape: String, CaseIterable, Hashable, Sendable {
    /// As frameworks from 977 on: columns are added and renamed, a table that loses one is rebuilt.
    case inPlace
    /// As frameworks up to 866: every table and index is made anew.
    case rebuild
  }

  package let mapping: MappingModel
  package let source: StoreLayout
  package let destination: StoreLayout
  package let shape: Shape

  /// - Throws: ``MigrationError`` where no lightweight migration leads to the model.
  package init(from source: StoreLayout, to model: Model, shape: Shape = .inPlace) throws {
    guard model.isValid else {
      throw MigrationError.invalidModel(
        model.problems().filter { $0.severity == .error }.map(\.description)
      )
    }
    mapping = MappingModel(from: source.model, to: model)
    guard mapping.isLightweight else { throw MigrationError.notLightweight(mapping.obstacles) }
    self.source = source
    destination = StoreLayout(model: model, keepsHistory: source.keepsHistory)
    self.shape = shape
    try checkInverses()
  }

  /// A new one-to-one inverse of a relationship that is there has keys that nothing holds yet.
  private func checkInverses() throws {
    for entity in mapping.entities where entity.source != nil {
      for relationship in entity.relationships where relationship.source == nil {
        guard !relationship.destination.isToMany,
          let inverse = destination.model.inverse(of: relationship.destination), !inverse.isToMany,
          let other = mapping.mapping(to: relationship.destination.destination),
          other.relationships.contains(where: {
            $0.destination.name == inverse.name && $0.source != nil
          })
        else { continue }
        throw MigrationError.unsupportedInverse(
          entity: entity.destination,
          relationship: relationship.destination.name
        )
      }
    }
  }

  /// Migrates the store of a connection, wholly or not at all.
  ///
  /// - Parameters:
  ///   - connection: A connection without a transaction.
  ///   - path: The store's path, for errors.
  ///   - versionHashes: The destination's version hashes, where a source of them is known.
  ///   - entries: What an app's own metadata say from then on; `nil` takes an entry away.
  /// - Throws: ``SQLite/SQLiteError``; a constraint where objects break a new unique constraint.
  package func run(
    on connection: Connection,
    path: String,
    versionHashes: [String: [UInt8]] = [:],
    setting entries: [String: PropertyList?] = [:]
  ) throws {
    try connection.transaction("BEGIN EXCLUSIVE") {
      try connection.executeScript(SchemaSteps(self).statements)
      switch shape {
      case .inPlace:
        try IndexReconciliation(layout: destination, connection: connection).run()
      case .rebuild:
        try connection.executeScript(
          destination.tables.flatMap { destination.indexes(of: $0) }.map(\.sql)
        )
      }
      try SystemMigration(migration: self, connection: connection, path: path)
        .run(versionHashes: versionHashes)
      if !entries.isEmpty { try StoreMetadata.set(entries, on: connection) }
    }
  }
}
