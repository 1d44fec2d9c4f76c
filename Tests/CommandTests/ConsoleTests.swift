import Basics
import Foundation
import Runner
import TestSupport
import Testing
import WorkloadKinds

@testable import StoreBenchCommand

struct ConsoleTests {
  @Test func `the progress line tells where a run is and how long it may take`() {
    let console = RecordingConsole(showsProgress: true)
    var time = 0.0
    let line = ProgressLine(console.console, now: { time })
    line.take(.started(cases: 3))
    line.take(.caseStarted(id: "a", index: 1))
    time = 10
    line.take(.trialFinished(id: "a", count: 1, total: 2))
    line.take(.trialFinished(id: "a", count: 2, total: 2))
    line.clear()
    let drawn = console.errors.split(separator: "\r\u{1B}[K").map { String($0) }
    #expect(drawn == ["[1/3] a", "[1/3] a 1/2"])
    #expect(console.output.isEmpty)
  }

  @Test(arguments: [
    "kind: '\u{1B}]0;x\u{7}' is unknown", "no such file: 'a\n::error file=b::c'",
    "\r::stop-commands::x", "  ##[error]x", "a\u{9B}2Jb\u{2028}::add-mask::b",
  ])
  func `no message moves the cursor, or commands a CI`(message: String) {
    let console = RecordingConsole()
    console.console.note(message)
    #expect(!console.errors.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\u{9B}" })
    for line in console.errors.split(whereSeparator: \.isNewline) {
      let start = line.drop { $0 == " " }
      #expect(!start.hasPrefix("::") && !start.hasPrefix("##"), "\(line)")
    }
  }

  @Test func `no progress is drawn where there is no terminal`() {
    let console = RecordingConsole()
    let line = ProgressLine(console.console, now: { 0 })
    line.take(.started(cases: 3))
    line.take(.caseStarted(id: "a", index: 1))
    line.clear()
    #expect(console.errors.isEmpty)
  }

  @Test(arguments: [
    (0.2, "1 s"), (59.5, "60 s"), (100, "2 min"), (7200, "2 h"), (1e9, "more than 100 h"),
  ])
  func `durations are rounded up`(seconds: Double, text: String) {
    #expect(Figures.seconds(seconds, .rough) == text)
  }

  @Test(arguments: [
    (0, "0 B"), (1023, "1023 B"), (1536, "1.5 KB"), (20_000_000, "19 MB"), (3 << 40, "3072 GB"),
  ])
  func `sizes are rounded`(bytes: Int64, text: String) {
    #expect(Figures.bytes(bytes, .rough) == text)
  }

  @Test func `every workload file of the project can be planned`() throws {
    let folder = Repository.path("Workloads")
    // Compare the whole path of the folder `main`, because the checkout's folder can also have this
    // name.
    let main = folder + "/main/"
    let plan = try Plan(paths: [folder], kinds: WorkloadCatalog.kinds)
    #expect(plan.warnings.isEmpty)
    let kinds = Set(plan.workloads.map { $0.file.kind.name })
    #expect(kinds == Set(WorkloadCatalog.kinds.map { $0.name }))
    let console = RecordingConsole()
    #expect(Storebench.run(["plan", main], on: console.console) == .done)
    for workload in plan.workloads where workload.file.path.hasPrefix(main) {
      #expect(console.output.contains("\n\(workload.file.name)\n"))
    }
  }

  @Test func `commands in messages begin with the name of a user's own program`() {
    var program = Program(kinds: [])
    let text = "next: storebench run x; see 'storebench compare --help' and '.storebench/stores'"
    #expect(program.naming(text) == text)
    program.name = "my-bench"
    #expect(
      program.naming(text)
        == "next: my-bench run x; see 'my-bench compare --help' and '.storebench/stores'"
    )
  }
}
