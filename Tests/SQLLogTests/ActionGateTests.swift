import Basics
import Foundation
import Reporting
import Testing

@testable import SQLLog

/// Tests the comparison of actions' counts with a baseline; markers in the log delimit actions.
@Suite struct ActionGateTests {
  private static let list = Lines.fetch("SELECT 0, t0.Z_PK, t0.ZNAME FROM ZTASK t0", rows: 30)

  private static func screens(faults: Int) -> String {
    ([
      "screen: list", list, "screen: detail",
    ] + (0..<faults).map { Lines.fault("ZPROJECT", entity: "Project", key: $0 + 1) }
      + [Lines.save([Lines.insert("ZTASK")]), "screen: list", list])
      .joined(separator: "\n") + "\n"
  }

  private static let marker = "screen: (?<name>.+)"

  private func check(
    _ text: String,
    _ marker: String = marker,
    baseline: ActionBaseline? = nil,
    findsCauses: Bool = false
  ) throws -> ActionCheck {
    let log = try LogFixture(text)
    return try withExtendedLifetime(log) {
      try ActionCheck(
        nil,
        marker: try ActionMarker(marker),
        logs: [log.path],
        baseline: baseline,
        findsCauses: findsCauses
      )
    }
  }

  @Test func `cuts a log into actions, each with its figures and findings`() throws {
    let check = try check(Self.screens(faults: 25), findsCauses: true)
    #expect(check.outcomes.map(\.name) == ["list", "detail"])
    #expect(check.outcomes.map(\.sections) == [2, 1])
    let detail = check.outcomes[1].occurrences[0]
    let counts: [Int] = [detail.statements, detail.faults, detail.rows, detail.saves]
    #expect(counts == [26, 25, 25, 1])
    #expect(detail.time == 25_000)
    #expect(check.outcomes[1].findings.map(\.rule) == [.faultsOneByOne])
    #expect(check.outcomes[0].findings.isEmpty)
    let fixture = try LogFixture(Self.screens(faults: 25))
    let view = AnalysisView(of: try LogAnalysis(of: [fixture.path]), actions: check)
    let text = view.report.text()
    #expect(text.contains(/list \(1\) +1 +30 +0 +0/), "\(text)")
    #expect(try view.jsonText().contains("\"name\" : \"detail\""))
  }

  @Test func `ends actions at their own lines, and notes what nests`() throws {
    let marker = #"SCOPE_(BEGIN|(?<end>END)) name=(?<name>\w+)"#
    let log = [
      "SCOPE_BEGIN name=open", Self.list, "SCOPE_BEGIN name=row", Self.list, "SCOPE_END name=row",
      Self.list, "SCOPE_END name=open", Self.list, "SCOPE_END name=lost", "SCOPE_BEGIN name=late",
      Self.list,
    ].joined(separator: "\n")
    let check = try check(log, marker)
    #expect(check.outcomes.map(\.name) == ["open", "row", "late"])
    #expect(check.outcomes.map { $0.occurrences[0].statements } == [3, 1, 1])
    #expect(
      check.notes == [
        "1 action started within another one: the outer one counts what runs in the inner one, too.",
        "1 end of an action that had not started.", "No end in the log: 'late'.",
      ]
    )
  }

  @Test(arguments: [
    ("nothing: (.+)", "the app's own lines start with 'screen: list', 'screen: detail'"),
    ("FROM ZTASK", "only lines of the log's statements match, the first in line 2"),
    ("(", "is not a regular expression"),
  ])
  func `refuses a marker that selects nothing`(marker: String, message: String) throws {
    let error = #expect(throws: Refusal.self) {
      try check(Self.screens(faults: 2).replacing("CoreData:", with: " CoreData:"), marker)
    }
    #expect("\(try #require(error))".contains(message), "\(error as Any)")
    #expect(error?.status == .badInput)
  }

  @Test func `takes an app's own log lines for marks, and for no messages of Core Data`() throws {
    let own = [
      "App[8:9] [Networking] request failed with error: offline",
      "App[8:9] [Map] annotation: pin added", "App[8:9] [error] save failed with error: full",
      "CoreDataLab[8:9] no row for error: none",
      "0x9   Error   0x0   8   14   CoreDataLab: [com.example.lab:net] error: offline",
    ]
    let text = own.map { "2026-05-04 10:00:04.012345+0200 \($0)\n" }.joined() + Self.list
    let report = try LogFixture.read(text).report
    #expect((report.foreign, report.errors) == (5, 0))
    #expect(report.unknown.isEmpty)
    let found = try check(text, #"\[Networking\] (.+) with error"#)
    #expect(found.outcomes.map(\.name) == ["request failed"])
  }

  @Test func `refuses names with identifiers, and notes a marker that takes every line`() throws {
    let many = (1...501).map { "open \($0)\n" + Self.list }.joined(separator: "\n")
    let error = #expect(throws: Refusal.self) { try check(many, "open (.+)") }
    #expect("\(try #require(error))".contains("more than 500 different names, such as '501'"))
    let all = try check("a\n\(Self.list)\nb\n\(Self.list)\n", ".+")
    #expect(all.notes == ["Every line of the app matches the marker: each is taken for an action."])
  }

  // MARK: The baseline

  @Test func `compares the counts of each occurrence with a baseline`() throws {
    let good = try check(Self.screens(faults: 2))
    let file = try LogFixture(good.counts.text, name: "app-baseline.csv")
    let baseline = try ActionBaseline(path: file.path)
    #expect(baseline == good.counts)
    #expect(good.counts.text.contains("\ndetail,1,faults,2\n"))
    let same = try check(Self.screens(faults: 2), baseline: baseline)
    #expect(!same.isFailed && !same.isRegressed)
    #expect(same.summary == "12 counts compared: 0 regressed, 0 improved, 12 unchanged")
    let worse = try check(Self.screens(faults: 7), baseline: baseline)
    #expect(worse.isRegressed && !worse.isFailed)
    #expect(
      worse.outcomes[1].problems == [
        "faults rose from 2 to 7", "rows rose from 2 to 7", "statements rose from 3 to 8",
      ]
    )
    #expect(worse.outcomes[1].additions.first?.operation == "fault on Project")
    let text = worse.report.text()
    #expect(text.hasPrefix("1 of 2 actions regressed\n12 counts compared: 3 regressed"), "\(text)")
    let better = try check(Self.screens(faults: 0), baseline: baseline)
    #expect(!better.isRegressed && better.summary.contains("0 regressed, 3 improved"))
    // A missing action fails the check; an additional action is only reported.
    let gone = try check("screen: list\n" + Self.list, baseline: baseline)
    #expect(gone.isFailed)
    #expect(
      gone.outcomes.last?.problems == ["'detail' is not in the log: the log's actions are 'list'"]
    )
    let near = try check(
      Self.screens(faults: 2).replacing("screen: detail", with: "screen: details"),
      baseline: baseline
    )
    #expect(
      near.outcomes.last?.problems == ["'detail' is not in the log: the nearest is 'details'"]
    )
    let more = try check(Self.screens(faults: 2) + "screen: list\n" + Self.list, baseline: baseline)
    #expect(!more.isRegressed && more.summary.contains("4 not in the baseline"))
  }

  @Test func `judges no measure that varies`() throws {
    let good = try check(Self.screens(faults: 2)).counts
    let log = try LogFixture(Self.screens(faults: 7))
    func judged(_ varies: String) throws -> ActionCheck {
      let file = try LogFixture(
        "marker: '\(Self.marker)'\nactions:\n  - { name: detail, varies: [\(varies)] }\n",
        name: "a.yaml"
      )
      return try ActionCheck(
        try ActionFile(path: file.path, needsLimits: false),
        logs: [log.path],
        baseline: good
      )
    }
    #expect(try !judged("faults, rows, statements").isRegressed)
    #expect(try judged("faults, rows").isRegressed)
    #expect(throws: Refusal.self) { try judged("pace") }
  }

  @Test(arguments: [
    ("", "line 1: it does not begin with"),
    ("# storebench app baseline 1\naction,count\n", "line 2: it has not the columns"),
    ("# storebench app baseline 1\na,1,rows,3\n", "line 2: it is not the header"),
    ("# storebench app baseline 1\naction,occurrence,measure,count\na,0,rows,3\n", "line 3: '0'"),
    ("# storebench app baseline 1\naction,occurrence,measure,count\na,1,pace,3\n", "'pace'"),
    ("# storebench app baseline 1\naction,occurrence,measure,count\na,1,rows,-3\n", "'-3'"),
  ])
  func `refuses a damaged baseline by its line`(text: String, message: String) throws {
    let file = try LogFixture(text, name: "b.csv")
    let error = #expect(throws: Refusal.self) { try ActionBaseline(path: file.path) }
    #expect("\(try #require(error))".contains(message))
    #expect(error?.status == .badInput)
  }

  // MARK: What varies from run to run

  /// The lines that one thread logs during an action.
  private static func thread(_ seed: Int) -> [String] {
    let table = "ZTHREAD\(seed)"
    let fetch = Lines.fetch(
      "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM \(table) t0 WHERE  t0.ZNAME = ? ",
      rows: 10 + seed,
      binds: ["\"\(seed * 7)\""]
    )
    let faults = (1...6).map { Lines.fault(table, entity: "Thread\(seed)", key: seed * 100 + $0) }
    let count = Lines.count("SELECT COUNT( DISTINCT t0.Z_PK) FROM \(table) t0", 40)
    return ([fetch, count] + faults).flatMap { $0.split(separator: "\n").map(String.init) }
  }

  /// Interleaves the lines of several threads and keeps the order within each thread.
  private static func interleaved(_ threads: [[String]], _ random: inout SplitMix64) -> [String] {
    var rest = threads
    var lines: [String] = []
    while let thread = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &random) {
      lines.append(rest[thread].removeFirst())
    }
    return lines
  }

  @Test func `counts the same in twenty logs with other orders, values and identifiers`() throws {
    func log(_ random: inout SplitMix64) -> String {
      var lines: [String] = []
      for action in ["open", "scroll"] {
        lines.append("screen: \(action)")
        // A save holds SQLite's lock, so the log has no statement of another save within it.
        let save = Lines.save([Lines.insert("ZTASK"), Lines.insert("ZTASK")])
          .split(separator: "\n").map(String.init)
        lines += Self.interleaved(
          (1...3).map(Self.thread).shuffled(using: &random) + [save],
          &random
        )
      }
      let key = Int.random(in: 1...900, using: &random)
      return lines.joined(separator: "\n").replacing("0xd000", with: "0xe\(key)") + "\n"
    }
    var random = SplitMix64(state: 4)
    let first = try check(log(&random))
    for outcome in first.outcomes {
      let section = outcome.occurrences[0]
      #expect([section.statements, section.faults, section.saves] == [26, 18, 1] as [Int])
      #expect(section.rows == 3 * 7 + 11 + 12 + 13)
    }
    for _ in 0..<20 {
      let again = try check(log(&random), baseline: first.counts)
      #expect(again.summary == "8 counts compared: 0 regressed, 0 improved, 8 unchanged")
    }
  }
}
