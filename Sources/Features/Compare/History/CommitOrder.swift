import Runner

/// The order of the commits of a history, from what is recorded of them: git is not asked, since a
/// shallow clone has no graph.
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
    // Commits of one second are in the order in which they were measured.
    let byDate = dates.sorted {
      ($0.value, measured[$0.key] ?? "", $0.key) < ($1.value, measured[$1.key] ?? "", $1.key)
    }.map(\.key)
    var (order, placed, seen): ([String], Set<String>, Set<String>) = ([], [], [])
    for commit in byDate {
      // Parents first, however wrong the clocks were; a circle, which no repository has, ends too.
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
