import Basics
import Foundation
import SQLite
import Synchronization
import Testing

/// Tests calls that fail, syncs that are slow, and events that are reported.
struct FaultTests {
  private func connection(
    _ database: TemporaryDatabase,
    _ injector: FaultInjector,
    _ settings: ConnectionSettings = ConnectionSettings()
  ) throws -> Connection {
    let vfs = try CountingVFS(name: "test-\(UUID().uuidString)", faults: injector)
    return try Connection(path: database.path, settings: settings, vfs: vfs)
  }

  private func rows(_ connection: Connection) throws -> Int64? {
    try connection.integer("SELECT count(*) FROM item")
  }

  /// A journal in memory is not tested: if a page cannot be spilled, SQLite can roll back only from
  /// a journal file.
  @Test(arguments: [ConnectionSettings.JournalMode.wal, .delete, .truncate])
  func `a disk that is full fails the transaction and loses nothing`(
    mode: ConnectionSettings.JournalMode
  ) throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 1000)
    let settings = ConnectionSettings(journalMode: mode, cachePages: 20)
    let vfs = try CountingVFS(name: "full-\(mode)")
    vfs.limitGrowth(to: 100_000)
    let connection = try Connection(path: database.path, settings: settings, vfs: vfs)
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction {
        for _ in 1...6 {
          try connection.execute("INSERT INTO item (name, size) SELECT name, size FROM item")
        }
      }
    }
    #expect(error?.isFullDisk == true)
    #expect(try rows(connection) == 1000)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    try connection.execute("INSERT INTO item (name) VALUES ('small enough')")
    #expect(try rows(connection) == 1001)
  }

  @Test(arguments: [FileEvent.Kind.write, .sync], [FaultPlan.Cause.noSpace, .inputOutput])
  func `any one call that fails leaves the file whole`(
    kind: FileEvent.Kind,
    cause: FaultPlan.Cause
  ) throws {
    for number in 1...8 {
      let database = try TemporaryDatabase()
      try database.fill(rows: 200)
      let plan = FaultPlan(failures: [FileEvent.Place(kind, number: number): cause])
      let settings = ConnectionSettings(synchronous: .full, cachePages: 10, walAutocheckpoint: 4)
      var (done, failures) = (200, 0)
      do {
        let connection = try connection(database, FaultInjector(plan), settings)
        for _ in 1...6 {
          do {
            try connection.execute("INSERT INTO item (name) VALUES ('one more')")
            done += 1
          } catch { failures += 1 }
        }
      } catch { failures += 1 }
      #expect(failures <= 1)
      let reader = try database.open()
      #expect(try reader.text("PRAGMA integrity_check") == "ok")
      #expect(try #require(try rows(reader)) >= Int64(done))
    }
  }

  @Test func `a file that cannot be opened says so`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 10)
    let plan = FaultPlan(failures: [FileEvent.Place(.open, number: 1): .inputOutput])
    #expect(throws: SQLiteError.self) { try connection(database, FaultInjector(plan)) }
  }

  @Test func `every sync takes as much longer as is asked for`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 10)
    let injector = FaultInjector(FaultPlan(syncDelay: 2_000_000))
    let connection = try connection(database, injector, ConnectionSettings(synchronous: .full))
    let before = injector.counts[.sync, default: 0]
    let clock = ContinuousClock()
    let time = try clock.measure {
      for _ in 1...5 { try connection.execute("INSERT INTO item (name) VALUES ('one more')") }
    }
    let syncs = injector.counts[.sync, default: 0] - before
    #expect(syncs >= 5)
    #expect(time >= .milliseconds(2 * syncs))
  }

  @Test func `tells of events in their order, with class, number and path`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 10)
    let events = Mutex<[FileEvent]>([])
    let injector = FaultInjector { _, event in events.withLock { $0.append(event) } }
    let connection = try connection(
      database,
      injector,
      ConnectionSettings(journalMode: .delete, synchronous: .full)
    )
    try connection.execute("SELECT 1")
    events.withLock { $0 = [] }
    try connection.execute("INSERT INTO item (name) VALUES ('one more')")
    _ = injector.meet(.commit, path: nil)
    let told = events.withLock { $0 }
    #expect(told.first?.place.kind == .open)
    #expect(told.first?.path == database.path + "-journal")
    #expect(told.first?.fileClass == .journal)
    #expect(told.suffix(2).map(\.place.kind) == [.delete, .commit])
    let writes = told.map(\.place).filter { $0.kind == .write }
    #expect(writes.count > 3)
    #expect(zip(writes, writes.dropFirst()).allSatisfy { $0.number + 1 == $1.number })
  }
}
