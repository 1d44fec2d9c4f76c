import Basics

/// The fastest alternatives at each measured size, and the sizes at which they change: the winner
/// map of a sweep over one numeric parameter.
package struct LeadMap: Codable, Hashable, Sendable {
  /// The swept parameter, such as `size`.
  package var parameter: String
  package var unit: Metric.Unit
  /// The compared parameter, such as `strategy`.
  package var alternatives: String
  /// The measured sizes in ascending order.
  package var sizes: [Double]
  /// Well-known sizes, such as the limits that guides give.
  package var landmarks: [Mark] = []
  package var rows: [Row]

  /// A well-known size, with its meaning.
  package struct Mark: Codable, Hashable, Sendable {
    package var size: Double
    package var text: String

    package init(size: Double, text: String) {
      self.size = size
      self.text = text
    }
  }

  /// Information about the alternatives apart from the measurements.
  package struct Guide: Codable, Hashable, Sendable {
    /// The alternatives in ascending order of complexity for an app.
    package var simplest: [String]
    /// The guides' advice in ascending order of size: each step applies up to its size, and the
    /// last step to all larger sizes.
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

  /// The results for one operation or combination of parameters, or for a mix of operations (a
  /// weighted sum).
  package struct Row: Codable, Hashable, Sendable {
    /// The operation, such as `insert`, and other parameters, such as `durability=commit`, or the
    /// name of a mix of operations; empty if there is only one row.
    package var name: String
    package var metric: String
    /// One cell per measured size.
    package var cells: [Cell]
    /// The changes in ascending order of size; empty if one alternative may lead throughout.
    package var changes: [Change]

    /// Whether the row is a weighted sum of operations.
    var isMix: Bool { name.hasPrefix(LeadAnalysis.mix) }

    /// Whether the samples show that the fastest alternative changes, or that one alternative leads
    /// at every size.
    var isClear: Bool {
      !changes.isEmpty || Set(cells.map(\.leaders)).count == 1 && cells[0].leaders.count == 1
    }
  }

  /// The leaders (alternatives that may be the fastest) at one size.
  package struct Cell: Codable, Hashable, Sendable {
    package var size: Double
    /// The leaders in ascending order of their medians; only one alternative if the lead is clear.
    package var leaders: [String]
    /// The leaders that take at most a tenth longer than any other leader, the simplest first.
    ///
    /// Empty if the samples do not show this for any leader; `nil` in results of earlier versions.
    package var ties: [String]?
    /// The median of each alternative, in the metric's unit.
    package var medians: [String: Double]
    /// The time of the fastest alternative that is not a leader, divided by the first leader's
    /// time.
    package var lead: Finding.Figure?
  }

  /// A size at which another alternative becomes the fastest.
  package struct Change: Codable, Hashable, Sendable {
    /// The fastest alternative below the size; `to` is the fastest alternative above it.
    package var from: String
    package var to: String
    /// The estimated size; `lower` and `upper` are the ends of its interval.
    package var size: Double
    package var lower: Double
    package var upper: Double
    /// The alternatives that may be the fastest below the size; ``toLeaders`` may be the fastest
    /// above it.
    ///
    /// Both properties are `nil` in results of earlier versions.
    package var fromLeaders: [String]?
    package var toLeaders: [String]?
  }
}

// MARK: Text for reports

extension LeadMap {
  /// The noun for the rows: an operation, or a combination of other parameters.
  var rowNoun: String {
    let names = rows.filter { !$0.isMix }.map(\.name)
    return names.allSatisfy { !$0.isEmpty && !$0.contains("=") } ? "operation" : "combination"
  }

  /// The leaders by size in words: `inline up to 42 KB (24 to 78 KB), then file`.
  package func words(for row: Row) -> String {
    guard let last = row.changes.last, hasNames(row) else { return steady(row) }
    let parts = row.changes.map { "\(below($0)) up to \(text(of: $0))" }
    return (parts + [above(last)]).joined(separator: ", then ")
  }

  /// Whether the changes name a possible leader at every size.
  ///
  /// Changes exclude alternatives that, at some size, were not measured or do the same work as
  /// another alternative.
  func hasNames(_ row: Row) -> Bool {
    let names = Set(
      row.changes.flatMap { ($0.fromLeaders ?? [$0.from]) + ($0.toLeaders ?? [$0.to]) }
    )
    return row.cells.allSatisfy { $0.leaders.isEmpty || $0.leaders.contains(where: names.contains) }
  }

  /// The alternatives that may be the fastest below a change.
  func below(_ change: Change) -> String { open(change.fromLeaders ?? [change.from]) }

  /// The alternatives that may be the fastest above a change.
  func above(_ change: Change) -> String { open(change.toLeaders ?? [change.to]) }

  private func open(_ leaders: [String]) -> String {
    list(leaders, "or") + (leaders.count > 1 ? " (not told apart)" : "")
  }

  /// Formats the size of a change with its interval: `42 KB (24 to 78 KB)`.
  package func text(of change: Change) -> String {
    "\(text(ofSize: change.size)) (\(range(change.lower, change.upper)))"
  }

  /// Formats a value of the swept parameter.
  package func text(ofSize size: Double) -> String { unit.text(size, .significant) }

  /// Neighboring sizes at which the same alternatives lead.
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
    "\(list(stretch.leaders, "or")) \(range(of: stretch.sizes, in: row))"
  }

  private func list(_ names: [String], _ word: String) -> String {
    FindingText.list(names.map { FindingText.value($0, of: alternatives) }, word)
  }

  /// Describes a run of neighboring sizes within a row, such as `up to 10 KB`.
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

  /// Returns the recommended alternatives with their sizes (the simplest of equally good
  /// alternatives), and the possible leaders at the undecided sizes.
  ///
  /// Each string is empty if it does not apply.
  package func advice(for row: Row) -> (take: String, open: String) {
    struct Part {
      let choice: String?
      var others: Set<String>
      var sizes: [Double]
    }
    let parts = row.cells.reduce(into: [Part]()) { parts, cell in
      let ties = cell.ties ?? []
      let others = Set(ties.isEmpty ? cell.leaders : Array(ties.dropFirst()))
      // Merge undecided sizes only if they have the same possible leaders.
      if let last = parts.last, last.choice == ties.first,
        !ties.isEmpty || last.others == others
      {
        parts[parts.count - 1].others.formIntersection(others)
        parts[parts.count - 1].sizes.append(cell.size)
      } else {
        parts.append(Part(choice: ties.first, others: others, sizes: [cell.size]))
      }
    }
    let take = parts.compactMap { part in
      part.choice.map { choice in
        let range = "\(list([choice], "or")) \(range(of: part.sizes, in: row))"
        guard !part.others.isEmpty else { return range }
        return "\(range) (\(list(part.others.sorted(), "and")) "
          + "\(part.others.count == 1 ? "is" : "are") as good)"
      }
    }
    let open = parts.filter { $0.choice == nil }.map { part in
      "\(list(part.others.sorted(), "or")) \(range(of: part.sizes, in: row))"
    }
    return (take.joined(separator: ", "), open.joined(separator: ", "))
  }

  /// Compares the guides' rule with the measurements of a row: `the guides' rule (inline up to 100
  /// KiB, file above) is as good at 1 KiB, slower at 1 MiB, and not decided at 10 KiB`.
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
