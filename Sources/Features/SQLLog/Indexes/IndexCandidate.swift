import Basics
import PersistentStore

/// An index that statements of a log could use but that the store lacks.
package struct IndexCandidate: Encodable, Hashable, Sendable {
  package struct Column: Encodable, Hashable, Sendable {
    package let name: String
    package let isDescending: Bool
  }

  package let table: String
  package let columns: [Column]

  /// The name of the index on copies of the store.
  package var name: String {
    "Z_StoreBench_\(table)_" + columns.map(\.name).joined(separator: "_")
  }

  package var sql: String {
    let keys = columns.map { $0.name.quotedName + ($0.isDescending ? " DESC" : "") }
    return
      "CREATE INDEX \(name.quotedName) ON \(table.quotedName) (\(keys.joined(separator: ", ")))"
  }

  /// Whether this index's columns are a prefix of another index's columns, which makes this index
  /// redundant.
  package func isServed(by other: IndexCandidate) -> Bool {
    table == other.table && other.columns.map(\.name).starts(with: columns.map(\.name))
  }
}

extension LogAnalysis {
  private static let mostCandidates = 10

  /// Indexes for the predicates, sort orders and joins of the log's reads, sorted by the total time
  /// of those reads.
  ///
  /// The list excludes text searches, which no index can speed up, and the leading columns of
  /// existing indexes. Without a model or store, the list is empty, because the existing indexes
  /// are unknown.
  package var indexCandidates: [IndexCandidate] {
    guard let schema = vocabulary.schema else { return [] }
    var weights: [IndexCandidate: (time: Int, calls: Int)] = [:]
    for (entry, figures) in digest.statements.enumerated() where figures.calls > 0 {
      let shape = statements[entry].shape
      guard [.fetch, .keyFetch, .count, .aggregate, .toManyFault].contains(shape.kind) else {
        continue
      }
      for candidate in Self.candidates(shape) where Self.isNew(candidate, schema) {
        weights[candidate, default: (0, 0)].time += figures.time
        weights[candidate]?.calls += figures.calls
      }
    }
    return weights.sorted { first, second in
      let key: (IndexCandidate, (time: Int, calls: Int)) -> (Int, Int, Int) = {
        ($1.time, $1.calls, $0.columns.count)
      }
      let (left, right) = (key(first.key, first.value), key(second.key, second.value))
      return left == right ? first.key.name < second.key.name : left > right
    }.prefix(Self.mostCandidates).map(\.key)
  }

  private static func candidates(_ shape: StatementShape) -> [IndexCandidate] {
    func candidate(
      _ table: String,
      _ columns: [(name: String, isDescending: Bool)]
    ) -> IndexCandidate {
      IndexCandidate(
        table: table,
        columns: columns.map { .init(name: $0.name, isDescending: $0.isDescending) }
      )
    }
    let all = shape.indexColumns
    let sorted = Set(shape.sorts.filter { $0.collation != nil }.map(\.column))
    let usable = all.prefix { !sorted.contains($0.name) }
    var found = [candidate(shape.table, Array(usable))]
    // A shorter index may be nearly as effective and serve more statements.
    for end in 1..<max(usable.count, 1) { found.append(candidate(shape.table, Array(all[..<end]))) }
    for column in usable.dropFirst() { found.append(candidate(shape.table, [column])) }
    for condition in shape.conditions
    where (condition.table != shape.table || condition.isAlternative)
      && [.equals, .list, .range].contains(condition.operation)
    {
      found.append(candidate(condition.table, [(condition.column, false)]))
    }
    return found.filter { !$0.columns.isEmpty }
  }

  private static func isNew(_ candidate: IndexCandidate, _ schema: LogSchema) -> Bool {
    guard let table = schema.tables[candidate.table] else { return false }
    let columns = candidate.columns.map(\.name)
    // The primary key needs no index.
    if columns.contains("Z_PK") || columns == ["Z_ENT"] { return false }
    return !table.indexes.contains { $0.columns.starts(with: columns) }
  }
}

/// The index candidates measured by replaying a log's statements on copies of a store.
package struct IndexProposals: Encodable, Sendable {
  /// The counters of a log's replay with a set of indexes.
  package struct Measured: Encodable, Sendable {
    package let indexes: [IndexCandidate]
    package let counters: ReplayReport.Counters

    package init(_ indexes: [IndexCandidate], _ counters: ReplayReport.Counters) {
      (self.indexes, self.counters) = (indexes, counters)
    }
  }

  /// The counters without a new index.
  package var before: ReplayReport.Counters
  package var saves: Int
  /// The measurement of each candidate alone.
  package var single: [Measured]
  /// The measurements of combinations of at most ``mostTogether`` indexes.
  package var combined: [Measured]
  /// The smallest set of indexes whose saving is within 10 % of the maximum; `nil` if no index
  /// saves anything.
  package var chosen: Measured?
  /// The time that the chosen set saves per replay, in seconds.
  package var saved: ReplayReport.Saving?
  /// The time that the chosen set adds to a save, in seconds; `nil` if the log has no save.
  package var saveCost: ReplayReport.Saving?
  /// The reason why the candidates were not measured; empty if they were.
  package var doubt: String

  /// The minimum share of the maximum saving that the chosen set must reach.
  package static let goodEnough = 0.9
  /// The minimum share of all virtual machine steps that an index must save to justify its
  /// maintenance.
  package static let leastSaving = 0.01
  package static let mostTogether = 3

  package init(before: ReplayReport.Counters, saves: Int, doubt: String = "") {
    (self.before, self.saves, self.doubt) = (before, saves, doubt)
    (single, combined) = ([], [])
  }

  /// Returns the number of SQLite virtual machine steps that a set of indexes saves, an exact
  /// counter.
  package func saving(_ measured: Measured) -> Int { before.vmSteps - measured.counters.vmSteps }

  /// Chooses the set of indexes to propose.
  package mutating func choose() {
    let all = single + combined
    guard let best = all.map(saving).max(),
      Double(best) >= Double(before.vmSteps) * Self.leastSaving
    else { return }
    let good = all.filter { Double(saving($0)) >= Double(best) * Self.goodEnough }
    chosen = good.min { first, second in
      let key: (Measured) -> (Int, Int, Int) = {
        ($0.indexes.count, $0.counters.storeBytes, $0.counters.vmSteps)
      }
      return key(first) < key(second)
    }
  }
}
