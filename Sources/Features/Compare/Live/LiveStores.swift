import PersistentStore
import Runner
import SQLite

/// The stores of both sides: two copies kept for read-only cases, otherwise fresh copies for each
/// block (alternating slices of both sides).
///
/// Sides that work on the same store swap copies according to the block's random side assignment,
/// so that a copy's location on disk favors neither side.
package final class LiveStores {
  /// Selects the copy and the folder that a side uses in a block.
  package enum Place: String {
    case first
    case second
  }

  private let provider: any StoreProvider
  private let scratch: ScratchFolder
  private let isStopped: @Sendable () -> Bool
  private var starts: [String: StoreFile] = [:]
  private var copies: [String: ReadingCopy] = [:]

  package init(
    provider: any StoreProvider,
    scratch: ScratchFolder,
    isStopped: @escaping @Sendable () -> Bool
  ) {
    self.provider = provider
    self.scratch = scratch
    self.isStopped = isStopped
  }

  func start(of arm: LiveArm) throws -> StoreFile {
    let prepared = try provider.store(for: arm.file, in: scratch)
    guard let name = arm.planned.traits.startingStore else { return prepared.store }
    let key = [prepared.store.path, arm.file.kind.name, name, arm.worker.executable]
      .joined(separator: "\n")
    if let start = starts[key] { return start }
    let (store, obstacle) = try prepared.startingStore(
      for: arm.planned,
      of: arm.file,
      in: scratch,
      named: "live-start-\(starts.count)",
      executor: WorkerProcess(executable: arm.worker.executable, isStopped: isStopped)
    )
    if let obstacle { throw LiveError.failed(obstacle) }
    starts[key] = store
    return store
  }

  /// Returns the store copy and the working folder of one side of a case in a block.
  package func trial(of arm: LiveArm, at place: Place) throws -> Trial {
    let start = try start(of: arm)
    let prepared = try provider.store(for: arm.file, in: scratch)
    return prepared.trial(
      on: try copy(of: start, for: arm, at: place),
      start: start,
      folder: try scratch.emptyFolder("live-work-\(place.rawValue)"),
      file: arm.file
    )
  }

  private func copy(of start: StoreFile, for arm: LiveArm, at place: Place) throws -> StoreFile {
    guard arm.planned.traits.onlyReads else {
      return try StoreCopier.copy(start, into: try scratch.emptyFolder("live-\(place.rawValue)"))
    }
    let key = key(of: start, arm, place)
    if let copy = copies[key] { return copy.store }
    let copy = try ReadingCopy(
      of: start,
      into: try scratch.emptyFolder("live-reading-\(copies.count)"),
      settings: arm.file.settings
    )
    copies[key] = copy
    return copy.store
  }

  private func key(of start: StoreFile, _ arm: LiveArm, _ place: Place) -> String {
    let mode = arm.file.settings.journalMode == .wal ? "wal" : "journal"
    return [start.path, mode, place.rawValue].joined(separator: "\n")
  }

  /// Returns a description of the changes to the copies of a read-only case, or `nil` if the copies
  /// are unchanged.
  package func change(by arm: LiveArm) throws -> String? {
    guard arm.planned.traits.onlyReads else { return nil }
    for place in [Place.first, .second] {
      let key = key(of: try start(of: arm), arm, place)
      guard let change = try copies[key]?.change() else { continue }
      copies[key] = nil
      return change
    }
    return nil
  }
}
