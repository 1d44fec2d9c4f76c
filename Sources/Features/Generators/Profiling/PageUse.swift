/// How full a store's pages are, as a result of edits and deletions.
package struct PageUse: Hashable, Sendable {
  /// The share of the file's pages that are free.
  package var free = 0.0
  /// The percentage to which leaves are filled, by table or index name; leaves without an entry are
  /// full.
  package var fill: [String: Int] = [:]
}
