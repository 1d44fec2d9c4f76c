import Measurement

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
    return JUnitXML(suites: suites).text
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
