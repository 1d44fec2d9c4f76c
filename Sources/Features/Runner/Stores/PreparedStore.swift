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
  private let scratch: ScratchFolder
  /// The store that copies are made from.
  let start: StoreFile
  private let settings: ConnectionSettings
  /// What the names of its folders begin with: there are several at a time.
  private let name: String
  private var shared: ReadingCopy?

  init(
    scratch: ScratchFolder,
    start: StoreFile,
    settings: ConnectionSettings,
    name: String
  ) {
    self.scratch = scratch
    self.start = start
    self.settings = settings
    self.name = name
  }

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
    try StoreCopier.copy(start, into: try scratch.emptyFolder(name + "trial"))
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

    private func makeEntry(for planned: Case) throws -> Entry {
      made += 1
      let name = "job-\(made)-"
      let folders = ["shared", "trial"].map { name + $0 }
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
