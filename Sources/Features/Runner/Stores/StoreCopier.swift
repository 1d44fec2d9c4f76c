import Basics
import Foundation
import PersistentStore
import SQLite

/// Copies a store with everything that belongs to it: main file, WAL, journal and blobs, but never
/// the -shm, which the first one to open the copy makes anew (sqlite.md, section 1).
package enum StoreCopier {
  /// Copies into a folder that must exist, under the source's name, and waits until the copy is on
  /// disk: write-back must not go on while something is measured.
  ///
  /// - Throws: ``Refusal``
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

  /// Lets the copy share the source's blocks until one of them changes, where the file system can.
  private static func shareBlocks(_ source: Int32, _ target: Int32) -> Bool {
    #if os(Linux)
      // FICLONE, see ioctl_ficlone(2); its number is that of _IOW(0x94, 9, int).
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

  /// Waits for write-back: file by file, or of everything where there are many.
  private static func sync(_ store: StoreFile) {
    let files = store.paths.flatMap(StoreFile.tree)
    // Each file's own sync is a commit of the file system's journal: slow for thousands of blobs.
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

/// The system's words for the last error of a call.

extension StoreCopier {
  /// Copies a store for cases that only read, in the journal mode of their settings: a connection
  /// that only reads cannot change it, since it is the file's.
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

/// The digest of every file of a store, to say which one has changed.
package struct StoreFingerprint: Hashable, Sendable {
  /// SHA-256 in lower-case hexadecimal, by name.
  package let digests: [String: String]

  /// Reads the whole store; an empty WAL or journal counts as none.
  ///
  /// - Throws: ``Refusal``
  package init(of store: StoreFile) throws {
    var digests: [String: String] = [:]
    for file in Self.files(of: store) {
      // The store's own path may be relative, that of its folder never is.
      let whole = URL(fileURLWithPath: file).path
      digests[String(whole.dropFirst(store.folder.count + 1))] = try Self.digest(of: file)
    }
    self.digests = digests
  }

  /// The files of a store; an empty WAL or journal counts as none.
  static func files(of store: StoreFile) -> [String] {
    store.paths.flatMap { path in
      let isLog = path == store.wal || path == store.journal
      return StoreFile.files(at: path).filter { !isLog || StoreFile.bytes(at: $0) > 0 }
    }
  }

  /// What differs from an earlier fingerprint, the first file by name; `nil` where nothing does.
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

  /// The digest of one file's bytes.
  ///
  /// - Throws: ``Refusal``
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
