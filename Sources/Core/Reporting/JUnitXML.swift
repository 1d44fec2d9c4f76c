import Basics

/// Writes JUnit XML for CI servers, with one suite per workload and one test per case.
package struct JUnitXML {
  /// The outcome of a test.
  package enum Outcome {
    case passed
    case failure(type: String, message: String)
    case skipped(String)
  }

  package struct Test {
    let name: String
    let outcome: Outcome
    /// The time in seconds; `nil` if nothing was timed.
    let time: Double?

    package init(name: String, outcome: Outcome, time: Double? = nil) {
      (self.name, self.outcome, self.time) = (name, outcome, time)
    }
  }

  package struct Suite {
    let name: String
    let tests: [Test]

    package init(name: String, tests: [Test]) {
      (self.name, self.tests) = (name, tests)
    }
  }

  let suites: [Suite]

  package init(suites: [Suite]) { self.suites = suites }

  package var text: String {
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
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{fffe}", "\u{ffff}": result += "\u{fffd}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
