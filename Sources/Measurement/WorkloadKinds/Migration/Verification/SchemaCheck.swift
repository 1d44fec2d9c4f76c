import DataModel
import PersistentStore
import Runner
import SQLite

/// Checks what a migration made of a store's definitions and of what it says of itself.
struct SchemaCheck {
  let session: MigrationSession
  let trial: Trial

  private var layout: StoreLayout { session.destination }

  func findings() throws -> [String] {
    let connection = try Connection(path: session.result.path, mode: .readOnly, settings: nil)
    var findings = try isFresh ? definitions(connection) : columnTypes(connection)
    if try ModelCache.read(from: connection, path: session.result.path) != layout.model {
      findings.append("the store carries another model than the one it was migrated to")
    }
    let metadata = try StoreMetadata(from: connection, path: session.result.path)
    if metadata.versionIdentifiers != layout.model.versionIdentifiers {
      findings.append(
        "the metadata name version \(metadata.versionIdentifiers.joined(separator: ", ")), not "
          + layout.model.versionIdentifiers.joined(separator: ", ")
      )
    }
    return try findings + identity(metadata)
  }

  /// Whether tables and indexes must be those of a store that was always of this model.
  private var isFresh: Bool {
    session.parameters.leavesNewStore
      || session.parameters.shape == .rebuild
  }

  /// The text of every definition, in order; history tables stay where they are.
  private func definitions(_ connection: Connection) throws -> [String] {
    var found: [String] = []
    let statement = try connection.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    while try statement.step() { found.append(statement.text(at: 0)) }
    var wanted = layout.definitions
    if layout.keepsHistory {
      // Tombstones that were added make another text than a fresh store's.
      let history = Set(SystemTables.history(tombstones: 0).map(\.sql))
      func isHistory(_ sql: String) -> Bool {
        history.contains(sql) || sql.hasPrefix("CREATE TABLE ACHANGE ")
      }
      found.removeAll(where: isHistory)
      wanted.removeAll(where: isHistory)
    }
    return found == wanted ? [] : difference(found, wanted)
  }

  private func difference(_ found: [String], _ wanted: [String]) -> [String] {
    let missing = wanted.first { !found.contains($0) }
    let other = found.first { !wanted.contains($0) }
    return [
      "the definitions are not those of a fresh store: "
        + (missing.map { "missing '\($0)'" } ?? other.map { "unexpected '\($0)'" } ?? "their order")
    ]
  }

  /// The type of every column; which columns and indexes are there is the audit's to check.
  private func columnTypes(_ connection: Connection) throws -> [String] {
    var findings: [String] = []
    for table in layout.tables {
      let statement = try connection.prepare("SELECT name, type FROM pragma_table_info(?)")
      statement.bind(table.name, at: 1)
      var types: [String: String] = [:]
      while try statement.step() { types[statement.text(at: 0)] = statement.text(at: 1) }
      for column in table.columns where types[column.name] != column.type.rawValue {
        findings.append(
          "\(table.name).\(column.name) is \(types[column.name] ?? "missing"), not "
            + column.type.rawValue
        )
      }
    }
    return findings
  }

  /// The store's UUID survives a migration in its file; a new store has its own.
  private func identity(_ metadata: StoreMetadata) throws -> [String] {
    let before = try Connection(path: trial.start.path, mode: .readOnly, settings: nil)
    let former = try StoreMetadata(from: before, path: trial.start.path)
    guard !session.parameters.leavesNewStore, former.uuid != metadata.uuid else { return [] }
    return ["the store's UUID is \(metadata.uuid), not \(former.uuid)"]
  }
}
