import Basics
import Foundation
import SQLite

/// The files of a store on disk: the main file, SQLite's files next to it, and external files.
public struct StoreFile: Codable, Hashable, Sendable {
  /// The main file's path.
  public let path: String

  /// Creates a reference to a store by the path of its main file, which need not exist.
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

  /// The folder of external storage: `.NAME_SUPPORT`, with the store's name without its extension.
  package var supportFolder: String {
    folder + "/." + url.deletingPathExtension().lastPathComponent + "_SUPPORT"
  }

  /// The folder that contains the external storage files.
  package var externalDataFolder: String { supportFolder + "/_EXTERNAL_DATA" }

  /// Whether a symbolic link points to the external storage, possibly outside the store's folder.
  package var isExternalDataLinked: Bool {
    [supportFolder, externalDataFolder].contains { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return attributes?[.type] as? FileAttributeType == .typeSymbolicLink
    }
  }

  /// The folder for the app's own files, whose paths are in attributes: `NAME_FILES`, without the
  /// store's extension.
  package var filesFolder: String {
    folder + "/" + url.deletingPathExtension().lastPathComponent + "_FILES"
  }

  /// The paths that may belong to the store, without the -shm, which SQLite recreates (sqlite.md,
  /// section 1).
  package var paths: [String] { [path, wal, journal, supportFolder, filesFolder] }

  package var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// Removes all files of the store.
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

  /// Copies a file or folder to a path that must not exist, and records the disk space of the copy.
  ///
  /// - Throws: ``Refusal`` if the disk has too little space, or a system error.
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

  /// Returns a path and everything below it, sorted by name; empty if the path does not exist.
  package static func tree(at path: String) -> [String] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let below = FileManager.default.subpaths(atPath: path) ?? []
    return [path] + below.sorted().map { path + "/" + $0 }
  }

  /// Returns the file at a path, or all files below a folder, sorted by name and including empty
  /// files.
  package static func files(at path: String) -> [String] {
    tree(at: path).filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  /// Returns the apparent size in bytes of a file, or of all files below a folder; 0 if the path
  /// does not exist.
  package static func bytes(at path: String) -> Int64 {
    tree(at: path).reduce(0) { $0 + fileBytes(at: $1) }
  }

  /// Returns the apparent size in bytes of a regular file; 0 for anything else.
  package static func fileBytes(at path: String) -> Int64 { size(of: path) ?? 0 }

  /// Returns the apparent size in bytes of a regular file; `nil` for anything else.
  package static func size(of path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
    return (attributes?[.size] as? NSNumber)?.int64Value
  }

  /// The size in bytes of the main file, the -wal and the external files.
  package var bytes: Int64 { paths.reduce(0) { $0 + Self.bytes(at: $1) } }
  /// The disk space in bytes of the store's files and folders, in whole blocks and without holes.
  package var allocatedBytes: Int64 {
    paths.flatMap(Self.tree).reduce(0) {
      $0 + (FileStatus($1, followingLinks: false)?.allocatedBytes ?? 0)
    }
  }
  package var storeBytes: Int64 { Self.bytes(at: path) }
  package var walBytes: Int64 { Self.bytes(at: wal) }
  /// An error message if the main file is shorter than its header requires, otherwise `nil`.
  ///
  /// The page count in the header is valid only if the header's change counters are equal
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
  /// Whether the -wal is a link, a folder or a pipe instead of a regular file.
  package var hasStrangeWAL: Bool {
    FileStatus(wal, followingLinks: false).map { $0.kind != .file } ?? false
  }
  /// The error for an existing -wal that cannot be read, if any.
  ///
  /// A reader that ignored the -wal would miss saved changes.
  package var unreadableWAL: Refusal? {
    walBytes > 0 && access(wal, R_OK) != 0 ? .cannotRead(wal) : nil
  }
  /// The mode for reading the store while no process has it open, without creating files next to
  /// the store.
  ///
  /// A normal connection would create a -shm if there is a -wal, and an empty -wal otherwise.
  package var restingMode: Connection.Mode { walBytes > 0 ? .detached : .immutable }
  package var externalBytes: Int64 {
    Self.bytes(at: supportFolder) + Self.bytes(at: filesFolder)
  }
}

/// A file's metadata in the file system, which changes with each write.
package struct FileStamp: Hashable, Sendable {
  private let file: UInt64
  private let bytes: Int64
  private let contentTime: Int64
  /// The time of the last change to the file or its attributes, in nanoseconds since 1970.
  package let changeTime: Int64

  /// Reads the metadata of a file; returns `nil` if it does not exist.
  package init?(of path: String) {
    guard let status = FileStatus(path) else { return nil }
    (file, bytes) = (status.number, status.size)
    (contentTime, changeTime) = (status.contentTime, status.changeTime)
  }
}
