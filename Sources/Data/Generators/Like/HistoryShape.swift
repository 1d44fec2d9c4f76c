import Profiling

/// The history of a store with the shape of a profile's.
package struct HistoryShape: Hashable, Sendable {
  /// How often objects of each entity were inserted, updated and deleted.
  package var changes: [HistoryProfile.Changes]
  package var transactions: Int
  /// Transactions by the number of their changes.
  package var changesPerTransaction: [Bin]
  /// Transactions by month.
  package var times: [Bin]

  /// A profile's history, so many times.
  init(_ profile: HistoryProfile, scale: Double, k: Int) {
    func scaled(_ count: Int) -> Int {
      Int(min((Double(count) * scale).rounded(), Double(Limits.mostObjects)))
    }
    changes = profile.changes.map {
      HistoryProfile.Changes(
        entity: $0.entity,
        inserts: scaled($0.inserts),
        updates: scaled($0.updates),
        deletes: scaled($0.deletes)
      )
    }
    transactions = profile.transactions.map(scaled) ?? k / 2
    changesPerTransaction = profile.changesPerTransaction
    times = profile.times
  }
}
