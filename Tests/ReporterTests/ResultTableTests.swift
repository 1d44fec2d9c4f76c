import Basics
import Reporting
import Runner
import TestSupport
import Testing

@testable import Reporter

@Suite struct ResultTableTests {
  private func lines(of document: ResultDocument, width: Int = 80) throws -> [String] {
    try ResultTable(width: width).text(of: document)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func `shows a run as a person reads it`() throws {
    let text = try ResultTable().text(of: Fixture.document)
    #expect(text == TableSnapshot.result)
  }

  @Test func `shows at which sizes the fastest alternative changes`() {
    let lines = LeadTable(Fixture.leads, of: "blobStorage/sweep", width: 80)
      .lines(Palette(isColoured: false))
    #expect(
      lines.joined(separator: "\n") == """

        blobStorage/sweep: Where the fastest strategy changes with size
        ────────────────────────────────────────────────────────────────────────────────
                     fastest      changes at           then
          insert     inline       40 KB (20 to 80 KB)  file
          list       file         none in this range
          copyStore  cannot tell  none in this range
          • measured from 10 KB to 160 KB
          • 100 KB: guides: in the row up to 100 KB
        """
    )
  }

  @Test(arguments: [60, 72, 80, 100, 132])
  func `fits the terminal`(width: Int) throws {
    for line in try lines(of: Fixture.document, width: width) {
      #expect(TerminalText.width(line) <= width, "\(line)")
    }
  }

  @Test func `colours nothing but what is there without colours`() throws {
    let coloured = try ResultTable(isColoured: true).text(of: Fixture.document)
    #expect(coloured.contains("\u{1B}[31mFAILED"))
    #expect(coloured.replacing(/\u{1B}\[[0-9]+m/, with: "") == TableSnapshot.result)
  }

  @Test func `counts what lost something as it had to by itself, and says what`() throws {
    var document = Fixture.document
    document.workloads[0].cases[0].losses = ["3 objects of Task left out"]
    let plain = try lines(of: Fixture.document).filter { $0.contains("lossy") }
    #expect(plain.isEmpty)
    let found = try lines(of: document).filter { $0.contains("lossy") }
    #expect(found.count == 2)
    #expect(found.first?.contains("lossy as expected: 3 objects of Task left out") == true)
    #expect(found.last?.contains(", 1 lossy as expected, ") == true)
  }

  @Test func `shows no time of a case that failed`() throws {
    let row = try #require(
      lines(of: Fixture.document).first { $0.contains("faultsOneByOne") }
    )
    #expect(row.hasPrefix("✗"))
    #expect(!row.contains("ms"))
  }

  @Test func `lets no name of a file reach the terminal as a command`() throws {
    var document = Fixture.document
    document.environment.machine = "\u{1B}]0;owned\u{7}"
    document.workloads[0].workload = "fetch\u{1B}[2J/paging"
    document.workloads[0].store.source = "a\nb\u{1B}c"
    document.workloads[0].cases[0].parameters["strategy"] = "\u{1B}[31mred"
    document.workloads[0].cases[0].notes = ["\u{202E}backwards"]
    document.workloads[0].cases[4].outcome = .failed("\u{1B}[0mok")
    let text = try ResultTable().text(of: document)
    #expect(!text.contains("\u{1B}") && !text.contains("\u{7}") && !text.contains("\u{202E}"))
    for line in text.split(separator: "\n") { #expect(TerminalText.width(String(line)) <= 80) }
  }

  @Test func `groups rows where parameters take too much room`() throws {
    let names = ["access", "durability", "engine", "operation", "strategy"]
    var cases: [CaseResult] = []
    for engine in ["objectGraph", "bareSQL"] {
      for index in 0..<3 {
        var parameters = Dictionary(
          uniqueKeysWithValues: names.map { ($0, "\($0)-of-the-case-\(index)") }
        )
        parameters["engine"] = engine
        cases.append(
          Fixture.result(
            "a",
            parameters,
            samples: Fixture.costs(1, inSQLite: 0.5, megabytes: 40, vmSteps: 1)
          )
        )
      }
    }
    let document = ResultDocument(
      environment: .example,
      workloads: [Fixture.workload("a", kind: "fetch", cases: cases)]
    )
    let lines = try lines(of: document)
    #expect(lines.allSatisfy { TerminalText.width($0) <= 80 })
    #expect(lines.contains { $0.hasPrefix("  durability=durability-of-the-case-0, engine=") })
  }

  @Test func `cuts one value that is wider than the table`() throws {
    let long = String(repeating: "x", count: 200)
    let cases = [long, "short"].map {
      Fixture.result(
        "a",
        ["predicate": $0],
        samples: Fixture.costs(1, inSQLite: 0.5, megabytes: 40, vmSteps: 1)
      )
    }
    let document = ResultDocument(
      environment: .example,
      workloads: [Fixture.workload("a", kind: "fetch", cases: cases)]
    )
    let lines = try lines(of: document)
    #expect(lines.allSatisfy { TerminalText.width($0) <= 80 })
    #expect(lines.contains { $0.contains("xxx…xxx") })
  }

  @Test func `shows a run without a case, and one without a workload`() throws {
    let empty = ResultDocument(environment: .example)
    #expect(try lines(of: empty).contains("0 cases"))
    let started = ResultDocument(
      environment: .example,
      workloads: [Fixture.workload("a", kind: "fetch", cases: [])]
    )
    #expect(try lines(of: started).contains("  no case was run"))
  }

  @Test func `shows how long others waited, where that was measured`() throws {
    var document = Fixture.document
    #expect(try !lines(of: document).contains { $0.contains("stall") || $0.contains(" lag") })
    let wait = Metric("stalls.longest", unit: .seconds)
    document.workloads[0].cases[0].samples.append(Sample(metric: wait, trials: [[0.75]]))
    document.workloads[0].cases[0].samples.sort { $0.metric.name < $1.metric.name }
    let lines = try lines(of: document)
    #expect(lines.contains { $0.contains(" stall ") })
    #expect(lines.contains { $0.contains(" 750 ") })
  }

  @Test func `warns of a debug build`() throws {
    var document = Fixture.document
    document.environment.build = "debug"
    #expect(
      try lines(of: document).contains(
        "debug build: its times are not representative of a release build"
      )
    )
  }
}
