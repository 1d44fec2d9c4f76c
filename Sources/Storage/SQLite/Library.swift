import CSQLite

/// The SQLite library this process runs with.
package enum Library {
  /// Such as `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// Date and hash of the sources: counters are exact for one source ID and one set of options.
  package static var sourceID: String { String(cString: sqlite3_sourceid()) }

  /// The options it was compiled with, without their `SQLITE_`.
  package static var compileOptions: [String] {
    var options: [String] = []
    while let option = sqlite3_compileoption_get(Int32(options.count)) {
      options.append(String(cString: option))
    }
    return options
  }

  /// Bytes SQLite has allocated at most since the last reset; not exact across builds.
  package static func memoryHighWater(reset: Bool = false) -> Int64 {
    sqlite3_memory_highwater(reset ? 1 : 0)
  }

  /// Bytes SQLite has allocated now.
  package static var memoryUsed: Int64 { sqlite3_memory_used() }
}
