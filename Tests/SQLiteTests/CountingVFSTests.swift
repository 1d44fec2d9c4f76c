import Foundation
import SQLite
import Testing

struct CountingVFSTests {
  private let vfs: CountingVFS
  private let database: TemporaryDatabase

  init() throws {
    vfs = try CountingVFS(name: "test-\(UUID().uuidString)")
    database = try TemporaryDatabase()
  }

  private func open(
    _ path: String? = nil,
    _ settings: ConnectionSettings = ConnectionSettings()
  ) throws -> Connection {
    try Connection(path: path ?? database.path, mode: .create, settings: settings, vfs: vfs)
  }

  private static func fill(_ connection: Connection, rows: Int) throws {
    try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
    try connection.transaction {
      let insert = try connection.cached("INSERT INTO item (name) VALUES (?1)")
      for row in 0..<rows {
        insert.bind("item number \(row * 7919 % 1009) of a few hundred", at: 1)
        try insert.run()
      }
    }
  }

  /// The total size of the folder's files, except the `-shm`, which the VFS does not see.
  private func bytesOnDisk() throws -> Int64 {
    try FileManager.default.contentsOfDirectory(atPath: database.folder).sorted()
      .filter { !$0.hasSuffix("-shm") }
      .reduce(0) { sum, name in
        let path = database.folder + "/" + name
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        return sum + (size?.int64Value ?? 0)
      }
  }

  @Test func `counts a commit of one page as a frame of two writes and a sync`() throws {
    let connection = try open(nil, ConnectionSettings(synchronous: .full))
    try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
    let before = vfs.reading
    try connection.execute("INSERT INTO item (name) VALUES ('a')")
    let work = vfs.reading - before
    #expect(work[.wal].writes == 2)
    #expect(work[.wal].writeBytes == 24 + 4096)
    #expect(work[.wal].syncs == 1)
    #expect(work[.main] == FileActivity())
    #expect(work.total == work[.wal])
  }

  @Test func `counts a rollback journal from its opening to its deletion`() throws {
    let connection = try open(nil, ConnectionSettings(journalMode: .delete, synchronous: .full))
    try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
    let before = vfs.reading
    for _ in 1...3 { try connection.execute("INSERT INTO item (name) VALUES ('a')") }
    let work = vfs.reading - before
    #expect(work[.journal].opens == 3)
    #expect(work[.journal].deletes == 3)
    #expect(work[.journal].syncs == 6)
    #expect(work[.main].syncs == 3)
    #expect(work.diskGrowth == 0)
    #expect(work.peakDiskGrowth > 4096)
  }

  @Test func `sees the temporary file of a sort, which no folder shows`() throws {
    let connection = try open(nil, ConnectionSettings(cachePages: 10))
    try Self.fill(connection, rows: 20_000)
    let before = vfs.reading
    vfs.resetPeakDisk()
    let sorted = try connection.prepare("SELECT name FROM item ORDER BY name")
    while try sorted.step() {}
    let work = vfs.reading - before
    #expect(work[.temporary].opens > 0)
    #expect(work[.temporary].writeBytes > 500_000)
    #expect(work.peakDiskGrowth >= 500_000)
    #expect(work.diskGrowth == 0)
    #expect(work[.main].writes == 0)
  }

  @Test(arguments: ConnectionSettings.JournalMode.allCases)
  func `knows the bytes on the disk after all sorts of work`(
    mode: ConnectionSettings.JournalMode
  ) throws {
    let settings = ConnectionSettings(journalMode: mode, cachePages: 20, walAutocheckpoint: 50)
    var connection: Connection? = try open(nil, settings)
    let first = try #require(connection)
    try Self.fill(first, rows: 5000)
    #expect(try vfs.reading.diskGrowth == bytesOnDisk())
    try first.execute("DELETE FROM item WHERE id % 3 > 0")
    try first.execute("PRAGMA incremental_vacuum")
    #expect(try vfs.reading.diskGrowth == bytesOnDisk())
    try first.execute("VACUUM INTO '\(database.folder)/copy.sqlite'")
    try first.execute("ATTACH '\(database.folder)/other.sqlite' AS other")
    try first.execute("CREATE TABLE other.item AS SELECT * FROM main.item")
    #expect(try vfs.reading.diskGrowth == bytesOnDisk())
    try first.execute("VACUUM")
    connection = nil
    #expect(try vfs.reading.diskGrowth == bytesOnDisk())
    #expect(connection == nil)
  }

  @Test func `counts a file's growth once, however many connections have it open`() throws {
    let (first, second) = (try open(), try open())
    try Self.fill(first, rows: 1000)
    try second.execute("DELETE FROM item WHERE id < 100")
    try second.checkpoint()
    #expect(try vfs.reading.diskGrowth == bytesOnDisk())
    #expect(vfs.reading[.main].opens == 2)
  }

  @Test func `takes growth and removal of the process's own files for the peak`() {
    vfs.noteFiles(growth: 5000)
    vfs.noteFiles(growth: -2000)
    #expect(vfs.reading.peakDiskGrowth == 5000)
    vfs.resetPeakDisk()
    vfs.noteFiles(growth: 100)
    #expect(vfs.reading.diskGrowth == 3100)
    #expect(vfs.reading.peakDiskGrowth == 3100)
  }

  @Test func `repeats to the last digit, whatever the path's length`() throws {
    var readings: Set<VFSReading> = []
    for run in 1...6 {
      let folder = try TemporaryDatabase(name: String(repeating: "long", count: run) + ".sqlite")
      let before = vfs.reading
      vfs.resetPeakDisk()
      let connection = try open(folder.path, ConnectionSettings(cachePages: 20))
      try Self.fill(connection, rows: 4000)
      let sorted = try connection.prepare("SELECT name FROM item ORDER BY name")
      while try sorted.step() {}
      readings.insert(vfs.reading - before)
    }
    #expect(readings.count == 1)
    #expect(readings.first?.total.reads ?? 0 > 0)
  }

  @Test func `changes no byte of what is written`() throws {
    let settings = ConnectionSettings(journalMode: .delete)
    let plain = database.folder + "/plain.sqlite"
    try Self.fill(try Connection(path: plain, mode: .create, settings: settings), rows: 3000)
    try Self.fill(try open(nil, settings), rows: 3000)
    let bytes = try [plain, database.path].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    #expect(bytes[0] == bytes[1])
    #expect(bytes[0].count > 100_000)
  }

  @Test func `reports a file that cannot be opened as SQLite does`() throws {
    #expect(throws: SQLiteError.self) {
      try Connection(path: database.folder + "/none/x.sqlite", mode: .create, vfs: vfs)
    }
    #expect(throws: SQLiteError.self) {
      try Connection(path: database.folder + "/none.sqlite", vfs: vfs)
    }
    #expect(vfs.reading.total == FileActivity())
  }

  @Test func `is gone from SQLite when nobody holds it`() throws {
    let name = "test-\(UUID().uuidString)"
    weak var held: CountingVFS?
    func open() throws -> Connection {
      let other = try CountingVFS(name: name)
      held = other
      return try Connection(path: database.path, mode: .create, vfs: other)
    }
    do {
      let connection = try open()
      #expect(held != nil)
      try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    }
    #expect(held == nil)
  }

  @Test func `tells of the disk what the system's VFS tells`() throws {
    let plain = try Connection(path: database.folder + "/plain.sqlite", mode: .create)
    let counting = try open()
    #expect(counting.fileFacts == plain.fileFacts)
    #expect(try #require(plain.fileFacts).sectorSize >= 512)
  }
}
