import Basics
import Compare
import Foundation
import Runner
import TestSupport
import Testing

enum SplitMix {
  static func of(_ text: String) -> UInt64 { SplitMix64.mix(SplitMix64.hash(text)) }
}

struct ResultMergeTests {
  private let plan: PlanDocument

  init() throws { plan = try PlanFixture.plan() }

  private func merge(_ documents: [ResultDocument]) throws -> ResultDocument {
    try ResultMerge.merge(documents.enumerated().map { ("r\($0.offset)", $0.element) })
  }

  private func bytes(_ document: ResultDocument) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(document)
  }

  private func reason(_ documents: [ResultDocument]) -> String? {
    do {
      _ = try merge(documents)
      return nil
    } catch {
      let name = "\(error)".wholeMatch(of: /not merged \(([a-z-]+)\): .+/)?.1
      return name.map { String($0) } ?? "\(error)"
    }
  }

  /// Returns results of a plan's parts; runs are killed, fail or are repeated at random.
  private func randomResults(_ random: inout SplitMix64) throws -> [ResultDocument] {
    let machines = ["one", "two", "three"]
    return try (0..<Int.random(in: 2...6, using: &random)).map { index in
      let tasks = Set((1...6).filter { _ in Bool.random(using: &random) })
      return try PlanFixture.result(
        PlanFixture.Work(
          tasks: tasks,
          attempt: Int.random(in: 1...3, using: &random),
          machine: machines.randomElement(using: &random) ?? "",
          startedAt: "2026-04-01T09:12:\(10 + index)Z",
          killed: Set(tasks.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
        ),
        of: plan
      )
    }
  }

  @Test
  func `fuzz: gives the same bytes in any order and grouping, and of a result given twice`() throws
  {
    var random = SplitMix64(state: 21)
    for _ in 0..<(FuzzSeeds.isThorough ? 200 : 20) {
      let results = try randomResults(&random)
      let expected = try bytes(try merge(results))
      #expect(try bytes(try merge(results.shuffled(using: &random))) == expected)
      #expect(try bytes(try merge(results + [results[0]])) == expected)
      let cut = Int.random(in: 1..<results.count, using: &random)
      let (left, right) = (Array(results[..<cut]), Array(results[cut...]))
      #expect(try bytes(try merge([try merge(left), try merge(right)])) == expected)
      #expect(try bytes(try merge([try merge(right)] + left)) == expected)
      #expect(try bytes(try merge([try merge(results)])) == expected)
      #expect(try bytes(try merge([try merge(results), try merge(left)])) == expected)
    }
  }

  @Test func `a refusal stays one in any order and with more results`() throws {
    var random = SplitMix64(state: 22)
    for _ in 0..<40 {
      var results = try randomResults(&random)
      let work = PlanFixture.Work(
        tasks: [1],
        attempt: 1,
        machine: "a",
        startedAt: "2026-04-01T08:00:00Z"
      )
      var other = work
      (other.machine, other.attempt, other.steps) = ("b", 2, 101)
      results += [try PlanFixture.result(work, of: plan), try PlanFixture.result(other, of: plan)]
      #expect(reason(results.shuffled(using: &random)) != nil)
    }
  }

  @Test func `all parts give the result of one machine in every exact counter`() throws {
    let whole = try merge([try PlanFixture.result(PlanFixture.Work(tasks: Set(1...6)), of: plan)])
    let parts = try plan.split(into: 4).enumerated().map { index, tasks in
      try PlanFixture.result(
        PlanFixture.Work(tasks: Set(tasks.map(\.number)), machine: "node \(index)"),
        of: plan
      )
    }
    let merged = try merge(parts)
    #expect(merged.workloads.map(\.workload) == whole.workloads.map(\.workload))
    let cases = zip(merged.workloads.flatMap(\.cases), whole.workloads.flatMap(\.cases))
    #expect(whole.workloads.flatMap(\.cases).count == 12)
    for (ours, theirs) in cases {
      #expect(ours.id == theirs.id)
      #expect(ours.exactSamples == theirs.exactSamples)
      #expect(ours.digest == theirs.digest)
    }
    #expect(merged.plan?.missing == [])
    try merged.check()
  }

  @Test func `the last attempt that finished counts, and earlier ones are kept`() throws {
    let killed = PlanFixture.Work(tasks: [1, 2], killed: [2])
    let failed = PlanFixture.Work(
      tasks: [2],
      attempt: 2,
      startedAt: "2026-04-01T09:12:45Z",
      failed: [2]
    )
    let done = PlanFixture.Work(tasks: [2], attempt: 3, startedAt: "2026-04-01T09:12:46Z")
    let late = PlanFixture.Work(
      tasks: [2],
      attempt: 4,
      startedAt: "2026-04-01T09:12:47Z",
      killed: [2]
    )
    let merged = try merge(
      try [late, done, killed, failed].map { try PlanFixture.result($0, of: plan) }
    )
    let record = try #require(merged.plan)
    let row = try #require(record.cases.first { $0.id == "w1/task=2,way=a" })
    #expect(row.attempts.map(\.state) == [.running, .failed, .done, .running])
    #expect(row.state == .done)
    #expect(record.counted(row).flatMap { record.run($0.run)?.attempt } == 3)
    // A failed attempt does not count if another attempt passed.
    #expect(merged.workloads.flatMap(\.cases).allSatisfy { $0.outcome == .passed })
    #expect(record.missingTasks.map(\.number) == [3, 4, 5, 6])
    #expect(record.missing.count == 8)
  }

  @Test func `an attempt that still runs is replaced by the same one finished`() throws {
    let running = try PlanFixture.result(PlanFixture.Work(tasks: [1], killed: [1]), of: plan)
    let done = try PlanFixture.result(PlanFixture.Work(tasks: [1]), of: plan)
    let merged = try merge([done, running])
    #expect(merged.plan?.cases.first?.attempts.map(\.state) == [.done])
    #expect(try bytes(merged) == bytes(try merge([done])))
  }

  @Test func `refuses by name what does not belong together`() throws {
    let work = PlanFixture.Work(tasks: [1])
    let result = try PlanFixture.result(work, of: plan)
    func other(_ change: (inout PlanFixture.Work) -> Void) throws -> ResultDocument {
      var other = work
      other.startedAt = "2026-04-01T10:00:00Z"
      change(&other)
      return try PlanFixture.result(other, of: plan)
    }
    var planless = result
    planless.plan = nil
    #expect(reason([result, planless]) == "no-plan")
    let strange = try PlanFixture.result(work, of: try PlanFixture.plan(tasks: 4))
    #expect(reason([result, strange]) == "mixed-plans")
    #expect(reason([result, try other { $0.steps = 101 }]) == "same-attempt")
    #expect(reason([result, try other { ($0.steps, $0.attempt) = (101, 2) }]) == "other-counters")
    let elsewhere = try other { ($0.machine, $0.attempt, $0.steps) = ("other", 2, 99) }
    #expect(reason([result, elsewhere]) == "other-counters")
    let sqlite = try other {
      $0.change = { document in
        document.plan?.runs[0].environment.sqliteSourceID = "2030-01-01"
      }
    }
    #expect(reason([result, sqlite]) == "damaged")
    let store = try other { $0.change = { $0.workloads[0].store.digest = "other" } }
    #expect(reason([result, store]) == "other-work")
    let lost = try other { $0.change = { $0.workloads[0].cases.removeLast() } }
    #expect(reason([lost]) == "lost-result")
    let edited = try other {
      $0.change = { $0.workloads[0].cases[0].samples[0].trials = [[1], [1], [1]] }
    }
    #expect(reason([edited]) == "lost-result")
    #expect(reason([result, try other { _ in }]) == nil)
  }

  @Test func `cases of one end state must have the same content on all machines`() throws {
    let first = try PlanFixture.result(PlanFixture.Work(tasks: [1]), of: plan)
    let work = PlanFixture.Work(
      tasks: [1],
      attempt: 2,
      machine: "other",
      startedAt: "2026-04-01T10:00:00Z",
      content: "decaf"
    )
    #expect(reason([first, try PlanFixture.result(work, of: plan)]) == "other-counters")
  }

  @Test func `a machine that the plan does not allow is refused`() throws {
    let work = PlanFixture.Work(tasks: [1])
    var requirement = plan.machine
    requirement.sqliteSourceID = "2030-01-01 00:00:00 other"
    let other = try PlanDocument(
      command: plan.command,
      machine: requirement,
      workloads: plan.workloads,
      tasks: plan.tasks
    )
    #expect(reason([try PlanFixture.result(work, of: other)]) == "other-machine")
  }

  @Test func `finds nothing across environments, and names them all`() throws {
    let parts = try ["a", "b"].enumerated().map { index, machine in
      try PlanFixture.result(
        PlanFixture.Work(tasks: index == 0 ? [1, 2, 3, 4] : [5, 6], machine: machine),
        of: plan
      )
    }
    let merged = try merge(parts)
    #expect(merged.hasSeveralEnvironments)
    #expect(merged.environment.machine == "several machines: a | b")
    #expect(merged.environment(of: "w1/task=1,way=a").machine == "a")
    #expect(merged.environment(of: "w2/task=6,way=a").machine == "b")
    // Findings remain only for workloads whose cases all ran on one machine.
    #expect(!merged.workloads[0].findings.isEmpty)
    #expect(merged.workloads[1].findings.isEmpty)
  }

  @Test func `the suite's error rate is shared by all planned cases, missing ones too`() throws {
    let part = try merge([try PlanFixture.result(PlanFixture.Work(tasks: [1]), of: plan)])
    var alone = part
    alone.plan = nil
    func judged(_ result: ResultDocument) throws -> UsualRange? {
      var earlier = EarlierResults(than: result)
      for index in 0..<6 {
        var other = result
        other.environment.startedAt = "2026-03-0\(index + 1)T00:00:00Z"
        other.plan = nil
        let factor = 1 + Double(index) / 50
        for number in other.workloads[0].cases.indices {
          other.workloads[0].cases[number].samples[1].trials = [[factor], [factor], [factor]]
        }
        earlier.add(other)
      }
      let comparison = try Comparison(of: result, against: result, earlier: earlier)
      guard case .compared(let metrics)? = comparison.workloads.first?.cases.first?.finding else {
        return nil
      }
      return metrics.first { $0.metric == .wallClock }?.usual
    }
    let (whole, single) = (try #require(try judged(part)), try #require(try judged(alone)))
    #expect(whole.upper > single.upper)
    #expect(whole.lower < single.lower)
  }
}
