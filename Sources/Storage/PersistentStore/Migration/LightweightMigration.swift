import DataModel
import Foundation
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

/// Why a store cannot be migrated, found before anything is touched.
package enum MigrationError: Error, Equatable, CustomStringConvertible {
  case notLightweight([MigrationObstacle])
  /// A new one-to-one inverse, whose keys would have to be found from the other side.
  case unsupportedInverse(entity: String, relationship: String)
  case invalidModel([String])

  package var description: String {
    switch self {
    case .notLightweight(let obstacles):
      "no lightweight migration can be inferred: "
        + obstacles.map(\.description).joined(separator: "; ")
    case .unsupportedInverse(let entity, let relationship):
      "\(entity): '\(relationship)' is a new one-to-one inverse of a relationship that is there; "
        + "set it in a custom stage"
    case .invalidModel(let problems):
      "the model to migrate to is invalid: " + problems.joined(separator: "; ")
    }
  }
}

/// Brings a store's system tables up to date with the model it was migrated to.
struct SystemMigration {
  let migration: LightweightMigration
  let connection: Connection
  let path: String

  /// Keeps the store's UUID, the keys handed out and an app's own metadata.
  func run(versionHashes: [String: [UInt8]]) throws {
    var metadata = try StoreMetadata(from: connection, path: path)
    metadata.versionIdentifiers = migration.destination.model.versionIdentifiers
    metadata.versionHashes = versionHashes
    metadata.frameworkVersion = StoreMetadata.currentFrameworkVersion
    let maxima = try self.maxima()
    switch migration.shape {
    case .inPlace:
      for table in Self.tables { try connection.execute("DELETE FROM \(table)") }
    case .rebuild:
      for table in Self.tables { try connection.execute("DROP TABLE \(table)") }
      try connection.executeScript(SystemTables.schema.map(\.sql))
    }
    try SystemRows(layout: migration.destination, metadata: metadata).write(to: connection)
    try write(maxima)
    if migration.source.keepsHistory { try migrateHistory() }
  }

  private static let tables = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]

  /// The highest key handed out by the new number of each root entity, and of history's entities.
  private func maxima() throws -> [(number: Int, key: Int64)] {
    let statement = try connection.prepare("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
    var old: [Int: Int64] = [:]
    while try statement.step() {
      old[Int(truncatingIfNeeded: statement.integer(at: 0))] = statement.integer(at: 1)
    }
    let mappings = TableMappings(
      mapping: migration.mapping,
      source: migration.source,
      destination: migration.destination
    )
    let roots = mappings.all.compactMap { mapping -> (Int, Int64)? in
      guard let former = mapping.source.flatMap({ migration.source.numbers[$0.root] }),
        let number = migration.destination.numbers[mapping.destination.root],
        let key = old[former]
      else { return nil }
      return (number, key)
    }
    let history = [
      EntityNumbers.change, EntityNumbers.transaction, EntityNumbers.transactionString,
    ]
    return roots + history.compactMap { number in old[number].map { (number, $0) } }
  }

  private func write(_ maxima: [(number: Int, key: Int64)]) throws {
    let update = try connection.prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
    for (number, key) in maxima {
      update.bind(key, at: 1)
      update.bind(Int64(number), at: 2)
      try update.run()
    }
  }

  /// Renumbers the entities of recorded changes; those of dropped entities go.
  ///
  /// Assumed: no store seen shows what becomes of them.
  private func migrateHistory() throws {
    let columns =
      migration.source
      .tombstoneCount..<max(
        migration.source.tombstoneCount,
        migration.destination.tombstoneCount
      )
    for index in columns {
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB")
    }
    let pairs = TableMappings(
      mapping: migration.mapping,
      source: migration.source,
      destination: migration.destination
    ).renumbering.pairs
    let kept = Set(pairs.map(\.old))
    let dropped = (1..<(migration.source.numbers.entities.count + 1)).filter { !kept.contains($0) }
    if !dropped.isEmpty {
      let list = dropped.map(String.init).joined(separator: ", ")
      try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY IN (\(list))")
    }
    let changed = pairs.filter { $0.old != $0.new }
    guard !changed.isEmpty else { return }
    let cases = changed.map { "WHEN \($0.old) THEN \($0.new)" }.joined(separator: " ")
    let list = changed.map { String($0.old) }.joined(separator: ", ")
    try connection.execute(
      "UPDATE ACHANGE SET ZENTITY = CASE ZENTITY \(cases) END WHERE ZENTITY IN (\(list))"
    )
  }
}

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
