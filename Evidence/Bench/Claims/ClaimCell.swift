import Basics
import Runner

/// One comparison of a claim: the value of a case, or the ratio of two cases, with its bounds.
struct ClaimCell {
  let of: Case
  /// The denominator of the ratio; `nil` if the cell compares the value of one case.
  let to: Case?
  /// The compared metric; `nil` if the cell expects its case to fail.
  let metric: Metric?
  let above: Quantity?
  let below: Quantity?
  /// The values of the cases' parameters and behaviors by name; if the cases differ, the
  /// numerator's value.
  let facts: [String: String]
  /// The names of the behaviors in `facts` that are assumptions about Apple's frameworks.
  let assumed: Set<String>
  /// The verdict with its reason, if no further trial can change it; otherwise `nil`.
  ///
  /// A verdict is fixed if the metric is exact or a case failed, for example.
  private(set) var fixed: (verdict: ClaimResult.Cell.Verdict, note: String)?
  private var exactValue: Double?
  private(set) var test: BoundTest?

  var cases: [Case] { [of] + (to.map { [$0] } ?? []) }

  var isOpen: Bool { fixed == nil && test?.verdict == .cannotTell }

  var isCounted: Bool { verdict != .notCounted }

  var verdict: ClaimResult.Cell.Verdict {
    if let fixed { return fixed.verdict }
    return switch test?.verdict {
    case .holds?: .holds
    case .doesNotHold?: .doesNotHold
    case .cannotTell?, nil: .cannotTell
    }
  }

  /// Adds the values of one round, keyed by case ID, if each case of the cell has a value.
  mutating func add(_ values: [String: Double]) {
    guard let value = values[of.id] else { return }
    guard let to else {
      test?.add(value)
      return
    }
    guard let divisor = values[to.id], divisor > 0 else { return }
    test?.add(value / divisor)
  }

  /// Fixes the verdict to *cannot tell*, because a case of the cell failed in a trial.
  mutating func fail(_ cause: String) {
    fixed = (.cannotTell, cause)
  }

  /// Excludes the cell from the claim because both of its cases do the same work.
  mutating func leaveOut() {
    fixed = (.notCounted, "both sides do the same work")
  }

  mutating func beginTest(level: Double) {
    test = BoundTest(above: above?.value, below: below?.value, level: level)
  }
}

// MARK: Making

extension ClaimCell {
  static func cells(
    of expectations: [Expectation],
    cases: [Case],
    results: [String: CaseResult]
  ) -> [ClaimCell] {
    expectations.flatMap { expectation -> [ClaimCell] in
      switch expectation.subject {
      case .value(let metric, let selector):
        expectation.selected(by: selector, of: cases).map {
          ClaimCell(of: $0, to: nil, metric, expectation, results)
        }
      case .ratio(let metric, let numerators, let denominators):
        expectation.pairs(of: numerators, to: denominators, in: cases).map {
          ClaimCell(of: $0.numerator, to: $0.denominator, metric, expectation, results)
        }
      case .failure(let selector):
        expectation.selected(by: selector, of: cases).map {
          ClaimCell(failureOf: $0, results)
        }
      }
    }
  }

  private init(
    of numerator: Case,
    to denominator: Case?,
    _ name: String,
    _ expectation: Expectation,
    _ results: [String: CaseResult]
  ) {
    let planned = [numerator] + (denominator.map { [$0] } ?? [])
    let samples = Result { try planned.map { try Self.sample(name, of: $0, results) } }
    let metric = (try? samples.get())?.first?.metric
    self.init(
      of: numerator,
      to: denominator,
      metric: metric ?? Metric(name, unit: .count),
      bounds: (expectation.above, expectation.below),
      results
    )
    do {
      try decide(from: try samples.get())
    } catch {
      fixed = (.cannotTell, "\(error)")
    }
  }

  private init(failureOf planned: Case, _ results: [String: CaseResult]) {
    self.init(of: planned, to: nil, metric: nil, bounds: (nil, nil), results)
    fixed =
      switch results[planned.id]?.outcome {
      case .failedAsExpected(let cause)?: (.holds, "'\(planned.id)' failed: \(cause)")
      case .passed?: (.doesNotHold, "'\(planned.id)' did not fail")
      case .failed(let cause)?: (.cannotTell, "'\(planned.id)' failed with another error: \(cause)")
      case nil: (.cannotTell, "'\(planned.id)' was not run")
      }
  }

  private init(
    of numerator: Case,
    to denominator: Case?,
    metric: Metric?,
    bounds: (above: Quantity?, below: Quantity?),
    _ results: [String: CaseResult]
  ) {
    (of, to, self.metric) = (numerator, denominator, metric)
    (above, below) = bounds
    var facts: [String: String] = [:]
    var assumed: Set<String> = []
    for planned in [numerator] + (denominator.map { [$0] } ?? []) {
      facts.merge(planned.parameters.values.mapValues { $0.description }) { first, _ in first }
      for behaviour in results[planned.id]?.behaviours ?? [] {
        facts[behaviour.name] = facts[behaviour.name] ?? behaviour.value
        if behaviour.evidence == .assumed { assumed.insert(behaviour.name) }
      }
    }
    (self.facts, self.assumed) = (facts, assumed)
  }

  private struct NoFigure: Error, CustomStringConvertible {
    let description: String
  }

  private static func sample(
    _ metric: String,
    of planned: Case,
    _ results: [String: CaseResult]
  ) throws -> Sample {
    guard let result = results[planned.id] else {
      throw NoFigure(description: "'\(planned.id)' was not run")
    }
    if case .failed(let cause) = result.outcome {
      throw NoFigure(description: "'\(planned.id)' failed: \(cause)")
    }
    guard let sample = result.sample(of: metric), sample.median != nil else {
      throw NoFigure(description: "'\(planned.id)' has no '\(metric)'")
    }
    return sample
  }

  private mutating func decide(from samples: [Sample]) throws {
    let bounds = [above, below].compactMap { $0 }
    guard bounds.allSatisfy({ $0.dimension == dimension }) else {
      throw NoFigure(
        description:
          "the bound has the wrong unit: \(metric?.name ?? "") of '\(of.id)' is in "
          + "\(metric?.unit.rawValue ?? "")"
      )
    }
    let medians = samples.compactMap(\.median)
    if medians.count == 2, medians[1] == 0 {
      throw NoFigure(description: "\(metric?.name ?? "") of '\(to?.id ?? "")' is 0")
    }
    guard samples.allSatisfy({ $0.metric.isExact && $0.repeatingTotal != nil }) else { return }
    let value = medians.count == 2 ? medians[0] / medians[1] : medians[0]
    let holds = (above.map { value > $0.value } ?? true) && (below.map { value < $0.value } ?? true)
    exactValue = value
    fixed = (holds ? .holds : .doesNotHold, "")
  }

  private var dimension: Quantity.Dimension {
    guard to == nil else { return .plain }
    return switch metric?.unit {
    case .seconds?: .seconds
    case .bytes?: .bytes
    case .count?, .ratio?, nil: .plain
    }
  }
}

// MARK: Showing

extension ClaimCell {
  private var estimate: Double? { exactValue ?? test?.estimate }

  var text: String {
    guard let metric, let estimate else { return fixed?.note ?? "'\(of.id)' was not measured" }
    var figure = "\(metric.name) of '\(of.id)'"
    if let to { figure += " against '\(to.id)'" }
    figure += " is \(Quantity(estimate, dimension).figure)"
    if exactValue == nil, let (lower, upper) = test?.interval, lower != nil || upper != nil {
      let ends = [lower, upper].map { $0.map { Quantity($0, dimension).figure } ?? "unbounded" }
      figure += " (\(ends[0]) to \(ends[1]))"
    }
    let bounds = [above.map { "above \($0.figure)" }, below.map { "below \($0.figure)" }]
    return figure + ", expected " + bounds.compactMap { $0 }.joined(separator: " and ")
  }

  /// How close the estimate is to its nearest bound: 1 at the bound, more than 1 beyond it.
  var nearness: Double {
    guard let estimate else { return 0 }
    let upper = below.map { estimate / $0.value } ?? 0
    let lower = above.map { estimate > 0 ? $0.value / estimate : .infinity } ?? 0
    return max(upper, lower)
  }

  var result: ClaimResult.Cell {
    let interval = exactValue == nil ? test?.interval : nil
    return ClaimResult.Cell(
      of: of.id,
      to: to?.id,
      metric: metric?.name,
      above: above?.value,
      below: below?.value,
      values: exactValue.map { [$0] } ?? test?.values ?? [],
      estimate: estimate,
      lower: interval?.lower,
      upper: interval?.upper,
      verdict: verdict,
      note: fixed?.note ?? ""
    )
  }
}

extension Quantity {
  fileprivate var figure: String {
    switch dimension {
    case .seconds: Figures.seconds(value, .significant)
    case .bytes: Figures.bytes(value, .significant)
    case .plain: Figures.significant(value)
    }
  }
}
