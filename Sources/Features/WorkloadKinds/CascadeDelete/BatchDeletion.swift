import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Deletes many objects with each statement, bypassing every context.
///
/// No public log shows the statements of `NSBatchDeleteRequest` (coredata-format.md, section 13).
/// Both variants are therefore assumptions: deletion level by level, and deletion with a cleanup of
/// orphans (objects that have lost their owner).
struct BatchDeletion {
  let session: CascadeSession
  let parameters: CascadeParameters

  private var connection: Connection { session.store.connection }

  func run(_ recorder: Recorder) throws {
    var rows = BatchRows(
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

  /// Deletes only the rows of the objects that the request selects, not those that the delete rules
  /// would also delete.
  private func deleteRoots(_ rows: inout BatchRows) throws {
    let array = try IntegerArray(connection: connection, name: "_Z_intarray0")
    array.values = session.keys
    try request(&rows) {
      _ = try $0.delete(from: session.root.table, where: Self.isRoot)
    }
  }

  private static let isRoot = "Z_PK IN (SELECT * FROM temp._Z_intarray0)"

  /// Throws a refusal if the deletion would set a mandatory reference to nil.
  ///
  /// Apps report that the whole batch delete then fails; no log shows how Core Data finds the
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

  private func deleteByLevel(_ rows: inout BatchRows) throws {
    let keysToDelete = KeysToDelete(
      connection: connection,
      graph: session.graph,
      root: session.root.table
    )
    try connection.transaction {
      try keysToDelete.collect(from: session.keys, in: session.root.table)
      try rows.delete(keysToDelete) { try checkMandatory(keysToDelete.survivors) }
    }
    try rows.didCommit()
  }

  // MARK: Deletion of orphans

  /// Runs each request in its own transaction, like the batch requests that an app executes one by
  /// one.
  private func deleteRootsThenOrphans(_ rows: inout BatchRows) throws {
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

  /// The condition that selects the orphans: rows whose source along a relationship (edge) no
  /// longer exists.
  private func orphans(of edge: CascadeGraph.Edge) -> String {
    guard case .targetColumn(let column, _) = edge.link else { return "false" }
    return "\(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM \(edge.source))"
  }

  private func letGoOfOrphans(_ tables: [String], _ rows: inout BatchRows) throws {
    for edge in session.graph.edges(.nullify, from: tables) {
      if case .join(let table, let own, _) = edge.link {
        _ = try rows.deletePairs(table, where: "\(own) NOT IN (SELECT Z_PK FROM \(edge.source))")
      } else {
        _ = try rows.nullify(edge, where: orphans(of: edge))
      }
    }
  }

  private func request(
    _ rows: inout BatchRows,
    _ body: (inout BatchRows) throws -> Void
  ) throws {
    try connection.transaction {
      rows.history?.begin()
      try body(&rows)
    }
    try rows.didCommit()
  }
}
