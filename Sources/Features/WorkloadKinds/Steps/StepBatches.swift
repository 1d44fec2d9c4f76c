import DataModel
import PersistentStore
import Runner
import SQLite

/// Changes the objects of steps with statements that each affect many rows, as batch requests do.
///
/// Each request runs in its own transaction and bypasses every context.
final class StepBatches {
  private let store: PersistentStore
  private let recordsHistory: Bool
  private lazy var graph = CascadeGraph(store.layout)
  /// The keys of a request's objects, which its statements read as a table.
  private lazy var keys = Result { try IntegerArray(connection: store.connection, name: Self.list) }
  private(set) var fileCounters = FileBytes().counters

  private static let list = "_Z_selected"

  init(_ store: PersistentStore, recordsHistory: Bool) {
    (self.store, self.recordsHistory) = (store, recordsHistory)
  }

  /// Sets the same values in all of the step's objects.
  func update(_ step: StepForm, _ changes: [StepOperation.ObjectChange]) throws {
    let names = try EntityNames(step.entity.name, in: store.layout)
    let values = changes.first?.values ?? []
    let sets = try values.map { (column: try names.column($0.property), expression: "?") }
    try request(changes.map(\.key), raisesVersions: true) { rows in
      rows.history?.begin()
      try rows.update(
        sets,
        values.map(\.value),
        in: names.table,
        where: "Z_PK IN (SELECT * FROM temp.\(Self.list))"
      )
    }
  }

  /// Deletes the step's objects, and follows the delete rules level by level.
  func delete(_ step: StepForm, _ keys: [Int64]) throws {
    let table = try EntityNames(step.entity.name, in: store.layout).table
    try request(keys, raisesVersions: false) { rows in
      let found = KeysToDelete(connection: store.connection, graph: graph, root: table)
      try found.collect(in: table) { "temp.\(Self.list)" }
      try rows.delete(found)
      try found.forget()
    }
  }

  private func request(
    _ keys: [Int64],
    raisesVersions: Bool,
    _ body: (inout BatchRows) throws -> Void
  ) throws {
    guard !keys.isEmpty else { return }
    try self.keys.get().values = keys
    var rows = BatchRows(
      store: store,
      history: recordsHistory ? BatchHistory(store) : nil,
      raisesVersions: raisesVersions
    )
    try store.connection.transaction("BEGIN EXCLUSIVE") { try body(&rows) }
    try rows.didCommit()
    fileCounters = fileCounters + rows.fileCounters
  }
}

extension Step {
  /// The assumptions about Apple's batch requests, which are the defaults of the kinds `bulk` and
  /// `cascadeDelete`.
  static let batchBehaviours: [Behaviour] = {
    var behaviours: [Behaviour] = []
    behaviours.add("batch", "by SQL in the store, past contexts", .documented)
    behaviours.add("batchHistory", "recorded", .documented)
    behaviours.add("batchSearch", "keys", .assumed)
    behaviours.add("batchVersions", "raised by an update only", .assumed)
    behaviours.add("batchShape", CascadeParameters.BatchShape.byLevel.rawValue, .assumed)
    behaviours.add("batchRules", CascadeParameters.BatchRules.followed.rawValue, .assumed)
    behaviours.add("batchExternalFiles", CascadeParameters.BatchFiles.removed.rawValue, .assumed)
    behaviours.add("merge", BulkParameters.Merge.reset.rawValue, .assumed)
    return behaviours
  }()
}
