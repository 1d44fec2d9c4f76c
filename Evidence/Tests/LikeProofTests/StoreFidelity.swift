import DataModel
import PersistentStore
import SQLite

@testable import Generators

/// Compares the shape of a store with the shape of the store from whose profile it was made.
struct StoreFidelity {
  let profile: StoreProfile
  let original: StoreContent
  let made: StoreContent
  /// The expected contents of `made`; `nil` if neither store was made from the other.
  let expectation: FidelityExpectation?

  func report() throws -> FidelityReport {
    var report = FidelityReport()
    report.changes = expectation?.changes ?? []
    for entity in profile.entities {
      guard let objects = entity.objects else {
        report.unknown.append(entity.name)
        continue
      }
      guard let first = EntityColumns(entity.name, in: original),
        let second = EntityColumns(entity.name, in: made)
      else {
        report.missing.append(entity.name)
        continue
      }
      let count = try second.objectCount()
      if let wanted = expectation?.counts[entity.name] {
        let distance = Double(abs(count - wanted)) / Double(max(wanted, count, 1))
        report.add(.objects, distance, limit: 0, of: entity.name)
      }
      let comparison = EntityFidelity(
        profile: entity,
        k: profile.k,
        first: first,
        second: second,
        objects: (objects, count),
        tolerance: tolerance
      )
      try comparison.compare(into: &report)
    }
    if let history = profile.history {
      try HistoryFidelity(
        profile: history,
        k: profile.k,
        original: original,
        made: made,
        tolerance: tolerance
      )
      .compare(into: &report)
    }
    comparePages(into: &report)
    return report
  }

  /// Compares only the page use of the two stores.
  func pageReport() -> FidelityReport {
    var report = FidelityReport()
    comparePages(into: &report)
    return report
  }

  /// The largest difference in page use that is due to rounding and to space too small for a cell.
  private static let pageLimit = 0.05

  private func comparePages(into report: inout FidelityReport) {
    guard let (left, right) = PageScan.both(original, made) else { return }
    report.add(.pages, abs(left.free - right.free), limit: Self.pageLimit, of: "file")
    for (name, leaves) in left.leaves.sorted(by: { $0.key < $1.key }) {
      guard leaves.cells >= profile.k, let other = right.leaves[name] else { continue }
      let lastLeaf = 1 / Double(min(leaves.pages, other.pages))
      let limit = Self.pageLimit + max(leaves.rounding, other.rounding) + lastLeaf
      report.add(.pages, abs(leaves.share - other.share), limit: limit, of: name)
    }
  }

  private var tolerance: Tolerance { Tolerance(isMade: expectation != nil, k: profile.k) }

  /// Compares the persistent history of two stores.
  struct HistoryFidelity {
    let profile: HistoryProfile
    let k: Int
    let original: StoreContent
    let made: StoreContent
    let tolerance: Tolerance

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
        let limit = tolerance.share(totals.0, totals.1) * 3
        report.add(.changes, distance, limit: limit, of: "history")
      }
      guard let transactions = profile.transactions else { return }
      let shape = ColumnProfile(name: "", measure: .numbers, bins: profile.changesPerTransaction)
      let found = try Distance.kolmogorovSmirnov(
        try perTransaction(original),
        try perTransaction(made),
        model: shape.distribution
      )
      let limit = tolerance.counts(transactions, found.objects.1) + found.fit
      report.add(.transactions, found.distance, limit: limit, of: "history")
    }

    private func changes(_ content: StoreContent) throws -> [Int] {
      try (0...2).map { type in
        let sql = "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = \(type)"
        return Int(try content.connection.integer(sql) ?? 0)
      }
    }

    private func perTransaction(_ content: StoreContent) throws -> ValueCounts {
      ValueCounts(
        try content.connection.prepare(StoreProfiler.HistoryProfiler.changesPerTransaction)
      )
    }
  }
}
