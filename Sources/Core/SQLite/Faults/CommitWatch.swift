import Basics
import CSQLite
import Synchronization

/// Records the transactions that databases commit, and the number that would survive a power loss.
///
/// The watch works below SQLite, so it sees every connection of any library. In WAL mode, a
/// transaction ends with a frame that contains the size of the database
/// (https://www.sqlite.org/fileformat2.html#walformat). In rollback mode, it ends with a new change
/// counter in the database's header.
package final class CommitWatch: Sendable {
  /// The number of a database's committed transactions, and the number that would survive a power
  /// loss.
  package struct Counts: Hashable, Sendable {
    package var commits = 0
    package var lasting = 0

    package init(commits: Int = 0, lasting: Int = 0) {
      self.commits = commits
      self.lasting = lasting
    }
  }

  private struct Database {
    var counts = Counts()
    var ending = Ending.none
    var header: [UInt8]?
  }

  private enum Ending { case none, header, frame }

  private let log: Int32
  private let databases = Mutex<[String: Database]>([:])
  /// A closure that is called with a database's path after each of its commits, before the next
  /// transaction begins.
  private let onCommit: (@Sendable (String) -> Void)?

  /// Creates a watch that appends a line to a log for each change of a database's counts; the log
  /// outlives the process.
  init(log path: String, onCommit: (@Sendable (String) -> Void)?) {
    log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    self.onCommit = onCommit
  }

  deinit { close(log) }

  /// The last counts in a log for each database, by its path.
  package static func counts(inLog path: String) -> [String: Counts] {
    guard let bytes = try? InputFile.bytes(of: path, limit: 64 << 20) else { return [:] }
    var counts: [String: Counts] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let commits = Int(parts[0]), let lasting = Int(parts[1]) else {
        continue
      }
      counts[String(parts[2])] = Counts(commits: commits, lasting: lasting)
    }
    return counts
  }

  func didWrite(_ buffer: UnsafeRawPointer?, _ amount: Int32, toLogOf path: String) {
    databases.withLock { databases in
      if amount == 24, let buffer {
        let pages = buffer.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        if pages != 0 { databases[path, default: Database()].ending = .header }
      } else if databases[path]?.ending == .header {
        databases[path]?.ending = .frame
      }
    }
  }

  func didBegin(_ path: String, header: [UInt8]?) {
    databases.withLock { databases in
      if let header {
        if databases[path]?.header == nil { databases[path, default: Database()].header = header }
      } else {
        databases[path, default: Database()].ending = .none
      }
    }
  }

  func didEnd(_ path: String, disk: VolatileDisk?) {
    databases.withLock { databases in
      if databases[path]?.ending == .frame { commit(path, disk, &databases) }
      databases[path]?.ending = .none
    }
  }

  func didEnd(_ path: String, header: [UInt8], disk: VolatileDisk?) {
    databases.withLock { databases in
      guard let before = databases[path]?.header else { return }
      // In rollback mode, a changed header means a commit. In WAL mode, only checkpoints write the
      // header.
      if before.isRollbackMode, before.changeCounter != header.changeCounter {
        commit(path, disk, &databases)
      }
      databases[path]?.header = nil
    }
  }

  private func commit(_ path: String, _ disk: VolatileDisk?, _ databases: inout [String: Database])
  {
    var counts = databases[path]?.counts ?? Counts()
    counts.commits += 1
    if disk?.keeps(path) ?? true { counts.lasting = counts.commits }
    databases[path]?.counts = counts
    onCommit?(path)
    note(path, counts)
  }

  func didSync(_ disk: VolatileDisk) {
    databases.withLock { databases in
      for (path, database) in databases
      where database.counts.lasting < database.counts.commits && disk.keeps(path) {
        databases[path]?.counts.lasting = database.counts.commits
        note(path, Counts(commits: database.counts.commits, lasting: database.counts.commits))
      }
    }
  }

  private func note(_ path: String, _ counts: Counts) {
    let line = Array("\(counts.commits) \(counts.lasting) \(path)\n".utf8)
    _ = line.withUnsafeBytes { System.writeAll(log, $0) }
  }
}

extension [UInt8] {
  /// The change counter in a database's header (https://www.sqlite.org/fileformat2.html).
  fileprivate var changeCounter: ArraySlice<UInt8> { count < 28 ? [] : self[24..<28] }
  fileprivate var isRollbackMode: Bool { count < 28 || self[18] == 1 }
}
