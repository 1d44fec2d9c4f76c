import DataModel
import SQLite

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
