import Foundation
import SQLite

/// A path for a database in a folder of its own, which is removed when this object is released.
final class TemporaryDatabase {
  let path: String
  let folder: String

  init(name: String = "test.sqlite") throws {
    folder = NSTemporaryDirectory() + "storebench-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/" + name
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Opens the database; creates it if it does not exist.
  func open(_ settings: ConnectionSettings = ConnectionSettings()) throws -> Connection {
    try Connection(path: path, mode: .create, settings: settings)
  }

  /// Makes the table `item` with numbered rows and an index on `size`.
  func fill(rows: Int) throws {
    let connection = try open()
    try connection.executeScript([
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, size INTEGER)",
      "CREATE INDEX item_size ON item (size)",
    ])
    try connection.transaction {
      let insert = try connection.cached("INSERT INTO item (name, size) VALUES (?1, ?2)")
      for row in 0..<rows {
        insert.bind("item number \(row)", at: 1)
        insert.bind(Int64(row * 7919 % 1009), at: 2)
        try insert.run()
      }
    }
  }
}
