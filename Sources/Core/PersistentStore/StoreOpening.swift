import DataModel
import SQLite

/// Opens the file of a store and explains failures.
package enum StoreOpening {
  static func connect(
    _ file: StoreFile,
    mode: Connection.Mode,
    settings: ConnectionSettings
  ) throws -> Connection {
    guard file.exists else { throw PersistentStoreError.missing(path: file.path) }
    do {
      let connection = try Connection(path: file.path, mode: mode, settings: settings)
      for table in ["Z_PRIMARYKEY", "Z_METADATA"] where try !hasTable(table, connection) {
        throw PersistentStoreError.notCoreData(path: file.path, missing: "table \(table)")
      }
      try StoreTriggers(connection).allow(on: connection)
      return connection
    } catch let error as SQLiteError {
      throw translated(error, path: file.path)
    }
  }

  /// Translates an SQLite error into an error about the store at a path.
  package static func translated(_ error: SQLiteError, path: String) -> any Error {
    if error.isNotADatabase { return PersistentStoreError.notSQLite(path: path) }
    if error.isBusy { return PersistentStoreError.locked(path: path) }
    if error.isCorrupt { return PersistentStoreError.damaged(path: path, reason: error.message) }
    return error
  }

  static func hasTable(_ name: String, _ connection: Connection) throws -> Bool {
    try !connection.texts(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?",
      for: name
    ).isEmpty
  }

  /// The names of ordinary tables.
  ///
  /// Reading views, virtual tables and shadow tables can run code by the file's author.
  static func ordinaryTables(_ connection: Connection) throws -> Set<String> {
    Set(
      try connection.texts(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 "
          + "AND sql LIKE 'CREATE TABLE %'"
      )
    )
  }

  static func check(
    _ layout: StoreLayout,
    tables: Set<String>,
    against connection: Connection,
    path: String
  ) throws {
    let ordinary = Set(tables.map { $0.uppercased() })
    for (table, columns) in layout.tableColumns {
      guard ordinary.contains(table.uppercased()) else {
        let kind = try connection.texts("SELECT type FROM sqlite_master WHERE name = ?", for: table)
        guard kind.isEmpty else {
          throw PersistentStoreError.damaged(
            path: path,
            reason:
              "\(table) is not an ordinary table"
          )
        }
        throw PersistentStoreError.modelMismatch(path: path, table: table, column: columns[0])
      }
      let present = Set(try connection.columnNames(of: table))
      for column in columns where !present.contains(column) {
        throw PersistentStoreError.modelMismatch(path: path, table: table, column: column)
      }
    }
  }
}

extension Model {
  /// Checks the names of entities and properties.
  ///
  /// - Throws: ``PersistentStoreError/invalidModel(_:)`` if a table or column name would need
  ///   quotes, because Core Data never quotes names.
  package func checkNames() throws {
    let faults = unusableNames.map { "'\($0.prefix(60))' cannot be the name of a table or column" }
    guard faults.isEmpty else { throw PersistentStoreError.invalidModel(faults) }
  }
}

extension Connection {
  func texts(_ sql: String, for parameter: String? = nil) throws -> [String] {
    let statement = try prepare(sql)
    if let parameter { statement.bind(parameter, at: 1) }
    var texts: [String] = []
    while try statement.step() { texts.append(statement.text(at: 0)) }
    return texts
  }

  /// The names of a table's stored columns, without generated ones; empty if there is no such
  /// table.
  func columnNames(of table: String) throws -> [String] {
    try texts("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0", for: table)
  }
}

/// The triggers of a store: Core Data's own and foreign triggers.
///
/// Saves rely on the triggers of derived attributes, R-tree indexes and private counters. They call
/// functions that exist only inside Core Data and notify an object context of changes
/// (coredata-format.md, section 7); without them, every insertion fails. Empty functions are
/// sufficient, because the triggers change rows with plain SQL. Foreign triggers never run.
package struct StoreTriggers {
  private static let knownFunctions = [
    "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    "NSCoreDataDATriggerUpdatedAffectedObjectValue",
    "NSCoreDataTriggerUpdateAffectedObjectValue",
  ]
  private static let mostFunctions = 32

  /// The names of Core Data's own triggers.
  package let own: Set<String>
  /// The names of foreign triggers, which never run.
  package let foreign: [String]
  private let functions: [String]

  package init(_ connection: Connection) throws {
    var (own, foreign, called): (Set<String>, [String], Set<String>) = ([], [], [])
    let row = try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    )
    while try row.step() {
      let name = row.text(at: 0)
      if ["Z_DA_", "Z_RT_", "ZT_"].contains(where: name.hasPrefix) {
        own.insert(name)
        called.formUnion(Self.calls(in: row.text(at: 1)))
      } else {
        foreign.append(name)
      }
    }
    self.own = own
    self.foreign = foreign
    functions =
      own.isEmpty
      ? [] : Set(Self.knownFunctions).union(called.sorted().prefix(Self.mostFunctions)).sorted()
  }

  /// Lets Core Data's triggers run on a connection.
  package func allow(on connection: Connection) throws {
    guard !own.isEmpty else { return }
    for name in functions { try connection.registerFunction(name, isHarmless: true) { _ in .null } }
    connection.allow(
      triggers: own,
      functions: FrameworkFunctions.names.union(functions),
      usesVirtualTables: own.contains { $0.hasPrefix("Z_RT_") }
    )
  }

  /// Removes the foreign triggers from a copy in which Core Data's triggers run.
  ///
  /// A statement that fires a remaining foreign trigger would fail.
  package func removeForeign(from copy: StoreFile) throws {
    guard !own.isEmpty, !foreign.isEmpty else { return }
    let connection = try Connection(path: copy.path, settings: nil)
    connection.keepWALAtClose()
    for name in foreign { try connection.execute("DROP TRIGGER \(name.quotedName)") }
  }

  static func calls(in sql: String) -> [String] {
    let words = sql.utf8.split { !isWordByte($0) }
    return words.compactMap { word in
      let name = String(decoding: word, as: UTF8.self)
      // Replace only the functions of triggers by empty ones: Core Data's other functions compute
      // values, so an empty replacement would give wrong results.
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
