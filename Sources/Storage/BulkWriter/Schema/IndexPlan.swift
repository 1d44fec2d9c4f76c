/// An index to write, its keys taken from the rows of a table.
package struct IndexPlan: Sendable {
  /// One column of an index.
  package struct Column: Hashable, Sendable {
    /// The column's position in the table, from 0.
    package let position: Int
    package let isDescending: Bool

    package init(position: Int, isDescending: Bool = false) {
      self.position = position
      self.isDescending = isDescending
    }
  }

  package let name: String
  package let table: String
  /// The statement as sqlite_schema keeps it; `nil` for an index that a constraint makes.
  package let sql: String?
  package let columns: [Column]
  /// Whether no two rows may have the same key, NULLs being distinct.
  package let isUnique: Bool

  package init(name: String, table: String, sql: String?, columns: [Column], isUnique: Bool) {
    self.name = name
    self.table = table
    self.sql = sql
    self.columns = columns
    self.isUnique = isUnique
  }
}
