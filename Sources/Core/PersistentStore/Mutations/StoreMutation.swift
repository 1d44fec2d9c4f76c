/// One way in which a store can be wrong after some work: verification must find every one.
package struct StoreMutation: Sendable {
  /// Which check must find it, whatever else does.
  package enum Sort: Hashable, Sendable {
    /// The content differs: the comparison finds it, and the digest differs.
    case content
    /// The optimistic-lock counters differ: a comparison that counts them finds it.
    case versions
    /// The layout's rules are broken: the audit finds it.
    case layout
    /// The history differs.
    case history
  }

  /// What was done, in a few words.
  package let name: String
  package let sort: Sort
  private let body: @Sendable (MutationSite) throws -> Bool

  init(
    _ name: String,
    _ sort: Sort = .content,
    _ body: @escaping @Sendable (MutationSite) throws -> Bool
  ) {
    self.name = name
    self.sort = sort
    self.body = body
  }

  /// Changes a store in a place that the seed chooses, by plain SQL or in its files.
  ///
  /// - Returns: Whether the store has a place where it can occur; nothing is changed otherwise.
  package func apply(to store: StoreFile, layout: StoreLayout, seed: UInt64) throws -> Bool {
    try body(MutationSite(store: store, layout: layout, seed: seed))
  }

  /// Every mutation, those of one sort of place together.
  package static let all: [StoreMutation] =
    objects + values + relationships + pairs + blobs + schema + history

  /// Those that change more than the optimistic-lock counters.
  package static let beyondVersions = all.filter { $0.sort != .versions }
}

extension StoreMutation: CustomStringConvertible {
  package var description: String { name }
}
