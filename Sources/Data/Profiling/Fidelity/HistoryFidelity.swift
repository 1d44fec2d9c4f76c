import PersistentStore
import SQLite

/// Compares two stores' persistent history.
struct HistoryFidelity {
  let profile: HistoryProfile
  let k: Int
  let original: StoreContent
  let made: StoreContent

  func compare(into report: inout FidelityReport) throws {
    guard made.layout.keepsHistory else {
      report.missing.append("history")
      return
    }
    let (left, right) = (try changes(original), try changes(made))
    let totals = (left.reduce(0, +), right.reduce(0, +))
    if totals.0 >= k {
      let distance = Distance.totalVariation(
        left.map { Double($0) / Double(totals.0) },
        right.map { Double($0) / Double(max(totals.1, 1)) }
      )
      let folded = Double(k * 3) / Double(totals.0)
      let limit = Distance.chance(totals.0, totals.1) + folded
      report.add(.changes, distance, limit: limit, of: "history")
    }
    guard let transactions = profile.transactions else { return }
    let shape = ColumnProfile(name: "", measure: .numbers, bins: profile.changesPerTransaction)
    let found = try Distance.kolmogorovSmirnov(
      try perTransaction(original),
      try perTransaction(made),
      model: shape.distribution
    )
    let limit = Distance.chance(transactions, found.objects.1) + found.fit
    report.add(.transactions, found.distance, limit: limit, of: "history")
  }

  /// Inserts, updates and deletes.
  private func changes(_ content: StoreContent) throws -> [Int] {
    try (0...2).map { type in
      let sql = "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = \(type)"
      return Int(try content.connection.integer(sql) ?? 0)
    }
  }

  private func perTransaction(_ content: StoreContent) throws -> ValueCounts {
    ValueCounts(try content.connection.prepare(HistoryProfiler.changesPerTransaction))
  }
}
