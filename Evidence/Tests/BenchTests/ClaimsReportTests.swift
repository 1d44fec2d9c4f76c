import Testing

@testable import bench

@Suite struct ClaimsReportTests {
  private func record(
    _ run: Int,
    _ verdict: String,
    cell: String = "a",
    estimate: Double = 1.5
  ) -> ClaimRecord {
    var record = ClaimRecord()
    record.workload = "claims/w"
    (record.run, record.verdict, record.finding) = (run, verdict, verdict)
    (record.cell, record.metric, record.bound, record.estimate) = (cell, "wallClock", 1, estimate)
    record.build = "release"
    return record
  }

  @Test func `counts contradictions, undecided runs and comparisons far from the bound`() {
    let steady = (1...10).map { record($0, $0 == 1 ? "cannotTell" : "holds") }
    let near = (1...10).map { record($0, "cannotTell", cell: "b", estimate: 1.05) }
    let report = ClaimsReport(records: steady + near)
    #expect(report.contradictions == 0)
    #expect(report.text.contains("10 % away from the bound: 1; of these, 1 were decided"))
    // The ten runs give ten verdicts, of which only the first is inconclusive, and twenty
    // comparisons.
    #expect(report.text.contains("verdicts of 'cannot tell': 1 of 10 (10.0 %)"))
    #expect(report.text.contains("comparisons that were not decided: 11 of 20 (55.0 %)"))
    let open = (1...10).map { record($0, $0 < 3 ? "cannotTell" : "holds") }
    #expect(ClaimsReport(records: open).text.contains("of these, 0 were decided"))
    let mixed = [record(1, "holds"), record(2, "doesNotHold")]
    // The two runs contradict each other in the comparison and in the claim.
    #expect(ClaimsReport(records: mixed).contradictions == 2)
  }
}
