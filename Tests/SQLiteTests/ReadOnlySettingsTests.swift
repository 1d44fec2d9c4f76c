import Foundation
import Testing

@testable import SQLite

struct ReadOnlySettingsTests {
  @Test(arguments: [Connection.Mode.readOnly, .immutable])
  func `a connection that only reads takes the settings of one that writes`(
    _ mode: Connection.Mode
  ) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("storebench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("store.sqlite").path
    func fill() throws {
      let connection = try Connection(path: path, mode: .create)
      try connection.executeScript(["CREATE TABLE t (a)", "INSERT INTO t VALUES (7)"])
    }
    try fill()
    let connection = try Connection(
      path: path,
      mode: mode,
      settings: ConnectionSettings(cachePages: 123)
    )
    #expect(try connection.integer("SELECT a FROM t") == 7)
    #expect(try connection.integer("PRAGMA cache_size") == 123)
    #expect(try connection.integer("PRAGMA auto_vacuum") == 2)
    #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (8)") }
  }
}
