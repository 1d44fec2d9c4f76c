import SQLite
import Testing

struct LibraryTests {
  @Test func `says which sources and options it was built from`() throws {
    #expect(Library.version.split(separator: ".").count == 3)
    #expect(Library.sourceID.split(separator: " ").count == 3)
    #expect(Library.compileOptions.contains { $0.hasPrefix("THREADSAFE") })
    let database = try TemporaryDatabase()
    #expect(try database.open().text("SELECT sqlite_source_id()") == Library.sourceID)
  }

  @Test func `says how much memory it held at most`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    try connection.execute("CREATE TABLE t (a)")
    #expect(Library.memoryHighWater() > 0)
  }
}
