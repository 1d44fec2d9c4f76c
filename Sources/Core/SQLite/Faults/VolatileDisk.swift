import Basics

/// The changes that a power loss would discard: changes to files since their last sync, and changes
/// to names since the last sync of their folder.
///
/// The model is as pessimistic as POSIX allows: syncing a file makes its bytes durable but not its
/// name. A folder loses all changes to its names after some point, because file systems write them
/// in order. Bytes are lost in any order, in sectors of 512 bytes.
package struct VolatileDisk: Sendable {
  private enum ByteChange {
    case write(offset: Int, new: [UInt8], old: [UInt8], oldSize: Int)
    case resize(to: Int, oldTail: [UInt8], oldSize: Int)

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

  private struct Gone {
    let bytes: [UInt8]
    let changes: [ByteChange]
  }

  private enum NameChange {
    case created(String)
    case removed(String, Gone)
    case renamed(from: String, to: String, replaced: Gone?)

    var path: String {
      switch self {
      case .created(let path), .removed(let path, _), .renamed(_, let path, _): path
      }
    }
  }

  private var changes: [String: [ByteChange]] = [:]
  private var names: [NameChange] = []
  var opened: Set<String> = []

  package init() {}

  /// Records that a file was created.
  package mutating func didCreate(_ path: String) {
    names.append(.created(Self.absolute(path)))
  }

  /// Records a write before it happens, with the bytes that it replaces and the file's size.
  package mutating func willWrite(
    _ new: [UInt8],
    at offset: Int,
    of path: String,
    replacing old: [UInt8],
    size: Int
  ) {
    changes[Self.absolute(path), default: []].append(
      .write(offset: offset, new: new, old: old, oldSize: size)
    )
  }

  /// Records a change of a file's size before it happens, with the bytes that are cut off.
  package mutating func willResize(_ path: String, to size: Int, losing tail: [UInt8], from: Int) {
    changes[Self.absolute(path), default: []].append(
      .resize(to: size, oldTail: tail, oldSize: from)
    )
  }

  /// Records that a file's bytes are durable.
  package mutating func didSync(_ path: String) {
    changes[Self.absolute(path)] = nil
  }

  /// Records that the names in a folder are durable.
  package mutating func didSyncFolder(of path: String) {
    let path = Self.absolute(path)
    let folder = Self.folder(of: path)
    names.removeAll { Self.folder(of: $0.path) == folder }
  }

  /// Whether a power loss keeps everything that a database has committed.
  ///
  /// The journal and the WAL must be durable, including their names, and so must the database file,
  /// unless the WAL contains its missing changes.
  func keeps(_ database: String) -> Bool {
    let path = Self.absolute(database)
    let logs = [path + "-wal", path + "-journal"]
    // A file is also lost if the name of a folder in its path is lost.
    guard logs.allSatisfy({ changes[$0] == nil }),
      !names.contains(where: { logs.contains($0.path) || (path + "/").hasPrefix($0.path + "/") })
    else { return false }
    guard changes[path] != nil else { return true }
    return FileStatus(path + "-wal").map { $0.size > 0 } ?? false
  }

  /// Records a removal before it happens; does nothing if the file does not exist.
  package mutating func willRemove(_ path: String) {
    let path = Self.absolute(path)
    guard let gone = take(path) else { return }
    names.append(.removed(path, gone))
  }

  /// Records a rename before it happens.
  ///
  /// If a folder is renamed, its contents move with it.
  package mutating func willRename(_ path: String, to target: String) {
    let (path, target) = (Self.absolute(path), Self.absolute(target))
    let replaced = take(target)
    names.append(.renamed(from: path, to: target, replaced: replaced))
    moveChanges(from: path, to: target)
  }

  private mutating func moveChanges(from path: String, to target: String) {
    let moved = changes.keys.filter { $0 == path || $0.hasPrefix(path + "/") }
    for key in moved {
      changes[target + key.dropFirst(path.count)] = changes.removeValue(forKey: key)
    }
  }

  /// Records that a file was created, with content that has not been synced.
  package mutating func didMake(_ path: String) {
    let path = Self.absolute(path)
    names.append(.created(path))
    guard let bytes = Self.read(path) else { return }
    changes[path] = [.write(offset: 0, new: bytes, old: [], oldSize: 0)]
  }

  private mutating func take(_ path: String) -> Gone? {
    Self.read(path).map { Gone(bytes: $0, changes: changes.removeValue(forKey: path) ?? []) }
  }

  /// Makes paths absolute, so that each file has a single name: only SQLite always uses absolute
  /// paths.
  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = workingFolder else { return path }
    return folder + "/" + (path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
  }

  private static let workingFolder: String? = {
    guard let folder = getcwd(nil, 0) else { return nil }
    defer { free(folder) }
    return String(cString: folder)
  }()

  private static func folder(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[..<$0] } ?? "."
  }

  private static func read(_ path: String) -> [UInt8]? {
    try? InputFile.bytes(of: path, limit: .max)
  }

  /// Writes into the existing file, so that processes that have it open see the change.
  private static func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { return }
    defer { close(file) }
    guard bytes.withUnsafeBytes({ System.writeAll(file, $0) }) else { return }
    _ = ftruncate(file, off_t(bytes.count))
  }

  private static let sector = 512

  private enum Fate: CaseIterable {
    case kept
    case lost
    /// Some of the writes are kept, regardless of their order.
    case scattered
    /// Some sectors of each write are kept.
    case torn
  }

  mutating func lose(seed: UInt64) {
    var draws = SplitMix64(state: seed)
    loseNames(&draws)
    for path in changes.keys.sorted() {
      guard let changes = changes[path], var bytes = Self.read(path) else { continue }
      Self.lose(changes, of: &bytes, &draws)
      Self.write(bytes, to: path)
    }
    for path in opened.sorted() { unlink(path + "-shm") }
    self = VolatileDisk()
  }

  private mutating func loseNames(_ draws: inout SplitMix64) {
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
    Self.write(gone.bytes, to: path)
    changes[path] = gone.changes
  }

  private static func lose(
    _ changes: [ByteChange],
    of bytes: inout [UInt8],
    _ draws: inout SplitMix64
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

extension SplitMix64 {
  fileprivate mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
