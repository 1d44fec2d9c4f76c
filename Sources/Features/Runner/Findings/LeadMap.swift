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

  /// What is said of the alternatives whatever was measured.
  package struct Guide: Codable, Hashable, Sendable {
    /// The alternatives from the one with the least for an app to take care of.
    package var simplest: [String]
    /// What guides advise, by rising size: an alternative up to each size, one above the last.
    package var rule: [Step]

    package struct Step: Codable, Hashable, Sendable {
      package var upTo: Double?
      package var alternative: String

      package init(_ alternative: String, upTo: Double? = nil) {
        (self.alternative, self.upTo) = (alternative, upTo)
      }
    }

    package init(simplest: [String], rule: [Step]) {
      (self.simplest, self.rule) = (simplest, rule)
    }

    func advice(at size: Double) -> String? {
      rule.first { $0.upTo.map { size <= $0 } ?? true }?.alternative
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
    /// The leaders that take at most a tenth longer than any other one, the simplest first.
    ///
    /// Empty where the samples show that of none; `nil` in results of versions that did not ask.
    package var ties: [String]?
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
    "\(Self.list(stretch.leaders, "or")) \(range(of: stretch.sizes, in: row))"
  }

  private static func list(_ names: [String], _ word: String) -> String {
    FindingText.list(names.map { CaseDimensions.words($0) }, word)
  }

  /// Neighbouring sizes among those of a row.
  private func range(of sizes: [Double], in row: Row) -> String {
    let (first, last) = (sizes[0], sizes[sizes.count - 1])
    let (low, high) = (text(ofSize: first), text(ofSize: last))
    return switch (first == row.cells.first?.size, last == row.cells.last?.size) {
    case (true, true): "at every size"
    case (true, false): "up to \(high)"
    case (false, true): "from \(low) on"
    case (false, false): first == last ? "at \(low)" : "from \(low) to \(high)"
    }
  }

  private func steady(_ row: Row) -> String {
    stretches(of: row).map {
      words(for: $0, in: row) + ($0.leaders.count > 1 ? " (not told apart)" : "")
    }.joined(separator: ", ")
  }

  /// What to take at the sizes where the samples show it, the simplest of the alternatives that are as
  /// good there; and which ones may be the fastest at the others.
  ///
  /// Each is empty if there is none.
  package func advice(for row: Row) -> (take: String, open: String) {
    struct Part {
      let choice: String?
      var others: Set<String>
      var sizes: [Double]
    }
    let parts = row.cells.reduce(into: [Part]()) { parts, cell in
      let ties = cell.ties ?? []
      let others = Set(ties.isEmpty ? cell.leaders : Array(ties.dropFirst()))
      // What is not decided is a part for itself where others may lead.
      if let last = parts.last, last.choice == ties.first,
        ties.isEmpty ? last.others == others : true
      {
        parts[parts.count - 1].others.formIntersection(others)
        parts[parts.count - 1].sizes.append(cell.size)
      } else {
        parts.append(Part(choice: ties.first, others: others, sizes: [cell.size]))
      }
    }
    let take = parts.compactMap { part in
      part.choice.map { choice in
        let range = "\(CaseDimensions.words(choice)) \(range(of: part.sizes, in: row))"
        guard !part.others.isEmpty else { return range }
        return "\(range) (\(Self.list(part.others.sorted(), "and")) "
          + "\(part.others.count == 1 ? "is" : "are") as good)"
      }
    }
    let open = parts.filter { $0.choice == nil }.map { part in
      "\(Self.list(part.others.sorted(), "or")) \(range(of: part.sizes, in: row))"
    }
    return (take.joined(separator: ", "), open.joined(separator: ", "))
  }

  /// How the rule of guides fares at the sizes of a row: `the guides' rule (inline up to 100 KiB, file
  /// above) is as good at 1 KiB, slower at 1 MiB, and not decided at 10 KiB`.
  func comparison(of row: Row, with guide: Guide) -> String? {
    guard !guide.rule.isEmpty else { return nil }
    let rule = guide.rule.map { step in
      let limit = step.upTo.map { "up to \(text(ofSize: $0))" } ?? "above"
      return "\(CaseDimensions.words(step.alternative)) \(limit)"
    }
    var sizes: [(words: String, sizes: [Double])] = [
      ("as good", []), ("slower", []), ("not decided", []),
    ]
    for cell in row.cells {
      guard let advice = guide.advice(at: cell.size), cell.medians[advice] != nil else { continue }
      let place = cell.ties?.contains(advice) == true ? 0 : cell.leaders.contains(advice) ? 2 : 1
      sizes[place].sizes.append(cell.size)
    }
    let parts = sizes.filter { !$0.sizes.isEmpty }.map { words, sizes in
      "\(words) at \(FindingText.list(sizes.map { text(ofSize: $0) }, "and"))"
    }
    guard !parts.isEmpty else { return nil }
    return "the guides' rule (\(rule.joined(separator: ", "))) is \(parts.joined(separator: ", "))"
  }

  private func range(_ lower: Double, _ upper: Double) -> String {
    let (low, high) = (text(ofSize: lower), text(ofSize: upper))
    guard let unit = high.split(separator: " ").last, high.contains(" "), low.hasSuffix(" \(unit)")
    else { return "\(low) to \(high)" }
    return "\(low.dropLast(unit.count + 1)) to \(high)"
  }
}
