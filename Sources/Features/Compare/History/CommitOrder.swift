import Runner

/// Sorts the commits of a history by their recorded parents and dates.
///
/// Git is not used, because a shallow clone has no complete commit graph.
enum CommitOrder {
  static func sorted(
    _ lines: Set<HistoryLine>,
    _ revisions: [String: SourceRevision]
  ) -> [String] {
    var measured: [String: String] = [:]
    for line in lines { measured[line.commit] = min(measured[line.commit] ?? "9", line.startedAt) }
    var dates = measured
    for (commit, revision) in revisions where !revision.committedAt.isEmpty {
      dates[commit] = revision.committedAt
    }
    // Commits made in the same second stay in the order in which they were measured.
    let byDate = dates.sorted {
      ($0.value, measured[$0.key] ?? "", $0.key) < ($1.value, measured[$1.key] ?? "", $1.key)
    }.map(\.key)
    var (order, placed, seen): ([String], Set<String>, Set<String>) = ([], [], [])
    for commit in byDate {
      // Parents come before their children even if clocks were wrong. No repository contains a
      // cycle, but even with a cycle the search would end.
      var stack = [commit]
      while let top = stack.last {
        seen.insert(top)
        let parents = revisions[top]?.parents ?? []
        if let next = parents.first(where: { dates[$0] != nil && !seen.contains($0) }) {
          stack.append(next)
          continue
        }
        stack.removeLast()
        if placed.insert(top).inserted { order.append(top) }
      }
    }
    return order
  }
}
