import Basics
import Foundation
import TestSupport
import Testing

@testable import Compare
@testable import Runner

/// Tests live comparisons whose workers misbehave; a shell script replaces the worker.
struct LiveRunnerTests {
  private let bench: Bench
  private let scratch: ScratchFolder

  init() throws {
    bench = try Bench()
    scratch = try ScratchFolder(in: bench.folder.path + "/scratch")
  }

  private func result(
    of script: String,
    timeLimit: String = "60 s",
    sqliteSourceID: String? = nil,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) throws -> LiveResult {
    let plan = try bench.plan(
      "parameters: { strategy: [scan, raise] }\ntrials: { timeLimit: \(timeLimit) }"
    )
    let worker = LiveWorker(
      name: "a shell",
      executable: "/bin/sh",
      arguments: ["-c", script],
      sqliteSourceID: sqliteSourceID
    )
    let side = LiveSide(plan: plan, worker: worker)
    return try LiveRunner(
      provider: GivenStore(store: bench.store),
      scratch: scratch,
      isStopped: isStopped
    ).compare(LiveSuite(cases: try LiveMatching(base: side, head: side).cases, budget: 60, seed: 1))
  }

  private func causes(_ result: LiveResult) -> [String] {
    result.cases.map { if case .failed(let cause) = $0.finding { cause } else { "none" } }
  }

  private func greeting(version: Int = LockstepFrame.version) -> String {
    let text = #"{"version":\#(version),"sqliteSourceID":"s"}"#
    let frames = LockstepFrame(.greeting, text: text.utf8).bytes + LockstepFrame(.ready).bytes
    return "printf '" + frames.map { "\\" + String($0, radix: 8) }.joined() + "'; "
  }

  @Test func `each comparison draws a seed of its own`() {
    let seeds = Set((0..<20).map { _ in LiveSuite.freshSeed() })
    #expect(seeds.count == 20)
    #expect(seeds.allSatisfy { $0 < 1 << 53 })
  }

  @Test func `a worker that dies fails its case, and the run goes on to the next`() throws {
    let result = try result(of: greeting() + "kill -SEGV $$")
    let cause = "the worker process was ended by signal 11 (segmentation fault)"
    #expect(causes(result).count == 2)
    #expect(causes(result).allSatisfy { ["base: \(cause)", "head: \(cause)"].contains($0) })
    #expect(result.exitStatus() == 1)
  }

  @Test func `so does one that ends, and the message says with which words`() throws {
    let result = try result(of: greeting() + "echo 'no more memory' >&2; exit 3")
    #expect(causes(result).allSatisfy { $0.hasSuffix("ended with status 3: no more memory") })
  }

  @Test func `so does one that hangs`() throws {
    let result = try result(of: greeting() + "sleep 30", timeLimit: "50 ms")
    #expect(causes(result).allSatisfy { $0.contains("took longer than 50 ms") })
  }

  @Test func `so does one that writes rubbish`() throws {
    let result = try result(of: greeting() + "echo a line of a debugging print; sleep 30")
    #expect(causes(result).allSatisfy { $0.contains("an answer that cannot be read: a line of") })
  }

  @Test func `a worker of another protocol ends the comparison, by name`() throws {
    let error = #expect(throws: Refusal.self) { try result(of: greeting(version: 99)) }
    #expect(error?.description.contains("'a shell'") == true)
    #expect(error?.description.contains("it speaks version 99") == true)
  }

  @Test func `so does a program that knows no worker in lock-step`() throws {
    let script = "echo \"unknown option '--lockstep'\" >&2; exit 64"
    let error = #expect(throws: Refusal.self) { try result(of: script) }
    #expect(error?.description.contains("unknown option '--lockstep'") == true)
  }

  @Test func `so does one with a different SQLite than the one asked for`() throws {
    let error = #expect(throws: Refusal.self) {
      try result(of: greeting() + "sleep 30", sqliteSourceID: "t")
    }
    #expect(error?.message == "'a shell' runs with the SQLite of 's', not with that of 't'")
  }

  @Test func `a stop keeps what there is`() throws {
    let result = try result(of: "sleep 30", isStopped: { true })
    #expect(result.isInterrupted)
    #expect(result.cases.map(\.blocks.count) == [0, 0])
  }
}
