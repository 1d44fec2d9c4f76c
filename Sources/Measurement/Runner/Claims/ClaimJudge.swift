import Basics
import Measurement

/// Says what the measurements of a workload say of its claim.
///
/// All checks must hold. Where some hold and some do not, it looks for what tells them apart: a
/// behaviour that is only assumed, or a parameter. What holds under one value of an assumption
/// alone, without having been run under another, is never called proven.
struct ClaimJudge {
  let claim: Claim
  let expectations: [Expectation]
  let cases: [Case]
  /// By the case's ID.
  private let results: [String: CaseResult]

  init(claim: Claim, expectations: [Expectation], cases: [Case], results: [CaseResult]) {
    self.claim = claim
    self.expectations = expectations
    self.cases = cases
    self.results = Dictionary(results.map { ($0.id, $0) }) { $1 }
  }

  func judge() -> ClaimResult {
    let (finding, detail) = claim.notTestable.map { (.notTestableHere, $0) } ?? judgeChecks()
    return ClaimResult(text: claim.text, source: claim.source, finding: finding, detail: detail)
  }

  private func judgeChecks() -> (ClaimResult.Finding, String) {
    let checks = expectations.flatMap { self.checks(of: $0) }
    let holding = checks.filter { $0.verdict == .holds }
    let failing = checks.filter { $0.verdict == .fails }
    if failing.isEmpty {
      for check in checks {
        if case .unknown(let reason) = check.verdict { return (.notTestableHere, reason) }
      }
      guard !holding.isEmpty else {
        return (.notTestableHere, "no case that was run is what the claim speaks of")
      }
      return judgeAgreement(holding)
    }
    if !holding.isEmpty, let condition = Self.condition(holding, failing) {
      return (.trueOnlyIf, condition + ": " + Self.worst(of: failing))
    }
    let count = holding.isEmpty ? "" : " (\(holding.count) of \(checks.count) figures hold)"
    return (.doesNotHold, Self.worst(of: failing) + count)
  }

  private func judgeAgreement(_ holding: [Check]) -> (ClaimResult.Finding, String) {
    let count = holding.count == 1 ? "" : " (the nearest of \(holding.count) figures)"
    let detail = Self.worst(of: holding) + count
    let untried = Set(holding.flatMap(\.assumed)).sorted().filter { name in
      Set(holding.compactMap { $0.facts[name] }).count < 2
    }
    guard let name = untried.first, let value = holding.compactMap({ $0.facts[name] }).first else {
      return (.holds, detail)
    }
    return (.trueOnlyIf, "\(name)=\(value), which is assumed and was not run otherwise: \(detail)")
  }

  /// The check whose figure is nearest to its bound, or farthest beyond it.
  private static func worst(of checks: [Check]) -> String {
    checks.enumerated().max {
      ($0.element.nearness, -$0.offset) < ($1.element.nearness, -$1.offset)
    }?.element.text ?? ""
  }

  /// What every check that holds has in common and no other one has: one fact, or two.
  private static func condition(_ holding: [Check], _ failing: [Check]) -> String? {
    let assumed = Set((holding + failing).flatMap(\.assumed))
    let names = Set((holding + failing).flatMap(\.facts.keys))
    let ordered = names.sorted {
      (assumed.contains($0) ? 0 : 1, $0) < (assumed.contains($1) ? 0 : 1, $1)
    }
    let sets =
      ordered.map { [$0] }
      + ordered.enumerated().flatMap { index, first in
        ordered[(index + 1)...].map { [first, $0] }
      }
    for names in sets {
      let of = { (check: Check) in names.map { check.facts[$0] ?? "" } }
      let good = Set(holding.map(of))
      guard good.isDisjoint(with: failing.map(of)) else { continue }
      let alternatives = good.map { values in
        zip(names, values).map { "\($0)=\($1)" }.joined(separator: " with ")
      }.sorted()
      let note = names.contains { assumed.contains($0) } ? " (assumed)" : ""
      return alternatives.joined(separator: " or ") + note
    }
    return nil
  }
}

// MARK: Checks

extension ClaimJudge {
  /// One figure held against what a claim expects of it.
  private struct Check {
    enum Verdict: Hashable {
      case holds
      case fails
      /// There is no figure, for this reason.
      case unknown(String)
    }

    var verdict: Verdict
    /// The figure and its bound, in words.
    var text = ""
    /// How near the figure is to its bound: 1 on it, above 1 beyond it.
    var nearness = 0.0
    /// What the case, or the numerator of a ratio, was: parameters and behaviours by name.
    let facts: [String: String]
    /// The names of the facts that stand for Apple's behaviour and are only assumed.
    let assumed: Set<String>
  }

  /// Why there is no figure to compare with a bound.
  private struct NoFigure: Error, CustomStringConvertible {
    let description: String
  }

  /// The checks that an expectation asks for.
  private func checks(of expectation: Expectation) -> [Check] {
    switch expectation.subject {
    case .value(let metric, let selector):
      expectation.selected(by: selector, of: cases).map { planned in
        check([planned], expectation) { try figure(of: metric, in: planned) }
      }
    case .ratio(let metric, let numerators, let denominators):
      expectation.pairs(of: numerators, to: denominators, in: cases).map { pair in
        check([pair.numerator, pair.denominator], expectation) {
          try figure(of: metric, in: pair.numerator).divided(
            by: figure(of: metric, in: pair.denominator)
          )
        }
      }
    case .failure(let selector):
      expectation.selected(by: selector, of: cases).map { failureCheck(of: $0) }
    }
  }

  private func check(
    _ cases: [Case],
    _ expectation: Expectation,
    figure: () throws -> Figure
  ) -> Check {
    do {
      let bounded = try figure().held(against: expectation)
      var check = makeCheck(bounded.holds ? .holds : .fails, of: cases)
      (check.text, check.nearness) = (bounded.text, bounded.nearness)
      return check
    } catch {
      return makeCheck(.unknown("\(error)"), of: cases)
    }
  }

  private func failureCheck(of planned: Case) -> Check {
    let (verdict, text): (Check.Verdict, String) =
      switch results[planned.id]?.outcome {
      case .failedAsExpected(let cause)?: (.holds, "'\(planned.id)' failed: \(cause)")
      case .passed?: (.fails, "'\(planned.id)' did not fail")
      case .failed(let cause)?: (.unknown("'\(planned.id)' failed otherwise: \(cause)"), "")
      case nil: (.unknown("'\(planned.id)' was not run"), "")
      }
    var check = makeCheck(verdict, of: [planned])
    check.text = text
    return check
  }

  /// A check with the facts of its cases; of a name that both cases have, the first one's.
  private func makeCheck(_ verdict: Check.Verdict, of cases: [Case]) -> Check {
    var facts: [String: String] = [:]
    var assumed: Set<String> = []
    for planned in cases {
      facts.merge(planned.parameters.values.mapValues { $0.description }) { first, _ in first }
      for behaviour in results[planned.id]?.behaviours ?? [] {
        facts[behaviour.name] = facts[behaviour.name] ?? behaviour.value
        if behaviour.evidence == .assumed { assumed.insert(behaviour.name) }
      }
    }
    return Check(verdict: verdict, facts: facts, assumed: assumed)
  }

  private func figure(of metric: String, in planned: Case) throws -> Figure {
    guard let result = results[planned.id] else {
      throw NoFigure(description: "'\(planned.id)' was not run")
    }
    if case .failed(let cause) = result.outcome {
      throw NoFigure(description: "'\(planned.id)' failed: \(cause)")
    }
    guard let sample = result.sample(of: metric), let figure = Figure(sample, of: planned)
    else { throw NoFigure(description: "'\(planned.id)' has no '\(metric)'") }
    return figure
  }
}

// MARK: Figures

extension ClaimJudge {
  /// A median with the least and the most that was measured, of one case or of two divided.
  private struct Figure {
    let name: String
    let unit: Metric.Unit
    let median: Double
    let range: ClosedRange<Double>

    private init(name: String, unit: Metric.Unit, median: Double, range: ClosedRange<Double>) {
      (self.name, self.unit, self.median, self.range) = (name, unit, median, range)
    }

    /// The median of a sample; `nil` of an empty one.
    init?(_ sample: Sample, of planned: Case) {
      guard let median = sample.median, let least = sample.values.min(),
        let most = sample.values.max()
      else { return nil }
      self.init(
        name: "\(sample.metric.name) of '\(planned.id)'",
        unit: sample.metric.unit,
        median: median,
        range: least...most
      )
    }

    /// The ratio of two figures of one unit.
    func divided(by other: Figure) throws -> Figure {
      guard other.range.lowerBound > 0 else { throw NoFigure(description: "\(other.name) is 0") }
      return Figure(
        name: "\(name) against '\(other.name.split(separator: "'").last ?? "")'",
        unit: .ratio,
        median: median / other.median,
        range: range.lowerBound / other.range.upperBound...range.upperBound / other.range.lowerBound
      )
    }

    /// Whether the median keeps within the bounds, how near it comes, and a sentence that says so.
    func held(
      against expectation: Expectation
    ) throws -> (holds: Bool, nearness: Double, text: String) {
      let bounds = [expectation.above, expectation.below].compactMap { $0 }
      guard bounds.allSatisfy({ $0.dimension == dimension }) else {
        throw NoFigure(
          description: "the bound has another unit than \(name), which is in \(unit.rawValue)"
        )
      }
      var nearness = 0.0
      if let below = expectation.below { nearness = max(nearness, median / below.value) }
      if let above = expectation.above {
        nearness = max(nearness, median > 0 ? above.value / median : .infinity)
      }
      let isBelow = expectation.below.map { median < $0.value } ?? true
      let isAbove = expectation.above.map { median > $0.value } ?? true
      let straddled = bounds.first { $0.value >= range.lowerBound && $0.value <= range.upperBound }
      let words = [
        expectation.above.map { "above \($0.text)" },
        expectation.below.map { "below \($0.text)" },
      ].compactMap { $0 }.joined(separator: " and ")
      let spread = straddled == nil ? "" : ", within the spread of the measurements"
      return (
        isBelow && isAbove, nearness,
        "\(name) is \(Quantity(median, dimension).text), expected \(words)\(spread)"
      )
    }

    private var dimension: Quantity.Dimension {
      switch unit {
      case .seconds: .seconds
      case .bytes: .bytes
      case .count, .ratio: .plain
      }
    }
  }
}

extension Quantity {
  /// As a claim's detail prints it.
  fileprivate var text: String {
    switch dimension {
    case .seconds: Figures.seconds(value, .significant)
    case .bytes: Figures.bytes(value, .significant)
    case .plain: Figures.significant(value)
    }
  }
}
