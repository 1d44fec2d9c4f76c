/// What of a store's content a digest counts.
///
/// Never the place of a blob, the number of an entity, or the name and order of columns.
package struct DigestOptions: Hashable, Sendable {
  /// How objects are told apart.
  package enum Identity: Hashable, Sendable {
    /// By their primary keys.
    case keys
    /// By their content and that of the objects around them: for copies that number anew.
    case content
  }

  /// What counts of an ordered relationship.
  package enum Order: Hashable, Sendable {
    /// Which object is first, second, third.
    case positions
    /// The order keys as they lie in the store; only with `Identity.keys`.
    case orderKeys
  }

  package var identity: Identity
  package var order: Order
  /// Whether the optimistic-lock counters, Z_OPT, count; only with `Identity.keys`.
  package var countsVersions: Bool

  package init(
    identity: Identity = .keys,
    order: Order = .positions,
    countsVersions: Bool = false
  ) {
    self.identity = identity
    self.order = order
    self.countsVersions = countsVersions
  }
}
