import DataModel
import PersistentStore
import SQLite

/// Deletes and changes many rows by one statement each, with the history and files they have.
struct RowDeletion {
  let store: PersistentStore
  /// Records what is done; `nil` where nothing is to be recorded.
  let history: BatchHistory?
  /// Whether the files of deleted objects are given up.
  let removesFiles: Bool
  let raisesVersions: Bool
  private var bytes = FileBytes()
  private var abandoned: [String] = []

  private var connection: Connection { store.connection }

  init(
    store: PersistentStore,
    history: BatchHistory? = nil,
    removesFiles: Bool = true,
    raisesVersions: Bool = false
  ) {
    self.store = store
    self.history = history
    self.removesFiles = removesFiles
    self.raisesVersions = raisesVersions
  }

  var fileCounters: FileBytes.Counters { bytes.counters }

  /// Deletes the rows of a table that a condition picks and returns how many there were.
  mutating func delete(from table: String, where condition: String) throws -> Int {
    try abandonFiles(of: table, where: condition)
    try history?.recordDeletions(from: table, where: condition)
    try connection.cached("DELETE FROM \(table) WHERE \(condition)").run()
    return connection.changes
  }

  /// Empties the column of an edge, and those beside it, in the rows that a condition picks.
  func nullify(_ edge: CascadeGraph.Edge, where condition: String) throws -> Int {
    guard case .targetColumn(let column, let others) = edge.link else { return 0 }
    try history?.recordUpdates(of: column, in: edge.target, where: condition)
    let sets = ([column] + others).map { "\($0) = NULL" } + (raisesVersions ? [Self.raise] : [])
    try connection.cached(
      "UPDATE \(edge.target) SET \(sets.joined(separator: ", ")) WHERE \(condition)"
    ).run()
    return connection.changes
  }

  private static let raise = "Z_OPT = Z_OPT + 1"

  func deletePairs(_ table: String, where condition: String) throws -> Int {
    try connection.cached("DELETE FROM \(table) WHERE \(condition)").run()
    return connection.changes
  }

  /// Notes the external files of the rows that a condition picks.
  mutating func abandonFiles(of table: String, where condition: String) throws {
    guard removesFiles,
      let columns = store.layout.tables.first(where: { $0.name == table })?.externalColumns
    else { return }
    for column in columns {
      let statement = try connection.cached(
        "SELECT \(column) FROM \(table) WHERE \(condition) AND substr(\(column), 1, 1) = x'02'"
      )
      while try statement.step() {
        if let name = ExternalStorage.fileName(in: statement.blob(at: 0)) { abandoned.append(name) }
      }
    }
  }

  /// Removes the files that no row leads to any more.
  mutating func didCommit() throws {
    for name in abandoned { try bytes.remove(store.file.externalDataFolder + "/" + name) }
    abandoned = []
  }
}

extension EntityTable {
  /// The columns whose data may be in external files.
  var externalColumns: [String] {
    columns.compactMap { column in
      guard case .attribute(let attribute) = column.content, attribute.allowsExternalStorage else {
        return nil
      }
      return column.name
    }
  }
}
