import Basics
import Measurement
import Testing

@testable import Runner

private typealias Expectation = Runner.Expectation

struct ClaimJudgeTests {
  /// A case of one line: its parameters, its seconds, its assumed behaviours.
  private struct Row {
    var parameters: [String: String]
    var seconds: [Double] = []
    var assumed: [String: String] = [:]
    var outcome: CaseResult.Outcome = .passed
  }

  private func judge(
    _ expectations: [Expectation],
    _ rows: [Row],
    notTestable: String? = nil
  ) -> ClaimResult {
    let cases = rows.map { row in
      let values = ParameterValues(row.parameters.mapValues { .text($0) })
      return Case(
        id: "w/" + values.canonical,
        shownParameters: values,
        parameters: values,
        allParameters: values
      )
    }
    let results = zip(cases, rows).map { planned, row in
      CaseResult(
        id: planned.id,
        parameters: row.parameters,
        outcome: row.outcome,
        samples: row.seconds.isEmpty ? [] : [Sample(metric: .wallClock, trials: [row.seconds])],
        behaviours: row.assumed.sorted { $0.key < $1.key }.map {
          Behaviour(name: $0.key, value: $0.value, evidence: .assumed)
        }
      )
    }
    let claim = Claim(text: "t", source: "s", notTestable: notTestable)
    return ClaimJudge(
      claim: claim,
      expectations: expectations,
      cases: cases,
      results: results
    ).judge()
  }

  private func value(below: Double, _ allowed: [String: [String]] = [:]) -> Expectation {
    Expectation(
      .value(metric: "wallClock", cases: selector(allowed)),
      below: Quantity(below, .seconds)
    )
  }

  private func ratio(
    of first: [String: [String]],
    to second: [String: [String]],
    below: Double,
    where restriction: [String: [String]] = [:]
  ) -> Expectation {
    Expectation(
      .ratio(metric: "wallClock", of: selector(first), to: selector(second)),
      where: selector(restriction),
      below: Quantity(below, .plain)
    )
  }

  private func selector(_ allowed: [String: [String]]) -> CaseSelector {
    CaseSelector(allowed.mapValues { $0.map { .text($0) } })
  }

  @Test func `holds where every figure keeps its bound, and shows the nearest`() {
    let result = judge(
      [value(below: 30)],
      [
        Row(parameters: ["strategy": "a"], seconds: [0.4, 0.42, 0.5]),
        Row(parameters: ["strategy": "b"], seconds: [1.5]),
      ]
    )
    #expect(result.finding == .holds)
    #expect(
      result.detail
        == "wallClock of 'w/strategy=b' is 1.5 s, expected below 30 s (the nearest of 2 figures)"
    )
  }

  @Test func `does not hold where no figure keeps its bound`() {
    let result = judge(
      [value(below: 0.5)],
      [Row(parameters: ["strategy": "a"], seconds: [0.4, 2, 3])]
    )
    #expect(result.finding == .doesNotHold)
    #expect(
      result.detail == "wallClock of 'w/strategy=a' is 2 s, expected below 500 ms, "
        + "within the spread of the measurements"
    )
  }

  @Test func `is true only if a parameter is what the holding figures share`() {
    let rows = [("1", "x", 0.1), ("1", "y", 0.2), ("2", "x", 3), ("2", "y", 4)].map {
      Row(parameters: ["size": $0.0, "other": $0.1], seconds: [$0.2])
    }
    let result = judge([value(below: 1)], rows)
    #expect(result.finding == .trueOnlyIf)
    #expect(
      result.detail
        == "size=1: wallClock of 'w/other=y,size=2' is 4 s, expected below 1 s"
    )
  }

  @Test func `is true only if two parameters go together`() {
    let rows = [("1", "x", 0.1), ("1", "y", 2), ("2", "x", 3), ("2", "y", 4)].map {
      Row(parameters: ["size": $0.0, "other": $0.1], seconds: [$0.2])
    }
    #expect(judge([value(below: 1)], rows).detail.hasPrefix("other=x with size=1: "))
  }

  @Test func `names the assumption it depends on before a parameter`() {
    let rows = [("onAccess", 0.1), ("onFetch", 3)].map {
      Row(parameters: ["a": $0.0], seconds: [$0.1], assumed: ["load": $0.0])
    }
    let result = judge([value(below: 1)], rows)
    #expect(result.finding == .trueOnlyIf)
    #expect(result.detail.hasPrefix("load=onAccess (assumed): "))
  }

  @Test func `never proves a claim by what is only assumed`() {
    let once = Row(parameters: ["a": "1"], seconds: [0.1], assumed: ["load": "onFetch"])
    let result = judge([value(below: 1)], [once])
    #expect(result.finding == .trueOnlyIf)
    #expect(result.detail.hasPrefix("load=onFetch, which is assumed and was not run otherwise: "))
    let other = Row(parameters: ["a": "2"], seconds: [0.1], assumed: ["load": "onAccess"])
    #expect(judge([value(below: 1)], [once, other]).finding == .holds)
  }

  @Test func `divides cases that differ only in what the selectors name`() {
    let rows = [
      ("eager", "1", 4.0), ("eager", "2", 8), ("batched", "1", 1), ("batched", "2", 4),
    ].map { Row(parameters: ["strategy": $0.0, "size": $0.1], seconds: [$0.2]) }
    let result = judge(
      [ratio(of: ["strategy": ["batched"]], to: ["strategy": ["eager"]], below: 0.6)],
      rows
    )
    #expect(result.finding == .holds)
    #expect(
      result.detail == "wallClock of 'w/size=2,strategy=batched' against 'w/size=2,strategy=eager' "
        + "is 0.5, expected below 0.6 (the nearest of 2 figures)"
    )
  }

  @Test func `looks only at the cases of its restriction`() {
    let rows = [("eager", "1", 4.0), ("eager", "2", 1), ("batched", "1", 1), ("batched", "2", 4)]
      .map { Row(parameters: ["strategy": $0.0, "size": $0.1], seconds: [$0.2]) }
    let expectation = ratio(
      of: ["strategy": ["batched"]],
      to: ["strategy": ["eager"]],
      below: 1,
      where: ["size": ["1"]]
    )
    #expect(judge([expectation], rows).finding == .holds)
  }

  @Test func `pairs a case with one that lacks a parameter`() {
    let rows = [
      Row(parameters: ["strategy": "eager"], seconds: [2]),
      Row(parameters: ["strategy": "batched", "batchSize": "20"], seconds: [1]),
    ]
    let expectation = ratio(
      of: ["strategy": ["batched"]],
      to: ["strategy": ["eager"]],
      below: 1,
      where: ["batchSize": ["20"]]
    )
    #expect(judge([expectation], rows).finding == .holds)
  }

  @Test func `a claim that work fails holds where it failed as expected`() {
    let expectation = Expectation(.failure(cases: selector(["deduplicate": ["false"]])))
    let failed = Row(
      parameters: ["deduplicate": "false"],
      outcome: .failedAsExpected("UNIQUE constraint failed")
    )
    let result = judge([expectation], [failed])
    #expect(result.finding == .holds)
    #expect(result.detail == "'w/deduplicate=false' failed: UNIQUE constraint failed")
    #expect(
      judge([expectation], [Row(parameters: ["deduplicate": "false"])]).finding == .doesNotHold
    )
  }

  @Test func `says why nothing can be said`() {
    let rows = [Row(parameters: ["a": "1"], outcome: .failed("broken"))]
    #expect(judge([], rows, notTestable: "needs a device").finding == .notTestableHere)
    #expect(judge([], rows, notTestable: "needs a device").detail == "needs a device")
    #expect(judge([value(below: 1)], rows).detail == "'w/a=1' failed: broken")
    #expect(
      judge([value(below: 1)], [Row(parameters: ["a": "1"])]).detail
        == "'w/a=1' has no 'wallClock'"
    )
    let bytes = Expectation(
      .value(metric: "wallClock", cases: CaseSelector()),
      below: Quantity(1, .bytes)
    )
    #expect(
      judge([bytes], [Row(parameters: ["a": "1"], seconds: [1])]).detail
        == "the bound has another unit than wallClock of 'w/a=1', which is in s"
    )
    #expect(judge([value(below: 1, ["a": ["2"]])], rows).finding == .notTestableHere)
  }

  @Test(arguments: [
    (0.0, "0"), (0.5, "0.5"), (0.123456, "0.123"), (99.95, "100"), (12.345, "12.3"),
    (1234.5, "1235"),
    (-2.5, "-2.5"), (0.000001, "0.000001"), (1e20, "1e+20"),
  ])
  func `figures have three digits`(value: Double, text: String) {
    #expect(Figures.significant(value) == text)
  }

  @Test(arguments: [
    (0.0123, "12.3 ms"), (61, "1.02 min"), (3e-7, "0.3 µs"), (0.9999, "1 s"), (0, "0 µs"),
  ])
  func `times are in the unit that suits them`(value: Double, text: String) {
    #expect(Figures.seconds(value, .significant) == text)
  }
}
