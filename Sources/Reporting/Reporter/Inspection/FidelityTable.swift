import Basics
import Profiling

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
      "fidelity: \(count) comparisons, \(differences.count) beyond their limit",
      Self.table.header,
    ]
    for aspect in FidelityReport.Aspect.allCases {
      let compared = report.comparisons.filter { $0.aspect == aspect }
      guard let worst = compared.max(by: { $0.excess < $1.excess }) else { continue }
      lines.append(row(worst, "\(compared.count)"))
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
      "distance: 0 alike, 1 nothing in common",
      "limit: what chance (1 in 10,000) and bins explain",
    ]
    return lines.joined(separator: "\n")
  }

  private static let subjectWidth = 38
  private static let table = TextTable([
    .left("", 1), .left("aspect", 12), .right("compared", 8), .right("distance", 8),
    .right("limit", 6), .left("nearest its limit", subjectWidth, gap: 3),
  ])

  private func row(_ comparison: FidelityReport.Comparison, _ count: String) -> String {
    Self.table.line([
      comparison.differs ? "✗" : "✓", comparison.aspect.rawValue, count,
      Figures.plain(comparison.distance, decimals: 3), Figures.plain(comparison.limit, decimals: 3),
      TerminalText.prefix(of: comparison.subject, width: Self.subjectWidth),
    ])
  }
}

extension FidelityReport.Comparison {
  /// How near to its limit, or beyond it.
  fileprivate var excess: Double { distance - limit }
}
