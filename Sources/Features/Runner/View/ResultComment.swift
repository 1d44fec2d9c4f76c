import Basics
import Reporting

extension ResultDocument {
  /// The maximum number of lines in a comment on a pull request.
  private static let mostLines = 60

  /// The result as Markdown for a comment on a pull request, with the findings and one collapsed
  /// table of all cases.
  var comment: String {
    var short = report
    (short.facts, short.findingsNote) = ([], nil)
    func markdown(_ most: Int) -> String {
      short.sections = [.init("", [.folded("Table of \(rows.count) cases", [.table(table(most))])])]
      return short.markdown
    }
    let rows = workloads.flatMap(\.cases)
    guard !rows.isEmpty else { return short.markdown }
    let empty = markdown(1).count { $0 == "\n" }
    // If cases are omitted, two lines of the comment state their number.
    let room = max(1, Self.mostLines - empty + 1)
    return markdown(rows.count <= room ? rows.count : max(1, room - 2))
  }

  private func table(_ most: Int) -> Report.Table {
    let rows = workloads.flatMap { workload -> [[Report.Cell]] in
      let dimensions = CaseDimensions(of: workload.cases)
      return workload.cases.map { result in
        let label = "\(workload.workload): \(dimensions.label(of: result, isWhole: true))"
        guard result.outcome == .passed else {
          return [.text(label), .text(result.outcome.word, .bad), .empty]
        }
        return [.text(label)]
          + [Metric.wallClock, .peakMemory].map { metric in
            .number(Summary(of: result.trialValues(of: metric))?.p50, or: "–")
          }
      }
    }
    return Report.Table(
      "",
      [.init("Case"), .init("Time", .seconds), .init("Memory", .bytes)],
      rows: rows,
      most: most
    )
  }
}

extension CaseResult.Outcome {
  /// The word shown for a case without figures.
  fileprivate var word: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .failedAsExpected: "refused as expected"
    }
  }
}
