/// The extent to which a store's pages are used after edits and deletions.
package struct PageUse: Hashable, Sendable {
  /// The share of the file's pages that are free.
  package var free = 0.0
  /// The percentage to which leaf pages are filled, by table or index name.
  ///
  /// The leaves of tables and indexes without an entry are full.
  package var fill: [String: Int] = [:]
}
