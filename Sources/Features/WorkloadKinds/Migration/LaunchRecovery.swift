import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// The recovery that an app performs before it opens its store.
///
/// It completes a file replacement that an earlier launch began, and removes unfinished files. If
/// no launch has touched the store yet, it does nothing.
struct LaunchRecovery {
  let trial: Trial
  let parameters: MigrationParameters

  private var marker: MigrationMarker {
    MigrationMarker(store: trial.store, version: parameters.to)
  }

  private var newStore: StoreFile { trial.newStore }

  func run() throws -> Bool {
    var files = FileBytes()
    try endSwap(&files)
    let isComplete = marker.isThere
    // Keep the new store of a gradual migration, because the next launch adds to its records.
    if parameters.isInNewFile, !isComplete, parameters.strategy != .gradual {
      try newStore.remove()
    }
    return isComplete
  }

  private func endSwap(_ files: inout FileBytes) throws {
    let restored = StoreBackup(of: trial.store, method: parameters.backup, in: trial.folder)
      .restored
    if StoreSwap(new: restored, old: trial.store).isUnderWay, restored.exists {
      try swap(restored, &files)
    } else if parameters.swaps, newStore.exists, marker.isThere {
      try swap(newStore, &files)
    }
    try StoreSwap(new: newStore, old: trial.store).removeOld(&files)
  }

  /// Checkpoints the WALs that a killed launch has left, then replaces the old store with the new
  /// one.
  private func swap(_ new: StoreFile, _ files: inout FileBytes) throws {
    for store in [trial.store, new] where store.walBytes > 0 {
      try trial.open(store).connection.checkpoint()
    }
    try StoreSwap(new: new, old: trial.store).run(&files)
  }
}

extension Trial {
  var newStore: StoreFile { StoreFile(path: folder + "/migrated/" + store.name) }
}

/// A file next to a store.
///
/// It marks the store's migration as complete, so that the next launch does not repeat it.
struct MigrationMarker {
  let store: StoreFile
  let version: String

  private var path: String { "\(store.folder)/.\(store.name).migrated" }
  private var text: [UInt8] { Array("migrated to \(version)\n".utf8) }

  var isThere: Bool { FileManager.default.contents(atPath: path) == Data(text) }

  /// Writes the marker durably.
  ///
  /// The migrated store must already be durable.
  func write(_ files: inout FileBytes) throws {
    try text.withUnsafeBytes { try files.write($0, to: path, durable: true) }
    _ = CountingVFS.installed?.faults?.meet(.marker, path: path)
  }

  /// Removes the marker durably if it exists.
  func remove(_ files: inout FileBytes) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    try files.remove(path)
    try files.syncFolder(of: path)
  }
}

/// The progress of a custom stage, saved with each batch in the store's metadata.
///
/// Apps may add entries to the metadata (`NSPersistentStoreCoordinator.setMetadata(_:for:)`).
/// Without this entry, transformed values could not be identified after a kill: the store has the
/// new model from the start of didMigrate, and the old one until the end of willMigrate.
enum StageProgress: Hashable {
  /// Every object up to this key is transformed.
  case through(Int64)
  case complete

  private static let name = "storebenchStage"

  /// The progress in the store's metadata; `nil` if no stage is in progress.
  init?(_ store: PersistentStore) throws {
    let metadata = try StoreMetadata(from: store.connection, path: store.file.path)
    guard let key = metadata.others[Self.name]?.integer else { return nil }
    self = key == .max ? .complete : .through(key)
  }

  var entry: [String: PropertyList?] {
    switch self {
    case .through(let key): [Self.name: .integer(key)]
    case .complete: [Self.name: .integer(.max)]
    }
  }

  static var noEntry: [String: PropertyList?] { [name: PropertyList?.none] }

  /// The last transformed key; a value below every key if no object is transformed yet.
  var key: Int64 {
    switch self {
    case .through(let key): key
    case .complete: .max
    }
  }
}

extension MigrationWorkload {
  /// Whether a killed migration leaves either the old or the new state, and never a state in
  /// between.
  ///
  /// This holds for a single transaction and for a copy that is not read before it is complete. It
  /// does not hold if objects are merged in batches beforehand or if a backup is restored
  /// afterwards.
  var isAtomic: Bool {
    guard parameters.duplicates != .merged, !parameters.rollsBack else { return false }
    return switch parameters.strategy {
    case .lightweight: parameters.via.isEmpty
    case .onCopy, .sideBySide, .exportImport, .mappingModel: true
    case .staged, .customStage, .additive, .gradual: false
    }
  }
}

/// Reads the data that a killed migration has left, as the app does: it recovers the files, then
/// opens the store that the marker indicates.
struct RemainsReader {
  let parameters: MigrationParameters
  let trial: Trial
  let finished: Trial
  let digest: String

  init(_ parameters: MigrationParameters, _ trial: Trial, _ finished: Trial, _ digest: String) {
    (self.parameters, self.trial) = (parameters, trial)
    (self.finished, self.digest) = (finished, digest)
  }

  func read() throws -> Remains {
    let isComplete = try LaunchRecovery(trial: trial, parameters: parameters).run()
    let before = try FoundStore(trial.start, isResting: true)
    let isInNewStore = isComplete && parameters.isInNewFile && !parameters.swaps
    let found = try FoundStore(isInNewStore ? trial.newStore : trial.store)
    if parameters.strategy == .gradual, !isComplete { return try union(found, before) }
    switch found.digest {
    case digest: return Remains(.new, digest: found.digest)
    case before.digest: return Remains(.old, digest: found.digest)
    default: return try between(found, before)
    }
  }

  /// The store that contains the objects at the end of the trial that was not killed.
  private var finishedStore: StoreFile {
    parameters.isInNewFile && !parameters.swaps ? finished.newStore : finished.store
  }

  private func between(_ found: FoundStore, _ before: FoundStore) throws -> Remains {
    let after = try FoundStore(finishedStore, isResting: true)
    let mapping = try mapping(from: before.model, to: after.model)
    let all = try before.objects(in: after.model, by: mapping)
    var here = try found.objects(
      in: after.model,
      by: found.model == before.model ? mapping : nil
    )
    // Until the backup is restored, its objects still exist, so count them too.
    let backup = StoreBackup(of: trial.store, method: parameters.backup, in: trial.folder).backup
    if parameters.rollsBack, backup.exists {
      here.keys.formUnion(try FoundStore(backup).objects(in: after.model).keys)
    }
    let last = try after.objects(in: after.model)
    // Copies have new keys, so only their number shows whether objects are missing.
    let lost =
      parameters.leavesNewStore
      ? last.counts.reduce(0) { $0 + max(0, $1.value - here.counts[$1.key, default: 0]) }
      : all.keys.intersection(last.keys).subtracting(here.keys).count
    return Remains(
      .between,
      digest: found.digest,
      lost: lost,
      doubled: mapping == nil
        ? here.keys.subtracting(all.keys).count : here.surplus(over: last)
    )
  }

  /// The mapping from a map file or mapping model; `nil` if entities are matched only by name.
  private func mapping(from source: Model, to destination: Model) throws -> MappingModel? {
    guard parameters.leavesNewStore, parameters.isMapped || parameters.strategy == .mappingModel
    else { return nil }
    let files = ModelFiles(folder: trial.workloadsFolder)
    return try parameters.mapping(from: source, to: destination, files)
  }

  /// The data that remains for an app that reads both stores.
  ///
  /// A record in the new store replaces the same record in the old store.
  private func union(_ old: FoundStore, _ before: FoundStore) throws -> Remains {
    let lost = old.digest == before.digest ? 0 : try between(old, before).lost
    guard let new = try? FoundStore(trial.newStore) else {
      return Remains(.old, digest: old.digest, lost: lost)
    }
    let after = try FoundStore(finishedStore, isResting: true)
    let (here, last) = (try new.objects(in: after.model), try after.objects(in: after.model))
    let doubled = here.surplus(over: last)
    let isEmpty = here.counts.values.allSatisfy { $0 == 0 }
    let state: Remains.State = new.digest == digest ? .new : isEmpty ? .old : .between
    return Remains(state, digest: new.digest, lost: lost, doubled: doubled)
  }
}

extension RemainsReader {
  private struct FoundStore {
    struct Objects {
      struct Key: Hashable {
        let entity: String
        let key: Int64
      }

      var keys: Set<Key> = []
      var counts: [String: Int] = [:]

      /// Adds up, over all entities, how many more objects this store has than another store.
      func surplus(over others: Objects) -> Int {
        counts.reduce(0) { $0 + max(0, $1.value - others.counts[$1.key, default: 0]) }
      }
    }

    let file: StoreFile
    let layout: StoreLayout
    let digest: String

    var model: Model { layout.model }

    /// Opens a store as an app does, so that SQLite rolls back an uncommitted transaction.
    ///
    /// If `isResting` is true, no process may have the store open, and the store is not changed.
    init(_ file: StoreFile, isResting: Bool = false) throws {
      self.file = file
      let store = try PersistentStore.open(file, mode: isResting ? file.restingMode : .readWrite)
      layout = store.layout
      try store.connection.checkIntegrity()
      digest = try StoreInspection(store: file, layout: layout)
        .digest(.content)
    }

    /// The objects whose entities still exist in the new model.
    ///
    /// With a map, one object may become several, so only the number of objects is known.
    func objects(in last: Model, by map: MappingModel? = nil) throws -> Objects {
      let content = try StoreContent(store: file, layout: layout)
      var objects = Objects()
      if let map {
        objects.counts = try MappedCopy(
          map,
          from: layout,
          to: StoreLayout(model: last, keepsHistory: layout.keepsHistory),
          now: 0,
          schema: "main"
        ).counts(on: content.connection).mapValues { Int($0) }
        return objects
      }
      let mapping = MappingModel(from: layout.model, to: last)
      for table in layout.tables {
        let rows = try content.connection.prepare(
          "SELECT Z_ENT, Z_PK FROM \(table.name.quotedName)"
        )
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
}
