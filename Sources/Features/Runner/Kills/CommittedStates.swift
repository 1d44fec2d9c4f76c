import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite
import Synchronization

/// What the databases of an undisturbed launch held before it and after each of their commits.
///
/// A launch that was killed must leave one of these states in each database: the saves up to some
/// one, all of them whole.
struct CommittedStates {
  /// By the database's path below the folder of its trial.
  private let states: [String: [FoundDatabase]]
  /// The case's own store, by its path below the folder of a trial.
  private let store: String

  /// Reads the starting store, in a trial that nothing was done to, and the copies of each commit.
  init(start: Trial, copies: CommitCopies) throws {
    store = CommitCopies.name(of: start.store.path)
    var states = [store: [try FoundDatabase(start.store)]]
    for copy in try copies.all() {
      // A database that is not there at the start has its first state with its first commit.
      states[copy.name, default: [.nothing]].append(try FoundDatabase(copy.file))
    }
    self.states = states
  }

  /// Reads the databases that a launch has left, and says what of them is none of the states or an
  /// earlier one than it may be.
  ///
  /// - Throws: ``CaseKiller/Failure``, and whatever keeps a database from being read.
  func remains(of trial: Trial, log: String, losesPower: Bool) throws -> Remains {
    let counts = Dictionary(
      keepingFirst: CommitWatch.counts(inLog: log).map { (CommitCopies.name(of: $0.key), $0.value) }
    )
    var remains = Remains(.old, digest: "")
    for (name, states) in states.sorted(by: { $0.key < $1.key }) {
      let found = try FoundDatabase(StoreFile(path: CommitCopies.root(of: trial) + "/" + name))
      let count = counts[name] ?? CommitWatch.Counts()
      let first = losesPower ? count.lasting : count.commits
      // A transaction may be on the disk that the process does not know to be.
      let allowed = states.dropFirst(first).prefix(count.commits + 2 - first)
      guard let state = allowed.first(where: { $0.digest == found.digest }) else {
        guard let earlier = states.lastIndex(where: { $0.digest == found.digest }) else {
          throw CaseKiller.Failure.halfSaved(name)
        }
        throw CaseKiller.Failure.otherSave(name, found: earlier, least: first)
      }
      let broken = found.faults.new(since: state.faults)
      guard broken.isEmpty else { throw VerificationFailure(broken.prefix(3).map(\.description)) }
      guard name == store else { continue }
      let isLast = found.digest == states.last?.digest
      remains.state = isLast ? .new : found.digest == states.first?.digest ? .old : .between
      remains.digest = found.digest
    }
    return remains
  }
}

/// Copies of databases, each as it was after a commit, in numbered folders.
package final class CommitCopies: Sendable {
  private let folder: String
  private let count = Mutex(0)

  package init(folder: String) {
    self.folder = folder
  }

  /// The folder that a trial's store and its other files are in.
  static func root(of trial: Trial) -> String {
    URL(fileURLWithPath: trial.folder).deletingLastPathComponent().path
  }

  /// A path below the folder of its trial, as ``LaunchedCase`` makes trials: every launch has a folder
  /// of its own.
  static func name(of path: String) -> String {
    let parts = path.components(separatedBy: "/")
    let start = parts.lastIndex { LaunchedCase.parts.contains($0) } ?? 0
    return parts[start...].joined(separator: "/")
  }

  /// Copies a database with what belongs to it, while the process has it open.
  ///
  /// A process loses its locks on a file when it closes any descriptor of it: those of the database
  /// and of its WAL are not closed.
  package func copy(_ path: String) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let source = StoreFile(path: path)
    let target = StoreFile(path: "\(folder)/\(number)/\(source.name)")
    try? FileManager.default.createDirectory(
      atPath: target.folder,
      withIntermediateDirectories: true
    )
    write(Data(path.utf8), to: target.folder + "/path")
    for (from, to) in zip(source.paths, target.paths)
    where FileManager.default.fileExists(atPath: from) {
      if from == source.path || from == source.wal {
        let file = System.open(from, O_RDONLY | O_CLOEXEC)
        let bytes = FileHandle(fileDescriptor: file, closeOnDealloc: false).readDataToEndOfFile()
        write(bytes, to: to)
      } else {
        try? FileManager.default.copyItem(atPath: from, toPath: to)
      }
    }
  }

  /// A copy that cannot be written is missed when the copies are read.
  private func write(_ bytes: Data, to path: String) {
    _ = FileManager.default.createFile(atPath: path, contents: bytes)
  }

  /// The copies in their order, each with the database's path below the folder of its trial.
  func all() throws -> [(name: String, file: StoreFile)] {
    var copies: [(name: String, file: StoreFile)] = []
    while true {
      let own = "\(folder)/\(copies.count + 1)"
      guard FileManager.default.fileExists(atPath: own + "/path") else { return copies }
      let path = try InputFile.text(of: own + "/path", limit: 65_536)
      let file = StoreFile(path: own + "/" + StoreFile(path: path).name)
      copies.append((Self.name(of: path), file))
    }
  }
}

/// A database as an app finds it: opened for writing, so that SQLite takes back what was not
/// committed.
struct FoundDatabase {
  /// A database that is not there, or has nothing in it.
  static let nothing = FoundDatabase()

  /// The digest of all rows, and of the objects with their blobs where it is a store.
  private(set) var digest = "nothing"
  /// Rules of a store's layout that it breaks.
  private(set) var faults: [AuditFinding] = []

  private init() {}

  /// - Throws: ``VerificationFailure`` for a damaged file, and ``SQLiteError``.
  init(_ file: StoreFile) throws {
    guard file.exists else { return }
    do {
      let connection = try Connection(path: file.path, mode: .readWrite, settings: nil)
      if let damage = try connection.damage() {
        throw VerificationFailure(["'\(file.name)' is damaged: \(damage)"])
      }
      let tables = try connection.ordinaryTables()
      guard !tables.isEmpty else { return }
      digest = try Self.digest(of: tables, connection, files: file.filesFolder)
      guard tables.contains("Z_METADATA") else { return }
    }
    let layout = try PersistentStore.open(file).layout
    digest += " " + (try StoreInspection(store: file, layout: layout).digest())
    var audit = StoreAudit(store: file, layout: layout)
    // A file is written before the save that names it: a kill between them leaves it.
    audit.exceptions = [.orphanedExternalFile]
    faults = try audit.findings()
  }

  /// The digest of every row; a text that names a file of the store counts with the file's bytes.
  private static func digest(
    of tables: [String],
    _ connection: Connection,
    files folder: String
  ) throws -> String {
    let files = Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    var hash = SHA256()
    for table in tables {
      hash.update(data: Data("\n\(table)\n".utf8))
      let rows = try connection.prepare("SELECT * FROM \(table.quotedName)")
      while try rows.step() {
        for column in 0..<rows.columnCount {
          switch rows.value(at: column) {
          case .null: hash.update(data: Data("null\t".utf8))
          case .integer(let number): hash.update(data: Data("i\(number)\t".utf8))
          case .real(let number): hash.update(data: Data("r\(number.bitPattern)\t".utf8))
          case .blob(let bytes):
            hash.update(data: Data("b\(bytes.count)\t".utf8))
            hash.update(data: bytes)
          case .text(let text):
            hash.update(data: Data("t\(text.utf8.count)\t\(text)".utf8))
            guard files.contains(text) else { continue }
            hash.update(data: try InputFile.bytes(of: folder + "/" + text, limit: .max))
          }
        }
      }
    }
    return hash.finalize().hexadecimal
  }
}

extension Connection {
  /// The tables that are no views and no virtual tables, in the order of their names.
  fileprivate func ordinaryTables() throws -> [String] {
    let rows = try prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name"
    )
    var names: [String] = []
    while try rows.step() { names.append(rows.text(at: 0)) }
    return names
  }
}

extension Connection {
  /// What SQLite finds damaged in the file; `nil` for a whole one.
  ///
  /// - Throws: ``SQLiteError`` for a file that cannot be read.
  package func damage() throws -> String? {
    let found = try text("PRAGMA integrity_check") ?? ""
    return found == "ok" ? nil : found
  }
}
