import Basics
import Reporting
import Runner
import TestSupport
import Testing

@testable import Compare

@Suite struct ComparisonViewTests {
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

  private func rows(_ report: Report) -> [[String]] {
    let blocks = report.sections.flatMap(\.blocks).flatMap { block -> [Report.Block] in
      if case .folded(_, let blocks) = block { blocks } else { [block] }
    }
    return blocks.flatMap { block -> [[String]] in
      guard case .table(let table) = block else { return [] }
      return table.rows.map { row in
        row.map { cell in
          if case .text(let text) = cell.value { text.plain } else { "" }
        }
      }
    }
  }

  @Test func `says the verdict first, then the cause, the workloads and the largest rise`() throws {
    let report = try comparison().report(.largest)
    #expect(report.title.plain == "2 of 9 cases failed")
    #expect(
      report.verdict?.plain == """
        9 costs compared: 1 regressed, 1 improved, 6 unchanged, 1 cannot tell; 1 of 9 cases cannot \
        be compared; 2 of 9 cases failed.
        """
    )
    #expect(report.findings.map(\.claim.plain) == ["Build changed: StoreBench a1b2c3d → d4e5f6a"])
    let first = "fetch/paging/accessPattern=firstScreen,batchSize=20,engine=objectGraph,strategy="
    #expect(
      rows(report) == [
        ["sqlite.vmSteps", "124,000", "124,001", "+0.00 %", "regressed", first + "batched"]
      ]
    )
    let text = report.text()
    for words in [
      "fetch/paging, 2 of 4 cases: SQLite steps +0.000806 % in 1, SQLite steps −0.847 % in 1",
      "strategy=eager: cannot tell: the values of sqlite.vmSteps vary",
      "FAILED: an orphan of 'Subtask' was left", "only in the baseline",
      "! These times are not comparable: kernel is 'Linux 6.1.0-18-amd64' in the baseline",
      "All cases and metrics: --all",
    ] {
      let flat = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(flat.contains(words), "\(text)")
    }
  }

  @Test(arguments: [60, 80, 120], [Comparison.Rows.largest, .all])
  func `fits the terminal`(width: Int, rows: Comparison.Rows) throws {
    for line in try comparison().report(rows).text(width: width).split(separator: "\n") {
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
    let comparison = try Comparison(of: candidate, against: baseline)
    for rows in [Comparison.Rows.largest, .all] {
      let text = comparison.report(rows).text()
      #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"))
    }
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
    let report = comparison.report(.largest)
    #expect(report.title.plain == "18 costs rose")
    #expect(
      report.text().contains(
        """
          - fetch/paging, 9 cases: +1 sort, SQLite steps +25 %
          - cascadeDelete/fanOut, 4 cases: unchanged
        """
      )
    )
    #expect(rows(report).map { $0[0] } == ["sqlite.sorts", "sqlite.vmSteps"])
    #expect(rows(comparison.report()).map { $0[5] }.contains("batchSize=9"))
    #expect(rows(comparison.report(.all)).count { $0[4] == "regressed" } == 18)
  }

  @Test func `says how to see the changes that a summary leaves out`() throws {
    let steps = Metric.counter("sqlite.vmSteps")
    func result(_ value: Double) -> ResultDocument {
      var workload = Fixture.paging
      let template = workload.cases[0]
      workload.cases = (1...50).map { index in
        var result = template
        result.id = "fetch/paging/batchSize=\(index)"
        result.samples = [Fixture.exact(steps, value)]
        return result
      }
      return ResultDocument(environment: .example, workloads: [workload])
    }
    let report = try Comparison(of: result(2000), against: result(1000)).report()
    let text = report.text().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("10 more: the format 'table' with --all prints them"), "\(text)")
    #expect(!text.contains("json"), "\(text)")
  }

  @Test func `what fell stands beside what rose, in words and with its sign`() throws {
    let steps = Metric.counter("sqlite.vmSteps")
    let sorts = Metric.counter("sqlite.sorts")
    func result(_ values: [Double]) -> ResultDocument {
      var workload = Fixture.paging
      workload.cases = [workload.cases[0]]
      workload.cases[0].samples = zip([steps, sorts], values).map { Fixture.exact($0, $1) }
      return ResultDocument(environment: .example, workloads: [workload])
    }
    let report = try Comparison(of: result([1000, 600]), against: result([800, 1200])).report()
    #expect(report.title.plain == "1 cost rose, 1 fell")
    #expect(
      report.certainty?.plain.hasPrefix("2 counters gave the same number in every trial") == true
    )
    let html = report.html
    for words in ["+25.0 %", "−50.0 %", "regressed in 1 case", "improved in 1 case"] {
      #expect(
        html.contains(words.replacing(" ", with: "\u{A0}")) || html.contains(words),
        "\(words)"
      )
    }
  }

  @Test func `lists every metric if all are asked for`() throws {
    let metrics = Set(rows(try comparison().report(.all)).map { $0[0] })
    #expect(metrics.isSuperset(of: ["sqliteTime", "userCPU", "storeBytes"]))
  }

  @Test func `a cost that stays zero is not new`() throws {
    var workload = Fixture.paging
    workload.cases[0].samples = [
      Fixture.exact(.counter("sqlite.sorts"), 0), Fixture.exact(.counter("vfs.syncs"), 2),
    ]
    let result = ResultDocument(environment: .example, workloads: [workload])
    let found = rows(try Comparison(of: result, against: result).report(.all))
    let row = try #require(found.first { $0[0] == "sqlite.sorts" })
    #expect(row == ["sqlite.sorts", "0", "0", "–", "unchanged"])
  }

  @Test func `a counter of a class of files that one result omits is zero there`() throws {
    let syncs = { (name: String, value: Double) in
      Fixture.exact(Metric.counter(name), value)
    }
    var before = Fixture.paging
    before.cases[0].samples.append(syncs("vfs.syncs", 2))
    var after = before
    after.cases[0].samples.append(syncs("vfs.wal.syncs", 2))
    after.cases[1].samples.append(syncs("vfs.wal.syncs", 2))
    let comparison = try Comparison(
      of: ResultDocument(environment: .example, workloads: [after]),
      against: ResultDocument(environment: .example, workloads: [before])
    )
    let cases = comparison.workloads[0].cases
    let metric = cases[0].metrics.first { $0.name == "vfs.wal.syncs" }
    #expect(metric?.baseline == 0)
    #expect(metric?.verdict == .regressed)
    #expect(cases[1].uncomparedCosts.map(\.name) == ["vfs.wal.syncs"])
  }

  @Test func `lists what a run that was cut off did not reach, as its own report does`() throws {
    let baseline = ResultDocument(environment: .example, workloads: [Fixture.paging])
    var candidate = baseline
    let last = candidate.workloads[0].cases.removeLast()
    candidate.missing = [last.id]
    let comparison = try Comparison(of: candidate, against: baseline)
    let text = comparison.report(.largest).text()
    let sentence = "The run was cut off before 1 case; 'run --filter ID' runs it:"
    #expect(text.contains("Not run in the result") && text.contains(sentence), "\(text)")
    #expect(!text.contains("only in the baseline"), "\(text)")
    #expect(candidate.report.text().contains(sentence))
    #expect(comparison.text(as: .github).contains("::not run"))
    #expect(comparison.text(as: .junit).contains("<skipped message=\"not run\"/>"))
    let reverse = try Comparison(of: baseline, against: candidate)
    #expect(reverse.report(.largest).text().contains("Not run in the baseline"))
  }

  @Test func `does not say that nothing changed where nothing was compared`() throws {
    let baseline = ResultDocument(
      environment: .example,
      workloads: [Fixture.paging, Fixture.fanOut]
    )
    var candidate = baseline
    candidate.workloads[1].cases = []
    let report = try Comparison(of: candidate, against: baseline).report()
    let section = try #require(report.sections.first { $0.title == "cascadeDelete/fanOut" })
    guard case .sentence(let text, _) = section.blocks[0] else {
      Issue.record("no sentence")
      return
    }
    #expect(text.plain == "No cost could be compared. 0 of 0 costs unchanged in 0 cases.")
  }

  @Test func `a page says what rose and what is left out`() throws {
    let baseline = ResultDocument(environment: .example, workloads: [Fixture.paging])
    var candidate = baseline
    let steps = Metric.counter("sqlite.vmSteps")
    candidate.workloads[0].cases[0].replace(Fixture.exact(steps, 150_000))
    candidate.workloads[0].cases.removeLast()
    let html = try Comparison(of: candidate, against: baseline).text(as: .html)
    #expect(html.contains("1 cost rose"))
    #expect(html.contains("only in the baseline"))
    let lacking = Comparison(of: candidate, lackingBaseline: "no baseline of <this>")
    #expect(lacking.text(as: .html).contains("no baseline of &lt;this&gt;"))
  }
}

extension CaseResult {
  fileprivate mutating func replace(_ sample: Sample) {
    samples = samples.map { $0.metric == sample.metric ? sample : $0 }
  }
}
