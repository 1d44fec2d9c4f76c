import Compare
import Runner

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
