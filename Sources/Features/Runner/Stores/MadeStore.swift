import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite

/// A store made by an app, which is copied with all its files and never modified in place.
package struct MadeStore {
  package let source: StoreFile
  /// Whether the file is an app's own SQLite database, without a Core Data model.
  private let isPlain: Bool

  package init(path: String, isPlain: Bool = false) {
    (source, self.isPlain) = (StoreFile(path: path), isPlain)
  }

  /// Copies the store into a folder, and checks that the copy is a usable store and that the
  /// original did not change meanwhile.
  ///
  /// - Throws: ``PersistentStoreError`` if the file is not a usable store; ``Refusal`` if it cannot
  ///   be read or copied.
  package func copy(into folder: String) throws -> StoreFile {
    try checkInPlace()
    try checkKinds()
    try checkJournal()
    let before = try StoreFingerprint(of: source)
    let copy = try StoreCopier.copy(source, into: folder)
    if let change = try StoreFingerprint(of: source).change(since: before) {
      throw Refusal.badInput(
        "the store '\(source.path)' changed while it was copied (\(change)); close "
          + "the app that uses it"
      )
    }
    try checkContent(of: copy)
    try StoreTriggers(Connection(path: copy.path, mode: .readOnly, settings: nil))
      .removeForeign(from: copy)
    if !isPlain { try EarlierHistory.upgrade(copy) }
    return copy
  }

  func checkInPlace() throws {
    try checkFile()
    try checkLocks()
  }

  /// Opens the store in place, without creating any files next to it.
  ///
  /// - Throws: ``PersistentStoreError`` or ``Refusal`` if the store cannot be used.
  func connectInPlace() throws -> Connection {
    try checkInPlace()
    do {
      let connection = try Connection(path: source.path, mode: source.restingMode, settings: nil)
      try checkColumns(connection)
      try connection.checkCells()
      try checkTables(connection)
      return connection
    } catch let error as SQLiteError {
      throw StoreOpening.translated(error, path: source.path)
    }
  }

  private func damaged(_ reason: String) -> PersistentStoreError {
    .damaged(path: source.path, reason: reason)
  }

  private func checkFile() throws {
    guard let status = FileStatus(source.path) else {
      throw PersistentStoreError.missing(path: source.path)
    }
    if let remedy = ModelSource.remedy(forModelAt: source.path) {
      throw Refusal.cannotRead(source.path, reason: remedy)
    }
    guard status.kind == .file, let file = fopen(source.path, "rb") else {
      throw Refusal.cannotRead(
        source.path,
        reason: status.kind == .file ? System.errorText() : "it is no file"
      )
    }
    fclose(file)
    if let refusal = source.unreadableWAL { throw refusal }
    guard let header = StoreHeader(path: source.path) else {
      throw PersistentStoreError.notSQLite(path: source.path)
    }
    guard header.readVersion <= 2, header.schemaFormat <= 4 else {
      throw Refusal.newerFormat(
        path: source.path,
        detail: "SQLite's read version \(header.readVersion), schema format \(header.schemaFormat)"
      )
    }
    // An interrupted checkpoint can leave a main file with fewer pages than its header states; the
    // -wal has the remaining pages.
    if source.walBytes == 0, let pages = header.pageCount,
      pages * header.pageSize > Int(status.size)
    {
      throw damaged(
        "it is truncated: by its header it has \(pages * header.pageSize) bytes, but the file has "
          + "\(status.size)"
      )
    }
  }

  /// Refuses devices and pipes, because reading them might never end.
  private func checkKinds() throws {
    guard !source.hasStrangeWAL else {
      throw Refusal.cannotCopy(
        path: source.wal,
        reason: "it is a link, a folder or a pipe; copy the store and the file that it stands for "
          + "into one folder"
      )
    }
    for path in (source.paths + [source.sharedMemory]).flatMap(StoreFile.tree) {
      guard [nil, .file, .folder].contains(FileStatus(path, followingLinks: false)?.kind) else {
        throw Refusal.cannotCopy(path: path, reason: "it is neither a file nor a folder")
      }
    }
  }

  /// Refuses a rollback journal that names a super-journal; Core Data never writes such a journal.
  ///
  /// SQLite would delete the named file when it rolls the journal back, wherever that file is.
  private func checkJournal() throws {
    // A journal that names a super-journal ends with the name's length, a checksum and the
    // following magic number (https://www.sqlite.org/fileformat.html).
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    guard let file = FileHandle(forReadingAtPath: source.journal) else { return }
    defer { try? file.close() }
    let size = try file.seekToEnd()
    guard size >= 16 else { return }
    try file.seek(toOffset: size - 16)
    let end = [UInt8](try file.read(upToCount: 16) ?? Data())
    guard end.count == 16, Array(end[8...]) == magic, end[..<4].contains(where: { $0 != 0 }) else {
      return
    }
    throw damaged(
      "its -journal belongs to a transaction over several databases, and rolling it back may delete "
        + "other files; the frameworks write none. Open the store in its app once, or move the "
        + "-journal away if you do not know where it comes from"
    )
  }

  /// Refuses computed columns, because they run SQL written by the file's author; Core Data never
  /// creates computed columns.
  private func checkColumns(_ connection: Connection) throws {
    guard let first = try connection.computedColumns().first else { return }
    throw Refusal.badInput(
      "'\(source.path)' has the computed column \(first): to read it would run an expression of the "
        + "file, which is not done; drop the column from a copy and name that"
    )
  }

  /// Refuses a store that another process is writing to; processes that only read it are harmless.
  private func checkLocks() throws {
    // The byte ranges that SQLite locks for writing: reserved and pending in the main file
    // (https://www.sqlite.org/lockingv3.html), writer and checkpointer in the -shm
    // (https://www.sqlite.org/walformat.html).
    for (path, offset, length) in [
      (source.path, 0x4000_0000, 512), (source.sharedMemory, 120, 2),
    ] as [(String, off_t, off_t)] where Self.isLockedForWriting(path, offset, length) {
      throw PersistentStoreError.locked(path: source.path)
    }
  }

  private static func isLockedForWriting(_ path: String, _ offset: off_t, _ length: off_t) -> Bool {
    guard FileStatus(path, followingLinks: false)?.kind != .other else { return false }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // Test whether a read lock is available, without taking the lock; only a writer's lock prevents
    // a read lock.
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = offset
    lock.l_len = length
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type == Int16(F_WRLCK)
  }

  func checkTables(_ connection: Connection) throws {
    for table in ["Z_PRIMARYKEY", "Z_METADATA"] {
      let statement = try connection.prepare(
        // Ignore virtual tables, whose root page is 0.
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?"
      )
      statement.bind(table, at: 1)
      guard try statement.step() else {
        throw PersistentStoreError.notCoreData(path: source.path, missing: "table \(table)")
      }
    }
  }

  private func checkPages(_ connection: Connection) throws {
    let finding = try connection.text("PRAGMA quick_check(1)") ?? "ok"
    guard finding == "ok" else { throw damaged(finding) }
  }

  private func checkContent(of copy: StoreFile) throws {
    do {
      // Roll back a leftover journal first, by opening the copy for writing.
      let isHot = StoreFile.bytes(at: copy.journal) > 0
      let connection = try Connection(
        path: copy.path,
        mode: isHot ? .readWrite : .readOnly,
        settings: nil
      )
      try checkColumns(connection)
      try connection.checkCells()
      guard !isPlain else { return try checkPages(connection) }
      try checkTables(connection)
      let version = try connection.integer("SELECT max(Z_VERSION) FROM Z_METADATA") ?? 1
      guard version <= 1 else {
        throw Refusal.newerFormat(path: source.path, detail: "store version \(version)")
      }
      try checkPages(connection)
    } catch let error as SQLiteError {
      if error.isNotADatabase { throw PersistentStoreError.notSQLite(path: source.path) }
      throw error.hasFullDisk ? error : damaged(error.message)
    }
  }
}
