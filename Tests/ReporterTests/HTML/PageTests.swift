import Basics
import Compare
import TestSupport
import Testing

@testable import Reporter
@testable import Runner

@Suite struct ReporterPageTests {
  @Test func `compares two results, and says what is left out`() throws {
    let baseline = ResultDocument(environment: .example, workloads: [Fixture.paging])
    var candidate = baseline
    let steps = Metric.counter("sqlite.vmSteps")
    candidate.workloads[0].cases[0].replace(Fixture.exact(steps, 150_000))
    candidate.workloads[0].cases.removeLast()
    let comparison = try Comparison(of: candidate, against: baseline)
    let html = HTMLComparison().text(of: comparison)
    #expect(html.contains("1 cost rose"))
    #expect(html.contains("only in the baseline"))
    let lacking = Comparison(of: candidate, lackingBaseline: "no baseline of <this>")
    #expect(HTMLComparison().text(of: lacking).contains("no baseline of &lt;this&gt;"))
  }
}
