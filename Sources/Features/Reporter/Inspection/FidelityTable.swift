import Basics
import Generators

/// A fidelity report as a person reads it: the farthest comparison of each aspect, then what
/// differs.
package struct FidelityTable {
  /// The most differences that are listed.
  private static let mostListed = 40

  private let report: FidelityReport
  private let k: Int

  package init(report: FidelityReport, k: Int) {
    self.report = report
    self.k = k
  }

  package var text: String {
    let differences = report.differences
    let count = report.comparisons.count
    var lines = [
      "fidelity: \(count) comparisons, \(differences.count) over their limit"
        + (report.untold.isEmpty ? "" : ", \(report.untold.count) cannot tell"),
      Self.table.header,
    ]
    for aspect in FidelityReport.Aspect.allCases {
      let compared = report.comparisons.filter { $0.aspect == aspect }
      guard let worst = compared.max(by: { $0.excess < $1.excess }) else { continue }
      lines.append(row(worst, "\(compared.count)"))
    }
    if !report.untold.isEmpty {
      lines.append("cannot tell: there are too few objects to find a difference")
      lines += Self.listed(report.untold.map(\.subject))
    }
    if !report.changes.isEmpty {
      lines.append("not compared, because the model determines it:")
      for reason in FidelityExpectation.Change.Reason.allCases {
        let changed = report.changes.filter { $0.reason == reason }
        guard !changed.isEmpty else { continue }
        lines.append("  \(reason.text):")
        lines += Self.listed(changed.map(\.subject))
      }
    }
    if !differences.isEmpty {
      lines.append("differs:")
      for difference in differences.prefix(Self.mostListed) { lines.append(row(difference, "")) }
      if differences.count > Self.mostListed {
        lines.append("  … and \(differences.count - Self.mostListed) more")
      }
    }
    if !report.missing.isEmpty {
      lines.append("not in the other store: \(report.missing.joined(separator: ", "))")
    }
    if !report.unknown.isEmpty {
      let entities = Figures.counted(report.unknown.count, "entity", "entities")
      lines.append("\(entities) with fewer than \(k) objects: nothing to compare")
    }
    lines += [
      "distance: 0 the same, 1 nothing in common",
      "limit: what rounding, chance (1 in 10,000) and ranges can cause; ?: cannot tell",
    ]
    return lines.joined(separator: "\n")
  }

  /// Names in lines of a page's width, the first ones where there are many.
  private static func listed(_ names: [String]) -> [String] {
    var unique: [String] = []
    for name in names where unique.last != name { unique.append(name) }
    let rest = unique.count - mostListed / 2
    let shown = unique.prefix(mostListed / 2) + (rest > 0 ? ["and \(rest) more"] : [])
    return TerminalText.lines(of: Array(shown), separator: ", ", to: 76).map { "    " + $0 }
  }

  private static let subjectWidth = 38
  private static let table = TextTable([
    .left("", 1), .left("aspect", 12), .right("compared", 8), .right("distance", 8),
    .right("limit", 6), .left("nearest its limit", subjectWidth, gap: 3),
  ])

  private func row(_ comparison: FidelityReport.Comparison, _ count: String) -> String {
    Self.table.line([
      comparison.differs ? "✗" : comparison.cannotTell ? "?" : "✓", comparison.aspect.rawValue,
      count,
      Figures.plain(comparison.distance, decimals: 3), Figures.plain(comparison.limit, decimals: 3),
      TerminalText.prefix(of: comparison.subject, width: Self.subjectWidth),
    ])
  }
}

extension FidelityExpectation.Change.Reason {
  fileprivate var text: String {
    switch self {
    case .required: "the model requires a value"
    case .unique: "a unique constraint requires a different value for every object"
    case .range: "values were moved into the range that the model allows"
    case .inverse: "the two sides of the relationship do not agree in the original"
    case .target: "objects are added, because a required relationship needs them"
    case .room: "no further distinct values are possible"
    case .derived: "the text is derived from another text, which is new"
    }
  }
}

extension FidelityReport.Comparison {
  /// How near to its limit, or beyond it.
  fileprivate var excess: Double { distance - limit }
}
