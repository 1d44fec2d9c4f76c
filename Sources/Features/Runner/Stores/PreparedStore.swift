import Foundation
import PersistentStore
import SQLite

/// A workload's own store, ready to be copied.
package struct PreparedStore: Sendable {
  package let store: StoreFile
  package let description: StoreDescription
  /// The recipe that the store was generated from; `nil` if an app made it.
  package var recipe: RecipeReference?
  /// Whether the store may break rules of its layout, because an app made it or its recipe plants
  /// defects.
  package var mayBreakRules = true
  /// The path at which the user keeps the store; `nil` if it was generated from a recipe.
  package var userPath: String?

  /// Returns the description of a trial on a copy of this store or of a starting store made from
  /// it.
  package func trial(on copy: StoreFile, start: StoreFile, folder: String, file: WorkloadFile)
    -> Trial
  {
    Trial(
      store: copy,
      start: start,
      original: store,
      recipe: recipe,
      folder: folder,
      workloadsFolder: file.folder,
      settings: file.settings,
      seed: file.trials.seed,
      isDirty: mayBreakRules,
      userPath: userPath
    )
  }
}

/// Provides the stores of workload files.
package protocol StoreProvider {
  /// Returns the store of a workload file: generated, copied, or taken from a cache.
  ///
  /// The caller must not write to the store.
  func store(for file: WorkloadFile, in scratch: ScratchFolder) throws -> PreparedStore
}

extension PreparedStore {
  /// Makes a case's starting store in a subfolder of the scratch folder, replacing any earlier
  /// starting store.
  ///
  /// - Returns: the store and, if it could not be made, the reason; otherwise `nil` as the reason.
  /// - Throws: any error from starting the worker or copying the store.
  package func startingStore(
    for planned: Case,
    of file: WorkloadFile,
    in scratch: ScratchFolder,
    named folder: String = "start",
    executor: any TrialExecutor
  ) throws -> (store: StoreFile, obstacle: String?) {
    let copy = try StoreCopier.copy(store, into: try scratch.emptyFolder(folder))
    let request = TrialRequest(
      task: .makeStartingStore,
      kind: file.kind.name,
      parameters: planned.allParameters,
      trial: trial(on: copy, start: store, folder: try scratch.emptyFolder("work"), file: file)
    )
    let response = try executor.execute(request, within: TrialLimits(time: file.trials.timeLimit))
    if case .failed(let cause) = response.outcome { return (copy, cause) }
    return (copy, nil)
  }
}

/// The free disk space to keep, as a multiple of the store's size, for copies and their growth.
private let freeFactor: Int64 = 8

/// A copy of a store, shared by cases that only read, with the state of its files when it was made.
package struct ReadingCopy {
  package let store: StoreFile
  private let fingerprint: StoreFingerprint
  /// The metadata of the copy's files; empty if the timestamps are so recent that a later write
  /// could leave them unchanged.
  private let stamps: [FileStamp?]

  package init(of start: StoreFile, into folder: String, settings: ConnectionSettings) throws {
    store = try StoreCopier.readingCopy(of: start, into: folder, settings: settings)
    fingerprint = try StoreFingerprint(of: store)
    // File system timestamps may advance in steps of several milliseconds, so only timestamps at
    // least 20 ms old are reliable.
    let settled = Int64(Date.now.timeIntervalSince1970 * 1e9) - 20_000_000
    let stamps = Self.stamps(of: store)
    self.stamps = stamps.allSatisfy { ($0?.changeTime ?? .max) < settled } ? stamps : []
  }

  /// Returns a description of the first change in the copy, or `nil` if it is unchanged.
  ///
  /// Files are read only if their metadata differs or is unreliable, because reading a large store
  /// after each trial would take far longer than the trial.
  package func change() throws -> String? {
    if !stamps.isEmpty, Self.stamps(of: store) == stamps { return nil }
    return try StoreFingerprint(of: store).change(since: fingerprint)
  }

  private static func stamps(of store: StoreFile) -> [FileStamp?] {
    StoreFingerprint.files(of: store).map(FileStamp.init)
  }
}

/// Provides the copies that trials use: one shared copy for cases that only read, and a fresh copy
/// per trial for other cases.
struct TrialStores {
  let scratch: ScratchFolder
  let start: StoreFile
  let settings: ConnectionSettings
  let name: String
  private(set) var shared: ReadingCopy?
  private let spare = SpareCopy()

  private final class SpareCopy { var isReady = false }

  mutating func sharedCopy() throws -> StoreFile {
    if let shared { return shared.store }
    let copy = try ReadingCopy(
      of: start,
      into: try scratch.emptyFolder(name + "shared"),
      settings: settings
    )
    shared = copy
    return copy.store
  }

  /// Returns a description of the first change in the shared copy, or `nil` if there is none.
  ///
  /// A changed copy is no longer used.
  mutating func changeOfSharedCopy() throws -> String? {
    let change = try shared?.change()
    if change != nil { shared = nil }
    return change
  }

  func freshCopy() throws -> StoreFile {
    guard spare.isReady else {
      return try StoreCopier.copy(start, into: try scratch.emptyFolder(name + "trial"))
    }
    spare.isReady = false
    // All trials use the same path, because the `Evidence` of an outcome contains the path. With
    // different paths, no trial could reuse an earlier trial's verification.
    let folder = try scratch.moveFolder(name + "spare", to: name + "trial")
    return StoreFile(path: folder + "/" + start.name)
  }

  /// Copies the store for the next trial while the current copy is still in use; does nothing if
  /// the disk might fill up.
  func copyAhead() {
    guard !spare.isReady, (FreeDisk.bytes(at: scratch.path) ?? .max) > start.bytes * freeFactor
    else { return }
    let folder = try? scratch.emptyFolder(name + "spare")
    spare.isReady = folder.flatMap { try? StoreCopier.copy(start, into: $0) } != nil
  }

  func workFolder() throws -> String {
    try scratch.emptyFolder("work")
  }

  /// Copies of the same store in separate folders, for a trial that must not affect other trials.
  var separate: TrialStores {
    TrialStores(scratch: scratch, start: start, settings: settings, name: name + "separate-")
  }

  func remove() {
    for copy in ["shared", "trial", "spare"] { scratch.removeFolder(name + copy) }
  }
}

extension Run {
  /// The stores from which a workload's cases start; each store is made when its first case runs.
  final class JobStores {
    private struct Entry {
      var copies: TrialStores
      let obstacle: String?
    }

    private let runner: WorkloadRunner
    private var entries: [String: Entry] = [:]
    private var made = 0

    init(runner: WorkloadRunner) {
      self.runner = runner
    }

    private static func key(of planned: Case) -> String { planned.traits.startingStore ?? "" }

    func use<Result>(
      for planned: Case,
      _ body: (inout TrialStores, _ obstacle: String?) throws -> Result
    ) throws -> Result {
      let key = Self.key(of: planned)
      var entry = try entries[key] ?? makeEntry(for: planned)
      defer { entries[key] = entry }
      return try body(&entry.copies, entry.obstacle)
    }

    func copyAhead(for planned: Case) {
      guard !planned.traits.onlyReads, let entry = entries[Self.key(of: planned)],
        entry.obstacle == nil
      else { return }
      entry.copies.copyAhead()
    }

    private func makeEntry(for planned: Case) throws -> Entry {
      made += 1
      var start = (store: runner.store.store, obstacle: String?.none)
      if planned.traits.startingStore != nil {
        start = try runner.run.times.makingStores {
          try runner.run.startingStores.store(
            for: planned,
            of: runner.workload.file,
            from: runner.store,
            in: runner.run.scratch,
            executor: runner.run.executor
          )
        }
      }
      let copies = TrialStores(
        scratch: runner.run.scratch,
        start: start.store,
        settings: runner.workload.file.settings,
        name: "job-\(made)-"
      )
      return Entry(copies: copies, obstacle: start.obstacle)
    }

    /// Reports each read-only case whose shared copy has changed since its first trial.
    ///
    /// All cases that share the copy are reported, because it is unknown which of them changed it.
    func checkShared(of cases: [Case], report: (_ planned: Case, _ change: String) -> Void) throws {
      let readers = cases.filter(\.traits.onlyReads)
      for (key, sharing) in Dictionary(grouping: readers, by: Self.key) {
        guard let change = try entries[key]?.copies.changeOfSharedCopy() else { continue }
        for planned in sharing { report(planned, change) }
      }
    }

    func remove(_ names: Set<String>) {
      for name in names {
        guard let entry = entries[name] else { continue }
        entry.copies.remove()
        runner.run.startingStores.release(entry.copies.start, in: runner.run.scratch)
        entries[name] = nil
      }
    }
  }
}

/// The starting stores that are not the workloads' own stores: each is made once, and copied by
/// every trial that starts with it.
package final class StartingStores {
  private struct Key: Hashable {
    let original: StoreFile
    let kind: String
    /// The path of the workload file, because a starting store's name is unique only within its
    /// file.
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
    var isInUse: Bool
  }

  let verified = VerifiedOutcomes()
  private let capacity: Int
  private var made: [Made] = []
  private var count = 0

  /// Keeps up to the given number of stores after their last use, or fewer if the disk fills up.
  package init(capacity: Int = 0) {
    self.capacity = capacity
  }

  /// Returns a case's starting store, made by a worker if it does not exist yet, and the reason if
  /// it could not be made.
  ///
  /// - Throws: any error from starting the worker or copying a store.
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
    made.append(Made(key: key, folder: folder, store: store, obstacle: obstacle, isInUse: true))
    return (store, obstacle)
  }

  /// Marks a starting store as unused, and removes the oldest unused stores beyond the capacity.
  ///
  /// Ignores stores that this object did not make.
  func release(_ store: StoreFile, in scratch: ScratchFolder) {
    guard let index = made.firstIndex(where: { $0.store == store }) else { return }
    made[index].isInUse = false
    while made.count(where: { !$0.isInUse }) > capacity { removeOldest(in: scratch) }
  }

  private func makeRoom(for bytes: Int64, in scratch: ScratchFolder) {
    while made.contains(where: { !$0.isInUse }),
      (FreeDisk.bytes(at: scratch.path) ?? .max) < bytes * freeFactor
    { removeOldest(in: scratch) }
  }

  private func removeOldest(in scratch: ScratchFolder) {
    guard let oldest = made.firstIndex(where: { !$0.isInUse }) else { return }
    scratch.removeFolder(made.remove(at: oldest).folder)
  }
}

final class VerifiedOutcomes {
  private struct Key: Hashable {
    let start: StoreFile
    let kind: String
    let workload: String
    let parameters: ParameterValues
    let settings: ConnectionSettings
    let seed: UInt64
  }

  private var known: [Key: VerifiedOutcome] = [:]

  subscript(planned: Case, file: WorkloadFile, start: StoreFile) -> VerifiedOutcome? {
    get { known[Self.key(planned, file, start)] }
    set { known[Self.key(planned, file, start)] = newValue }
  }

  private static func key(_ planned: Case, _ file: WorkloadFile, _ start: StoreFile) -> Key {
    Key(
      start: start,
      kind: file.kind.name,
      workload: file.path,
      parameters: planned.allParameters,
      settings: file.settings,
      seed: file.trials.seed
    )
  }
}
