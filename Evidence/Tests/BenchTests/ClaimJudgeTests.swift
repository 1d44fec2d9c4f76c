import Basics
import Testing

@testable import Runner
@testable import bench

private typealias Expectation = bench.Expectation

struct ClaimJudgeTests {
  /// A case with its parameters, the seconds of its trials and its assumed behaviors.
  private struct Row {
    var parameters: [String: String]
    var seconds: [Double] = []
    var assumed: [String: String] = [:]
    var outcome: CaseResult.Outcome = .passed
  }

  /// Returns the verdict on a claim whose trials take the times in the rows, in that order.
  private func judge(
    _ expectations: [Expectation],
    _ rows: [Row],
    notTestable: String? = nil,
    scope: ClaimResult.Scope = .everyCell,
    budget: Double = 1e6,
    order: (String) -> Void = { _ in }
  ) throws -> ClaimResult {
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
    var cells = ClaimCell.cells(
      of: notTestable == nil ? expectations : [],
      cases: cases,
      results: Dictionary(results.map { ($0.id, $0) }) { $1 }
    )
    let rowsByID = Dictionary(zip(cases.map(\.id), rows)) { $1 }
    var clock = 0.0
    let seconds = try withoutActuallyEscaping(order) { order in
      try ClaimTrials(
        scope: scope,
        budget: budget,
        seed: 1,
        now: { clock },
        trial: { planned, round in
          clock += 1
          order(planned.id)
          let seconds = rowsByID[planned.id]?.seconds ?? []
          return TrialResponse(
            outcome: .passed(Verification(digest: "")),
            iterations: [[TakenMeasurement(.wallClock, seconds[round % seconds.count])]]
          )
        }
      ).measure(&cells)
    }
    return ClaimJudge(
      claim: PublishedClaim(text: "t", source: "s", notTestable: notTestable, scope: scope),
      cells: cells
    ).judge(seconds: seconds, budget: budget)
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

  @Test func `holds where every cell keeps its bound, and shows the nearest`() throws {
    let result = try judge(
      [value(below: 30)],
      [
        Row(parameters: ["strategy": "a"], seconds: [0.4, 0.42, 0.5]),
        Row(parameters: ["strategy": "b"], seconds: [1.5]),
      ]
    )
    #expect(result.finding == .holds)
    #expect(
      result.detail
        == "wallClock of 'w/strategy=b' is 1.5 s (1.5 s to 1.5 s), expected below 30 s (the closest "
        + "to the bound of 2 comparisons)"
    )
    #expect(result.cells.map(\.verdict) == [.holds, .holds])
  }

  @Test func `does not hold where no cell keeps its bound`() throws {
    let result = try judge(
      [value(below: 0.5)],
      [Row(parameters: ["strategy": "a"], seconds: [2, 2.2, 3])]
    )
    #expect(result.finding == .doesNotHold)
    #expect(result.cells[0].lower ?? 0 > 0.5)
    #expect(result.detail.hasPrefix("wallClock of 'w/strategy=a' is 2.2 s ("))
  }

  @Test func `takes as many trials as a verdict needs and no more`() throws {
    let result = try judge([value(below: 1)], [Row(parameters: ["a": "1"], seconds: [0.5])])
    // One eighth of the wealth grows at most 1.9-fold per trial, so an e-value of 20 takes eight
    // trials.
    #expect((8...12).contains(result.cells[0].values.count))
    let near = try judge(
      [value(below: 1)],
      [Row(parameters: ["a": "1"], seconds: [0.5, 1.4, 0.7, 0.6, 1.1])]
    )
    #expect(near.cells[0].values.count > 20)
  }

  @Test func `cannot tell where the budget ends first`() throws {
    let result = try judge(
      [value(below: 1)],
      [Row(parameters: ["a": "1"], seconds: [0.5, 1.5])],
      budget: 40
    )
    #expect(result.finding == .cannotTell)
    #expect(result.seconds == 40)
    #expect(result.detail.hasPrefix("the comparison is undecided after 40 s: wallClock of 'w/a=1'"))
  }

  @Test func `alternates the cases of a ratio within each round, in a random order`() throws {
    var order: [String] = []
    _ = try judge(
      [ratio(of: ["a": ["1"]], to: ["a": ["2"]], below: 1)],
      [Row(parameters: ["a": "1"], seconds: [1]), Row(parameters: ["a": "2"], seconds: [2])],
      order: { order.append($0) }
    )
    let rounds = stride(from: 0, to: order.count, by: 2).map { Array(order[$0..<$0 + 2]) }
    #expect(rounds.allSatisfy { Set($0).count == 2 })
    #expect(Set(rounds.map { $0[0] }).count == 2)
  }

  @Test func `ends a claim on the worst cell with the first that does not hold`() throws {
    let rows = [
      Row(parameters: ["a": "1"], seconds: [0.5]),
      Row(parameters: ["a": "2"], seconds: [2]),
      Row(parameters: ["a": "3"], seconds: [0.9, 1.2, 0.95, 1.1]),
    ]
    let worst = try judge([value(below: 1)], rows, scope: .worstCell, budget: 120)
    #expect(worst.finding == .doesNotHold)
    #expect((worst.seconds ?? 120) < 60)
    let every = try judge([value(below: 1)], rows, budget: 120)
    #expect(every.finding == .doesNotHold)
    #expect((every.seconds ?? 0) > (worst.seconds ?? 120))
    #expect(every.detail.hasSuffix("It holds only if a=1"))
  }

  @Test func `decides an exact metric without trials`() throws {
    let planned = ["1", "2"].map { name in
      let values = ParameterValues(["a": .text(name)])
      return Case(
        id: "w/a=\(name)",
        shownParameters: values,
        parameters: values,
        allParameters: values
      )
    }
    let results = zip(planned, [10.0, 30]).map { planned, value in
      CaseResult(
        id: planned.id,
        parameters: [:],
        outcome: .passed,
        samples: [Sample(metric: .storeBytes, trials: [[value], [value]])]
      )
    }
    let cells = ClaimCell.cells(
      of: [
        Expectation(
          .ratio(
            metric: "storeBytes",
            of: selector(["a": ["2"]]),
            to: selector(["a": ["1"]])
          ),
          above: Quantity(2, .plain)
        )
      ],
      cases: planned,
      results: Dictionary(results.map { ($0.id, $0) }) { $1 }
    )
    #expect(cells.map(\.verdict) == [.holds])
    #expect(cells[0].text == "storeBytes of 'w/a=2' against 'w/a=1' is 3, expected above 2")
  }

  @Test func `does not count comparisons of two sides that do the same work`() throws {
    var cells = ClaimCell.cells(
      of: [ratio(of: ["a": ["1"]], to: ["a": ["2"]], below: 1)],
      cases: ["1", "2"].map { name in
        let values = ParameterValues(["a": .text(name)])
        return Case(
          id: "w/a=\(name)",
          shownParameters: values,
          parameters: values,
          allParameters: values
        )
      },
      results: [:]
    )
    cells[0].leaveOut()
    let result = ClaimJudge(claim: PublishedClaim(text: "t", source: "s"), cells: cells)
      .judge(seconds: 0, budget: 1)
    #expect(result.finding == .cannotTell)
    #expect(
      result.detail == "nothing to judge. 1 comparison does not count, because both sides do the "
        + "same work, such as 'w/a=1' and 'w/a=2'"
    )
  }

  @Test func `names the parameter that the holding cells share`() throws {
    let rows = [("1", "x", 0.1), ("1", "y", 0.2), ("2", "x", 3), ("2", "y", 4)].map {
      Row(parameters: ["size": $0.0, "other": $0.1], seconds: [$0.2])
    }
    let result = try judge([value(below: 1)], rows)
    #expect(result.finding == .doesNotHold)
    #expect(
      result.detail
        == "wallClock of 'w/other=y,size=2' is 4 s (4 s to 4 s), expected below 1 s. It holds only "
        + "if size=1"
    )
  }

  @Test func `names two parameters that go together`() throws {
    let rows = [("1", "x", 0.1), ("1", "y", 2), ("2", "x", 3), ("2", "y", 4)].map {
      Row(parameters: ["size": $0.0, "other": $0.1], seconds: [$0.2])
    }
    let detail = try judge([value(below: 1)], rows).detail
    #expect(detail.hasSuffix("It holds only if other=x with size=1"))
  }

  @Test func `cannot tell what depends on assumed behavior`() throws {
    let rows = [("onAccess", 0.1), ("onFetch", 3)].map {
      Row(parameters: ["a": $0.0], seconds: [$0.1], assumed: ["load": $0.0])
    }
    let result = try judge([value(below: 1)], rows)
    #expect(result.finding == .cannotTell)
    #expect(result.detail.hasPrefix("it depends on assumed behavior, load=onAccess: "))
  }

  @Test func `uses no assumed behavior as evidence that was not run otherwise`() throws {
    let once = Row(parameters: ["a": "1"], seconds: [0.1], assumed: ["load": "onFetch"])
    for bound in [1, 0.01] {
      let result = try judge([value(below: bound)], [once])
      #expect(result.finding == .cannotTell)
      #expect(result.detail.hasPrefix("load=onFetch is assumed, and no other value was run: "))
    }
    let other = Row(parameters: ["a": "2"], seconds: [0.1], assumed: ["load": "onAccess"])
    #expect(try judge([value(below: 1)], [once, other]).finding == .holds)
  }

  @Test func `a comparison that fails without any assumed behavior decides`() throws {
    let once = Row(parameters: ["a": "1"], seconds: [0.1], assumed: ["load": "onFetch"])
    let slow = Row(parameters: ["a": "2"], seconds: [3])
    let result = try judge([value(below: 1)], [once, slow])
    #expect(result.finding == .doesNotHold)
    #expect(
      result.detail
        == "wallClock of 'w/a=2' is 3 s (3 s to 3 s), expected below 1 s (1 of 2 comparisons do not "
        + "hold, 1 hold)"
    )
    let quick = Row(parameters: ["a": "3"], seconds: [0.1])
    #expect(
      try judge([value(below: 1)], [once, slow, quick]).detail.hasSuffix("It holds only if a=3")
    )
  }

  @Test func `divides cases that differ only in what the selectors name`() throws {
    let rows = [
      ("eager", "1", 4.0), ("eager", "2", 8), ("batched", "1", 1), ("batched", "2", 4),
    ].map { Row(parameters: ["strategy": $0.0, "size": $0.1], seconds: [$0.2]) }
    let result = try judge(
      [ratio(of: ["strategy": ["batched"]], to: ["strategy": ["eager"]], below: 0.6)],
      rows
    )
    #expect(result.finding == .holds)
    #expect(
      result.detail == "wallClock of 'w/size=2,strategy=batched' against 'w/size=2,strategy=eager' "
        + "is 0.5 (0.5 to 0.5), expected below 0.6 (the closest to the bound of 2 comparisons)"
    )
  }

  @Test func `looks only at the cases of its restriction`() throws {
    let rows = [("eager", "1", 4.0), ("eager", "2", 1), ("batched", "1", 1), ("batched", "2", 4)]
      .map { Row(parameters: ["strategy": $0.0, "size": $0.1], seconds: [$0.2]) }
    let expectation = ratio(
      of: ["strategy": ["batched"]],
      to: ["strategy": ["eager"]],
      below: 1,
      where: ["size": ["1"]]
    )
    #expect(try judge([expectation], rows).finding == .holds)
  }

  @Test func `pairs a case with one that lacks a parameter`() throws {
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
    #expect(try judge([expectation], rows).finding == .holds)
  }

  @Test func `a claim that work fails holds where it failed as expected`() throws {
    let expectation = Expectation(.failure(cases: selector(["deduplicate": ["false"]])))
    let failed = Row(
      parameters: ["deduplicate": "false"],
      outcome: .failedAsExpected("UNIQUE constraint failed")
    )
    let result = try judge([expectation], [failed])
    #expect(result.finding == .holds)
    #expect(result.detail == "'w/deduplicate=false' failed: UNIQUE constraint failed")
    #expect(
      try judge([expectation], [Row(parameters: ["deduplicate": "false"])]).finding
        == .doesNotHold
    )
  }

  @Test func `gives the reason where there is no figure`() throws {
    let rows = [Row(parameters: ["a": "1"], outcome: .failed("broken"))]
    #expect(try judge([], rows, notTestable: "needs a device").finding == .cannotTell)
    #expect(
      try judge([], rows, notTestable: "needs a device").detail
        == "not testable here: needs a device"
    )
    #expect(try judge([value(below: 1)], rows).detail == "'w/a=1' failed: broken")
    #expect(
      try judge([value(below: 1)], [Row(parameters: ["a": "1"])]).detail
        == "'w/a=1' has no 'wallClock'"
    )
    let bytes = Expectation(
      .value(metric: "wallClock", cases: CaseSelector()),
      below: Quantity(1, .bytes)
    )
    #expect(
      try judge([bytes], [Row(parameters: ["a": "1"], seconds: [1])]).detail
        == "the bound has the wrong unit: wallClock of 'w/a=1' is in s"
    )
    #expect(try judge([value(below: 1, ["a": ["2"]])], rows).finding == .cannotTell)
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
