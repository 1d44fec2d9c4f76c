import CSQLite

/// An error that SQLite reported, with the statement that met it.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The extended result code.
  package var code: Int32
  /// SQLite's own words for what happened.
  package var message: String
  /// The SQL or the action under way.
  package var context: String

  package init(code: Int32, message: String, context: String) {
    self.code = code
    self.message = message
    self.context = context
  }

  /// The code without its extension: `SQLITE_CONSTRAINT` for `SQLITE_CONSTRAINT_UNIQUE`.
  package var primaryCode: Int32 { code & 0xff }

  package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
  package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }
  package var isFull: Bool { primaryCode == SQLITE_FULL }
  package var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }
  package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT }

  package var description: String {
    "SQLite error \(code): \(message) - while executing '\(context)'"
  }
}
