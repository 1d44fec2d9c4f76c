import Measurement

/// A form that a comparison is written in for other programs.
package protocol ComparisonFormat: Sendable {
  /// The name that `--format` takes.
  static var name: String { get }

  func text(of comparison: Comparison) -> String
}

/// Every form that a comparison is written in, but for the table.
package enum ComparisonCatalogue {
  package static let formats: [any ComparisonFormat] = [
    JUnitComparison(), GitHubAnnotations(), MarkdownSummary(),
  ]

  /// The form of a name, or `nil` for a name that none has.
  package static func format(named name: String) -> (any ComparisonFormat)? {
    formats.first { type(of: $0).name == name }
  }
}

/// What a comparison found wrong with one case.
enum CaseFault {
  case failed(String)
  case regressed([MetricComparison])
  /// Nothing can be said of the case, or of these metrics of it.
  case undecided(String)

  init?(_ result: CaseComparison) {
    switch result.finding {
    case .failed(let reason): self = .failed(reason)
    case .notCompared(let reason): self = .undecided(reason)
    case .compared(let metrics):
      let worse = metrics.filter { $0.verdict == .regressed }
      let unclear = metrics.filter { $0.verdict == .cannotTell }.map(\.metric.name)
      if !worse.isEmpty {
        self = .regressed(worse)
      } else if !unclear.isEmpty {
        self = .undecided("cannot tell: the values of \(unclear.joined(separator: ", ")) vary")
      } else {
        return nil
      }
    }
  }
}

extension MetricComparison {
  /// `sqlite.vmSteps rose from 120,000 to 124,001`, or fell.
  var change: String {
    let (before, after) = (Quantity.grouped(baseline), Quantity.grouped(candidate))
    return "\(metric.name) \(candidate > baseline ? "rose" : "fell") from \(before) to \(after)"
  }
}
