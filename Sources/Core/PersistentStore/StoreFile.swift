import Basics
import Foundation
import SQLite

/// A store's files on disk: the main file, what SQLite keeps beside it, and its blobs.
public struct StoreFile: Codable, Hashable, Sendable {
  /// The main file.
  public let path: String

  /// The store with a main file at a path, which may not exist yet.
  public init(path: String) {
    self.path = path
  }

  private var url: URL { URL(fileURLWithPath: path) }

  /// The folder of the main file.
  public var folder: String { url.deletingLastPathComponent().path }
  /// The main file's name.
  public var name: String { url.lastPathComponent }
  package var wal: String { path + "-wal" }
  package var sharedMemory: String { path + "-shm" }
  package var journal: String { path + "-journal" }

  /// Where external storage keeps blobs: `.NAME_SUPPORT`, without the name's extension.
  package var supportFolder: String {
    folder + "/." + url.deletingPathExtension().lastPathComponent + "_SUPPORT"
  }

  /// The folder of the external data files themselves.
  package var externalDataFolder: String { supportFolder + "/_EXTERNAL_DATA" }

  /// Whether the folder of external data is reached through a symbolic link, which may lead out of
  /// the store's own folder.
  package var isExternalDataLinked: Bool {
    [supportFolder, externalDataFolder].contains { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return attributes?[.type] as? FileAttributeType == .typeSymbolicLink
    }
  }

  /// Where an app keeps files whose paths it stores: `NAME_FILES`, without the extension.
  package var filesFolder: String {
    folder + "/" + url.deletingPathExtension().lastPathComponent + "_FILES"
  }

  /// Every path that belongs to the store, whether it exists or not, but for the -shm, which
  /// SQLite makes anew (sqlite.md, section 1).
  package var paths: [String] { [path, wal, journal, supportFolder, filesFolder] }

  package var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// Removes the store with everything that belongs to it.
  package func remove() throws {
    let bytes = bytes
    let injector = CountingVFS.installed?.faults
    for path in paths + [sharedMemory] where FileManager.default.fileExists(atPath: path) {
      _ = injector?.meet(.delete, path: path)
      if Self.fileBytes(at: path) > 0 { injector?.remember { $0.willRemove(path) } }
      try FileManager.default.removeItem(atPath: path)
    }
    CountingVFS.installed?.noteFiles(growth: -bytes)
  }

  /// Copies a file or a folder, to where there is none yet, and notes what it takes on the disk.
  ///
  /// - Throws: ``Refusal`` if the disk has no room for it, and what the system throws.
  package static func copy(_ path: String, to target: String) throws {
    let vfs = CountingVFS.installed
    let cause = vfs?.faults?.meet(.write, path: target)
    guard cause != .noSpace, vfs?.hasRoom(for: bytes(at: path)) != false else {
      throw Refusal.failed("copy", target, .failedIO, code: ENOSPC)
    }
    try FileManager.default.copyItem(atPath: path, toPath: target)
    vfs?.noteFiles(growth: bytes(at: target))
    vfs?.faults?.remember { disk in
      for file in files(at: target) { disk.didMake(file) }
    }
  }

  /// A path and all that is below it, in the order of their names; nothing where nothing is there.
  package static func tree(at path: String) -> [String] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let below = FileManager.default.subpaths(atPath: path) ?? []
    return [path] + below.sorted().map { path + "/" + $0 }
  }

  /// The file of a path, or all files below a folder, empty ones too, in the order of their names.
  package static func files(at path: String) -> [String] {
    tree(at: path).filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  /// Apparent bytes of a file or of all files below a folder; 0 where there is nothing.
  package static func bytes(at path: String) -> Int64 {
    tree(at: path).reduce(0) { $0 + fileBytes(at: $1) }
  }

  /// Apparent bytes of a regular file; 0 for anything else.
  package static func fileBytes(at path: String) -> Int64 { size(of: path) ?? 0 }

  /// Apparent bytes of a regular file; `nil` for anything else.
  package static func size(of path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
    return (attributes?[.size] as? NSNumber)?.int64Value
  }

  /// Bytes of the main file, the -wal and the blobs' files.
  package var bytes: Int64 { paths.reduce(0) { $0 + Self.bytes(at: $1) } }
  /// What the file system has set aside for them and for their folders: whole blocks, none for
  /// holes.
  package var allocatedBytes: Int64 {
    paths.flatMap(Self.tree).reduce(0) {
      $0 + (FileStatus($1, followingLinks: false)?.allocatedBytes ?? 0)
    }
  }
  package var storeBytes: Int64 { Self.bytes(at: path) }
  package var walBytes: Int64 { Self.bytes(at: wal) }
  /// What the main file lacks by the count of pages in its header; `nil` where nothing is missing.
  ///
  /// The count holds where the header's change counters are equal
  /// (https://www.sqlite.org/fileformat2.html, section 1.3.8).
  package var shortfall: String? {
    guard let size = Self.size(of: path), let file = FileHandle(forReadingAtPath: path),
      let header = try? file.read(upToCount: 100), header.count == 100,
      header[24..<28] == header[92..<96]
    else { return nil }
    func number(_ bytes: Data) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
    let pageSize = number(header[16..<18])
    let expected = number(header[28..<32]) * (pageSize == 1 ? 65_536 : pageSize)
    guard size < expected else { return nil }
    return "it was cut short: its header counts \(expected.grouped) bytes, and the file has "
      + "\(size.grouped)"
  }
  /// Whether a link, a folder or a pipe has the name of the -wal.
  package var hasStrangeWAL: Bool {
    FileStatus(wal, followingLinks: false).map { $0.kind != .file } ?? false
  }
  /// The refusal of a -wal that is there and may not be read: without it, saves would be missing.
  package var unreadableWAL: Refusal? {
    walBytes > 0 && access(wal, R_OK) != 0 ? .cannotRead(wal) : nil
  }
  /// How to read it while no process has it open, so that no file appears beside it: one with a -wal
  /// would get a -shm otherwise, and one without an empty -wal.
  package var restingMode: Connection.Mode { walBytes > 0 ? .detached : .immutable }
  package var externalBytes: Int64 {
    Self.bytes(at: supportFolder) + Self.bytes(at: filesFolder)
  }
}

/// What the file system says of a file without reading it: each write changes it.
package struct FileStamp: Hashable, Sendable {
  private let file: UInt64
  private let bytes: Int64
  private let contentTime: Int64
  /// When anything about the file changed last, in nanoseconds since 1970.
  package let changeTime: Int64

  /// `nil` where there is no file.
  package init?(of path: String) {
    guard let status = FileStatus(path) else { return nil }
    (file, bytes) = (status.number, status.size)
    (contentTime, changeTime) = (status.contentTime, status.changeTime)
  }
}
