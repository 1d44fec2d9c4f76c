import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

extension CascadeDeleteWorkload {
  func evidence(_ session: CascadeSession, _ trial: Trial) -> Evidence? {
    Evidence(stores: [trial.store])
  }

  func verify(_ session: CascadeSession, _ trial: Trial) throws -> Verification {
    let outcome = try CascadeOutcome(parameters, session, trial)
    let isRefused = expectedFailure != nil
    let inspection = StoreInspection(store: trial.store, layout: outcome.layout)
    let (digested, problems) = try atOnce(
      { Result { try inspection.digest() } },
      { try outcome.problems(isRefused: isRefused) }
    )
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(digest: try digested.get(), notes: isRefused ? [] : [outcome.summary])
  }
}

private struct CascadeOutcome {
  private let parameters: CascadeParameters
  private let trial: Trial
  private let root: CascadeRoot
  private let keys: [Int64]
  private let start: StoreContent
  private let closure: DeletionClosure

  var layout: StoreLayout { start.layout }

  init(_ parameters: CascadeParameters, _ session: CascadeSession, _ trial: Trial) throws {
    (self.parameters, self.trial) = (parameters, trial)
    (root, keys) = (session.root, session.keys)
    start = try StoreContent(store: trial.start, layout: session.store.layout)
    let followsRules = !parameters.ignoresRules
    // Use a copy with indexes, because otherwise SQLite would scan a table for every object.
    let content = followsRules && !parameters.hasChildIndex ? try Self.indexed(start, trial) : start
    closure = try DeletionClosure(
      of: root.entity,
      keys: keys,
      in: content,
      followsRules: followsRules
    )
  }

  private static func indexed(_ start: StoreContent, _ trial: Trial) throws -> StoreContent {
    let copy = StoreFile(path: trial.folder + "/indexed.sqlite")
    try copy.remove()
    try FileManager.default.copyItem(atPath: trial.start.path, toPath: copy.path)
    let connection = try Connection(path: copy.path, settings: nil)
    let layout = start.layout
    for index in layout.tables.flatMap({ layout.indexes(of: $0) }) where !index.isUnique {
      try connection.execute(
        index.sql.replacing("CREATE INDEX", with: "CREATE INDEX IF NOT EXISTS")
      )
    }
    return try StoreContent(store: copy, layout: layout)
  }

  var summary: String {
    "\(Figures.counted(keys.count, "object")) of '\(root.entity)' deleted, and "
      + "\(closure.count - keys.count) related objects"
  }

  /// The deviations from the delete rules, one sentence each; after a refused deletion, any change
  /// is a deviation.
  func problems(isRefused: Bool) throws -> [String] {
    var expected = ExpectedContent(from: start)
    var inspection = StoreInspection(store: trial.store, layout: layout)
    // Tolerate defects in a store that StoreBench did not generate, because they may be older than
    // the deletion.
    inspection.toleratesOldFaults = parameters.shape == .own
    if !parameters.hasChildIndex { inspection.exceptions.insert(.missingIndex) }
    guard !isRefused else {
      return try inspection.problems(expecting: expected) { $0.comparesVersions = true }
    }
    let isUnrecorded = parameters.strategy == .sqlForeignKey
    if isUnrecorded { inspection.exceptions.insert(.changeOfMissingObject) }
    if leavesFiles { inspection.exceptions.insert(.orphanedExternalFile) }
    // As in Core Data, a to-one relationship without an inverse keeps the key of a deleted object.
    let hasOneSided = layout.model.entities.contains { entity in
      entity.relationships.contains { !$0.isToMany && layout.model.inverse(of: $0) == nil }
    }
    if parameters.leavesReferences || parameters.shape == .own && hasOneSided {
      inspection.exceptions.insert(.danglingReference)
    }
    if parameters.isBound { inspection.exceptions.insert(.missingReference) }
    if parameters.ignoresRules { expected.nullification = .never }
    expected.raisesVersions =
      parameters.strategy == .objectByObject
      || parameters.strategy == .batchDelete && parameters.batchVersions == .raised
    try expected.remove(closure)
    let problems = try inspection.problems(
      expecting: expected,
      history: isUnrecorded ? .unchanged : .recording
    ) { $0.comparesVersions = true }
    return try problems.isEmpty ? fileProblems() + tombstoneProblems() : problems
  }

  private var leavesFiles: Bool {
    parameters.strategy == .batchDelete && parameters.batchExternalFiles == .left
  }

  /// Returns problems with the deleted objects' external files if a batch delete must leave them in
  /// place.
  ///
  /// If it must remove them, the audit finds files that are left over.
  private func fileProblems() -> [String] {
    guard leavesFiles else { return [] }
    let (before, after) = (files(of: trial.start), files(of: trial.store))
    return before.symmetricDifference(after).sorted().prefix(5).map {
      before.contains($0)
        ? "the external file '\($0)' of a deleted object is gone"
        : "no object has the external file '\($0)'"
    }
  }

  private func files(of store: StoreFile) -> Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: store.externalDataFolder)) ?? [])
  }

  /// Problems with the tombstones: history entries that keep a deleted object's preserved values.
  private func tombstoneProblems() throws -> [String] {
    guard layout.keepsHistory, layout.tombstoneCount > 0, parameters.strategy != .sqlForeignKey
    else { return [] }
    let after = try trial.store.plainConnection()
    let last = try start.connection.integer("SELECT max(Z_PK) FROM ACHANGE") ?? 0
    let tombstones = (0..<layout.tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
    var found = Findings<String>(limit: 5)
    for entity in layout.numbers.entities {
      let preserved = SystemTables.preservedAttributes(of: entity, in: layout.model).compactMap {
        layout.column(of: $0.name, in: entity.name)?.name
      }
      guard let table = layout.table(of: entity.name)?.name, !preserved.isEmpty else { continue }
      let row = try start.connection.prepare(
        "SELECT \(preserved.joined(separator: ", ")) FROM \(table) WHERE Z_PK = ?"
      )
      let change = try after.prepare(
        "SELECT ZENTITYPK\(tombstones) FROM ACHANGE WHERE ZCHANGETYPE = 2 AND Z_PK > \(last) "
          + "AND ZENTITY = \(layout.numbers[entity.name] ?? 0) ORDER BY Z_PK"
      )
      while try change.step() {
        let key = change.integer(at: 0)
        row.reset()
        row.bind(key, at: 1)
        guard try row.step() else { continue }
        for index in 0..<layout.tombstoneCount {
          let expected = index < preserved.count ? row.value(at: index) : .null
          let value = change.value(at: 1 + index)
          if value != expected {
            found.add("tombstone \(index) of \(entity.name) \(key) is \(value), not \(expected)")
          }
        }
      }
    }
    return found.sentences
  }
}
