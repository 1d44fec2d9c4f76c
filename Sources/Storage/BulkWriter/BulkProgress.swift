/// How far a database has come.
package struct BulkProgress: Hashable, Sendable {
  /// The table or the index that is being written.
  package let item: String
  /// Rows of all tables so far.
  package let rows: Int
}
