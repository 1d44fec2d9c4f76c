import Basics
import Reporting
import TestSupport
import Testing

@testable import Runner

@Suite struct RunViewTests {
  private func lines(of document: ResultDocument, width: Int = 80) -> [String] {
    document.report.text(width: width).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  private func document(_ cases: [CaseResult]) -> ResultDocument {
    ResultDocument(
      environment: .example,
      workloads: [ResultFixture.workload("a", kind: "fetch", cases: cases)]
    )
  }

  private func result(_ parameters: [String: String]) -> CaseResult {
    let samples = ResultFixture.costs(1, inSQLite: 0.5, megabytes: 40, vmSteps: 1)
    return ResultFixture.result("a", parameters, samples: samples)
  }

  @Test func `shows the answer, then where it was measured, then each workload`() {
    let text = ResultFixture.document.report.text()
    #expect(
      text.hasPrefix(
        """
        1 of 21 cases failed
        21 cases in 4 workloads: 19 passed, 1 refused as expected, 1 FAILED

        Store    recipes/tasks.yaml, seed 20260401, 28.9 MB, 24,981 Subtask, 10,000
                 Task, 2,500 Attachment, 400 Project, 2 more entities
        Started  2026-04-01 09:12:44 UTC
        Machine  AMD EPYC 7B13, 2 cores (x86_64), 7.75 GB memory
        System   Debian GNU/Linux 12, Linux 6.1.0-18-amd64, stores on ext4
        SQLite   3.40.1, journal_mode wal, synchronous 1, cache_size 2000
        Build    release build, commit a1b2c3d, Swift 6.3.1

        fetch/paging
          Kind        fetch
          Trials      5 trials, cold
          Settings    page_size=4096
          Every case  accessPattern=firstScreen, engine=objectGraph
          ✗ faults one by one: FAILED: verification failed: 10,000 tasks expected, 9,999
            read; the digest of 'Task' is 2c26b46b instead of fcde2b2e
                                            Time          Screen   Memory
          batchSize  strategy               (ms)      ±     (ms)     (MB)  Outside  Note
                 20  batched                12.4  2.3 %      3.1     41.2     38 %
                100  batched                11.8  2.3 %      4.2     42.0     38 %
                500  batched                13.1  2.3 %      9.4     47.5     38 %
                     eager                 812.0  2.3 %    790.1    312.0     38 %     1
                     faults one by one    FAILED      –        –        –        –
          Assumptions and notes: 3
            - batchStatement=primaryKeysIn (seen in a log of Apple's)
            - externalDataLoad=onFetch (assumed)
            - 1: cold, residency unverified: 7 % stayed in memory

        """
      )
    )
    #expect(text.contains("\n  Memory   median peak memory of the process\n"))
    #expect(
      text.hasSuffix("code. Only the time inside SQLite and in files carries over to an app.\n")
    )
  }

  @Test
  func `a terminal shows the answers and at most six columns a workload, and how to see more`() {
    let document = ResultFixture.document
    let text = document.brief.text()
    #expect(text.hasPrefix("1 of 21 cases failed\n21 cases in 4 workloads: 19 passed"))
    let tables = document.brief.sections.flatMap(\.blocks).compactMap { block in
      if case .table(let table) = block { table } else { nil }
    }
    #expect(tables.filter { !$0.rows.isEmpty }.count >= document.workloads.count)
    for table in tables { #expect(table.columns.count <= 6, "\(table.columns.map(\.title))") }
    for workload in document.workloads { #expect(text.contains(workload.workload)) }
    #expect(text.contains("FAILED: verification failed") && text.contains("--verbose"))
    #expect(!text.contains("Note") && !text.contains("Meaning of the columns"))
    for line in text.split(separator: "\n") { #expect(TerminalText.width(String(line)) <= 80) }
  }

  @Test func `choices of a kind are words for people, and names in data`() throws {
    let words = CaseDimensions.words(ofParameters: "engine=bareSQL,strategy=sideBySide")
    #expect(words == "side by side, SQL: lower bound")
    #expect(CaseDimensions.words(ofParameters: "batchSize=1000,engine=grdb").contains("GRDB"))
    #expect(CaseDimensions.words("sqlForeignKey") == "SQL foreign key")
    #expect(CaseDimensions.words(ofParameters: "from=,strategy=staged,to=b") == "staged, to b")
    #expect(CaseDimensions.words(ofParameters: "from=") == "from none")
    let sentence = CaseDimensions.words(
      inText: "sideBySide is faster than dueDate, for engine=bareSQL, size=10240",
      choices: ["sideBySide"]
    )
    #expect(sentence == "side by side is faster than dueDate, for SQL (lower bound), 10 KiB")
    #expect(try ResultFixture.document.text(as: .csv).contains("strategy=faultsOneByOne"))
  }

  @Test(arguments: [60, 72, 80, 100, 132])
  func `fits the terminal`(width: Int) {
    for line in lines(of: ResultFixture.document, width: width) {
      #expect(TerminalText.width(line) <= width, "\(line)")
    }
  }

  @Test func `shows phases in a table, and the trials on pages only`() {
    let report = ResultFixture.document.report
    #expect(report.text().contains("Phases\n    strategy"))
    #expect(!report.text().contains("SQLite steps") && !report.markdown.contains("SQLite steps"))
    #expect(report.html.contains("SQLite steps"))
    #expect(report.markdown.contains("| strategy | Time (ms) | ± | Memory (MB) |"))
  }

  @Test func `counts what lost something as it had to by itself, with the loss`() {
    var document = ResultFixture.document
    #expect(!document.report.text().contains("lossy"))
    document.workloads[0].cases[0].losses = ["3 objects of Task left out"]
    let found = lines(of: document).filter { $0.contains("lossy") }
    #expect(found.first?.contains(", 1 lossy as expected, ") == true)
    #expect(found.last?.contains("lossy as expected: 3 objects of Task left out") == true)
  }

  @Test func `shows no time of a case that failed`() throws {
    let table = try #require(
      ResultFixture.document.report.sections[0].blocks.compactMap {
        if case .table(let table) = $0 { table } else { nil }
      }.first
    )
    for cell in try #require(table.rows.last) {
      if case .number = cell.value { Issue.record("\(cell)") }
    }
  }

  @Test func `lets no name of a file reach the terminal as a command`() {
    var document = ResultFixture.document
    document.environment.machine = "\u{1B}]0;owned\u{7}"
    document.workloads[0].workload = "fetch\u{1B}[2J/paging"
    document.workloads[0].store.source = "a\nb\u{1B}c"
    document.workloads[0].cases[0].parameters["strategy"] = "\u{1B}[31mred"
    document.workloads[0].cases[0].notes = ["\u{202E}backwards"]
    document.workloads[0].cases[4].outcome = .failed("\u{1B}[0mok")
    let text = document.report.text()
    #expect(!text.contains("\u{1B}") && !text.contains("\u{7}") && !text.contains("\u{202E}"))
    for line in text.split(separator: "\n") { #expect(TerminalText.width(String(line)) <= 80) }
  }

  @Test func `has one column for parameters that take too much room`() {
    let names = ["access", "durability", "engine", "operation"]
    let cases = (0..<3).map { index in
      result(Dictionary(uniqueKeysWithValues: names.map { ($0, "\($0)-of-the-case-\(index)") }))
    }
    let lines = lines(of: document(cases))
    #expect(lines.allSatisfy { TerminalText.width($0) <= 80 })
    #expect(lines.contains { $0.contains("access access-of-the-case-0") })
  }

  @Test func `keeps a value that is wider than the terminal`() {
    let long = String(repeating: "x", count: 200)
    let lines = lines(of: document([result(["predicate": long]), result(["predicate": "short"])]))
    #expect(lines.allSatisfy { TerminalText.width($0) <= 80 })
    #expect(lines.joined().filter { $0 == "x" }.count >= 200)
  }

  @Test func `shows a run without a case, and one without a workload`() {
    #expect(
      ResultDocument(environment: .example).report.text().hasPrefix("No case was run\n0 cases")
    )
    #expect(lines(of: document([])).contains("  no case was run"))
  }

  @Test func `shows how long others waited if that was measured`() {
    var document = ResultFixture.document
    #expect(!lines(of: document).contains { $0.contains("Stall") || $0.contains("Lag") })
    let wait = Metric("stalls.longest", unit: .seconds)
    document.workloads[0].cases[0].samples.append(Sample(metric: wait, trials: [[0.75]]))
    document.workloads[0].cases[0].samples.sort { $0.metric.name < $1.metric.name }
    let lines = lines(of: document)
    #expect(lines.contains { $0.contains(" Stall ") })
    #expect(lines.contains { $0.contains(" 750") })
  }

  /// A result without findings in which one of two strategies is twice as fast.
  private func contest() -> ResultDocument {
    var fixture = FindingFixture()
    fixture.add(["strategy": "eager"], seconds: 0.02)
    fixture.add(["strategy": "batched"], seconds: 0.01)
    var workload = Fixture.workload("w")
    (workload.cases, workload.trialCount) = (fixture.cases, 5)
    return Fixture.document(workload)
  }

  @Test func `names no winner that a debug build measured`() {
    var document = contest()
    document.workloads[0].findings =
      FindingAnalysis(document.workloads[0], FindingFixture.inquiry).findings
    #expect(document.report.title.plain == "Batched is the fastest strategy")
    document.environment.build = "debug"
    let silent = "All 2 results are right; a debug build does not show which is faster"
    #expect(document.report.title.plain == silent && document.brief.title.plain == silent)
    #expect(!document.report.text().contains("fastest") && document.report.findings.isEmpty)
  }

  @Test func `compares nothing of one case, nor of cases with other work`() {
    var document = contest()
    document.environment.build = "debug"
    document.workloads[0].cases[1].job = "another"
    let silent = "All 2 results are right; no two cases are ways to do the same work"
    #expect(document.report.title.plain == silent)
    document.workloads[0].cases.removeLast()
    #expect(document.report.title.plain == "The case ran and its result is right")
  }

  @Test func `says why there is no finding`() {
    var cutOff = contest()
    cutOff.missing = ["w/strategy=faults"]
    let start = "All 2 results are right; "
    #expect(
      cutOff.report.title.plain == start + "the run was cut off before it could compare cases"
    )
    #expect(cutOff.report.next?.plain.hasPrefix("Run it again to its end: ") == true)
    var warm = contest()
    for place in 0..<2 { warm.workloads[0].cases[place].notes = [CaseResult.notCold] }
    #expect(
      warm.report.title.plain == start + "no two ways to do the same work have comparable times"
    )
    var single = contest()
    single.workloads[0].cases[1].job = "another"
    #expect(single.report.title.plain == start + "no two cases are ways to do the same work")
  }

  @Test func `calls no result right where a case was refused or lossy as expected`() {
    var document = contest()
    document.workloads[0].cases[1].outcome = .failedAsExpected("no mapping")
    #expect(
      document.report.title.plain
        == "All 2 cases ended as expected; no two ways to do the same work have comparable times"
    )
    document.workloads[0].cases.removeFirst()
    #expect(document.report.title.plain == "The case ended as expected")
    document.workloads[0].cases[0].outcome = .passed
    document.workloads[0].cases[0].losses = ["3 objects of Task left out"]
    #expect(document.brief.title.plain == "The case ended as expected")
  }

  @Test func `the iterations of a trial come before the further trials`() {
    var document = contest()
    document.workloads[0].trialCount = 3
    document.workloads[0].iterationCount = 2
    let text = lines(of: document, width: 100).joined(separator: " ")
    #expect(
      text.contains("3 trials of 2 iterations, up to 5 where they did not decide, warm"),
      "\(text)"
    )
  }

  @Test func `speaks of intervals only if a finding has one`() {
    var document = contest()
    document.workloads[0].findings = [
      Finding(
        topic: .phase,
        workload: "w",
        claim: "The phase 'read' takes most of the time",
        evidence: .init(cases: [], trials: 3)
      )
    ]
    let report = document.report
    #expect(report.certainty?.plain.hasPrefix("5 trials of each case, on one machine. ") == true)
    #expect(report.findingsNote == nil)
    #expect(!document.brief.text().contains("intervals"))
  }

  @Test func `warns of a debug build`() {
    var document = ResultFixture.document
    document.environment.build = "debug"
    let text = lines(of: document).joined(separator: " ")
    #expect(text.contains("debug build: its times are not representative of a release build"))
  }
}
