import Testing

@testable import SQLLog

/// Tests that logs from independent code are read with their full content.
@Suite struct RoundTripTests {
  @Test(arguments: GeneratedApp.Form.allCases, 1...4)
  func `reads back each form of head at each level`(form: GeneratedApp.Form, level: Int) throws {
    let app = GeneratedApp(seed: UInt64(level * 100 + 7), form: form, level: level)
    let analysis = try LogFixture.analysis(app.text)
    #expect(Self.truth(of: analysis) == app.truth)
    #expect(analysis.report.level == level)
    #expect(analysis.report.unknown.isEmpty)
    #expect(analysis.report.orphans == 0)
    #expect(analysis.report.cut == 0)
    #expect(!analysis.report.isMixed)
    #expect(analysis.report.foreign == app.lines.count { $0.hasPrefix("screen") })
    let messages = analysis.report.forms.values.reduce(0, +)
    #expect(analysis.report.duplicates == (form == .doubled ? messages / 2 : 0))
  }

  private static func truth(of analysis: LogAnalysis) -> GeneratedApp.Truth {
    var truth = GeneratedApp.Truth()
    truth.statements = analysis.report.statements
    truth.saves = analysis.digest.saves
    truth.time = analysis.digest.time
    for (entry, figures) in analysis.digest.statements.enumerated() {
      truth.rows += figures.rows.sum
      switch figures.purpose {
      case .fault: truth.faults += figures.calls
      case .toManyFault: truth.toManyFaults += figures.calls
      case .prefetch: truth.prefetches += figures.calls
      case .unknown: break
      }
      switch analysis.statements[entry].shape.kind {
      case .insert: truth.inserts += figures.calls
      case .update: truth.updates += figures.calls
      default: break
      }
    }
    return truth
  }
}
