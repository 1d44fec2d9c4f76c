import Basics
import Foundation
import TestSupport
import Testing

@testable import Compare
@testable import Reporter
@testable import Runner

/// What a live comparison prints and writes.
struct LiveTableTests {
  private let shortfall = Shortfall(blocks: 40, seconds: 100, scale: 0.031, detectable: nil)

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

  @Test func `shows a verdict a case and what they rest on`() {
    #expect(LiveTable().text(of: result) == TableSnapshot.live)
  }

  @Test(arguments: [60, 80, 120])
  func `fits the terminal`(width: Int) {
    for line in LiveTable(width: width).text(of: result).split(separator: "\n") {
      #expect(TerminalText.width(String(line)) <= width, "\(line)")
    }
  }

  @Test func `lets no name reach the terminal as a command`() {
    var result = result
    result.base = "\u{1B}[2J"
    result.cases[0].id = "\u{1B}c"
    result.cases[5].finding = .failed("\u{7}")
    result.onlyInHead = ["\u{1B}"]
    let text = LiveTable().text(of: result)
    #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"))
  }

  @Test func `writes every block with its coin, and no infinity`() throws {
    let text = try LiveJSON().text(of: result)
    #expect(text == (try LiveJSON().text(of: result)))
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
