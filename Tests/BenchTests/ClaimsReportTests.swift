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
    #expect(report.text.contains("10 % or more from the bound: 1, of which 1 were decided"))
    #expect(report.text.contains("cannot tell: 11 of 20 verdicts (55.0 %)"))
    let open = (1...10).map { record($0, $0 < 3 ? "cannotTell" : "holds") }
    #expect(ClaimsReport(records: open).text.contains("of which 0 were decided"))
    let mixed = [record(1, "holds"), record(2, "doesNotHold")]
    // The comparison and its claim.
    #expect(ClaimsReport(records: mixed).contradictions == 2)
  }
}
