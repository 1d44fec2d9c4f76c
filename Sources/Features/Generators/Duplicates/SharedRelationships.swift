/// The copies that share their original's targets.
///
/// For example, a task and its copy belong to the same project.
struct SharedRelationships: Sendable {
  private struct Part: Sendable {
    let span: Span
    let clusters: DuplicateClusters
    let copies: [Int: [Int]]
  }

  private let parts: [Part]

  /// Fails if no copies share targets.
  ///
  /// `members` are the rows and duplicates of the entities on one side of a relationship.
  init?(_ members: [(span: Span, clusters: DuplicateClusters?)]) {
    parts = members.compactMap { span, clusters in
      guard let clusters else { return nil }
      var copies: [Int: [Int]] = [:]
      for row in clusters.clusters.joined() where clusters.sharesTargets(row) {
        copies[clusters.original(of: row), default: []].append(row)
      }
      return copies.isEmpty ? nil : Part(span: span, clusters: clusters, copies: copies)
    }
    if parts.isEmpty { return nil }
  }

  @inline(__always)
  func origin(of tableRow: Int) -> Int {
    for part in parts {
      guard let row = part.span.index(of: tableRow) else { continue }
      return part.clusters.sharesTargets(row)
        ? part.span.offset + part.clusters.original(of: row) : tableRow
    }
    return tableRow
  }

  /// Returns the given rows, except copies, with all copies that share their targets, in row order.
  func all(of tableRows: [Int]) -> [Int] {
    tableRows.filter { origin(of: $0) == $0 }.flatMap { [$0] + copies(of: $0) }.sorted()
  }

  private func copies(of tableRow: Int) -> [Int] {
    for part in parts {
      guard let row = part.span.index(of: tableRow) else { continue }
      return (part.copies[row] ?? []).map { $0 + part.span.offset }
    }
    return []
  }
}

extension DuplicateClusters {
  @inline(__always)
  func sharesTargets(_ row: Int) -> Bool {
    guard rows.contains(row), let likeness = likeness(of: row) else { return false }
    return likeness != .sameKey
  }
}
