import DataModel
import PersistentStore
import Runner
import SQLite

final class CascadeSession {
  let store: PersistentStore
  let root: CascadeRoot
  let graph: CascadeGraph
  let keys: [Int64]

  init(
    _ parameters: CascadeParameters,
    at file: StoreFile,
    settings: ConnectionSettings,
    seed: UInt64
  ) throws {
    var settings = settings
    settings.usesForeignKeys = parameters.strategy == .sqlForeignKey
    // Use a different seed from the seed of the store, so that new names do not collide with
    // existing names.
    let options = PersistentStore.Options(settings: settings, seed: seed ^ 0x7472_6961_6c)
    store = try PersistentStore.open(file, options: options)
    graph = CascadeGraph(store.layout)
    root = try CascadeRoot(of: parameters, in: store.layout)
    keys = parameters.chosen(of: try root.keys(store.connection), seed: seed)
  }
}

/// Deletes objects through a context, which follows the delete rules object by object.
struct ContextDeletion {
  /// The maximum number of keys that a statement lists to fetch the objects to delete.
  private static let fetchSize = 500

  let session: CascadeSession
  let rootsPerSave: Int
  let behaviours: StoreBehaviours

  func run(_ recorder: Recorder) throws {
    let context = try ObjectContext(store: session.store, behaviours: behaviours)
    defer {
      recorder.count(context.statistics)
      recorder.count(context.fileCounters)
    }
    let size = rootsPerSave == 0 ? session.keys.count : rootsPerSave
    for keys in session.keys.chunks(of: max(1, size)) {
      try recorder.phase(.phases.delete) { try delete(keys, in: context) }
      try recorder.phase(.phases.save) { try context.save() }
      context.reset()
    }
  }

  private func delete(_ keys: ArraySlice<Int64>, in context: ObjectContext) throws {
    for some in keys.chunks(of: Self.fetchSize) {
      let isOne = Predicate.keys(Array(some))
      try context.fetch(FetchRequest(session.root.entity, predicate: isOne)).each(context.delete)
    }
  }
}

/// Deletes the selected objects and lets SQLite follow the FOREIGN KEY clauses.
///
/// SQLite writes no history and removes no external files, so the paths of the files are collected
/// before the deletion.
struct ForeignKeyDeletion {
  let session: CascadeSession

  func run(_ recorder: Recorder) throws {
    let connection = session.store.connection
    var rows = BatchRows(store: session.store)
    defer { recorder.count(rows.fileCounters) }
    let keysToDelete = KeysToDelete(
      connection: connection,
      graph: session.graph,
      root: session.root.table
    )
    let array = try IntegerArray(connection: connection, name: "_Z_roots")
    array.values = session.keys
    try connection.transaction {
      try abandonFiles(keysToDelete, &rows)
      try connection.cached(
        "DELETE FROM \(session.root.table) WHERE Z_PK IN (SELECT * FROM temp._Z_roots)"
      ).run()
      try emptyColumnsBeside()
    }
    try rows.didCommit()
  }

  private func abandonFiles(_ keysToDelete: KeysToDelete, _ rows: inout BatchRows) throws {
    let tables = session.store.layout.tables
    let withFiles = keysToDelete.tables.filter { name in
      tables.contains { $0.name == name && !$0.externalColumns.isEmpty }
    }
    guard !withFiles.isEmpty else { return }
    try keysToDelete.collect(from: session.keys, in: session.root.table)
    for table in withFiles {
      try rows.abandonFiles(of: table, where: keysToDelete.condition(in: table))
    }
  }

  /// Sets a target's entity and position columns to NULL, because a FOREIGN KEY clause clears only
  /// the key column.
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
