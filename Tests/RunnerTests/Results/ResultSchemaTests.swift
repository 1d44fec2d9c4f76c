import TestSupport
import Testing

@testable import Runner

@Suite(
  .enabled(if: SchemaValidator.isInstalled, "python3 has no package jsonschema on this machine")
)
struct ResultSchemaTests {
  @Test func `holds for the results that are written`() throws {
    var lossy = ResultFixture.small
    lossy.workloads[0].cases[0].losses = ["3 objects of Task left out"]
    var further = ResultFixture.small
    further.workloads[0].looks = [3, 5]
    further.workloads[0].findings = [
      Finding(
        topic: .cannotTell,
        workload: "fetch/paging",
        claim: "The samples do not show which is the fastest",
        evidence: Finding.Evidence(cases: [], trials: 3, mostTrials: 5)
      )
    ]
    let documents = try [ResultFixture.small, ResultFixture.document, lossy, further].map {
      try $0.text(as: .json)
    }
    #expect(try SchemaValidator.problems(of: documents) == ["", "", "", ""])
  }

  @Test func `refuses a field too many or too few, wherever it is`() throws {
    let text = try ResultFixture.small.text(as: .json)
    let changes = [
      ("{\"environment\"", "{\"extra\":1,\"environment\""),
      ("\"architecture\"", "\"extra\":1,\"architecture\""),
      ("\"cache\"", "\"extra\":1,\"cache\""),
      ("\"percent\"", "\"extra\":1,\"percent\""),
      ("\"bytes\"", "\"extra\":1,\"bytes\""),
      ("\"digest\":\"c0ffee\"", "\"extra\":1"),
      ("\"evidence\"", "\"extra\":1,\"evidence\""),
      ("\"direction\"", "\"extra\":1,\"direction\""),
      ("\"status\":\"passed\"", "\"status\":\"passed\",\"reason\":\"\""),
      ("\"reason\":\"lost a row\",", ""),
      ("\"version\":1,", ""),
      ("\"kernel\":\"Linux 6.1.0-18-amd64\",", ""),
      ("\"exact\":true,", ""),
      ("\"notes\":[],", ""),
    ]
    try expectProblems(of: changes, in: text)
  }

  @Test func `refuses values that no run writes`() throws {
    let text = try ResultFixture.small.text(as: .json)
    let changes = [
      ("\"version\":1", "\"version\":2"), ("[0.1]", "[-0.1]"), ("[0.1]", "[\"0.1\"]"),
      ("[0.1]", "[1e19]"), ("[0.1]", "0.1"), ("\"s\"", "\"ms\""), ("\"cost\"", "\"bad\""),
      ("\"assumed\"", "\"known\""),
      ("\"cores\":2", "\"cores\":0"), ("\"percent\":2", "\"percent\":-2"),
      ("\"release\"", "\"fast\""), ("\"9f86", "\"9F86"), ("\"2026-04-01T", "\"2026-04-01 "),
      ("\"wal\"", "1"), ("\"Task\":10", "\"Task\":-1"),
      ("\"status\":\"failed\"", "\"status\":\"odd\""),
    ]
    try expectProblems(of: changes, in: text)
  }

  private func expectProblems(of changes: [(String, String)], in text: String) throws {
    let documents = changes.map { text.replacing($0, with: $1, maxReplacements: 1) }
    let problems = try SchemaValidator.problems(of: documents)
    try #require(problems.count == changes.count)
    for (change, problem) in zip(changes, problems) {
      #expect(text.contains(change.0))
      #expect(!problem.isEmpty, "\(change.0) → \(change.1)")
    }
  }
}
