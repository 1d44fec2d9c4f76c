import Basics
import DataModel
import Foundation
import SQLite

/// Migrates a store to another model with an inferred mapping, in place and in one transaction.
///
/// The result of Core Data's migration is known from real stores (coredata-format.md, section 12).
/// The SQL with which Core Data rebuilds a table is unknown, so the statements used here are
/// assumed.
package struct LightweightMigration {
  /// The way in which a migration changes tables.
  package enum Shape: String, CaseIterable, Hashable, Sendable {
    /// Adds and renames columns, and rebuilds a table that loses a column, as framework versions
    /// 977 and later do.
    case inPlace
    /// Like ``inPlace``, but leaves the dropping of tables and columns to ``DeferredCleanUp``.
    case deferred
    /// Recreates every table and index, as framework versions up to 866 do.
    case rebuild
  }

  package let mapping: MappingModel
  package let source: StoreLayout
  package let destination: StoreLayout
  package let shape: Shape

  /// Infers a migration to a model.
  ///
  /// - Throws: ``MigrationError`` if the model is invalid or no lightweight migration to it can be
  ///   inferred.
  package init(from source: StoreLayout, to model: Model, shape: Shape = .inPlace) throws {
    guard model.isValid else { throw MigrationError.invalidModel(model.errors) }
    mapping = MappingModel(from: source.model, to: model)
    guard mapping.isLightweight else { throw MigrationError.notLightweight(mapping.obstacles) }
    self.source = source
    destination = StoreLayout(model: model, keepsHistory: source.keepsHistory)
    self.shape = shape
  }

  /// Migrates the store of a connection completely, or leaves it unchanged.
  ///
  /// - Parameters:
  ///   - connection: A connection without an open transaction.
  ///   - path: The store's path, for errors.
  ///   - versionHashes: The destination's version hashes, if known.
  ///   - entries: The app's own metadata entries to set; `nil` removes an entry.
  /// - Throws: ``SQLite/SQLiteError``, such as a constraint error if objects violate a new unique
  ///   constraint.
  package func run(
    on connection: Connection,
    path: String,
    versionHashes: [String: [UInt8]] = [:],
    setting entries: [String: PropertyList?] = [:]
  ) throws {
    let tables = TableMappings(
      mapping: mapping,
      source: source,
      destination: destination,
      placesNewOrders: false
    )
    try connection.transaction("BEGIN EXCLUSIVE") {
      try KeptTriggers.during(
        {
          try migrate(
            tables,
            connection,
            path: path,
            versionHashes: versionHashes,
            setting: entries
          )
        },
        renaming: tables.all.compactMap(\.renaming),
        on: connection
      )
    }
  }

  private func migrate(
    _ tables: TableMappings,
    _ connection: Connection,
    path: String,
    versionHashes: [String: [UInt8]],
    setting entries: [String: PropertyList?]
  ) throws {
    var metadata = try StoreMetadata(from: connection, path: path)
    if metadata.others.removeValue(forKey: DeferredCleanUp.key) != nil {
      // Finish the clean-up of an earlier deferred migration first: a new column may have the name
      // of a column that is still to be dropped.
      try DeferredCleanUp(connection: connection, layout: source, path: path).finish()
    }
    let steps = SchemaSteps(tables, shape: shape)
    try connection.executeScript(steps.statements)
    let indexes = destination.tables.flatMap { destination.indexes(of: $0) }
    switch shape {
    case .inPlace, .deferred: try reconcile(indexes, waiting: steps.waiting, on: connection)
    case .rebuild: try connection.executeScript(indexes.map(\.sql))
    }
    if steps.leavesCleanUp { metadata.others[DeferredCleanUp.key] = .boolean(true) }
    metadata.versionIdentifiers = destination.model.versionIdentifiers
    metadata.versionHashes = versionHashes
    metadata.frameworkVersion = StoreMetadata.currentFrameworkVersion
    try migrateSystemTables(to: metadata, tables, on: connection)
    if !entries.isEmpty { try StoreMetadata.set(entries, on: connection) }
  }
}

extension LightweightMigration {
  private func migrateSystemTables(
    to metadata: StoreMetadata,
    _ tables: TableMappings,
    on connection: Connection
  ) throws {
    let (maxima, hidden) = try keys(tables, connection)
    let former = SystemTables.schema.map(\.name)
    switch shape {
    case .inPlace, .deferred:
      for table in SystemTables.schema {
        do {
          try connection.execute("DELETE FROM \(table.name)")
        } catch let error as SQLiteError where error.message.hasPrefix("no such table") {
          // Create Z_MODELCACHE if it is missing, as in framework version 519. A prior check would
          // add a statement to every migration.
          try connection.executeScript([table.sql])
        }
      }
    case .rebuild:
      for table in former { try connection.execute("DROP TABLE IF EXISTS \(table)") }
      try connection.executeScript(SystemTables.schema.map(\.sql))
    }
    try SystemRows(layout: destination, metadata: metadata).write(to: connection)
    let update = try connection.prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
    for (number, key) in maxima {
      update.bind(key, at: 1)
      update.bind(Int64(number), at: 2)
      try update.run()
    }
    if !hidden.isEmpty {
      let insert = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)")
      for row in hidden {
        for (place, value) in row.enumerated() { insert.bind(value, at: place + 1) }
        try insert.run()
      }
    }
    if source.keepsHistory { try migrateHistory(tables, connection) }
  }

  /// Returns the highest used keys, with the entities' new numbers, and the Z_PRIMARYKEY rows of
  /// hidden models.
  ///
  /// Only root and history entities have a highest key. The tables of hidden models, such as that
  /// of CloudKit mirroring, are kept.
  private func keys(
    _ tables: TableMappings,
    _ connection: Connection
  ) throws -> (maxima: [(Int, Int64)], hidden: [[Value]]) {
    let row = try connection.prepare("SELECT Z_ENT, Z_MAX, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
    var (old, hidden): ([Int: Int64], [[Value]]) = ([:], [])
    while try row.step() {
      let (number, highest) = (row.integer(at: 0), row.integer(at: 1))
      old[Int(truncatingIfNeeded: number)] = highest
      guard EntityNumbers.isHidden(number) else { continue }
      hidden.append([
        .integer(number), .text(row.text(at: 2)), .integer(row.integer(at: 3)), .integer(highest),
      ])
    }
    let history = [
      EntityNumbers.change, EntityNumbers.transaction, EntityNumbers.transactionString,
    ]
    let numbers = tables.rootNumbers + history.map { (former: $0, number: $0) }
    let maxima = numbers.compactMap { former, number in old[former].map { (number, $0) } }
    return (maxima, hidden)
  }

  /// Renumbers the entities in recorded changes and deletes the changes of dropped entities.
  ///
  /// Core Data's own treatment is unknown: no known store shows it.
  private func migrateHistory(_ tables: TableMappings, _ connection: Connection) throws {
    let known = source.tombstoneCount
    for index in known..<max(known, destination.tombstoneCount) {
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB")
    }
    let pairs = tables.renumberedPairs
    let kept = Set(pairs.map(\.old))
    let dropped = (1..<(source.numbers.entities.count + 1)).filter { !kept.contains($0) }
    if !dropped.isEmpty {
      let list = dropped.map(String.init).joined(separator: ", ")
      try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY IN (\(list))")
    }
    let changed = pairs.filter { $0.old != $0.new }
    guard !changed.isEmpty else { return }
    let list = changed.map { String($0.old) }.joined(separator: ", ")
    let number = tables.renumbered("ZENTITY", of: changed.map(\.old))
    try connection.execute("UPDATE ACHANGE SET ZENTITY = \(number) WHERE ZENTITY IN (\(list))")
  }
}

extension LightweightMigration {
  /// Creates the indexes of the new layout and drops all others, except for old indexes on the same
  /// columns, which real stores accumulate (coredata-format.md, section 12).
  private func reconcile(
    _ needed: [TableIndex],
    waiting: [String],
    on connection: Connection
  ) throws {
    let shapes = Set(needed.map { Self.shape(of: $0.sql) })
    let byName = Dictionary(keepingFirst: needed.map { ($0.name, Self.shape(of: $0.sql)) })
    var kept: Set<String> = []
    for (name, _) in try indexes(of: waiting, connection) where byName[name] != nil {
      // Drop the index before its table, because the new layout needs the index's name.
      try connection.execute("DROP INDEX \"\(name)\"")
    }
    for (name, shape) in try indexes(of: destination.tableColumns.map(\.table), connection) {
      if byName[name].map({ $0 == shape }) ?? shapes.contains(shape) {
        kept.insert(name)
      } else {
        try connection.execute("DROP INDEX \"\(name)\"")
      }
    }
    for index in needed where !kept.contains(index.name) { try connection.execute(index.sql) }
  }

  private func indexes(
    of tables: [String],
    _ connection: Connection
  ) throws -> [(name: String, shape: String)] {
    guard !tables.isEmpty else { return [] }
    let tables = Set(tables)
    let statement = try connection.prepare(
      "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    )
    var result: [(name: String, shape: String)] = []
    while try statement.step() {
      guard tables.contains(statement.text(at: 1)) else { continue }
      result.append((statement.text(at: 0), Self.shape(of: statement.text(at: 2))))
    }
    return result
  }

  private static func shape(of sql: String) -> String {
    let plain = sql.filter { $0 != "\"" }
    let kind = plain.hasPrefix("CREATE UNIQUE ") ? "UNIQUE" : "INDEX"
    guard let start = plain.range(of: " ON ") else { return plain }
    return kind + plain[start.lowerBound...]
  }
}

/// The reason why a store cannot be migrated, determined before anything is changed.
package enum MigrationError: ErrorWithStatus, Equatable, CustomStringConvertible {
  case notLightweight([MigrationObstacle])
  case invalidModel([String])

  package var status: CommandStatus { .badInput }

  package var description: String {
    switch self {
    case .notLightweight(let obstacles):
      "no lightweight migration can be inferred: "
        + obstacles.map(\.description).joined(separator: "; ")
    case .invalidModel(let problems):
      "the model to migrate to is invalid: " + problems.joined(separator: "; ")
    }
  }
}
