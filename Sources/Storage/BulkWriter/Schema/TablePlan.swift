/// A table to write: its definition and what makes its rows.
package struct TablePlan: Sendable {
  package let name: String
  /// The statement as sqlite_schema keeps it: `CREATE TABLE ` and the text from the name on.
  package let sql: String
  /// The affinity of each column, in declared order.
  package let columns: [Affinity]
  /// The position of the INTEGER PRIMARY KEY, which stands for the rowid.
  package let rowidColumn: Int?
  package let source: any RowSource

  package init(
    name: String,
    sql: String,
    columns: [Affinity],
    rowidColumn: Int?,
    source: any RowSource
  ) {
    self.name = name
    self.sql = sql
    self.columns = columns
    self.rowidColumn = rowidColumn
    self.source = source
  }
}
