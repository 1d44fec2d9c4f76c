import Basics
import PersistentStore
import SQLite

/// What decides a case's counters besides the pragmas: the disk below the store, and the statistics
/// of `ANALYZE`, which the planner goes by.
struct StoreFacts {
  /// Beside the pragmas, under names that none of them has.
  let named: [String: String]

  /// Nothing is known of a file that SQLite cannot read.
  init(of store: StoreFile) {
    guard let connection = try? Connection(path: store.path, mode: .immutable, settings: nil),
      let statistics = try? Self.statistics(connection),
      let disk = connection.fileFacts
    else {
      named = [:]
      return
    }
    named = [
      "sqlite_stat1": statistics,
      "sector_size": String(disk.sectorSize),
      "device_characteristics": "0x" + String(disk.deviceCharacteristics, radix: 16),
    ]
  }

  /// A digest of the rows of `sqlite_stat1`, or `none`.
  private static func statistics(_ connection: Connection) throws -> String {
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'"
    guard try connection.integer(tables) != 0 else { return "none" }
    var digest = SHA256()
    let rows = try connection.prepare("SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2, 3")
    while try rows.step() {
      let row = (0..<3).map { rows.text(at: $0) }.joined(separator: "|")
      digest.update(data: Array((row + "\n").utf8))
    }
    return digest.finalize().prefix(8).hexadecimal
  }
}
