import StoreBench
import TestSupport
import Testing

/// Tests a user's workload kind that uses only the public library.
struct WorkloadKindTests {
  private func result(_ parameters: String) throws -> BenchmarkResult {
    let notes = try NotesFolder(parameters)
    return try Benchmark(
      workloads: [notes.workload],
      kinds: [MarkNotes.self],
      workFolder: notes.workFolder
    ).run()
  }

  @Test func `a case with a right outcome has a time in each trial`() throws {
    let notes = try NotesFolder("{ notes: [10, 20] }")
    let benchmark = try Benchmark(
      workloads: [notes.workload],
      kinds: [MarkNotes.self],
      workFolder: notes.workFolder
    )
    #expect(benchmark.cases == ["mark/notes=10", "mark/notes=20"])
    var started: [String] = []
    let result = try benchmark.run(progress: { started.append($0) })
    #expect(started == benchmark.cases)
    #expect(result.failures == [:])
    for id in benchmark.cases {
      #expect(result.measurements(of: "wallClock", in: id).count == 2)
      let statements = result.measurements(of: "sqlite.statementsRun", in: id)
      #expect(statements.count == 2 && Set(statements).count == 1)
    }
    for format in BenchmarkResult.Format.allCases {
      #expect(try result.text(as: format).contains("mark"), "\(format)")
    }
  }

  @Test func `a wrong outcome has no time, and the cause names the row`() throws {
    let result = try result("{ forgets: true }")
    let id = "mark/forgets=true"
    #expect(result.measurements(of: "wallClock", in: id) == [])
    let cause = try #require(result.failures[id])
    #expect(cause.contains("Note 10") && cause.contains("isDone"))
  }

  @Test func `a result is read again as it was written`() throws {
    let folder = try TemporaryFolder()
    let result = try result("{}")
    try result.write(to: folder.path)
    let again = try BenchmarkResult(readingFrom: folder.path)
    #expect(try again.text(as: .json) == result.text(as: .json))
  }

  @Test func `a kind that no program knows is a misuse with its line`() throws {
    let notes = try NotesFolder(kind: "markNots")
    #expect {
      try Benchmark(workloads: [notes.workload], kinds: [MarkNotes.self])
    } throws: { error in
      "\(error)".contains("mark.yaml:1") && "\(error)".contains("did you mean 'markNotes'?")
    }
  }
}

/// Tests `KindCheck`, which authors of workload kinds run.
struct KindCheckTests {
  private func findings(_ parameters: String) throws -> [String] {
    let notes = try NotesFolder(parameters)
    return try KindCheck(
      workload: notes.workload,
      kinds: [MarkNotes.self],
      workFolder: notes.workFolder
    ).findings()
  }

  @Test func `finds nothing in a kind that compares every row`() throws {
    #expect(try findings("{}") == [])
  }

  @Test(arguments: ["count", "nothing"])
  func `names the wrong outcomes that a weak verification misses`(check: String) throws {
    let findings = try findings("{ check: \(check) }")
    #expect(!findings.isEmpty)
    #expect(findings.allSatisfy { $0.hasPrefix("its verification misses an injected fault: ") })
  }

  @Test func `reports a case that fails`() throws {
    let findings = try findings("{ forgets: true }")
    #expect(findings.contains { $0.contains("isDone") })
  }
}
