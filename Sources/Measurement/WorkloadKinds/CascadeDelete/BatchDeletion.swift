import DataModel
import PersistentStore
import Runner
import SQLite

/// Deletes objects by statements for many rows at once, past every context.
///
/// No public log shows the statements of `NSBatchDeleteRequest` (coredata-format.md, section 13),
/// so that both shapes are assumed.
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
    switch parameters.batchShape {
    case .byLevel: try deleteByLevel(&rows)
    case .orphanCleanup: try deleteRootsThenOrphans(&rows)
    }
  }

  // MARK: By level

  private func deleteByLevel(_ rows: inout RowDeletion) throws {
    try connection.transaction {
      let doomed = DoomedKeys(
        connection: connection,
        graph: session.graph,
        root: session.root.table
      )
      try doomed.collect(from: session.keys, in: session.root.table)
      try doomed.checkDenials()
      rows.history?.begin()
      try letGo(of: doomed, &rows)
      for table in doomed.tables.reversed() {
        _ = try rows.delete(from: table, where: doomed.condition(in: table))
      }
    }
    try rows.didCommit()
  }

  /// Empties what survives and leads to a doomed object.
  private func letGo(of doomed: DoomedKeys, _ rows: inout RowDeletion) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      for edge in session.graph.edges(rule, from: doomed.tables) {
        if case .join(let table, let own, _) = edge.link {
          _ = try rows.deletePairs(table, where: "\(own) IN (\(doomed.sources(of: edge)))")
        } else if rule == .nullify, let condition = doomed.survivors(of: edge) {
          _ = try rows.nullify(edge, where: condition)
        }
      }
    }
  }

  // MARK: Orphans

  /// Each request is a transaction of its own, as each `execute` of one is.
  private func deleteRootsThenOrphans(_ rows: inout RowDeletion) throws {
    let tables = session.graph.reached(from: session.root.table)
    try checkOrphansCanBeTold(in: tables)
    let array = try IntegerArray(connection: connection, name: "_Z_intarray0")
    array.values = session.keys
    try checkDenialsOfRoots()
    try request(&rows) {
      _ = try $0.delete(
        from: session.root.table,
        where: "Z_PK IN (SELECT * FROM temp._Z_intarray0)"
      )
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

  /// Asks first what a request for the roots alone would not be refused for.
  private func checkDenialsOfRoots() throws {
    for edge in session.graph.edges(.deny, from: [session.root.table]) {
      guard case .targetColumn(let column, _) = edge.link else { continue }
      let query =
        "SELECT 1 FROM \(edge.target) WHERE \(column) IN (SELECT * FROM temp._Z_intarray0) LIMIT 1"
      if try connection.integer(query) != nil {
        throw CascadeDeleteError.denied(relationship: edge.name)
      }
    }
  }

  private func checkOrphansCanBeTold(in tables: [String]) throws {
    for edge in session.graph.edges(.cascade, from: tables) {
      guard case .targetColumn = edge.link else {
        throw CascadeDeleteError.noOrphans(relationship: edge.name)
      }
    }
  }

  /// The condition that picks what leads by an edge to a source that is gone.
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
