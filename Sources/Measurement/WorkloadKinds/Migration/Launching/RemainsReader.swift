import DataModel
import PersistentStore
import Runner
import SQLite

/// Reads what a killed migration has left, as its app does: after it has ended what was begun with
/// files, from the store that its marker names.
struct RemainsReader {
  let parameters: MigrationParameters
  let trial: Trial
  /// A trial that nobody disturbed, and what its content comes to.
  let finished: Trial
  let digest: String

  func read() throws -> Remains {
    let isComplete = try LaunchRecovery(trial: trial, parameters: parameters).run()
    let before = try FoundStore(trial.start, isResting: true)
    let isInNewStore = isComplete && parameters.leavesNewStore && !parameters.swaps
    let found = try FoundStore(isInNewStore ? trial.newStore : trial.store)
    if parameters.strategy == .gradual, !isComplete { return try union(found, before) }
    switch found.digest {
    case digest: return Remains(.new, digest: found.digest)
    case before.digest: return Remains(.old, digest: found.digest)
    default: return try between(found, before)
    }
  }

  /// The finished trial's store of the objects.
  private var finishedStore: StoreFile {
    parameters.leavesNewStore && !parameters.swaps ? finished.newStore : finished.store
  }

  private func between(_ found: FoundStore, _ before: FoundStore) throws -> Remains {
    let after = try FoundStore(finishedStore, isResting: true)
    let all = try before.objects(in: after.model)
    var here = try found.objects(in: after.model)
    // What is put back at the end is in the backup until then.
    let backup = StoreBackup(of: trial.store, method: parameters.backup, in: trial.folder).backup
    if parameters.rollsBack, backup.exists {
      here.keys.formUnion(try FoundStore(backup).objects(in: after.model).keys)
    }
    let last = try after.objects(in: after.model)
    // Copies have keys of their own, so that only their number says whether all are there.
    let lost =
      parameters.leavesNewStore
      ? last.counts.reduce(0) { $0 + max(0, $1.value - here.counts[$1.key, default: 0]) }
      : all.keys.intersection(last.keys).subtracting(here.keys).count
    return Remains(
      .between,
      digest: found.digest,
      lost: lost,
      doubled: here.keys.subtracting(all.keys).count
    )
  }

  /// A reader of both stores: a record in the new one stands for the same record in the old one.
  private func union(_ old: FoundStore, _ before: FoundStore) throws -> Remains {
    let lost = old.digest == before.digest ? 0 : try between(old, before).lost
    guard let new = try? FoundStore(trial.newStore) else {
      return Remains(.old, digest: old.digest, lost: lost)
    }
    let after = try FoundStore(finishedStore, isResting: true)
    let (here, last) = (
      try new.objects(in: after.model).counts, try after.objects(in: after.model).counts
    )
    let doubled = here.reduce(0) { $0 + max(0, $1.value - last[$1.key, default: 0]) }
    let state: Remains.State =
      new.digest == digest ? .new : here.values.allSatisfy { $0 == 0 } ? .old : .between
    return Remains(state, digest: new.digest, lost: lost, doubled: doubled)
  }
}

/// A store as somebody finds it who knows nothing of it.
private struct FoundStore {
  /// The objects of a store, by their entities' names in the last model.
  struct Objects {
    struct Key: Hashable {
      let entity: String
      let key: Int64
    }

    var keys: Set<Key> = []
    var counts: [String: Int] = [:]
  }

  let file: StoreFile
  let layout: StoreLayout
  let digest: String

  var model: Model { layout.model }

  /// Opens a store as an app does, so that SQLite takes back what was not committed; or one that
  /// rests and must stay as it is.
  init(_ file: StoreFile, isResting: Bool = false) throws {
    self.file = file
    let store = try PersistentStore.open(file, mode: isResting ? file.restingMode : .readWrite)
    layout = store.layout
    let damage = try store.connection.text("PRAGMA integrity_check") ?? ""
    guard damage == "ok" else { throw VerificationFailure(["the store is damaged: \(damage)"]) }
    digest = try StoreInspection(store: file, layout: layout)
      .digest(DigestOptions(identity: .content))
  }

  /// Objects of entities that the last model has no more are left out.
  func objects(in last: Model) throws -> Objects {
    let mapping = MappingModel(from: layout.model, to: last)
    let content = try StoreContent(store: file, layout: layout)
    var objects = Objects()
    for table in layout.tables {
      let rows = try content.connection.prepare("SELECT Z_ENT, Z_PK FROM \(table.name.quotedName)")
      while try rows.step() {
        let number = Int(truncatingIfNeeded: rows.integer(at: 0))
        guard let entity = layout.numbers.entity(number),
          let successor = mapping.mapping(from: entity.name)?.destination
        else { continue }
        objects.keys.insert(Objects.Key(entity: successor, key: rows.integer(at: 1)))
        objects.counts[successor, default: 0] += 1
      }
    }
    return objects
  }
}
