import DataModel

/// Who follows the relationships of the objects that are deleted.
enum CascadeStrategy: String, CaseIterable, Sendable {
  /// The context, object by object, with a fault for each and a statement for each.
  case objectByObject
  /// Statements for many objects at once, past the context (`NSBatchDeleteRequest`).
  case batchDelete
  /// SQLite, by FOREIGN KEY clauses that no store of the frameworks has.
  case sqlForeignKey
}

/// Whose objects are deleted.
enum CascadeShape: String, CaseIterable, Sendable {
  /// A chain of entities of the kind's own making.
  case chain
  /// The workload's own store.
  case own
}

/// The delete rule from the chain's roots to their children; below, all cascades.
enum CascadeRule: String, CaseIterable, Sendable {
  case cascade
  case nullify
  case deny

  var deleteRule: DeleteRule {
    switch self {
    case .cascade: .cascade
    case .nullify: .nullify
    case .deny: .deny
    }
  }
}

/// What statements a batch delete is made of.
enum BatchDeleteShape: String, CaseIterable, Sendable {
  /// One transaction that finds the keys level by level, then deletes each table's.
  case byLevel
  /// A request for the roots alone; then one for what has lost its source, level by level.
  case orphanCleanup
}

/// What becomes of the external files of objects that a batch delete deletes.
enum BatchExternalFiles: String, CaseIterable, Sendable {
  case removed
  case left
}

/// What becomes of the optimistic-lock counters of objects that lose a reference in a batch delete.
enum BatchVersions: String, CaseIterable, Sendable {
  case unchanged
  case raised
}
