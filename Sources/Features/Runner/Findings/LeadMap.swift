import Basics

/// Which alternative is the fastest at each measured size, and where that changes: the winner map of
/// a sweep over one numeric parameter.
package struct LeadMap: Codable, Hashable, Sendable {
  /// The parameter that is swept, such as `size`.
  package var parameter: String
  package var unit: Metric.Unit
  /// The parameter whose values compete, such as `strategy`.
  package var alternatives: String
  /// The sizes that were measured, ascending.
  package var sizes: [Double]
  /// Sizes that readers know, such as the limits of guides.
  package var landmarks: [Mark] = []
  package var rows: [Row]

  /// A size that readers know, with what it stands for.
  package struct Mark: Codable, Hashable, Sendable {
    package var size: Double
    package var text: String

    package init(size: Double, text: String) {
      self.size = size
      self.text = text
    }
  }

  /// One operation.
  package struct Row: Codable, Hashable, Sendable {
    /// What was done: `operation=insert`, or the name of a mix of operations.
    package var name: String
    package var metric: String
    /// One for each size that was measured.
    package var cells: [Cell]
    /// In the order of the sizes; empty where one alternative may lead throughout.
    package var changes: [Change]

    /// Whether it adds operations up, and is none itself.
    var isMix: Bool { name.hasPrefix(LeadAnalysis.mix) }

    /// Whether the samples tell that the lead changes, or that one alternative leads at each size:
    /// sharing the lead anywhere, it is only never slower.
    var isClear: Bool { !changes.isEmpty || cells.allSatisfy { $0.leaders.count == 1 } }
  }

  /// What leads at one size.
  package struct Cell: Codable, Hashable, Sendable {
    package var size: Double
    /// The alternatives that may be the fastest, the fastest by its median first: one where the lead
    /// is clear, several where it is shared.
    package var leaders: [String]
    /// The median of each alternative, in the metric's unit.
    package var medians: [String: Double]
    /// How many times the time of the leader the best alternative takes that is not a leader.
    package var lead: Finding.Figure?
  }

  /// A size at which another alternative becomes the fastest.
  package struct Change: Codable, Hashable, Sendable {
    /// The fastest below the size, and from it on.
    package var from: String
    package var to: String
    /// The estimated size; `lower` and `upper` end its interval.
    package var size: Double
    package var lower: Double
    package var upper: Double
  }
}

// MARK: Words

extension LeadMap {
  /// Who leads up to which size: `inline up to 42 KB (24 to 78 KB), then file`.
  package func words(for row: Row) -> String {
    guard let last = row.changes.last else { return steady(row) }
    let parts = row.changes.map { "\(CaseDimensions.words($0.from)) up to \(text(of: $0))" }
    return (parts + [CaseDimensions.words(last.to)]).joined(separator: ", then ")
  }

  /// The size of a change with its interval: `42 KB (24 to 78 KB)`.
  package func text(of change: Change) -> String {
    "\(text(ofSize: change.size)) (\(range(change.lower, change.upper)))"
  }

  /// A size of the swept parameter.
  package func text(ofSize size: Double) -> String { unit.text(size, .significant) }

  /// Neighbouring sizes at which the same alternatives lead.
  private struct Stretch {
    let leaders: [String]
    var sizes: [Double]
  }

  private func stretches(of row: Row) -> [Stretch] {
    row.cells.reduce(into: []) { stretches, cell in
      let leaders = cell.leaders.sorted()
      if stretches.last?.leaders == leaders {
        stretches[stretches.count - 1].sizes.append(cell.size)
      } else {
        stretches.append(Stretch(leaders: leaders, sizes: [cell.size]))
      }
    }
  }

  private func words(for stretch: Stretch, in row: Row) -> String {
    let (first, last) = (stretch.sizes[0], stretch.sizes[stretch.sizes.count - 1])
    let (low, high) = (text(ofSize: first), text(ofSize: last))
    let range =
      switch (first == row.cells.first?.size, last == row.cells.last?.size) {
      case (true, true): "at every size"
      case (true, false): "up to \(high)"
      case (false, true): "from \(low) on"
      case (false, false): first == last ? "at \(low)" : "from \(low) to \(high)"
      }
    return "\(FindingText.list(stretch.leaders.map { CaseDimensions.words($0) }, "or")) \(range)"
  }

  private func steady(_ row: Row) -> String {
    stretches(of: row).map {
      words(for: $0, in: row) + ($0.leaders.count > 1 ? " (not told apart)" : "")
    }.joined(separator: ", ")
  }

  /// What to take up to each change or, without one, at the sizes where one alternative leads alone;
  /// and what the samples do not tell apart at the others.
  ///
  /// Each is empty if there is none.
  package func advice(for row: Row) -> (take: String, open: String) {
    guard row.changes.isEmpty else { return (words(for: row), "") }
    let all = stretches(of: row)
    func list(_ isMeant: (Stretch) -> Bool) -> String {
      all.filter(isMeant).map { words(for: $0, in: row) }.joined(separator: ", ")
    }
    return (list { $0.leaders.count == 1 }, list { $0.leaders.count > 1 })
  }

  private func range(_ lower: Double, _ upper: Double) -> String {
    let (low, high) = (text(ofSize: lower), text(ofSize: upper))
    guard let unit = high.split(separator: " ").last, high.contains(" "), low.hasSuffix(" \(unit)")
    else { return "\(low) to \(high)" }
    return "\(low.dropLast(unit.count + 1)) to \(high)"
  }
}
