import Basics
import Reporting
import Runner

/// An output format of a live comparison, as named by `--format`.
package enum LiveFormat: String, CaseIterable, Sendable {
  case text, html, json, junit, github, markdown
}

extension LiveResult {
  /// Formats the comparison.
  package func text(as format: LiveFormat) throws -> String {
    switch format {
    case .text: report.text()
    case .html: report.html
    case .json: try jsonText(isPretty: false)
    case .junit: junit
    case .github: annotations
    case .markdown: "# StoreBench live comparison\n\n" + report.markdown
    }
  }

  private var annotations: String {
    let verdict = WorkflowCommand.text("notice", title: "StoreBench", "\(title): \(summary)")
    return verdict
      + causes.map { WorkflowCommand.text("notice", title: "Cause", $0.text) }.joined()
      + zip(cases, decidingIntervals).map { found, interval -> String in
        switch found.ending(interval) {
        case .passed: ""
        case .failure(let type, let message):
          WorkflowCommand.text("error", title: "\(found.id) \(type)", message)
        case .skipped(let reason): WorkflowCommand.text("warning", title: found.id, reason)
        }
      }.joined()
      + missing.map { WorkflowCommand.text("notice", title: $0.id, "only in \($0.side)") }.joined()
  }

  private var junit: String {
    var suites = [
      JUnitXML.Suite(
        name: "comparison",
        tests: [
          .init(
            name: "causes",
            outcome: .skipped(([title] + causes.map(\.text)).joined(separator: "\n"))
          )
        ]
      )
    ]
    let all = Array(zip(cases, decidingIntervals))
    for name in workloads {
      let tests = all.filter { $0.0.workload == name }.map { found, interval in
        JUnitXML.Test(name: found.id, outcome: found.ending(interval), time: found.seconds)
      }
      suites.append(JUnitXML.Suite(name: name, tests: tests))
    }
    if !missing.isEmpty {
      let tests = missing.map {
        JUnitXML.Test(name: $0.id, outcome: .skipped("only in \($0.side)"))
      }
      suites.append(JUnitXML.Suite(name: "only on one side", tests: tests))
    }
    return JUnitXML(suites: suites).text
  }
}

extension LiveCaseResult {
  fileprivate func ending(_ interval: ChangeInterval?) -> JUnitXML.Outcome {
    let size =
      LiveResult.signed(change)
      + (interval.map { ", interval \(LiveResult.text($0))" } ?? "")
    switch finding {
    case .failed(let cause): return .failure(type: "failed", message: cause)
    case .verdict(let verdict) where verdict.isRegression:
      return .failure(type: "got slower", message: "it takes longer: \(size)")
    case .verdict(.cannotTell):
      return .skipped(blocks.isEmpty ? "cannot tell" : "cannot tell: \(size)")
    case .verdict: return .passed
    }
  }
}
