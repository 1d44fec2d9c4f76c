import DataModel
import PersistentStore
import Runner
import SQLite

/// Deletes or changes many rows with a single statement, including their history and external
/// files.
struct BatchRows {
  let store: PersistentStore
  /// The history that records the changes; `nil` if they are not recorded.
  let history: BatchHistory?
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

  mutating func delete(from table: String, where condition: String) throws -> Int {
    try abandonFiles(of: table, where: condition)
    try history?.recordDeletions(from: table, where: condition)
    try connection.cached("DELETE FROM \(table) WHERE \(condition)").run()
    return connection.changes
  }

  /// Deletes all objects with the collected keys, and applies the delete rules to the other
  /// objects.
  ///
  /// `check` can refuse the deletion before anything is changed.
  mutating func delete(_ keys: KeysToDelete, _ check: () throws -> Void = {}) throws {
    try keys.checkDenials()
    try check()
    history?.begin()
    try letGo(of: keys)
    for table in keys.tables.reversed() {
      _ = try delete(from: table, where: keys.condition(in: table))
    }
  }

  /// Removes the references of surviving objects to deleted objects.
  private func letGo(of keys: KeysToDelete) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      for edge in keys.graph.edges(rule, from: keys.tables) {
        if case .join(let table, let own, _) = edge.link {
          _ = try deletePairs(table, where: "\(own) IN (\(keys.sources(of: edge)))")
        } else if rule == .nullify, let condition = keys.survivors(of: edge) {
          _ = try nullify(edge, where: condition)
        }
      }
    }
  }

  func update(
    _ sets: [(column: String, expression: String)],
    _ values: [Value] = [],
    in table: String,
    where condition: String
  ) throws {
    try history?.recordUpdates(of: sets.map(\.column), in: table, where: condition)
    try set(sets, values, in: table, where: condition)
  }

  /// Sets columns of a table's rows without recording the changes in the history.
  private func set(
    _ sets: [(column: String, expression: String)],
    _ values: [Value] = [],
    in table: String,
    where condition: String
  ) throws {
    let sets = sets.map { "\($0.column) = \($0.expression)" } + (raisesVersions ? [Self.raise] : [])
    let statement = try connection.cached(
      "UPDATE \(table) SET \(sets.joined(separator: ", ")) WHERE \(condition)"
    )
    for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
    try statement.run()
  }

  func nullify(_ edge: CascadeGraph.Edge, where condition: String) throws -> Int {
    guard case .targetColumn(let column, let others) = edge.link else { return 0 }
    try history?.recordUpdates(of: [column], in: edge.target, where: condition)
    try set(([column] + others).map { ($0, "NULL") }, in: edge.target, where: condition)
    return connection.changes
  }

  private static let raise = "Z_OPT = Z_OPT + 1"

  func deletePairs(_ table: String, where condition: String) throws -> Int {
    try connection.cached("DELETE FROM \(table) WHERE \(condition)").run()
    return connection.changes
  }

  /// Remembers the external files of the rows that meet a condition, so that they are removed after
  /// the commit.
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

  /// Removes the external files that rows no longer refer to.
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
