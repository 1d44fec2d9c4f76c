import Basics

/// Finds prefetches that return no objects, and prefetches whose objects no other statement uses.
struct PrefetchRules {
  static let fewestPrefetched = 100
  static let fewestEmptyPrefetches = 3

  /// A prefetch and the fetch or batch that caused it; -1 if the log does not show the cause.
  private struct Prefetch: Hashable {
    var entry: Int
    var asker: Int
  }

  private typealias Total = (evidence: Evidence, rows: Int, name: Int)

  private var totals: [Prefetch: Total] = [:]
  /// The last nested prefetches by thread, until the fetch that caused them ends.
  private var open: [Int: [LoggedStatement]] = [:]

  private static let mostOpen = 100

  mutating func add(_ statement: LoggedStatement, _ shape: StatementShape) {
    let thread = statement.threadKey
    if !open.isEmpty, shape.isRead, !statement.isNested,
      let nested = open.removeValue(forKey: thread)
    {
      for prefetch in nested { add(prefetch, for: statement.entry) }
    }
    guard case .prefetch = statement.purpose else { return }
    if statement.isNested, open[thread]?.count ?? 0 < Self.mostOpen {
      open[thread, default: []].append(statement)
    } else {
      add(statement, for: -1)
    }
  }

  private mutating func add(_ statement: LoggedStatement, for asker: Int) {
    guard case .prefetch(let relationship) = statement.purpose else { return }
    let key = Prefetch(entry: statement.entry, asker: asker)
    var total = totals[key] ?? (Evidence(), 0, relationship)
    total.evidence.add(statement)
    total.rows += max(statement.rows, 0)
    totals[key] = total
  }

  mutating func finish() {
    for statement in open.values.joined() { add(statement, for: -1) }
    open = [:]
  }
}

extension PrefetchRules {
  /// Returns the findings; `faulting` contains the fetches whose relationships are read one by one,
  /// and `lists` contains the fetch of the keys of each batch.
  func findings(
    _ statements: StatementTable,
    _ vocabulary: Vocabulary,
    _ digest: LogDigest,
    faulting: Set<Int>,
    lists: [Int: Int]
  ) -> [Finding] {
    let empty = totals.compactMap { key, total -> Finding? in
      guard total.rows == 0, total.evidence.calls >= Self.fewestEmptyPrefetches else { return nil }
      let name = vocabulary.name(total.name)
      let asker = lists[key.asker] ?? key.asker
      let place = asker < 0 ? "" : " for the \(vocabulary.operation(statements[asker].shape))"
      return total.evidence.finding(
        .unreadPrefetch,
        "\(total.evidence.calls) prefetches of \(name) "
          + "(\(vocabulary.entity(of: statements[key.entry].shape.table)))\(place) found no object",
        .medium,
        doubt: "with other data it may find objects"
      ).about(.request(asker < 0 ? key.entry : asker), without: name)
    }
    let byEntry = Dictionary(grouping: totals.map { $0 }, by: \.key.entry)
    return empty
      + byEntry.compactMap { entry, parts -> Finding? in
        let calls = parts.reduce(0) { $0 + $1.value.evidence.calls }
        let rows = parts.reduce(0) { $0 + $1.value.rows }
        guard rows >= Self.fewestPrefetched,
          digest.tables[statements[entry].shape.table]?.calls == calls,
          let most = parts.max(by: { ($0.value.rows, $0.key.asker) < ($1.value.rows, $1.key.asker) }
          )
        else { return nil }
        var evidence = Evidence()
        for part in parts { evidence.add(part.value.evidence) }
        evidence.lines = Array(
          parts.flatMap(\.value.evidence.lines).sorted().prefix(Finding.mostLines)
        )
        let asker = lists[most.key.asker] ?? most.key.asker
        let name = vocabulary.name(most.value.name)
        // If other relationships of the same fetch are read one by one, the app probably prefetches
        // the wrong relationship.
        let isWrong = faulting.contains(asker)
        return evidence.finding(
          .unreadPrefetch,
          "\(rows) objects of \(vocabulary.entity(of: statements[entry].shape.table)) are "
            + "prefetched for \(name), and no other statement touches them"
            + (isWrong ? "; other relationships of the same fetch are read one by one" : ""),
          isWrong ? .medium : .low,
          doubt: "reading prefetched objects in memory leaves no line in the log"
        ).about(.request(asker < 0 ? entry : asker), without: name)
      }
  }
}
