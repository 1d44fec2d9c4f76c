import Basics
import Foundation
import SQLite
import Testing

/// Tests the number of commits that the VFS counts, below SQLite.
struct CommitWatchTests {
  private let database: TemporaryDatabase
  private var log: String { database.folder + "/commits" }

  init() throws {
    database = try TemporaryDatabase()
    try database.fill(rows: 100)
  }

  private func work(
    _ settings: ConnectionSettings,
    remembersWrites: Bool = false,
    _ body: (Connection) throws -> Void
  ) throws -> CommitWatch.Counts? {
    let injector = FaultInjector(FaultPlan(commitLog: log), remembersWrites: remembersWrites)
    let vfs = try CountingVFS(name: "test-\(UUID().uuidString)", faults: injector)
    try body(try Connection(path: database.path, settings: settings, vfs: vfs))
    return CommitWatch.counts(inLog: log)[database.path]
  }

  @Test(arguments: [ConnectionSettings.JournalMode.wal, .delete, .truncate])
  func `counts transactions that were committed, and no others`(
    mode: ConnectionSettings.JournalMode
  ) throws {
    // Set the journal mode and commit before the commits are counted.
    try Connection(
      path: database.path,
      settings: ConnectionSettings(journalMode: mode)
    ).execute("DELETE FROM item WHERE id = 1")
    let counts = try work(ConnectionSettings(journalMode: mode, cachePages: 10)) { connection in
      try connection.execute("INSERT INTO item (name) VALUES ('one')")
      _ = try connection.integer("SELECT count(*) FROM item")
      try connection.execute("BEGIN")
      try connection.execute("UPDATE item SET name = name || ' changed'")
      try connection.execute("ROLLBACK")
      try connection.transaction {
        for _ in 1...20 { try connection.execute("INSERT INTO item (name) VALUES ('more')") }
      }
      try connection.checkpoint()
    }
    // There are two transactions, and a commit of the settings at opening.
    #expect(counts?.commits == 3)
  }

  @Test(arguments: [
    (ConnectionSettings.Synchronous.full, 3), (.normal, 0),
  ])
  func `knows which of them a loss of power keeps`(
    synchronous: ConnectionSettings.Synchronous,
    lasting: Int
  ) throws {
    var before: CommitWatch.Counts?
    let after = try work(
      ConnectionSettings(synchronous: synchronous),
      remembersWrites: true
    ) { connection in
      for _ in 1...3 { try connection.execute("INSERT INTO item (name) VALUES ('one')") }
      before = CommitWatch.counts(inLog: log)[database.path]
      try connection.checkpoint()
    }
    // There are three transactions, and a commit of the settings at opening.
    #expect(before == CommitWatch.Counts(commits: 4, lasting: lasting + 1))
    #expect(after == CommitWatch.Counts(commits: 4, lasting: 4))
  }

  @Test func `a disk that is full from some write on lets nothing grow`() throws {
    let point = try #require(KillPoint("write:12:full"))
    #expect("\(point)" == "write:12:full" && !point.losesPower)
    let injector = FaultInjector(FaultPlan(kill: point))
    let vfs = try CountingVFS(name: "test-\(UUID().uuidString)", faults: injector)
    let connection = try Connection(path: database.path, vfs: vfs)
    let error = #expect(throws: SQLiteError.self) {
      for _ in 1...10 { try connection.execute("INSERT INTO item (name) VALUES ('one')") }
    }
    #expect(error?.isFullDisk == true)
    injector.rest()
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    try connection.execute("INSERT INTO item (name) VALUES ('room again')")
  }
}
