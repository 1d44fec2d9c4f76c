import Basics
import SQLite

/// Reads and writes whole files and counts the system calls.
package struct FileBytes {
  /// Exact counts of file operations.
  package struct Counters: Hashable, Sendable {
    package var opens = 0
    package var reads = 0
    package var readBytes = 0
    package var writes = 0
    package var writeBytes = 0
    package var syncs = 0
    package var folderSyncs = 0
    package var renames = 0
    package var deletes = 0
  }

  package internal(set) var counters = Counters()

  package init() {}

  private static func require(_ succeeded: Bool, _ action: String, _ path: String) throws {
    guard succeeded else { throw Refusal.failed(action, path, .failedIO) }
  }

  private mutating func open(_ path: String, _ flags: Int32, _ action: String) throws -> Int32 {
    let descriptor = System.open(path, flags | O_CLOEXEC, 0o644)
    try Self.require(descriptor >= 0, action, path)
    counters.opens += 1
    return descriptor
  }

  /// Reads all bytes of a file, or the first `limit` bytes.
  package mutating func read(_ path: String, upTo limit: Int? = nil) throws -> [UInt8] {
    let descriptor = try open(path, O_RDONLY, "read")
    defer { close(descriptor) }
    let status = FileStatus(ofOpen: descriptor)
    try Self.require(status != nil, "read", path)
    let size = min(Int(status?.size ?? 0), limit ?? .max)
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      while filled < size, let start = buffer.baseAddress {
        let count = System.read(descriptor, start + filled, size - filled)
        guard count > 0 else {
          failure = count < 0 ? errno : EIO
          break
        }
        filled += count
        counters.reads += 1
      }
    }
    guard failure == 0 else { throw Refusal.failed("read", path, .failedIO, code: failure) }
    counters.readBytes += size
    return bytes
  }

  /// Copies a file in chunks and creates the target's folder if necessary; if `durable`, syncs
  /// both.
  package mutating func copy(_ path: String, to target: String, durable: Bool) throws {
    let source = try open(path, O_RDONLY, "copy")
    defer { close(source) }
    try Self.makeFolder(of: target)
    try meet(.write, "write", target) { $0.didCreate(target) }
    let copy = try open(target, O_WRONLY | O_CREAT | O_EXCL, "write")
    defer { close(copy) }
    var size = 0
    defer { note(growth: Int64(size)) }
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = System.read(source, buffer, Self.pieceSize)
      try Self.require(count >= 0, "copy", path)
      guard count > 0 else { break }
      counters.reads += 1
      counters.readBytes += count
      try requireRoom(Int64(size + count), target)
      var written = 0
      while written < count {
        let step = System.write(copy, buffer + written, count - written)
        guard step > 0 else { throw Refusal.failed("write", target, .failedIO) }
        written += step
        counters.writes += 1
      }
      size += count
      counters.writeBytes += count
    }
    guard durable else { return }
    try sync(copy, target)
    try syncFolder(of: target)
  }

  private static let pieceSize = 1 << 20

  private static func makeFolder(of path: String) throws {
    guard let end = path.lastIndex(of: "/") else { return }
    let folder = String(path[..<end])
    guard mkdir(folder, 0o755) != 0, errno == ENOENT else { return }
    try makeFolder(of: folder)
    try require(mkdir(folder, 0o755) == 0, "make", folder)
  }

  /// Reads all bytes of a file, or returns `nil` if the file does not exist.
  package mutating func readIfPresent(_ path: String) throws -> [UInt8]? {
    do {
      return try read(path)
    } catch let failure as Refusal where failure.code == ENOENT {
      return nil
    }
  }

  /// Writes a file, replacing any existing one.
  ///
  /// If `durable`, writes and syncs a temporary file next to it, renames that file and syncs the
  /// folder. A power loss then leaves either the old or the new content.
  package mutating func write(
    _ bytes: UnsafeRawBufferPointer,
    to path: String,
    durable: Bool
  ) throws {
    let target = durable ? path + ".new" : path
    let former = Self.size(of: target)
    try requireRoom(Int64(bytes.count) - former, target)
    try meet(.write, "write", target) { disk in
      disk.willRemove(target)
      disk.didCreate(target)
      disk.willWrite(Array(bytes), at: 0, of: target, replacing: [], size: 0)
    }
    let descriptor = try open(target, O_WRONLY | O_CREAT | O_TRUNC, "write")
    defer { close(descriptor) }
    // `O_TRUNC` has discarded the former content, so subtract its size from the growth.
    var written = 0
    defer { note(growth: Int64(written) - former) }
    while written < bytes.count, let start = bytes.baseAddress {
      let count = System.write(descriptor, start + written, bytes.count - written)
      guard count > 0 else { throw Refusal.failed("write", target, .failedIO) }
      written += count
      counters.writes += 1
    }
    counters.writeBytes += bytes.count
    guard durable else { return }
    try sync(descriptor, target)
    try rename(target, to: path)
    try syncFolder(of: path)
  }

  /// Renames a file, replacing any file of that name.
  package mutating func rename(_ path: String, to target: String) throws {
    let replaced = Self.size(of: target)
    try meet(.rename, "rename", path) { $0.willRename(path, to: target) }
    try Self.require(System.rename(path, target) == 0, "rename", path)
    note(growth: -replaced)
    counters.renames += 1
  }

  /// Removes a file; not an error if it does not exist.
  package mutating func remove(_ path: String) throws {
    let size = Self.size(of: path)
    try meet(.delete, "remove", path) { $0.willRemove(path) }
    try Self.require(unlink(path) == 0 || errno == ENOENT, "remove", path)
    note(growth: -size)
    counters.deletes += 1
  }

  /// Returns the bytes that removing a path frees: 0 if the file has other links, or if no counting
  /// VFS tracks disk use.
  private static func size(of path: String) -> Int64 {
    guard CountingVFS.installed != nil, let status = FileStatus(path), status.nameCount == 1 else {
      return 0
    }
    return status.size
  }

  private func requireRoom(_ bytes: Int64, _ path: String) throws {
    guard CountingVFS.installed?.hasRoom(for: bytes) != false else {
      throw Refusal.failed("write", path, .failedIO, code: ENOSPC)
    }
  }

  private func note(growth: Int64) {
    CountingVFS.installed?.noteFiles(growth: growth)
  }

  private var injector: FaultInjector? { CountingVFS.installed?.faults }

  private func meet(
    _ kind: FileEvent.Kind,
    _ action: String,
    _ path: String,
    _ remembering: (inout VolatileDisk) -> Void = { _ in }
  ) throws {
    guard let injector else { return }
    if let cause = injector.meet(kind, path: path) {
      throw Refusal.failed(action, path, .failedIO, code: cause == .noSpace ? ENOSPC : EIO)
    }
    injector.remember(remembering)
  }

  /// Syncs the folder of a file, which makes the file's name durable.
  package mutating func syncFolder(of path: String) throws {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = try open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY, "sync")
    defer { close(descriptor) }
    try meet(.folderSync, "sync", folder)
    try Self.require(fsync(descriptor) == 0, "sync", folder)
    injector?.remember { $0.didSyncFolder(of: path) }
    counters.folderSyncs += 1
  }

  /// Creates a hard link; the new name must not exist.
  package mutating func link(_ path: String, to target: String) throws {
    try meet(.rename, "link", path) { $0.didCreate(target) }
    try Self.require(System.link(path, target) == 0, "link", path)
  }

  /// Syncs the content of a file; does not sync its folder.
  package mutating func sync(_ path: String) throws {
    let descriptor = try open(path, O_RDONLY, "sync")
    defer { close(descriptor) }
    try sync(descriptor, path)
  }

  private mutating func sync(_ descriptor: Int32, _ path: String) throws {
    try meet(.sync, "sync", path)
    try Self.require(fsync(descriptor) == 0, "sync", path)
    injector?.remember { $0.didSync(path) }
    counters.syncs += 1
  }
}
