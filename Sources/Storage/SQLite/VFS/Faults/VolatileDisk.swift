import Basics

/// What a loss of power would take: changes of files since their last sync, and of names since the
/// last sync of their folder.
///
/// It is as pessimistic as POSIX allows: a file's sync makes its bytes last and not its name. The
/// names of a folder are lost from some point on, since file systems write them in order; bytes are
/// lost in any order, in sectors of 512 bytes.
package struct VolatileDisk: Sendable {
  /// A change of a file's bytes, with what undoes it.
  enum ByteChange {
    case write(offset: Int, new: [UInt8], old: [UInt8], oldSize: Int)
    case resize(to: Int, oldTail: [UInt8], oldSize: Int)
  }

  /// A file that is gone, with its bytes and with those changes of them that were not synced.
  struct Gone {
    let bytes: [UInt8]
    let changes: [ByteChange]
  }

  /// A change of the names in a folder.
  enum NameChange {
    case created(String)
    case removed(String, Gone)
    case renamed(from: String, to: String, replaced: Gone?)

    /// The path whose folder makes the change last.
    var path: String {
      switch self {
      case .created(let path), .removed(let path, _), .renamed(_, let path, _): path
      }
    }
  }

  var changes: [String: [ByteChange]] = [:]
  var names: [NameChange] = []
  /// Main files that were opened: the index of their WAL is lost with the memory.
  var opened: Set<String> = []

  package init() {}

  /// Notes that a file is there which was not before.
  package mutating func didCreate(_ path: String) {
    names.append(.created(Self.absolute(path)))
  }

  /// Notes a write, before it happens: the bytes that it replaces and the file's size.
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

  /// Notes a new size, before the file has it: the bytes behind it that go.
  package mutating func willResize(_ path: String, to size: Int, losing tail: [UInt8], from: Int) {
    changes[Self.absolute(path), default: []].append(
      .resize(to: size, oldTail: tail, oldSize: from)
    )
  }

  /// Notes that a file's bytes last.
  package mutating func didSync(_ path: String) {
    changes[Self.absolute(path)] = nil
  }

  /// Notes that the names in a folder last.
  package mutating func didSyncFolder(of path: String) {
    let path = Self.absolute(path)
    let folder = Self.folder(of: path)
    names.removeAll { Self.folder(of: $0.path) == folder }
  }

  /// Notes a removal, before it happens; nothing for a file that is not there.
  package mutating func willRemove(_ path: String) {
    let path = Self.absolute(path)
    guard let gone = take(path) else { return }
    names.append(.removed(path, gone))
  }

  /// Notes a renaming, before it happens.
  ///
  /// Whatever is below a folder goes with it.
  package mutating func willRename(_ path: String, to target: String) {
    let (path, target) = (Self.absolute(path), Self.absolute(target))
    let replaced = take(target)
    names.append(.renamed(from: path, to: target, replaced: replaced))
    moveChanges(from: path, to: target)
  }

  mutating func moveChanges(from path: String, to target: String) {
    let moved = changes.keys.filter { $0 == path || $0.hasPrefix(path + "/") }
    for key in moved {
      changes[target + key.dropFirst(path.count)] = changes.removeValue(forKey: key)
    }
  }

  /// Notes a file that is there now and was not before, none of its bytes synced.
  package mutating func didMake(_ path: String) {
    let path = Self.absolute(path)
    names.append(.created(path))
    guard let bytes = DiskBytes.read(path) else { return }
    changes[path] = [.write(offset: 0, new: bytes, old: [], oldSize: 0)]
  }

  private mutating func take(_ path: String) -> Gone? {
    DiskBytes.read(path).map { Gone(bytes: $0, changes: changes.removeValue(forKey: path) ?? []) }
  }

  /// SQLite names its files by absolute paths, others by paths from the working folder: one file
  /// has to have one name.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = workingFolder else { return path }
    return folder + "/" + (path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
  }

  private static let workingFolder: String? = {
    guard let folder = getcwd(nil, 0) else { return nil }
    defer { free(folder) }
    return String(cString: folder)
  }()

  static func folder(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[..<$0] } ?? "."
  }
}
