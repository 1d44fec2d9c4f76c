import Testing

@testable import SQLLog

/// Tests the findings on forty logs with a planted design fault each, and forty clean logs.
@Suite struct PlantedFaultTests {
  private func rules(_ app: GeneratedApp) throws -> Set<FindingRule> {
    let analysis = try LogFixture.analysis(app.text, schema: app.schema)
    #expect(analysis.report.unknown.isEmpty)
    #expect(analysis.report.orphans == 0)
    return Set(analysis.findings.map(\.rule))
  }

  @Test func `finds planted faults and reports no others`() throws {
    let all = FindingRule.allCases
    var missed: [String] = []
    var wrong: [String] = []
    for seed in 0..<40 {
      let planted = all[seed % all.count]
      let found = try rules(GeneratedApp(seed: UInt64(seed) + 1, planted: planted))
      if !found.contains(planted) { missed.append("\(seed) \(planted.rawValue)") }
    }
    for seed in 0..<40 {
      let found = try rules(GeneratedApp(seed: UInt64(seed) + 1_001))
      if !found.isEmpty { wrong.append("\(seed) \(found.map(\.rawValue).sorted())") }
    }
    #expect(missed.count <= 2, "\(missed)")
    #expect(wrong.count <= 1, "\(wrong)")
  }
}
