import Basics
import Runner
import TestSupport
import Testing

@testable import Compare

@Suite struct ComparabilityTests {
  private let baseline = Fixture.document(
    Fixture.workload("a", Fixture.result("a/1", Fixture.sample(.wallClock, 1)))
  )

  private func mismatches(_ change: (inout ResultDocument) -> Void) -> [Mismatch] {
    var candidate = baseline
    change(&candidate)
    return Mismatch.forbidding(candidate, against: baseline)
  }

  @Test func `compares a result with itself`() {
    #expect(mismatches { _ in }.isEmpty)
  }

  @Test func `refuses another SQLite build, however alike its version`() {
    #expect(
      mismatches { $0.environment.sqliteSourceID = "2022-12-28 other" } == [
        Mismatch(
          "SQLite source id",
          baseline: Environment.example.sqliteSourceID,
          candidate: "2022-12-28 other"
        )
      ]
    )
    #expect(
      mismatches { $0.environment.sqliteCompileOptions = ["SECURE_DELETE", "THREADSAFE=1"] } == [
        Mismatch(
          "set of SQLite compile options",
          baseline: "ENABLE_FTS5",
          candidate: "SECURE_DELETE"
        )
      ]
    )
  }

  @Test func `refuses a debug build beside a release build`() {
    #expect(
      mismatches { $0.environment.build = "debug" } == [
        Mismatch("build", baseline: "release", candidate: "debug")
      ]
    )
  }

  @Test func `refuses every pragma that differs, and one that is not set`() {
    #expect(
      mismatches { $0.workloads[0].pragmas = ["page_size": "8192", "synchronous": "1"] } == [
        Mismatch("pragma journal_mode", place: "a", baseline: "wal", candidate: ""),
        Mismatch("pragma page_size", place: "a", baseline: "4096", candidate: "8192"),
        Mismatch("pragma synchronous", place: "a", baseline: "", candidate: "1"),
      ]
    )
  }

  @Test func `refuses another store, cache state, kind or number of iterations`() {
    #expect(
      mismatches {
        $0.workloads[0].store.digest = "abc"
        $0.workloads[0].cache = "cold"
        $0.workloads[0].kind = "migration"
        $0.workloads[0].iterationCount = 2
        $0.workloads[0].seed = 7
        $0.workloads[0].defaults = ["limit": "20", "offset": "0"]
      } == [
        Mismatch("kind", place: "a", baseline: "fetch", candidate: "migration"),
        Mismatch("store digest", place: "a", baseline: "5e884898", candidate: "abc"),
        Mismatch("cache state", place: "a", baseline: "warm", candidate: "cold"),
        Mismatch("number of iterations", place: "a", baseline: "1", candidate: "2"),
        Mismatch("seed", place: "a", baseline: "1", candidate: "7"),
        Mismatch("default of parameter limit", place: "a", baseline: "0", candidate: "20"),
      ]
    )
  }

  @Test func `refuses a case that behaved otherwise or left other content`() {
    #expect(
      mismatches {
        $0.workloads[0].cases[0].behaviours[0].value = "oneByOne"
        $0.workloads[0].cases[0].digest = "beef"
      } == [
        Mismatch(
          "behaviour batchIDs",
          place: "a/1",
          baseline: "oneStatement",
          candidate: "oneByOne"
        ),
        Mismatch("content digest", place: "a/1", baseline: "c0ffee", candidate: "beef"),
      ]
    )
  }

  @Test func `refuses a metric that means something else`() {
    #expect(
      mismatches { $0.workloads[0].cases[0].samples[0].metric.unit = .bytes } == [
        Mismatch(
          "metric 'wallClock'",
          place: "a/1",
          baseline: "s, cost, not exact",
          candidate: "B, cost, not exact"
        )
      ]
    )
  }

  @Test func `refuses another document version`() {
    #expect(
      mismatches { $0.version = 2 } == [
        Mismatch("document version", baseline: "1", candidate: "2")
      ]
    )
  }

  @Test func `compares counters across machines, and says that the times are of two`() throws {
    var candidate = baseline
    candidate.environment.machine = "Other Machine"
    candidate.workloads[0].trialCount = 5
    let comparison = try Comparison(of: candidate, against: baseline)
    #expect(
      comparison.cautions == [
        Mismatch("machine", baseline: "AMD EPYC 7B13", candidate: "Other Machine"),
        Mismatch("number of trials", place: "a", baseline: "3", candidate: "5"),
      ]
    )
  }

  @Test func `names what differs in one sentence, and stops after eight`() {
    let mismatch = Mismatch("pragma page_size", place: "a", baseline: "4096", candidate: "")
    #expect(
      Refusal.incomparable([mismatch]).description
        == "the results cannot be compared: pragma page_size of 'a' is '4096' in the baseline and"
        + " not set in the result"
    )
    let many = Refusal.incomparable([Mismatch](repeating: mismatch, count: 10))
    #expect(many.description.hasSuffix("; and 2 more"))
  }
}
