import Runner
import TestSupport
import Testing

@testable import Compare

struct ComparisonFormatTests {
  private let steps = Metric.counter("sqlite.vmSteps")

  private func comparison() throws -> Comparison {
    func result(_ id: String, _ trials: [[Double]]) -> CaseResult {
      CaseResult(
        id: "f/\(id)",
        parameters: [:],
        outcome: .passed,
        samples: [Sample(metric: steps, trials: trials)]
      )
    }
    var baseline = Fixture.small
    baseline.workloads[0].cases = ["a", "b", "c", "d", "old"].map { result($0, [[10], [10]]) }
    var candidate = baseline
    candidate.workloads[0].cases = [
      result("a", [[10], [10]]), result("b", [[12], [12]]), result("c", [[10], [11]]),
      result("d", [[10], [10]]), result("new", [[1], [1]]),
    ]
    candidate.workloads[0].cases[3].outcome = .failed("50% lost,\nall: gone")
    return try Comparison(of: candidate, against: baseline)
  }

  @Test func `annotates a GitHub job with what needs a look`() throws {
    #expect(
      try comparison().text(as: .github) == """
        ::notice title=StoreBench::3 costs compared: 1 regressed, 0 improved, 1 unchanged, 1 cannot tell; 2 of 6 cases cannot be compared; 1 of 6 cases failed
        ::error title=f/b regressed::sqlite.vmSteps rose from 10 to 12 (budget: 2 %25 more)
        ::warning title=f/c::cannot tell: the values of sqlite.vmSteps vary
        ::error title=f/d failed::50%25 lost,%0Aall: gone
        ::warning title=f/old::it is in the baseline, but not in the result
        ::notice title=f/new::it is not in the baseline yet

        """
    )
  }

  @Test func `a summary in Markdown lists what changed and what failed`() throws {
    let text = try comparison().text(as: .markdown)
    for line in [
      "## 1 of 6 cases failed",
      "3 costs compared: 1 regressed, 0 improved, 1 unchanged, 1 cannot tell; 2 of 6 cases cannot be "
        + "compared; 1 of 6 cases failed.",
      "- **f/d** FAILED: 50% lost, all: gone", "- f/old: only in the baseline",
      "| sqlite.vmSteps | 10 | 12 | +20.0 % | regressed; budget: 2 % more | <code>f/b</code> |",
    ] {
      #expect(text.contains(line), "\(text)")
    }
  }

  @Test func `gives JUnit a failure for what failed or regressed`() throws {
    #expect(
      try comparison().text(as: .junit) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="storebench" tests="6" failures="2" errors="0">
          <testsuite name="fetch/paging" tests="6" failures="2" errors="0" skipped="3">
            <testcase classname="fetch/paging" name="f/a"/>
            <testcase classname="fetch/paging" name="f/b">
              <failure type="regressed" message="sqlite.vmSteps rose from 10 to 12 (budget: 2 % more)"/>
            </testcase>
            <testcase classname="fetch/paging" name="f/c">
              <skipped message="cannot tell: the values of sqlite.vmSteps vary"/>
            </testcase>
            <testcase classname="fetch/paging" name="f/d">
              <failure type="failed" message="50% lost,&#10;all: gone"/>
            </testcase>
            <testcase classname="fetch/paging" name="f/old">
              <skipped message="only in the baseline"/>
            </testcase>
            <testcase classname="fetch/paging" name="f/new">
              <skipped message="not in the baseline yet"/>
            </testcase>
          </testsuite>
        </testsuites>

        """
    )
  }
}
