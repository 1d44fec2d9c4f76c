import Basics
import Foundation
import PersistentStore
import SQLite

/// Copies a store with its main file, WAL, journal and blobs.
///
/// The -shm is not copied: the first connection to the copy recreates it (sqlite.md, section 1).
package enum StoreCopier {
  /// Copies a store into an existing folder under its original name, and waits until the copy is on
  /// disk, so that no write-back disturbs measurements.
  ///
  /// - Throws: ``Refusal`` if a file cannot be copied.
  package static func copy(_ source: StoreFile, into folder: String) throws -> StoreFile {
    let target = StoreFile(path: folder + "/" + source.name)
    for (from, to) in zip(source.paths, target.paths) {
      try copyTree(from: from, to: to)
    }
    sync(target)
    return target
  }

  private static func copyTree(from: String, to: String) throws {
    guard let status = FileStatus(from, followingLinks: false) else {
      guard errno == ENOENT else { throw failure(from) }
      return
    }
    switch status.kind {
    case .file:
      try copyFile(from: from, to: to)
    case .folder:
      guard mkdir(to, 0o755) == 0 else { throw failure(to) }
      for name in try FileManager.default.contentsOfDirectory(atPath: from).sorted() {
        try copyTree(from: from + "/" + name, to: to + "/" + name)
      }
    default:
      throw Refusal.cannotCopy(path: from, reason: "it is neither a file nor a folder")
    }
  }

  private static func copyFile(from: String, to: String) throws {
    let source = open(from, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw failure(from) }
    defer { close(source) }
    let target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard target >= 0 else { throw failure(to) }
    do {
      if !shareBlocks(source, target) { try copyBytes(source, target, to) }
    } catch {
      close(target)
      throw error
    }
    guard close(target) == 0 else { throw failure(to) }
  }

  /// Clones the file: the copy shares the source's blocks until one of them changes.
  ///
  /// Returns `false` if the file system does not support clones.
  private static func shareBlocks(_ source: Int32, _ target: Int32) -> Bool {
    #if os(Linux)
      // FICLONE, see ioctl_ficlone(2): the number is _IOW(0x94, 9, int).
      ioctl(target, 0x4004_9409, source) == 0
    #else
      false
    #endif
  }

  private static func copyBytes(_ source: Int32, _ target: Int32, _ path: String) throws {
    let size = 1 << 20
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(source, buffer, size)
      guard count >= 0 else { throw failure(path) }
      if count == 0 { return }
      var written = 0
      while written < count {
        let step = write(target, buffer + written, count - written)
        guard step > 0 else { throw failure(path) }
        written += step
      }
    }
  }

  private static func sync(_ store: StoreFile) {
    let files = store.paths.flatMap(StoreFile.tree)
    // For many files, sync everything at once: syncing one file commits the file system's journal,
    // which is slow for thousands of blobs.
    guard files.count <= 16 else {
      Foundation.sync()
      return
    }
    for file in files {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      fsync(descriptor)
      close(descriptor)
    }
  }

  private static func failure(_ path: String) -> Refusal {
    Refusal.failed("copy", path, .failedIO)
  }
}

extension StoreCopier {
  /// Copies a store for cases that only read, and converts it to the journal mode of their
  /// settings.
  ///
  /// The journal mode is stored in the file, so a read-only connection cannot set it.
  ///
  /// - Throws: ``Refusal`` and ``SQLiteError``.
  static func readingCopy(
    of source: StoreFile,
    into folder: String,
    settings: ConnectionSettings
  ) throws -> StoreFile {
    let store = try copy(source, into: folder)
    let wantsWAL = settings.journalMode == .wal
    guard let header = StoreHeader(path: store.path), header.usesWAL != wantsWAL else {
      return store
    }
    _ = try Connection(path: store.path, mode: .readWrite, settings: settings)
    return store
  }
}

/// The digests of all files of a store, which show which file has changed.
package struct StoreFingerprint: Hashable, Sendable {
  /// The 64-bit digest of each file, by the file's path relative to the store's folder.
  ///
  /// It detects accidental changes, and takes far less time than a SHA-256.
  private let digests: [String: UInt64]

  /// Reads the whole store; an empty WAL or journal is treated as missing.
  ///
  /// - Throws: ``Refusal`` if a file cannot be read.
  package init(of store: StoreFile) throws {
    digests = try Self.byName(store) { try Evidence.digest(of: $0) }
  }

  static func secureDigests(of store: StoreFile) throws -> [String: String] {
    try byName(store, digest)
  }

  private static func byName<Digest>(
    _ store: StoreFile,
    _ digest: (String) throws -> Digest
  ) throws -> [String: Digest] {
    var digests: [String: Digest] = [:]
    for file in files(of: store) {
      // Use the absolute path, like the store's folder; the store's own path may be relative.
      let whole = URL(fileURLWithPath: file).path
      digests[String(whole.dropFirst(store.folder.count + 1))] = try digest(file)
    }
    return digests
  }

  static func files(of store: StoreFile) -> [String] {
    store.paths.flatMap { path in
      let isLog = path == store.wal || path == store.journal
      return StoreFile.files(at: path).filter { !isLog || StoreFile.bytes(at: $0) > 0 }
    }
  }

  /// Returns a description of the first file, by name, that differs from an earlier fingerprint, or
  /// `nil` if no file differs.
  package func change(since earlier: StoreFingerprint) -> String? {
    for name in Set(digests.keys).union(earlier.digests.keys).sorted() {
      switch (earlier.digests[name], digests[name]) {
      case (nil, _): return "the file '\(name)' is new"
      case (_, nil): return "the file '\(name)' is gone"
      case (let before, let after) where before != after: return "the file '\(name)' has changed"
      default: continue
      }
    }
    return nil
  }

  /// Returns the SHA-256 of one file, in lowercase hexadecimal digits.
  ///
  /// - Throws: ``Refusal`` if the file cannot be read.
  package static func digest(of path: String) throws -> String {
    guard let file = FileHandle(forReadingAtPath: path) else { throw Refusal.cannotRead(path) }
    defer { try? file.close() }
    var hash = SHA256()
    do {
      while let data = try file.read(upToCount: 1 << 20), !data.isEmpty { hash.update(data: data) }
    } catch {
      throw Refusal.cannotRead(path)
    }
    return hash.finalize().hexadecimal
  }
}
