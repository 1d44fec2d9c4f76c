import SQLite
import Testing

struct SettingsTests {
  /// The values that SQLite returns for the settings of a new connection.
  static let answers = [
    ("page_size", "4096"), ("auto_vacuum", "2"), ("mmap_size", "0"), ("temp_store", "1"),
    ("threads", "0"), ("cache_size", "2000"), ("cache_spill", "2000"), ("secure_delete", "0"),
    ("automatic_index", "1"), ("locking_mode", "normal"), ("foreign_keys", "0"),
    ("recursive_triggers", "0"), ("soft_heap_limit", "0"), ("journal_mode", "wal"),
    ("synchronous", "1"), ("wal_autocheckpoint", "1000"), ("journal_size_limit", "-1"),
    ("busy_timeout", "0"),
  ]

  @Test func `sets every pragma of the list, and knows an answer for each`() {
    #expect(ConnectionSettings().pragmas.map(\.name) == Self.answers.map(\.0))
  }

  @Test(arguments: answers)
  func `starts with what it says`(_ name: String, _ answer: String) throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    try connection.execute("CREATE TABLE t (a)")
    #expect(try connection.text("PRAGMA \(name)") == answer)
    // An existing file must give the same value.
    #expect(try database.open().text("PRAGMA \(name)") == answer)
  }

  @Test func `takes other settings`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open(
      ConnectionSettings(
        journalMode: .delete,
        synchronous: .full,
        cachePages: 77,
        pageSize: 8192,
        walAutocheckpoint: 3,
        usesForeignKeys: true,
        busyTimeout: 11
      )
    )
    try connection.execute("CREATE TABLE t (a)")
    let answers = try [
      "journal_mode", "synchronous", "cache_size", "page_size", "wal_autocheckpoint",
      "foreign_keys", "busy_timeout",
    ].map { try connection.text("PRAGMA \($0)") }
    #expect(answers == ["delete", "2", "77", "8192", "3", "1", "11"])
  }

  @Test func `leaves the file's page size alone where it has one`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 1)
    let connection = try database.open(ConnectionSettings(pageSize: 1024))
    #expect(try connection.text("PRAGMA page_size") == "4096")
  }
}
