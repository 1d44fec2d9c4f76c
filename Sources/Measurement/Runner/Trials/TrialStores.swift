import PersistentStore
import SQLite

/// The copies that trials work on: one kept for all cases that only read, else a fresh one each.
struct TrialStores {
  private let scratch: ScratchFolder
  /// The store that copies are made from.
  let start: StoreFile
  private let settings: ConnectionSettings
  private var shared: (store: StoreFile, fingerprint: StoreFingerprint)?

  init(scratch: ScratchFolder, start: StoreFile, settings: ConnectionSettings) {
    self.scratch = scratch
    self.start = start
    self.settings = settings
  }

  /// The copy that cases share which only read.
  mutating func sharedCopy() throws -> StoreFile {
    if let shared { return shared.store }
    let store = try StoreCopier.readingCopy(
      of: start,
      into: try scratch.emptyFolder("shared"),
      settings: settings
    )
    shared = (store, try StoreFingerprint(of: store))
    return store
  }

  /// What has changed in the shared copy, which is given up then; `nil` where nothing has.
  mutating func changeOfSharedCopy() throws -> String? {
    guard let shared else { return nil }
    let change = try StoreFingerprint(of: shared.store).change(since: shared.fingerprint)
    if change != nil { self.shared = nil }
    return change
  }

  /// A copy for one trial, which replaces that of the trial before.
  func freshCopy() throws -> StoreFile {
    try StoreCopier.copy(start, into: try scratch.emptyFolder("trial"))
  }

  /// An empty folder for what a trial makes beside its store.
  func workFolder() throws -> String {
    try scratch.emptyFolder("work")
  }
}
