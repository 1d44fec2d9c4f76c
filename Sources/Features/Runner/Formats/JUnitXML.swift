import Basics
import Reporting

extension ResultDocument {
  /// The result as JUnit XML: failed cases are failures, cases that did not run are skipped, and
  /// times are wall-clock medians.
  var junitText: String {
    let suites = workloads.map { workload in
      JUnitXML.Suite(
        name: workload.workload,
        tests: workload.cases.map { result in
          guard case .failed(let reason) = result.outcome else {
            let time = result.sample(of: Metric.wallClock.name)?.median
            return JUnitXML.Test(name: result.id, outcome: .passed, time: time)
          }
          return JUnitXML.Test(name: result.id, outcome: .failure(type: "failed", message: reason))
        }
      )
    }
    let missing = missing.map { JUnitXML.Test(name: $0, outcome: .skipped(MissingCases.word)) }
    let rest = missing.isEmpty ? [] : [JUnitXML.Suite(name: MissingCases.word, tests: missing)]
    return JUnitXML(suites: suites + rest).text
  }
}
