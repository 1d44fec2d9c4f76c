import Basics
import Compare
import Runner

/// A result as JUnit XML: cases that failed are failures, times are wall-clock medians.
package struct JUnitReport: ReportFormat {
  package static let name = "junit"

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    let suites = document.workloads.map { workload in
      JUnitXML.Suite(name: workload.workload, tests: workload.cases.map(Self.test))
    }
    try sink(JUnitXML(suites: suites).text)
  }

  private static func test(of result: CaseResult) -> JUnitXML.Test {
    guard case .failed(let reason) = result.outcome else {
      let time = result.sample(of: Metric.wallClock.name)?.median
      return JUnitXML.Test(name: result.id, outcome: .passed, time: time)
    }
    return JUnitXML.Test(name: result.id, outcome: .failure(type: "failed", message: reason))
  }
}

/// A comparison as JUnit XML: failures are cases that failed and cases with a counter that rose.
package struct JUnitComparison: ComparisonFormat {
  package static let name = "junit"

  package init() {}

  package func text(of comparison: Comparison) -> String {
    let suites = comparison.workloads.map { workload in
      JUnitXML.Suite(
        name: workload.workload,
        tests: workload.cases.map(Self.test)
          + workload.onlyInBaseline.map { Self.skipped($0, "only in the baseline") }
          + workload.onlyInCandidate.map {
            Self.skipped($0, comparison.obstacle ?? "not in the baseline yet")
          }
      )
    }
    return JUnitXML(suites: Self.verdict(of: comparison) + suites).text
  }

  /// A suite of one test for what concerns all cases: why nothing could be compared, or causes.
  private static func verdict(of comparison: Comparison) -> [JUnitXML.Suite] {
    let reasons = (comparison.obstacle.map { [$0] } ?? []) + comparison.causes.map(\.text)
    guard !reasons.isEmpty || comparison.workloads.isEmpty else { return [] }
    let reason = reasons.isEmpty ? comparison.tally.text : reasons.joined(separator: "\n")
    return [JUnitXML.Suite(name: "comparison", tests: [skipped("causes", reason)])]
  }

  private static func test(of result: CaseComparison) -> JUnitXML.Test {
    let outcome: JUnitXML.Outcome =
      switch CaseFault(result) {
      case .failed(let reason): .failure(type: "failed", message: reason)
      case .regressed(let metrics):
        .failure(type: "regressed", message: metrics.map(\.change).joined(separator: "\n"))
      case .undecided(let reason): .skipped(reason)
      case nil: .passed
      }
    return JUnitXML.Test(name: result.id, outcome: outcome)
  }

  private static func skipped(_ id: String, _ reason: String) -> JUnitXML.Test {
    JUnitXML.Test(name: id, outcome: .skipped(reason))
  }
}

/// JUnit XML as CI servers read it: a suite a workload, a test a case.
struct JUnitXML {
  /// How a test ended.
  enum Outcome {
    case passed
    case failure(type: String, message: String)
    case skipped(String)
  }

  struct Test {
    var name: String
    var outcome: Outcome
    /// Seconds; `nil` where nothing was timed.
    var time: Double?
  }

  struct Suite {
    var name: String
    var tests: [Test]
  }

  var suites: [Suite]

  var text: String {
    let tests = suites.flatMap(\.tests)
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      + "<testsuites name=\"storebench\"\(Self.counts(of: tests))>\n"
      + suites.map(Self.text).joined() + "</testsuites>\n"
  }

  private static func text(of suite: Suite) -> String {
    let skipped = suite.tests.filter { if case .skipped = $0.outcome { true } else { false } }
    return "  <testsuite name=\(quoted(suite.name))\(counts(of: suite.tests))"
      + " skipped=\"\(skipped.count)\">\n"
      + suite.tests.map { text(of: $0, in: suite) }.joined() + "  </testsuite>\n"
  }

  private static func text(of test: Test, in suite: Suite) -> String {
    let time = test.time.map { " time=\"\($0.shortest)\"" } ?? ""
    let start = "    <testcase classname=\(quoted(suite.name)) name=\(quoted(test.name))\(time)"
    switch test.outcome {
    case .passed: return start + "/>\n"
    case .failure(let type, let message):
      return start + ">\n      <failure type=\(quoted(type)) message=\(quoted(message))/>\n"
        + "    </testcase>\n"
    case .skipped(let message):
      return start + ">\n      <skipped message=\(quoted(message))/>\n    </testcase>\n"
    }
  }

  private static func counts(of tests: [Test]) -> String {
    let failures = tests.filter { if case .failure = $0.outcome { true } else { false } }
    return " tests=\"\(tests.count)\" failures=\"\(failures.count)\" errors=\"0\""
  }

  /// An attribute's value; what XML 1.0 has no characters for is replaced.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\t": result += "&#9;"
      case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": result += "\u{fffd}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
