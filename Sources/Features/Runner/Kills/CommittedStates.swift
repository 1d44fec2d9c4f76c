import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite
import Synchronization

/// The contents of each database of an undisturbed launch (a run of the work without a kill),
/// before the launch and after each commit.
///
/// A killed launch must leave each database in one of these states, with every save complete or
/// absent.
struct CommittedStates {
  private let states: [String: [FoundDatabase]]
  private let store: String

  init(start: Trial, copies: CommitCopies) throws {
    store = CommitCopies.name(of: start.store.path)
    var states = [store: [try FoundDatabase(start.store)]]
    for copy in try copies.all() {
      // A database that the launch creates does not exist before its first commit.
      states[copy.name, default: [.nothing]].append(try FoundDatabase(copy.file))
    }
    self.states = states
  }

  /// Reads the databases that a killed launch left, and checks that each is in a committed state
  /// that is recent enough.
  ///
  /// - Throws: ``CaseKiller/Failure`` if the state is wrong, and any error that prevents reading a
  ///   database.
  func remains(of trial: Trial, log: String, losesPower: Bool) throws -> Remains {
    let counts = Dictionary(
      keepingFirst: CommitWatch.counts(inLog: log).map { (CommitCopies.name(of: $0.key), $0.value) }
    )
    var remains = Remains(.old, digest: "")
    for (name, states) in states.sorted(by: { $0.key < $1.key }) {
      let found = try FoundDatabase(StoreFile(path: CommitCopies.root(of: trial) + "/" + name))
      let count = counts[name] ?? CommitWatch.Counts()
      let first = losesPower ? count.lasting : count.commits
      // Allow one more transaction than the process has recorded, because it may have been killed
      // between a commit and its record.
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

/// Copies of databases in numbered folders, one copy per commit.
package final class CommitCopies: Sendable {
  private let folder: String
  private let count = Mutex(0)

  package init(folder: String) {
    self.folder = folder
  }

  static func root(of trial: Trial) -> String {
    URL(fileURLWithPath: trial.folder).deletingLastPathComponent().path
  }

  /// Returns the path relative to the folder of its trial.
  ///
  /// This folder is different for every launch; ``LaunchedCase`` defines the folders of a trial.
  static func name(of path: String) -> String {
    let parts = path.components(separatedBy: "/")
    let start = parts.lastIndex { LaunchedCase.parts.contains($0) } ?? 0
    return parts[start...].joined(separator: "/")
  }

  /// Copies a database with its other files while the process has it open.
  ///
  /// The files of the database and its WAL stay open after the copy. Closing any descriptor of a
  /// file would release all of the process's locks on the file.
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

  /// Writes a file and ignores errors, because a missing copy is noticed when the copies are read.
  private func write(_ bytes: Data, to path: String) {
    _ = FileManager.default.createFile(atPath: path, contents: bytes)
  }

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

/// The content of a database as an app finds it: opened for writing, so that SQLite rolls back
/// uncommitted changes.
struct FoundDatabase {
  static let nothing = FoundDatabase()

  /// The digest of all rows and, for a store, of its objects and blobs.
  private(set) var digest = "nothing"
  private(set) var faults: [AuditFinding] = []

  private init() {}

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
    // An external file is written before the save that refers to it, so a kill in between leaves
    // the file unreferenced.
    audit.exceptions = [.orphanedExternalFile]
    faults = try audit.findings()
  }

  /// The digest of every row; if a string is the name of an external file, the digest includes the
  /// file's bytes.
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
  /// Returns the damage that SQLite's integrity check reports, or `nil` if there is none.
  ///
  /// - Throws: ``SQLiteError`` if the file cannot be read.
  package func damage() throws -> String? {
    let found = try text("PRAGMA integrity_check") ?? ""
    return found == "ok" ? nil : found
  }
}
