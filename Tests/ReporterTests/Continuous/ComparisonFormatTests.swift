import Compare
import Runner
import Testing

@testable import Reporter

/// Comparisons in the forms that CI servers read.
struct ComparisonFormatTests {
  private let steps = Metric.counter("sqlite.vmSteps")

  /// A case that failed, one with a counter that rose, one whose counter varies, one of each side.
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
      GitHubAnnotations().text(of: try comparison()) == """
        ::notice title=StoreBench::3 costs compared: 1 regressed, 0 improved, 1 unchanged, 1 cannot tell; 2 of 6 cases cannot be compared; 1 of 6 cases failed
        ::error title=f/b regressed::sqlite.vmSteps rose from 10 to 12 (budget: 2 %25 more)
        ::warning title=f/c::cannot tell: the values of sqlite.vmSteps vary
        ::error title=f/d failed::50%25 lost,%0Aall: gone
        ::warning title=f/old::it is in the baseline, but not in the result
        ::notice title=f/new::it is not in the baseline yet

        """
    )
  }

  @Test func `summarises in Markdown`() throws {
    #expect(
      MarkdownSummary().text(of: try comparison()) == """
        ### StoreBench

        3 costs compared: **1 regressed**, 0 improved, 1 unchanged, 1 cannot tell; 2 of 6 cases cannot be compared; **1 of 6 cases failed**.

        - fetch/paging, 1 of 4 cases: +2 SQLite steps

        | case | metric | baseline | result | verdict |
        |---|---|--:|--:|---|
        | f/b | sqlite.vmSteps | 10 | 12 | **regressed**, budget: 2 % more |
        | f/c | sqlite.vmSteps | 10 | 10 | cannot tell |
        | f/d |  |  |  | **failed**: 50% lost, all: gone |

        """
    )
  }

  @Test func `gives JUnit a failure for what failed or regressed`() throws {
    #expect(
      JUnitComparison().text(of: try comparison()) == """
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

  @Test(arguments: [JUnitComparison.name, GitHubAnnotations.name, MarkdownSummary.name])
  func `finds a format by its name`(name: String) throws {
    let format = try #require(ComparisonCatalogue.format(named: name))
    #expect(type(of: format).name == name)
  }
}
