import DataModel
import PersistentStore
import Runner
import SQLite

/// Deletes the roots and lets SQLite follow the FOREIGN KEY clauses.
///
/// SQLite knows nothing of history, and of external files only what it is asked before.
struct ForeignKeyDeletion {
  let session: CascadeSession

  func run(_ recorder: Recorder) throws {
    let connection = session.store.connection
    var rows = RowDeletion(store: session.store)
    defer { recorder.count(rows.fileCounters) }
    let doomed = DoomedKeys(
      connection: connection,
      graph: session.graph,
      root: session.root.table
    )
    let array = try IntegerArray(connection: connection, name: "_Z_roots")
    array.values = session.keys
    try connection.transaction {
      try abandonFiles(doomed, &rows)
      try connection.cached(
        "DELETE FROM \(session.root.table) WHERE Z_PK IN (SELECT * FROM temp._Z_roots)"
      ).run()
      try emptyColumnsBeside()
    }
    try rows.didCommit()
  }

  /// Finds the files of what will go, where any table may have some.
  private func abandonFiles(_ doomed: DoomedKeys, _ rows: inout RowDeletion) throws {
    let tables = session.store.layout.tables
    let withFiles = doomed.tables.filter { name in
      tables.contains { $0.name == name && !$0.externalColumns.isEmpty }
    }
    guard !withFiles.isEmpty else { return }
    try doomed.collect(from: session.keys, in: session.root.table)
    for table in withFiles {
      try rows.abandonFiles(of: table, where: doomed.condition(in: table))
    }
  }

  /// A clause empties one column; the target's entity and the place in an order are left to us.
  private func emptyColumnsBeside() throws {
    let connection = session.store.connection
    let reached = session.graph.reached(from: session.root.table)
    for edge in session.graph.edges(.nullify, from: reached) {
      guard case .targetColumn(let column, let others) = edge.link, !others.isEmpty else {
        continue
      }
      let sets = others.map { "\($0) = NULL" }.joined(separator: ", ")
      let isSet = others.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")
      try connection.cached(
        "UPDATE \(edge.target) SET \(sets) WHERE \(column) IS NULL AND (\(isSet))"
      ).run()
    }
  }
}
