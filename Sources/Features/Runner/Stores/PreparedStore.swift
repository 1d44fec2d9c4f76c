import Foundation
import PersistentStore
import SQLite

/// A workload's own store, ready to be copied.
package struct PreparedStore: Sendable {
  package let store: StoreFile
  package let description: StoreDescription
  /// What it was generated from; `nil` for a store made elsewhere.
  package var recipe: RecipeReference?
  /// Whether it may break rules of its layout: one made elsewhere, or by a recipe with defects.
  package var mayBreakRules = true
  /// Where its user has it; `nil` for a store of a recipe.
  package var userPath: String?

  /// What a trial of a workload works on, in a copy of this store or of one that was made of it.
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

/// Gives the stores that workload files ask for.
package protocol StoreProvider {
  /// Makes the store, copies it or takes it from a cache; it is not written to afterwards.
  func store(for file: WorkloadFile, in scratch: ScratchFolder) throws -> PreparedStore
}

extension PreparedStore {
  /// The store that a case starts from where it is not the workload's own, made in a folder of the
  /// scratch folder in place of an earlier one; or what kept it from being made.
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

/// Bytes that must stay free, as a multiple of a store's: its copies and their growth.
private let freeFactor: Int64 = 8

/// A copy that cases share which only read, as it was when it was made.
package struct ReadingCopy {
  package let store: StoreFile
  private let fingerprint: StoreFingerprint
  /// Empty where a write could leave the same stamps.
  private let stamps: [FileStamp?]

  package init(of start: StoreFile, into folder: String, settings: ConnectionSettings) throws {
    store = try StoreCopier.readingCopy(of: start, into: folder, settings: settings)
    fingerprint = try StoreFingerprint(of: store)
    // The times of a file system may advance in steps of some milliseconds.
    let settled = Int64(Date.now.timeIntervalSince1970 * 1e9) - 20_000_000
    let stamps = Self.stamps(of: store)
    self.stamps = stamps.allSatisfy { ($0?.changeTime ?? .max) < settled } ? stamps : []
  }

  /// What has changed in it; `nil` where nothing has.
  ///
  /// Files are read only if their stamps differ: reading all of a large store after each trial would
  /// take far longer than the trial.
  package func change() throws -> String? {
    if !stamps.isEmpty, Self.stamps(of: store) == stamps { return nil }
    return try StoreFingerprint(of: store).change(since: fingerprint)
  }

  private static func stamps(of store: StoreFile) -> [FileStamp?] {
    StoreFingerprint.files(of: store).map(FileStamp.init)
  }
}

/// The copies that trials work on: one kept for all cases that only read, else a fresh one each.
struct TrialStores {
  let scratch: ScratchFolder
  /// The store that copies are made from.
  let start: StoreFile
  let settings: ConnectionSettings
  /// What the names of its folders begin with: there are several at a time.
  let name: String
  private(set) var shared: ReadingCopy?
  private let spare = SpareCopy()

  /// Whether the copy for the next trial is made already.
  private final class SpareCopy { var isReady = false }

  /// The copy that cases share which only read.
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

  /// What has changed in the shared copy, which is given up then; `nil` where nothing has.
  mutating func changeOfSharedCopy() throws -> String? {
    let change = try shared?.change()
    if change != nil { shared = nil }
    return change
  }

  /// A copy for one trial, which replaces that of the trial before.
  func freshCopy() throws -> StoreFile {
    guard spare.isReady else {
      return try StoreCopier.copy(start, into: try scratch.emptyFolder(name + "trial"))
    }
    spare.isReady = false
    // All trials have theirs at one path, which is part of what is compared of their outcomes.
    let folder = try scratch.moveFolder(name + "spare", to: name + "trial")
    return StoreFile(path: folder + "/" + start.name)
  }

  /// Makes the next fresh copy, while the one before it is still in use; nothing where the disk might
  /// become full.
  func copyAhead() {
    guard !spare.isReady, (FreeDisk.bytes(at: scratch.path) ?? .max) > start.bytes * freeFactor
    else { return }
    let folder = try? scratch.emptyFolder(name + "spare")
    spare.isReady = folder.flatMap { try? StoreCopier.copy(start, into: $0) } != nil
  }

  /// An empty folder for what a trial makes beside its store.
  func workFolder() throws -> String {
    try scratch.emptyFolder("work")
  }
}

extension Run {
  /// The stores that a workload's cases start from, each made when its first case is run.
  final class JobStores {
    /// A store with the copies of it, and what kept it from being made.
    private struct Entry {
      var copies: TrialStores
      let obstacle: String?
      let folders: [String]
    }

    private let runner: WorkloadRunner
    private var entries: [String: Entry] = [:]
    private var made = 0

    init(runner: WorkloadRunner) {
      self.runner = runner
    }

    private static func key(of planned: Case) -> String { planned.traits.startingStore ?? "" }

    /// Hands out the copies that a case works on, and what kept their store from being made.
    func use<Result>(
      for planned: Case,
      _ body: (inout TrialStores, _ obstacle: String?) throws -> Result
    ) throws -> Result {
      let key = Self.key(of: planned)
      var entry = try entries[key] ?? makeEntry(for: planned)
      defer { entries[key] = entry }
      return try body(&entry.copies, entry.obstacle)
    }

    /// Copies the store of a case that comes next, where it is made already.
    func copyAhead(for planned: Case) {
      guard !planned.traits.onlyReads, let entry = entries[Self.key(of: planned)],
        entry.obstacle == nil
      else { return }
      entry.copies.copyAhead()
    }

    private func makeEntry(for planned: Case) throws -> Entry {
      made += 1
      let name = "job-\(made)-"
      let folders = ["shared", "trial", "spare"].map { name + $0 }
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
        name: name
      )
      return Entry(copies: copies, obstacle: start.obstacle, folders: folders)
    }

    /// Reports each reading case whose shared copy was changed after its first trial: which of them
    /// has changed it is not known then.
    func checkShared(of cases: [Case], report: (_ planned: Case, _ change: String) -> Void) throws {
      let readers = cases.filter(\.traits.onlyReads)
      for (key, sharing) in Dictionary(grouping: readers, by: Self.key) {
        guard let change = try entries[key]?.copies.changeOfSharedCopy() else { continue }
        for planned in sharing { report(planned, change) }
      }
    }

    /// Gives stores up and removes their files.
    func remove(_ names: Set<String>) {
      for name in names {
        guard let entry = entries[name] else { continue }
        for folder in entry.folders { runner.run.scratch.removeFolder(folder) }
        runner.run.startingStores.release(entry.copies.start, in: runner.run.scratch)
        entries[name] = nil
      }
    }
  }
}

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
    made.append(Made(key: key, folder: folder, store: store, obstacle: obstacle, isInUse: true))
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
      (FreeDisk.bytes(at: scratch.path) ?? .max) < bytes * freeFactor
    { removeOldest(in: scratch) }
  }

  private func removeOldest(in scratch: ScratchFolder) {
    guard let oldest = made.firstIndex(where: { !$0.isInUse }) else { return }
    scratch.removeFolder(made.remove(at: oldest).folder)
  }
}

/// The outcomes that were found right: the first one of each case on each store.
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
