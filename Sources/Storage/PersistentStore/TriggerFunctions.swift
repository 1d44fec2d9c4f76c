import SQLite

/// The SQL functions that triggers of derived attributes call to tell an object context what they
/// changed, and that exist only inside Core Data (coredata-format.md, section 7).
///
/// Without them every insertion into such a table fails. Equivalents that tell nobody are enough:
/// the triggers change the rows by plain SQL.
enum TriggerFunctions {
  /// The names seen in real stores.
  private static let known = [
    "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    "NSCoreDataDATriggerUpdatedAffectedObjectValue",
    "NSCoreDataTriggerUpdateAffectedObjectValue",
  ]
  /// Names of one store that are registered beside them.
  private static let most = 32

  /// Registers the functions that the triggers of a connection's file call.
  static func register(on connection: Connection) throws {
    let triggers = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%NSCoreData%'"
    )
    var names: Set<String> = []
    while try triggers.step() { names.formUnion(calls(in: triggers.text(at: 0))) }
    guard !names.isEmpty else { return }
    for name in Set(known).union(names.sorted().prefix(most)).sorted() {
      try connection.registerEmptyFunction(name)
    }
  }

  /// The names of the framework's trigger functions in a text of SQL.
  static func calls(in sql: String) -> [String] {
    let words = sql.utf8.split { !isWordByte($0) }
    return words.compactMap { word in
      let name = String(decoding: word, as: UTF8.self)
      // Other functions of the framework compute values, which a stand-in would get wrong.
      return name.hasPrefix("NSCoreData") && name.contains("Trigger") && name.utf8.count < 256
        ? name : nil
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f: true
    default: false
    }
  }
}
