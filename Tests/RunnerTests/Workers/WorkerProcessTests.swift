import Basics
import Foundation
import PersistentStore
import Synchronization
import TestSupport
import Testing

@testable import Runner

/// Tests trials whose process misbehaves; a shell script replaces the process.
struct WorkerProcessTests {
  private let request = TrialRequest(
    kind: "tally",
    parameters: ParameterValues(["strategy": .text("scan")]),
    trial: Trial(
      store: StoreFile(path: "/s/a.sqlite"),
      start: StoreFile(path: "/s/a.sqlite"),
      original: StoreFile(path: "/s/a.sqlite"),
      folder: "/s/work",
      workloadsFolder: "/s"
    )
  )

  private func outcome(
    of script: String,
    time: Double = 60,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) throws -> TrialResponse.Outcome {
    let worker = WorkerProcess(
      executable: "/bin/sh",
      arguments: ["-c", script],
      isStopped: isStopped
    )
    return try worker.execute(request, within: TrialLimits(time: time, environmentPadding: 10))
      .outcome
  }

  private func answer(_ response: TrialResponse) throws -> String {
    String(decoding: try JSONEncoder().encode(response), as: UTF8.self)
  }

  @Test func `hands the answer on`() throws {
    let response = TrialResponse(
      outcome: .passed(Verification(digest: "d")),
      iterations: [[TakenMeasurement(.wallClock, 0.1)]],
      notes: ["n"],
      clockResolution: 1e-9
    )
    let worker = WorkerProcess(
      executable: "/bin/sh",
      arguments: ["-c", "echo '\(try answer(response))'"]
    )
    #expect(try worker.execute(request, within: TrialLimits()) == response)
  }

  @Test func `starts the next trial's process and copies its store while an outcome is checked`()
    throws
  {
    let folder = try TemporaryFolder()
    let response = TrialResponse(outcome: .passed(Verification(digest: "d")))
    let script =
      "cd '\(folder.path)' && echo >> started && read -r request && echo && "
      + "until [ -e copied ]; do sleep 0.01; done && echo '\(try answer(response))'"
    let worker = WorkerProcess(executable: "/bin/sh", arguments: ["-c", script])
    var copies = 0
    func limits(_ padding: Int) -> TrialLimits {
      TrialLimits(time: 60, environmentPadding: padding)
    }
    func started() -> Int {
      FileManager.default.contents(atPath: folder.path + "/started")?.count ?? 0
    }
    let next = NextTrial(limits: limits(20)) {
      copies += 1
      _ = FileManager.default.createFile(atPath: folder.path + "/copied", contents: nil)
    }
    #expect(try worker.execute(request, within: limits(10), before: next) == response)
    #expect(copies == 1)
    #expect(try worker.execute(request, within: limits(20)) == response)
    #expect(started() == 2)
    #expect(try worker.execute(request, within: limits(20)) == response)
    #expect(started() == 3)
  }

  @Test func `a process that was started for another trial waits for its own`() throws {
    let folder = try TemporaryFolder()
    let response = TrialResponse(outcome: .passed(Verification(digest: "d")))
    let script =
      "cd '\(folder.path)' && read -r request && echo ${#STOREBENCH_PADDING} >> lengths && "
      + "echo '\(try answer(response))'"
    let worker = WorkerProcess(executable: "/bin/sh", arguments: ["-c", script])
    func run(_ padding: Int, next: Int? = nil) throws {
      let next = next.map { NextTrial(limits: TrialLimits(time: 60, environmentPadding: $0)) }
      let limits = TrialLimits(time: 60, environmentPadding: padding)
      #expect(try worker.execute(request, within: limits, before: next) == response)
    }
    try run(10, next: 30)
    try run(20)
    try run(30)
    let lengths = try #require(FileManager.default.contents(atPath: folder.path + "/lengths"))
    #expect(String(decoding: lengths, as: UTF8.self) == "10\n20\n30\n")
  }

  @Test func `a stop at the very end of a process is a stop`() throws {
    for _ in 0..<20 {
      #expect(throws: Refusal.interrupted) {
        try outcome(of: "exit 0", isStopped: { true })
      }
    }
  }

  @Test func `asks with one line of JSON`() throws {
    let folder = try TemporaryFolder()
    _ = try outcome(of: "head -n 1 > '\(folder.path)/request'")
    let line = try #require(FileManager.default.contents(atPath: folder.path + "/request"))
    #expect(try JSONDecoder().decode(TrialRequest.self, from: line) == request)
  }

  @Test(arguments: [
    ("exit 3", "the worker process ended with status 3"),
    ("echo 'no such thing' >&2; exit 1", "the worker process ended with status 1: no such thing"),
    (
      "echo 'x.swift:1: Fatal error: Index out of range' >&2; echo '0x1 in main' >&2; kill -ILL $$",
      "the worker process was ended by signal 4 (illegal instruction, as after a failed Swift "
        + "precondition): x.swift:1: Fatal error: Index out of range"
    ),
    ("kill -SEGV $$", "the worker process was ended by signal 11 (segmentation fault)"),
    ("kill -KILL $$", "the worker process was ended by signal 9 (killed)"),
    ("echo hello", "the worker process gave an answer that cannot be read: hello\n"),
    ("exit 0", "the worker process gave an answer that cannot be read"),
  ])
  func `a process that misbehaves is a failed trial with its cause`(
    script: String,
    cause: String
  ) throws {
    #expect(try outcome(of: script) == .failed(cause))
  }

  @Test func `ends a process that hangs, with everything it has started`() throws {
    let folder = try TemporaryFolder()
    // If the shell's child outlived the shell, it would write a file.
    let script = "(sleep 2; echo alive > '\(folder.path)/child') & sleep 60"
    #expect(
      try outcome(of: script, time: 0.2)
        == .failed(
          "it took longer than 200 ms and was stopped: raise 'timeLimit' of 'trials' to allow more"
        )
    )
    usleep(2_500_000)
    #expect(try folder.contents().isEmpty)
  }

  @Test func `does not wait for a child that its process left behind`() throws {
    let response = TrialResponse(outcome: .failed("as told"))
    #expect(try outcome(of: "sleep 60 & echo '\(try answer(response))'") == .failed("as told"))
  }

  @Test func `ends a process that writes without end`() throws {
    guard case .failed(let cause) = try outcome(of: "yes") else {
      Issue.record("the trial did not fail")
      return
    }
    #expect(cause == "the worker process wrote more than 67108864 bytes and was ended")
  }

  @Test func `keeps reading errors without end`() throws {
    let response = TrialResponse(outcome: .failed("as told"))
    let script = "yes | head -c 1000000 >&2; echo '\(try answer(response))'"
    #expect(try outcome(of: script) == .failed("as told"))
  }

  @Test func `ends the process when the run is stopped`() throws {
    #expect(throws: Refusal.interrupted) {
      try outcome(of: "sleep 60", isStopped: { true })
    }
  }

  @Test func `says that a program is missing`() throws {
    let worker = WorkerProcess(executable: "/nowhere/storebench")
    #expect(
      try worker.execute(request, within: TrialLimits()).outcome
        == .failed(
          "the worker process cannot be started: '/nowhere/storebench': no such file or directory"
        )
    )
  }

  @Test func `gives the environment another length each time`() throws {
    let lengths = (0..<100).map { SeededCoins.padding(seed: 1, case: "a", trial: $0) }
    #expect(Set(lengths).count > 90)
    #expect(lengths.allSatisfy { (0..<4096).contains($0) })
    #expect(lengths[0] != SeededCoins.padding(seed: 1, case: "b", trial: 0))
    #expect(lengths[0] != SeededCoins.padding(seed: 2, case: "a", trial: 0))
    #expect(
      try outcome(of: "test ${#STOREBENCH_PADDING} = 10 && exit 5")
        == .failed("the worker process ended with status 5")
    )
  }
}
