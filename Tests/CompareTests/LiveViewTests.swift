import Basics
import Foundation
import Reporting
import TestSupport
import Testing

@testable import Compare
@testable import Runner

struct LiveViewTests {
  private let shortfall = Shortfall(blocks: 40, seconds: 100, scale: 0.031)

  private func blocks(_ count: Int) -> [LiveCaseResult.Block] {
    (0..<count).map {
      LiveCaseResult.Block(
        logRatio: 0.05,
        isHeadFirst: $0.isMultiple(of: 2),
        orderEffect: 0.001,
        seconds: 0.5
      )
    }
  }

  private func found(
    _ id: String,
    _ verdict: LiveVerdict,
    blocks count: Int,
    slicing: LiveCaseResult.Slicing = .iterations
  ) -> LiveCaseResult {
    LiveCaseResult(
      workload: "fetch/scrolling",
      id: "fetch/scrolling/\(id)",
      baseID: "fetch/scrolling/\(id)",
      finding: .verdict(verdict),
      slicing: slicing,
      iterationsPerSlice: slicing == .iterations ? 12 : nil,
      blocks: blocks(count)
    )
  }

  private var result: LiveResult {
    var far = shortfall
    far.seconds = 90_000
    let interval = ChangeInterval(lower: 0.046, upper: 0.0561)
    let small = ChangeInterval(lower: 0.001, upper: 0.0071)
    let near = ChangeInterval(lower: -0.012, upper: .infinity)
    var result = LiveResult(
      base: "pragma:cache_size=500",
      head: "these files",
      seed: 7,
      budget: 600,
      seconds: 252.4,
      policy: LivePolicy(),
      isInterrupted: false,
      cases: [
        found(
          "entity=Task,strategy=eager",
          .changed(estimate: 0.051, interval: interval, isBelowFloor: false),
          blocks: 18
        ),
        found(
          "batchSize=20,entity=Task,strategy=batched",
          .changed(estimate: 0.004, interval: small, isBelowFloor: true),
          blocks: 30
        ),
        found(
          "entity=Task,strategy=faults",
          .unchanged(wouldHaveSeen: 0.014, interval: near),
          blocks: 9
        ),
        found(
          "batchSize=1,entity=Task,strategy=batched",
          .cannotTell(shortfall),
          blocks: 40,
          slicing: .coarse
        ),
        found("entity=Task,strategy=count", .cannotTell(far), blocks: 1),
        LiveCaseResult(
          workload: "fetch/paging",
          id: "fetch/paging",
          baseID: "fetch/paging",
          finding: .failed("head: verification failed: 3 objects were found, but 4 exist"),
          slicing: .iterations,
          blocks: []
        ),
      ]
    )
    result.onlyInHead = ["fetch/scrolling/new"]
    result.environment = Environment.example
    return result
  }

  @Test func `shows a verdict for each case, and what it rests on`() throws {
    let report = result.report
    #expect(report.title.plain == "1 of 6 cases failed")
    #expect(
      report.verdict?.plain == """
        6 cases: 1 slower, 1 changed below the floor, 1 unchanged, 2 cannot tell, 1 failed.
        """
    )
    #expect(report.sections.map(\.title).prefix(2) == ["fetch/scrolling", "fetch/paging"])
    let rows = report.sections.flatMap(\.blocks).flatMap { block -> [[Report.Cell]] in
      if case .table(let table) = block { table.rows } else { [] }
    }
    let words = rows.map { row in
      row.map { cell in
        switch cell.value {
        case .text(let text): text.plain
        case .number(let number): "\(number)"
        }
      }.prefix(3)
    }
    let change = "+5.1 %"
    #expect(
      words == [
        ["strategy=eager", "slower", change],
        ["batchSize=20,strategy=batched", "changed below the floor", change],
        ["strategy=faults", "unchanged", change],
        [
          "batchSize=1,strategy=batched", "cannot tell, needs about 2 more minutes, coarse", change,
        ],
        ["strategy=count", "cannot tell, not on this machine", change],
        [
          "fetch/paging",
          "FAILED: head: verification failed: 3 objects were found, but 4 exist", "–",
        ],
      ]
    )
    #expect(rows.map(\.[1].tone) == [.bad, .plain, .plain, .caution, .caution, .bad])
    let text = report.text()
    for line in [
      "Every case: entity=Task", "- fetch/scrolling/new: only in these files",
      "4 min 12 s of a budget of 10 min", "pragma:cache_size=500",
    ] {
      #expect(text.contains(line), "\(text)")
    }
    #expect(report.html.contains("Change of time"))
  }

  @Test func `what is unchanged stands beside an interval within the margin`() throws {
    var result = result
    let blocks = (0..<60).map {
      LiveCaseResult.Block(
        logRatio: $0.isMultiple(of: 2) ? 0.004 : -0.004,
        isHeadFirst: $0.isMultiple(of: 3),
        orderEffect: 0,
        seconds: 0.5
      )
    }
    result.cases = [result.cases[2]]
    result.cases[0].blocks = blocks
    let interval = try #require(result.decidingIntervals[0])
    #expect(interval.lower > -result.policy.margin && interval.upper < result.policy.margin)
    let shown = "-\(Figures.percent(-interval.lower)) to +\(Figures.percent(interval.upper))"
    #expect(result.report.text(width: 120).contains(shown), "\(result.report.text(width: 120))")
  }

  @Test func `a title claims nothing where no case is decided`() {
    var result = result
    result.cases = Array(result.cases[3...4])
    #expect(result.report.title.plain == "Not known whether any case got slower")
  }

  @Test func `a debug build is a caution in the verdict`() {
    var result = result
    result.environment?.build = "debug"
    let caution = " Caution: debug build: its times are not representative of a release build."
    #expect(result.report.verdict?.plain.hasSuffix("1 failed." + caution) == true)
  }

  @Test(arguments: [60, 80, 120])
  func `fits the terminal`(width: Int) {
    for line in result.report.text(width: width).split(separator: "\n") {
      #expect(TerminalText.width(String(line)) <= width, "\(line)")
    }
  }

  @Test func `lets no name reach the terminal as a command`() {
    var result = result
    result.base = "\u{1B}[2J"
    result.cases[0].id = "\u{1B}c"
    result.cases[5].finding = .failed("\u{7}")
    result.onlyInHead = ["\u{1B}"]
    let text = result.report.text()
    #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"))
  }

  @Test func `writes every block with its coin, and no infinity`() throws {
    let text = try result.jsonText(isPretty: false)
    #expect(text == (try result.jsonText(isPretty: false)))
    let document = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
    #expect(
      document.cases.map(\.verdict) == [
        "changed", "changedBelowFloor", "unchanged", "cannotTell", "cannotTell", "failed",
      ]
    )
    #expect(document.cases[0].blocks == blocks(18))
    #expect(document.cases[2].lower == -0.012)
    #expect(document.cases[2].upper == nil)
  }

  @Test(
    .enabled(if: SchemaValidator.isInstalled, "python3 has no package jsonschema on this machine")
  )
  func `its JSON follows the published schema`() throws {
    var result = result
    result.causes = [Cause(kind: .settings, changes: ["cache\\_size 500 → 2000"])]
    let text = try result.text(as: .json)
    let schema = "Results/schema/live-v1.schema.json"
    #expect(try SchemaValidator.problems(of: [text], schema: schema) == [""])
    let odd = text.replacing("\"onlyInBase\"", with: "\"extra\":1,\"onlyInBase\"")
    #expect(try SchemaValidator.problems(of: [odd], schema: schema) != [""])
  }

  @Test func `annotates what got slower, failed or cannot be told, with causes first`() throws {
    var result = result
    result.causes = [Cause(kind: .settings, changes: ["cache_size 500 → 2000"])]
    let lines = try result.text(as: .github).split(separator: "\n").map(String.init)
    #expect(lines.count == 7, "\(lines)")
    #expect(
      lines[0].hasPrefix(
        "::notice title=StoreBench::these files against pragma:cache_size=500: 6 cases: 1 slower"
      )
    )
    #expect(lines[1] == "::notice title=Cause::settings changed: cache_size 500 → 2000")
    let kinds = lines.dropFirst(2).map { $0.prefix { $0 != " " } }
    #expect(kinds == ["::error", "::warning", "::warning", "::error", "::notice"])
    #expect(lines[2].contains("strategy=eager got slower::it takes longer: +5.1 %25, interval"))
    let markdown = try result.text(as: .markdown)
    #expect(markdown.contains("cache\\_size 500 → 2000"), "\(markdown)")
    let junit = try result.text(as: .junit)
    #expect(junit.contains("failures=\"2\""), "\(junit)")
    #expect(junit.contains("cache_size 500 → 2000"))
  }

  private struct Document: Decodable {
    struct Case: Decodable {
      var verdict: String
      var lower: Double?
      var upper: Double?
      var blocks: [LiveCaseResult.Block]
    }

    var cases: [Case]
  }

  @Test func `a failed case comes before a slower one, and that before one that cannot tell`() {
    var result = result
    #expect(result.exitStatus(requiresVerdict: true) == 1)
    result.cases.removeLast()
    #expect(result.exitStatus(requiresVerdict: true) == 2)
    result.cases.removeFirst()
    #expect(result.exitStatus(requiresVerdict: true) == 3)
    #expect(result.exitStatus() == 0)
    result.cases.removeLast(2)
    #expect(result.exitStatus(requiresVerdict: true) == 0)
  }
}
