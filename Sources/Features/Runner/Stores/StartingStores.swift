import PersistentStore
import SQLite

/// The stores that cases start from where they are not the workloads' own: each made once, and
/// copied by every trial that begins with it.
package final class StartingStores {
  /// What a starting store is made from.
  private struct Key: Hashable {
    let original: StoreFile
    let kind: String
    /// Its name means the same store only in one workload file.
    let workload: String
    let name: String
    let settings: ConnectionSettings
    let seed: UInt64
  }

  private struct Made {
    let key: Key
    let folder: String
    let store: StoreFile
    let obstacle: String?
    /// Whether a case still begins with it.
    var isInUse: Bool
  }

  /// Bytes that must stay free besides, as a multiple of a store's: its copies and their growth.
  private static let spareFactor: Int64 = 8

  /// What was found right on stores that began with them, or with the workloads' own.
  let verified = VerifiedOutcomes()
  private let capacity: Int
  private var made: [Made] = []
  private var count = 0

  /// Keeps so many after their last use, and fewer where the disk becomes full.
  package init(capacity: Int = 0) {
    self.capacity = capacity
  }

  /// The starting store of a case, made by a worker where it is not kept; or what kept it from being
  /// made.
  ///
  /// - Throws: what keeps the worker from being started or a store from being copied.
  func store(
    for planned: Case,
    of file: WorkloadFile,
    from original: PreparedStore,
    in scratch: ScratchFolder,
    executor: any TrialExecutor
  ) throws -> (store: StoreFile, obstacle: String?) {
    let key = Key(
      original: original.store,
      kind: file.kind.name,
      workload: file.path,
      name: planned.traits.startingStore ?? "",
      settings: file.settings,
      seed: file.trials.seed
    )
    if let index = made.firstIndex(where: { $0.key == key }) {
      made[index].isInUse = true
      return (made[index].store, made[index].obstacle)
    }
    makeRoom(for: original.store.bytes, in: scratch)
    let folder = "start-\(count)"
    count += 1
    let (store, obstacle) = try original.startingStore(
      for: planned,
      of: file,
      in: scratch,
      named: folder,
      executor: executor
    )
    made.append(
      Made(key: key, folder: folder, store: store, obstacle: obstacle, isInUse: true)
    )
    return (store, obstacle)
  }

  /// Takes back a store that no case begins with any more; stores from elsewhere stay as they are.
  func release(_ store: StoreFile, in scratch: ScratchFolder) {
    guard let index = made.firstIndex(where: { $0.store == store }) else { return }
    made[index].isInUse = false
    while made.count(where: { !$0.isInUse }) > capacity { removeOldest(in: scratch) }
  }

  /// Removes the oldest ones that are not in use until another one may be made.
  private func makeRoom(for bytes: Int64, in scratch: ScratchFolder) {
    while made.contains(where: { !$0.isInUse }),
      (FreeDisk.bytes(at: scratch.path) ?? .max) < bytes * Self.spareFactor
    { removeOldest(in: scratch) }
  }

  private func removeOldest(in scratch: ScratchFolder) {
    guard let oldest = made.firstIndex(where: { !$0.isInUse }) else { return }
    scratch.removeFolder(made.remove(at: oldest).folder)
  }
}
