import PersistentStore
import SQLite

/// The triggers of derived attributes and private counters, which a store made like another has as
/// the original has them: no source shows all of their text (coredata-format.md, section 7).
struct CopiedTriggers {
  private static let prefixes = ["Z_DA_", "ZT_"]
  private static let most = 1_000
  private static let longest = 16_384

  /// The statements that make a store's triggers, in the order of their names.
  static func statements(of connection: Connection) throws -> [String] {
    let row = try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name LIMIT \(most)"
    )
    var statements: [String] = []
    while try row.step() {
      let (name, sql) = (row.text(at: 0), row.text(at: 1))
      if prefixes.contains(where: name.hasPrefix), isCreation(sql) { statements.append(sql) }
    }
    return statements
  }

  /// Whether a text makes a trigger of a framework, and does nothing else.
  static func isCreation(_ sql: String) -> Bool {
    let words = sql.prefix(200).split(whereSeparator: \.isWhitespace)
    guard sql.utf8.count <= longest, words.count > 2, words[0].uppercased() == "CREATE",
      words[1].uppercased() == "TRIGGER"
    else { return false }
    return prefixes.contains { words[2].drop { $0 == "\"" }.hasPrefix($0) }
  }

  /// Makes triggers in a store, without running them; those that its tables do not fit are left out.
  static func make(_ statements: [String], in store: StoreFile) throws {
    guard !statements.isEmpty else { return }
    let connection = try Connection(path: store.path, mode: .readWrite)
    for sql in statements where isCreation(sql) {
      // Only the first statement of a text is prepared.
      try? connection.prepare(sql).run()
    }
    try connection.checkpoint()
  }
}
