import DataModel
import PersistentStore
import SQLite

/// Profiles a store's persistent history.
struct HistoryProfiler {
  let connection: Connection
  let layout: StoreLayout
  let k: Int

  /// Each different number of changes with the count of the transactions that have so many.
  static let changesPerTransaction =
    "SELECT n, count(*) FROM (SELECT count(*) AS n FROM ACHANGE GROUP BY ZTRANSACTIONID) "
    + "GROUP BY 1 ORDER BY 1"

  func profile() throws -> HistoryProfile {
    let count = Int(try connection.integer("SELECT count(*) FROM ATRANSACTION") ?? 0)
    var profile = HistoryProfile(transactions: count >= k ? count : nil)
    profile.changes = try changes()
    guard count >= k else { return profile }
    let perTransaction = ValueCounts(try connection.prepare(Self.changesPerTransaction))
    profile.changesPerTransaction = try NumberBins(k: k, isWhole: true, isDate: false)
      .bins(of: perTransaction).bins.filled(to: count)
    let times = ValueCounts(
      try connection.prepare(
        "SELECT ZTIMESTAMP, count(*) FROM ATRANSACTION "
          + "WHERE typeof(ZTIMESTAMP) IN ('integer', 'real') GROUP BY 1 ORDER BY 1"
      )
    )
    profile.times = try NumberBins(k: k, isWhole: false, isDate: true).bins(of: times).bins
      .filled(to: count)
    return profile
  }

  private func changes() throws -> [HistoryProfile.Changes] {
    let rows = try connection.prepare(
      "SELECT ZENTITY, ZCHANGETYPE, count(*) FROM ACHANGE GROUP BY 1, 2 ORDER BY 1, 2"
    )
    var counts: [Int64: [Int64: Int]] = [:]
    while try rows.step() {
      let count = Int(rows.integer(at: 2))
      guard count >= k else { continue }
      counts[rows.integer(at: 0), default: [:]][rows.integer(at: 1)] = count
    }
    return counts.sorted { $0.key < $1.key }.compactMap { number, types in
      guard let entity = Int(exactly: number).flatMap(layout.numbers.entity) else { return nil }
      return HistoryProfile.Changes(
        entity: entity.name,
        inserts: types[0] ?? 0,
        updates: types[1] ?? 0,
        deletes: types[2] ?? 0
      )
    }
  }
}
