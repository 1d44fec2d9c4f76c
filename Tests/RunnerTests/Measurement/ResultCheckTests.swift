import Basics
import Testing

@testable import Runner

@Suite struct ResultCheckTests {
  @Test func `lets a result of a run pass`() throws {
    try Fixture.document(
      Fixture.workload("a", Fixture.result("a/1"), Fixture.result("a/2")),
      Fixture.workload("b", Fixture.result("b/1", Fixture.sample(.wallClock, 0, 0.5)))
    ).check()
  }

  @Test(arguments: [.nan, .infinity, -0.001, 1e19] as [Double])
  func `refuses a value that no measurement gives`(value: Double) {
    let document = Fixture.document(
      Fixture.workload(
        "a",
        Fixture.result("a/1"),
        Fixture.result("a/2", Fixture.sample(.wallClock, 1, value))
      )
    )
    #expect(
      throws: Refusal.unusableValue(
        "\(value)",
        metric: "wallClock",
        place: "workloads[0].cases[1].samples[0].trials[1][0]"
      )
    ) { try document.check() }
  }

  @Test func `refuses a case ID that stands twice, in whatever workload`() {
    let document = Fixture.document(
      Fixture.workload("a", Fixture.result("a/1")),
      Fixture.workload("b", Fixture.result("a/1"))
    )
    #expect(
      throws: Refusal.repeated("case", name: "a/1", place: "workloads[1].cases[0]")
    ) { try document.check() }
  }

  @Test func `refuses a workload that stands twice`() {
    let document = Fixture.document(Fixture.workload("a"), Fixture.workload("a"))
    #expect(
      throws: Refusal.repeated("workload", name: "a", place: "workloads[1]")
    ) { try document.check() }
  }

  @Test func `refuses a metric that stands twice in a case`() {
    let sample = Fixture.sample(.wallClock, 1)
    let document = Fixture.document(Fixture.workload("a", Fixture.result("a/1", sample, sample)))
    #expect(
      throws: Refusal.repeated(
        "metric",
        name: "wallClock",
        place: "workloads[0].cases[0].samples[1]"
      )
    ) { try document.check() }
  }

  @Test func `refuses another version`() {
    var document = Fixture.document()
    document.version = 2
    #expect(throws: Refusal.unsupportedVersion(2)) { try document.check() }
  }

  @Test func `refuses more values than a run makes`() {
    let values = [Double](repeating: 1, count: ResultLimits.valuesPerSample)
    let sample = Sample(metric: .wallClock, trials: [values, [1]])
    let document = Fixture.document(Fixture.workload("a", Fixture.result("a/1", sample)))
    #expect(
      throws: Refusal.tooMany(
        "values",
        limit: ResultLimits.valuesPerSample,
        place: "workloads[0].cases[0].samples[0]"
      )
    ) { try document.check() }
  }

  @Test func `refuses an empty name and one without end`() {
    #expect(
      throws: Refusal.unusableField("id", problem: "is empty", place: "workloads[0].cases[0]")
    ) { try Fixture.document(Fixture.workload("a", Fixture.result(""))).check() }
    let long = String(repeating: "x", count: ResultLimits.textLength + 1)
    #expect(
      throws: Refusal.unusableField("workload", problem: "is too long", place: "workloads[0]")
    ) { try Fixture.document(Fixture.workload(long)).check() }
  }

  @Test func `says what, where and what to do`() {
    #expect(
      Refusal.unsupportedVersion(9).description
        == "the result has version 9, but this build reads version 1: run the workloads again with "
        + "this build"
    )
    #expect(
      Refusal.unusableValue("-1.0", metric: "wallClock", place: "here").description
        == "'-1.0' is not a measurement of 'wallClock' at here"
    )
    #expect(
      Refusal.tooMany("cases", limit: 5, place: "here").description
        == "more than 5 cases at here, which no run writes"
    )
  }
}
