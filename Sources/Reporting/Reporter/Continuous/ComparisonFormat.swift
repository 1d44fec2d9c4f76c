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
      let unclear = Self.unclear(result)
      if !worse.isEmpty {
        self = .regressed(worse)
      } else if !unclear.isEmpty {
        self = .undecided("cannot tell: " + unclear.joined(separator: "; "))
      } else {
        return nil
      }
    }
  }

  private static func unclear(_ result: CaseComparison) -> [String] {
    [
      ("the values of", result.metrics.filter { $0.verdict == .cannotTell }.map(\.metric), "vary"),
      ("the result lacks", result.metricsOnlyInBaseline.filter(\.isExactCost), ""),
      ("the baseline lacks", result.metricsOnlyInCandidate.filter(\.isExactCost), ""),
    ].filter { !$0.1.isEmpty }.map { start, metrics, end in
      "\(start) \(metrics.map(\.name).joined(separator: ", "))" + (end.isEmpty ? "" : " \(end)")
    }
  }
}
