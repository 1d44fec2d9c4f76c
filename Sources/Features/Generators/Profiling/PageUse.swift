/// How full a store's pages are: what edits and deletions have left of them.
package struct PageUse: Hashable, Sendable {
  /// The share of the file's pages that are free.
  package var free = 0.0
  /// Percent of a leaf that is used before the next one is begun, of tables and indexes by name;
  /// those without an entry are full.
  package var fill: [String: Int] = [:]
}
