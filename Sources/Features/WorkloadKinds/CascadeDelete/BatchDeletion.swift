import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Deletes many objects with each statement, bypassing every context.
///
/// No public log shows the statements of `NSBatchDeleteRequest` (coredata-format.md, section 13),
/// so the statements of both variants, level by level and with a cleanup of orphans (objects that
/// have lost their owner), are assumptions.
struct BatchDeletion {
  let session: CascadeSession
  let parameters: CascadeParameters

  private var connection: Connection { session.store.connection }

  func run(_ recorder: Recorder) throws {
    var rows = RowDeletion(
      store: session.store,
      history: BatchHistory(session.store),
      removesFiles: parameters.batchExternalFiles == .removed,
      raisesVersions: parameters.batchVersions == .raised
    )
    defer { recorder.count(rows.fileCounters) }
    guard !parameters.ignoresRules else { return try deleteRoots(&rows) }
    switch parameters.batchShape {
    case .byLevel: try deleteByLevel(&rows)
    case .orphanCleanup: try deleteRootsThenOrphans(&rows)
    }
  }

  /// Deletes only the rows of the objects that the request selects, not those that delete rules
  /// reach.
  private func deleteRoots(_ rows: inout RowDeletion) throws {
    let array = try IntegerArray(connection: connection, name: "_Z_intarray0")
    array.values = session.keys
    try request(&rows) {
      _ = try $0.delete(from: session.root.table, where: Self.isRoot)
    }
  }

  private static let isRoot = "Z_PK IN (SELECT * FROM temp._Z_intarray0)"

  /// Throws a refusal if the deletion would set a mandatory reference to nil.
  ///
  /// Apps report that the whole batch delete then fails; no log shows how the frameworks find the
  /// references.
  private func checkMandatory(_ survivors: (CascadeGraph.Edge) -> String?) throws {
    guard parameters.refusesEmptying else { return }
    let edges = session.graph.edges(.nullify, from: [session.root.table]).filter(\.isBound)
    try check(edges, survivors) { edge in
      Refusal(
        .caseFailed,
        "the objects cannot be deleted: the inverse of '\(edge.name)' must not be empty"
      )
    }
  }

  /// Throws a refusal for the first relationship (edge) with a target row that meets the condition
  /// for it.
  private func check(
    _ edges: [CascadeGraph.Edge],
    _ condition: (CascadeGraph.Edge) -> String?,
    _ refusal: (CascadeGraph.Edge) -> Refusal
  ) throws {
    for edge in edges {
      guard let condition = condition(edge) else { continue }
      let query = "SELECT 1 FROM \(edge.target) WHERE \(condition) LIMIT 1"
      if try connection.integer(query) != nil { throw refusal(edge) }
    }
  }

  // MARK: Deletion level by level

  private func deleteByLevel(_ rows: inout RowDeletion) throws {
    try connection.transaction {
      let keysToDelete = KeysToDelete(
        connection: connection,
        graph: session.graph,
        root: session.root.table
      )
      try keysToDelete.collect(from: session.keys, in: session.root.table)
      try keysToDelete.checkDenials()
      try checkMandatory(keysToDelete.survivors)
      rows.history?.begin()
      try letGo(of: keysToDelete, &rows)
      for table in keysToDelete.tables.reversed() {
        _ = try rows.delete(from: table, where: keysToDelete.condition(in: table))
      }
    }
    try rows.didCommit()
  }

  /// Removes the references from surviving objects to deleted objects.
  private func letGo(of keysToDelete: KeysToDelete, _ rows: inout RowDeletion) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      for edge in session.graph.edges(rule, from: keysToDelete.tables) {
        if case .join(let table, let own, _) = edge.link {
          _ = try rows.deletePairs(table, where: "\(own) IN (\(keysToDelete.sources(of: edge)))")
        } else if rule == .nullify, let condition = keysToDelete.survivors(of: edge) {
          _ = try rows.nullify(edge, where: condition)
        }
      }
    }
  }

  // MARK: Deletion of orphans

  /// Runs each request in its own transaction, like the batch requests that an app executes one by
  /// one.
  private func deleteRootsThenOrphans(_ rows: inout RowDeletion) throws {
    let tables = session.graph.reached(from: session.root.table)
    try checkOrphansCanBeTold(in: tables)
    let array = try IntegerArray(connection: connection, name: "_Z_intarray0")
    array.values = session.keys
    func referring(_ edge: CascadeGraph.Edge) -> String? {
      guard case .targetColumn(let column, _) = edge.link else { return nil }
      return "\(column) IN (SELECT * FROM temp._Z_intarray0)"
    }
    // Check the deny rules first, because the statement that deletes the selected objects does not
    // enforce them.
    try check(session.graph.edges(.deny, from: [session.root.table]), referring, \.denial)
    try checkMandatory(referring)
    try request(&rows) {
      _ = try $0.delete(from: session.root.table, where: Self.isRoot)
    }
    let repeats = session.graph.isCyclic(tables)
    var found = 0
    repeat {
      found = 0
      for edge in session.graph.edges(.cascade, from: tables) {
        try request(&rows) { found += try $0.delete(from: edge.target, where: orphans(of: edge)) }
      }
    } while repeats && found > 0
    try request(&rows) { try letGoOfOrphans(tables, &$0) }
  }

  private func checkOrphansCanBeTold(in tables: [String]) throws {
    for edge in session.graph.edges(.cascade, from: tables) {
      guard case .targetColumn = edge.link else { throw edge.noOrphans }
    }
  }

  /// The condition that selects the rows whose source along an edge no longer exists.
  private func orphans(of edge: CascadeGraph.Edge) -> String {
    guard case .targetColumn(let column, _) = edge.link else { return "false" }
    return "\(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM \(edge.source))"
  }

  private func letGoOfOrphans(_ tables: [String], _ rows: inout RowDeletion) throws {
    for edge in session.graph.edges(.nullify, from: tables) {
      if case .join(let table, let own, _) = edge.link {
        _ = try rows.deletePairs(table, where: "\(own) NOT IN (SELECT Z_PK FROM \(edge.source))")
      } else {
        _ = try rows.nullify(edge, where: orphans(of: edge))
      }
    }
  }

  private func request(
    _ rows: inout RowDeletion,
    _ body: (inout RowDeletion) throws -> Void
  ) throws {
    try connection.transaction {
      rows.history?.begin()
      try body(&rows)
    }
    try rows.didCommit()
  }
}

/// Deletes and changes many rows with one statement each, with their history and external files.
struct RowDeletion {
  let store: PersistentStore
  /// Records the changes; `nil` if they are not recorded.
  let history: BatchHistory?
  /// Whether the files of deleted objects are removed.
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

  /// Deletes the rows of a table that meet a condition and returns their number.
  mutating func delete(from table: String, where condition: String) throws -> Int {
    try abandonFiles(of: table, where: condition)
    try history?.recordDeletions(from: table, where: condition)
    try connection.cached("DELETE FROM \(table) WHERE \(condition)").run()
    return connection.changes
  }

  /// Sets a relationship's column, and the columns for its target's entity and position, to NULL in
  /// the rows that meet a condition; returns the number of rows.
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

  /// Removes the files that rows no longer refer to.
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
