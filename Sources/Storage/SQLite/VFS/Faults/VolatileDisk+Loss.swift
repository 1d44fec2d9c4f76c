import Basics

extension VolatileDisk {
  private static let sector = 512

  /// What becomes of one file's changes.
  private enum Fate: CaseIterable {
    case kept
    case lost
    /// Some of the writes, whatever their order.
    case scattered
    /// Some of the sectors of every write.
    case torn
  }

  /// Leaves the files as a loss of power may leave them; the seed decides among what is possible.
  mutating func lose(seed: UInt64) {
    var draws = LossDraws(seed: seed)
    loseNames(&draws)
    for path in changes.keys.sorted() {
      guard let changes = changes[path], var bytes = DiskBytes.read(path) else { continue }
      Self.lose(changes, of: &bytes, &draws)
      DiskBytes.write(bytes, to: path)
    }
    for path in opened.sorted() { unlink(path + "-shm") }
    self = VolatileDisk()
  }

  // MARK: Names

  /// Keeps the first changes of each folder and undoes the others, the last one first.
  private mutating func loseNames(_ draws: inout LossDraws) {
    let folders = Set(names.map { String(Self.folder(of: $0.path)) }).sorted()
    var kept: [Substring: Int] = [:]
    for folder in folders {
      let count = names.count { Self.folder(of: $0.path) == folder }
      kept[Substring(folder)] = [0, count, draws.next(below: count + 1)][draws.next(below: 3)]
    }
    var undone: [NameChange] = []
    for change in names {
      let folder = Self.folder(of: change.path)
      if kept[folder, default: 0] > 0 {
        kept[folder, default: 0] -= 1
      } else {
        undone.append(change)
      }
    }
    for change in undone.reversed() { undo(change) }
    names = []
  }

  private mutating func undo(_ change: NameChange) {
    switch change {
    case .created(let path):
      unlink(path)
      changes[path] = nil
    case .removed(let path, let gone):
      restore(gone, at: path)
    case .renamed(let path, let target, let replaced):
      rename(target, path)
      moveChanges(from: target, to: path)
      if let replaced { restore(replaced, at: target) }
    }
  }

  private mutating func restore(_ gone: Gone, at path: String) {
    DiskBytes.write(gone.bytes, to: path)
    changes[path] = gone.changes
  }

  // MARK: Bytes

  private static func lose(
    _ changes: [ByteChange],
    of bytes: inout [UInt8],
    _ draws: inout LossDraws
  ) {
    let fate = Fate.allCases[draws.next(below: Fate.allCases.count)]
    guard fate != .kept else { return }
    for change in changes.reversed() { change.undo(in: &bytes) }
    guard fate != .lost else { return }
    for change in changes {
      switch change {
      case .write(let offset, let new, _, _) where fate == .torn:
        for start in stride(from: 0, to: new.count, by: sector) where draws.next(below: 2) == 0 {
          let end = min(new.count, start + sector)
          ByteChange.put(new[start..<end], at: offset + start, in: &bytes)
        }
      case .write(let offset, let new, _, _):
        if draws.next(below: 2) == 0 { ByteChange.put(new[...], at: offset, in: &bytes) }
      case .resize(let size, _, _):
        if draws.next(below: 2) == 0 { ByteChange.resize(&bytes, to: size) }
      }
    }
  }
}

extension VolatileDisk.ByteChange {
  func undo(in bytes: inout [UInt8]) {
    switch self {
    case .write(let offset, _, let old, let oldSize):
      Self.put(old[...], at: offset, in: &bytes)
      Self.resize(&bytes, to: oldSize)
    case .resize(_, let oldTail, let oldSize):
      Self.resize(&bytes, to: oldSize)
      Self.put(oldTail[...], at: oldSize - oldTail.count, in: &bytes)
    }
  }

  /// Writes into a file's bytes; a gap before them reads as zeros.
  static func put(_ new: ArraySlice<UInt8>, at offset: Int, in bytes: inout [UInt8]) {
    if bytes.count < offset + new.count { resize(&bytes, to: offset + new.count) }
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
  }

  static func resize(_ bytes: inout [UInt8], to size: Int) {
    if size < bytes.count {
      bytes.removeLast(bytes.count - size)
    } else {
      bytes += [UInt8](repeating: 0, count: size - bytes.count)
    }
  }
}
