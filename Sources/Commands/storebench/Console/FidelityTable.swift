import Foundation
import Profiling

/// A fidelity report as a person reads it: the farthest comparison of each aspect, then what
/// differs.
struct FidelityTable {
  /// The most differences that are listed.
  private static let mostListed = 40

  let report: FidelityReport
  let k: Int

  var text: String {
    let differences = report.differences
    let count = report.comparisons.count
    var lines = [
      "fidelity: \(count) comparisons, \(differences.count) beyond their limit",
      row("", "aspect", "compared", "distance", "limit", "nearest its limit"),
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
      let entities = report.unknown.count == 1 ? "1 entity" : "\(report.unknown.count) entities"
      lines.append("\(entities) with fewer than \(k) objects: nothing to compare")
    }
    lines += [
      "distance: 0 alike, 1 nothing in common",
      "limit: what chance (1 in 10,000) and bins explain",
    ]
    return lines.joined(separator: "\n")
  }

  private func row(_ comparison: FidelityReport.Comparison, _ count: String) -> String {
    row(
      comparison.differs ? "✗" : "✓",
      comparison.aspect.rawValue,
      count,
      Self.text(comparison.distance),
      Self.text(comparison.limit),
      comparison.subject
    )
  }

  private func row(
    _ mark: String,
    _ aspect: String,
    _ count: String,
    _ distance: String,
    _ limit: String,
    _ subject: String
  ) -> String {
    let cells = [
      padded(mark, 1), padded(aspect, 12), leading(count, 8), leading(distance, 8),
      leading(limit, 6), "  " + subject,
    ]
    return String(cells.joined(separator: " ").prefix(80))
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private func leading(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func text(_ distance: Double) -> String { String(format: "%.3f", distance) }
}

extension FidelityReport.Comparison {
  /// How near to its limit, or beyond it.
  fileprivate var excess: Double { distance - limit }
}
