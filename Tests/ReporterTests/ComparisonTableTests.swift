import Basics
import Compare
import Runner
import TestSupport
import Testing

@testable import Reporter

@Suite struct ComparisonTableTests {
  private func comparison() throws -> Comparison {
    let baseline = ResultDocument(
      environment: .example,
      workloads: [Fixture.paging, Fixture.fanOut]
    )
    var candidate = baseline
    candidate.environment.commit = "d4e5f6a"
    candidate.environment.kernel = "Linux 6.6"
    candidate.workloads[0].cases.remove(at: 2)
    let steps = Metric.counter("sqlite.vmSteps")
    candidate.workloads[0].cases[0].replace(Fixture.exact(steps, 124_001))
    candidate.workloads[0].cases[0].replace(Fixture.noisy(.wallClock, 0.0137))
    candidate.workloads[0].cases[1].replace(Fixture.exact(steps, 117_000))
    candidate.workloads[0].cases[2].replace(Sample(metric: steps, trials: [[1], [2]]))
    candidate.workloads[1].cases[0].outcome = .failed("an orphan of 'Subtask' was left")
    return try Comparison(of: candidate, against: baseline)
  }

  @Test func `shows what changed and counts the rest`() throws {
    let text = ComparisonTable().text(of: try comparison())
    #expect(text == TableSnapshot.comparison, "\(text)")
  }

  @Test(arguments: [60, 80, 120], [false, true])
  func `fits the terminal`(width: Int, isComplete: Bool) throws {
    let table = ComparisonTable(width: width, isComplete: isComplete)
    for line in table.text(of: try comparison()).split(separator: "\n") {
      #expect(TerminalText.width(String(line)) <= width, "\(line)")
    }
  }

  @Test func `lets no name of a file reach the terminal as a command`() throws {
    var baseline = Fixture.document
    baseline.workloads[0].workload = "\u{1B}[2Jfetch"
    baseline.workloads[0].cases[0].id = "a\u{1B}[31m"
    baseline.workloads[0].cases[0].samples[0].metric.name = "\u{1B}[0m"
    baseline.environment.machine = "\u{7}"
    baseline.workloads[0].cases[1].outcome = .failed("\u{1B}c")
    var candidate = baseline
    candidate.environment.kernel = "\u{1B}"
    candidate.workloads[0].cases[2].id = "b\u{1B}"
    let text = ComparisonTable(isComplete: true).text(
      of: try Comparison(of: candidate, against: baseline)
    )
    #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"))
  }

  @Test(arguments: [(2.0, "2.000"), (150, "150.0"), (1e6, "> 9,999")])
  func `shows a ratio in the room it has`(factor: Double, text: String) throws {
    let baseline = ResultDocument(
      environment: .example,
      workloads: [Fixture.paging]
    )
    var candidate = baseline
    candidate.workloads[0].cases[0].replace(Fixture.noisy(.wallClock, 0.0124 * factor))
    let table = ComparisonTable(isComplete: true).text(
      of: try Comparison(of: candidate, against: baseline)
    )
    let line = try #require(table.split(separator: "\n").first { $0.contains("wallClock") })
    #expect(line.contains(" \(text)  shown only"))
    #expect(TerminalText.width(String(line)) <= 80)
  }

  @Test func `sums up many changes by workload, and lists the largest rises`() throws {
    let steps = Metric.counter("sqlite.vmSteps")
    let sorts = Metric.counter("sqlite.sorts")
    func result(factor: Double, sorted: Double) -> ResultDocument {
      var workload = Fixture.paging
      let template = workload.cases[0]
      workload.cases = (1...9).map { index in
        var result = template
        result.id = "fetch/paging/batchSize=\(index)"
        result.samples = [
          Fixture.exact(steps, (1000 * Double(index) * factor).rounded()),
          Fixture.exact(sorts, sorted),
        ]
        return result
      }
      return ResultDocument(environment: .example, workloads: [workload, Fixture.fanOut])
    }
    let comparison = try Comparison(
      of: result(factor: 1.25, sorted: 1),
      against: result(factor: 1, sorted: 0)
    )
    let text = ComparisonTable().text(of: comparison)
    #expect(text.contains("costs compared: 18 regressed, 0 improved"))
    #expect(
      text.contains(
        """
        fetch/paging, 9 cases: +1 sort, SQLite steps +25 %
        cascadeDelete/fanOut, 4 cases: unchanged
        """
      ),
      "\(text)"
    )
    #expect(text.split(separator: "\n").filter { $0.contains("REGRESSED") }.count == 2)
    #expect(
      ComparisonTable(isComplete: true).text(of: comparison).split(separator: "\n")
        .filter { $0.contains("REGRESSED") }.count == 18
    )
  }

  @Test func `lists every metric where all are asked for`() throws {
    let text = ComparisonTable(isComplete: true).text(of: try comparison())
    for metric in ["sqliteTime", "userCPU", "storeBytes"] { #expect(text.contains(metric)) }
    #expect(!text.contains("unchanged\n    1 exact counter"))
  }

  @Test func `colours nothing but what is there without colours`() throws {
    let coloured = ComparisonTable(isColoured: true).text(of: try comparison())
    #expect(coloured.contains("\u{1B}[31mREGRESSED"))
    let plain = ComparisonTable().text(of: try comparison())
    #expect(coloured.replacing(/\u{1B}\[[0-9]+m/, with: "") == plain)
  }
}

extension CaseResult {
  mutating func replace(_ sample: Sample) {
    samples = samples.map { $0.metric == sample.metric ? sample : $0 }
  }
}
