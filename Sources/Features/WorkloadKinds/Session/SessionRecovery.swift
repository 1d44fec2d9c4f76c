import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

extension SessionWorkload {
  /// Determines which saves the app finds at its next launch, and checks that they are complete.
  func remains(
    of trial: Trial,
    beside finished: Trial,
    digest: String
  ) throws -> Remains {
    let store = try PersistentStore.open(trial.store)
    try store.connection.checkIntegrity()
    let found = try StoreInspection(store: trial.store, layout: store.layout).digest()
    let before = try StoreInspection(store: trial.start, layout: store.layout).digest()
    let missing = try checkSaves(store, trial)
    // Compare with the finished store first. If a session changes no values, the finished store
    // equals the original.
    if found == digest { return Remains(.new, digest: found) }
    if found == before { return Remains(.old, digest: found) }
    return Remains(.between, digest: found, lost: missing.lost, doubled: missing.added)
  }

  /// Counts the objects that are missing or new, after checking that the saves were completed in
  /// order.
  ///
  /// - Throws: ``VerificationFailure`` if a save is incomplete or follows a missing save.
  private func checkSaves(
    _ store: PersistentStore,
    _ trial: Trial
  ) throws -> (lost: Int, added: Int) {
    let script = try SessionScript(SessionSetting(parameters, store.layout), trial)
    guard let name = script.edited?.name else { return (0, 0) }
    let names = try EntityNames(parameters.entity, in: store.layout)
    let query = "SELECT Z_PK, \(try names.column(name)) FROM \(names.table)"
    func values(_ connection: Connection) throws -> [Int64: Value] {
      let rows = try connection.prepare(query).map { ($0.integer(at: 0), $0.value(at: 1)) }
      return Dictionary(keepingFirst: rows)
    }
    let (old, new) = (try values(trial.start.plainConnection()), try values(store.connection))
    var isEnded = false
    for step in script.steps {
      let edits = step.edits.filter { old[$0.key] != $0.value }
      let done = edits.count { new[$0.key] == $0.value }
      guard done == 0 || done == edits.count, done == 0 || !isEnded else {
        throw VerificationFailure(["\(done) of \(edits.count) edits of one save are in the store"])
      }
      isEnded = isEnded || done < edits.count
    }
    let (before, after) = (Set(old.keys), Set(new.keys))
    return (before.subtracting(after).count, after.subtracting(before).count)
  }
}
