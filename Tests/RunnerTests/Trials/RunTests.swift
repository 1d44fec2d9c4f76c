import Basics
import Foundation
import PersistentStore
import Reporting
import Synchronization
import TestSupport
import Testing

@testable import Runner

struct RunTests {
  private let bench: Bench

  init() throws {
    bench = try Bench()
  }

  @Test func `times nothing but the work`() throws {
    let result = try #require(
      try bench.cases("parameters: { strategy: scan }\ntrials: { trials: 3, iterations: 2 }").first
    )
    #expect(result.outcome == .passed)
    // Each reading advances the clock by 1 s, and the work reads no clock.
    #expect(result.sample(of: "wallClock")?.trials == [[1, 1], [1, 1], [1, 1]])
    #expect(result.sample(of: "peakMemory")?.values == Array(repeating: 4096, count: 6))
  }

  @Test func `reports phases, marks, counts and the counters of every connection`() throws {
    let results = try bench.cases("parameters: { strategy: [probe, raise] }\ntrials: { trials: 2 }")
    #expect(results[0].sample(of: "firstScreen")?.values == [1, 1])
    #expect(results[0].sample(of: "objects.materialised")?.values == [100, 100])
    #expect(results[0].sample(of: "sqlite.statementsRun")?.values == [100, 100])
    #expect(results[0].sample(of: "sqlite.statementsRun")?.metric.isExact == true)
    #expect(results[1].sample(of: "phase.save")?.values == [1, 1])
    let written = try #require(results[1].sample(of: "sqlite.cacheWrites")?.values)
    #expect(written.allSatisfy { $0 > 0 })
    #expect(results[1].sample(of: "walBytes")?.values.allSatisfy { $0 > 4096 } == true)
    #expect(results[1].sample(of: "externalBytes")?.values == [4, 4])
  }

  @Test func `takes the time inside SQLite in a trial of its own`() throws {
    let result = try #require(
      try bench.cases("parameters: { strategy: probe }\ntrials: { trials: 2 }").first
    )
    #expect(result.sample(of: "sqliteTime")?.values.count == 1)
    #expect(result.sample(of: "sqliteShare")?.values.count == 1)
    #expect(result.sample(of: "wallClock")?.values.count == 2)
  }

  @Test func `logs a case that failed too, on a copy that no other case reads`() throws {
    let requests = RequestLog()
    var bench = bench
    bench.executor = LoggingExecutor(base: bench.executor, log: requests)
    let document = try bench.run(
      "parameters: { strategy: [scan, lie] }\ntrials: { trials: 2 }",
      log: SQLDebugWriter.Options(path: bench.folder.file("app.log"))
    )
    let (scan, lie) = (document.workloads[0].cases[0], document.workloads[0].cases[1])
    #expect(scan.outcome == .passed)
    guard case .failed(let reason) = lie.outcome else {
      Issue.record("the outcome is \(lie.outcome)")
      return
    }
    #expect(reason.hasPrefix("it must only read, but "), "\(reason)")
    let logged = requests.all.filter { $0.log != nil }
    #expect(
      logged.map { $0.log?.title } == [
        "storebench: case tally/strategy=scan", "storebench: case tally/strategy=lie",
      ]
    )
    #expect(logged[0].trial.store != logged[1].trial.store)
    #expect(try bench.folder.contents().keys.filter { $0.hasPrefix("scratch/") } == [])
  }

  @Test func `leaves the original as it was, and nothing behind`() throws {
    let before = try bench.folder.contents().filter { $0.key.hasPrefix("original") }
    let results = try bench.cases(
      "parameters: { strategy: [scan, probe, raise, raiseInBatches, clash, lie] }"
    )
    #expect(results.count == 6)
    let after = try bench.folder.contents()
    #expect(after.filter { $0.key.hasPrefix("original") } == before)
    #expect(after.keys.filter { $0.hasPrefix("scratch/") } == [])
  }

  @Test func `gives each trial that writes a copy as it was at the start`() throws {
    let results = try bench.cases(
      "parameters: { strategy: [raise, raiseInBatches] }\ntrials: { trials: 3, iterations: 4 }"
    )
    for result in results {
      #expect(result.outcome == .passed)
      #expect(result.digest == "5150")
      #expect(result.sample(of: "wallClock")?.trials.map(\.count) == [1, 1, 1])
      #expect(
        result.notes == ["one iteration per trial, because it changes its store", "sum 5150"]
      )
    }
  }

  @Test func `calls an expected failure that happens a pass, and gives it no time`() throws {
    let result = try #require(try bench.cases("parameters: { strategy: clash }").first)
    guard case .failedAsExpected(let cause) = result.outcome else {
      Issue.record("the outcome is \(result.outcome)")
      return
    }
    #expect(cause.contains("UNIQUE constraint failed: ZITEM.Z_PK"))
    #expect(result.digest == nil)
    #expect(result.samples.filter { $0.metric.unit == .seconds } == [])
    #expect(result.sample(of: "sqlite.vmSteps") != nil)
  }

  @Test func `fails a case that writes though it must only read`() throws {
    let results = try bench.cases("parameters: { strategy: [lie, scan] }\ntrials: { trials: 1 }")
    #expect(
      results[0].outcome
        == .failed("it must only read, but the file 'items.sqlite' has changed")
    )
    #expect(results[0].samples.isEmpty)
    #expect(results[1].outcome == .passed)
  }

  @Test func `fails all cases of an end state that were not reached alike`() throws {
    let results = try bench.cases(
      "parameters: { strategy: [raise, scan, forget] }\ntrials: { trials: 1 }"
    )
    #expect(
      results[0].outcome
        == .failed(
          "its content is 5150, but 'tally/strategy=forget', which must reach the same end state "
            + "'raised', has 5149"
        )
    )
    #expect(results[1].outcome == .passed)
    #expect(results[2].samples.isEmpty)
  }

  @Test func `drops a cold store and says how much stayed`() throws {
    let result = try #require(
      try bench.cases(
        "parameters: { strategy: scan }\ntrials: { trials: 2, iterations: 3, cache: cold }"
      ).first
    )
    let share = try #require(result.sample(of: "residentShare"))
    #expect(share.trials.map(\.count) == [3, 3])
    let isUnverified = result.notes.contains { $0.hasPrefix("NOT COLD") }
    #expect(isUnverified == share.values.contains { $0 > 0.05 })
  }

  @Test func `reports no time that the clock is too coarse for`() throws {
    var bench = bench
    bench.executor = InProcessExecutor(
      kinds: [TallyWorkload.self],
      probes: Probes(now: ManualClock(step: 50).now, clockResolution: { 1e-9 })
    )
    let result = try #require(try bench.cases("parameters: { strategy: scan }").first)
    #expect(result.sample(of: "wallClock") == nil)
    #expect(result.notes.contains { $0.hasSuffix("resolution: wallClock") })
    #expect(result.sample(of: "sqlite.vmSteps") != nil)
  }

  @Test func `saves after every case`() throws {
    var saved: [[Int]] = []
    let document = try bench.run(
      "parameters: { strategy: [scan, probe, raise] }",
      save: { saved.append($0.workloads.map(\.cases.count)) }
    )
    #expect(saved == [[1], [2], [3]])
    #expect(document.missing.isEmpty)
    try document.check()
    #expect(document.workloads.map(\.workload) == ["tally"])
    #expect(document.workloads[0].pragmas["cache_size"] == "2000")
  }

  @Test func `stops between trials when told to, keeping the jobs that are finished`() throws {
    let isStopped = Atomic<Bool>(false)
    var finished = 0
    var kept: ResultDocument?
    #expect(throws: Refusal.interrupted) {
      try bench.run(
        "parameters: { strategy: [scan, raise] }",
        isStopped: { isStopped.load(ordering: .relaxed) },
        save: {
          finished = $0.workloads[0].cases.count
          kept = $0
        },
        events: { event in
          guard case .trialFinished(let id, let count, _) = event else { return }
          if id.hasSuffix("raise"), count == 2 { isStopped.store(true, ordering: .relaxed) }
        }
      )
    }
    #expect(finished == 1)
    let document = try ResultDocument(json: Array(try #require(kept).text(as: .json).utf8))
    #expect(document.missing == ["tally/strategy=raise"])
    let text = document.brief.text()
    #expect(text.contains("1 of 2 cases: 1 passed, 1 not run"), "\(text)")
    #expect(text.contains("tally/strategy=raise"))
    #expect(try bench.folder.contents().keys.filter { $0.hasPrefix("scratch/") } == [])
  }

  @Test func `lets the trials of alternatives take turns, in an order of the seed`() throws {
    var order: [String] = []
    _ = try bench.run(
      "parameters: { strategy: [scan, probe, raise] }\ntrials: { trials: 2 }",
      events: { event in
        guard case .trialFinished(let id, _, _) = event else { return }
        order.append(String(id.dropFirst("tally/strategy=".count)))
      }
    )
    let turns: Set = ["scan", "probe"]
    #expect(Set(order[0..<2]) == turns)
    #expect(Set(order[2..<4]) == turns)
    #expect(order[4...] == ["scan", "probe", "raise", "raise", "raise"])
    let job = try #require(
      JobOrder(try bench.plan("parameters: { strategy: [scan, probe] }").workloads[0].cases).jobs
        .first
    )
    let orders = (0..<40).map { job.order(ofRound: $0, seed: 1) }
    #expect(orders == (0..<40).map { job.order(ofRound: $0, seed: 1) })
    #expect(orders != (0..<40).map { job.order(ofRound: $0, seed: 2) })
    #expect(orders.allSatisfy { Set($0) == [0, 1] })
    // Each case is first in about 20 of 40 rounds; the standard deviation is 3.2.
    #expect((8...32).contains(orders.count { $0[0] == 0 }))
  }

  @Test func `tells of every step in order`() throws {
    var told: [String] = []
    _ = try bench.run(
      "parameters: { strategy: scan }\ntrials: { trials: 1 }",
      events: { event in
        switch event {
        case .started(let cases): told.append("started \(cases)")
        case .preparingStore(let workload): told.append("preparing \(workload)")
        case .storeReady(let store): told.append("ready \(store.source)")
        case .caseStarted(let id, let index): told.append("case \(index) \(id)")
        case .trialFinished(_, let count, let total): told.append("trial \(count)/\(total)")
        case .caseFinished(let result): told.append("finished \(result.id)")
        case .workloadFinished(let result): told.append("done \(result.workload)")
        }
      }
    )
    #expect(
      told == [
        "started 1", "preparing tally", "ready items.sqlite", "case 1 tally/strategy=scan",
        "trial 1/2", "trial 2/2", "finished tally/strategy=scan", "done tally",
      ]
    )
  }
}
