import Measurement

/// One figure held against what a claim expects of it.
struct ClaimCheck {
  enum Verdict: Hashable {
    case holds
    case fails
    /// There is no figure, for this reason.
    case unknown(String)
  }

  let verdict: Verdict
  /// The figure and its bound, in words.
  let text: String
  /// How near the figure is to its bound: 1 on it, above 1 beyond it.
  let nearness: Double
  /// What the case, or the numerator of a ratio, was: parameters and behaviours by name.
  let facts: [String: String]
  /// The names of the facts that stand for Apple's behaviour and are only assumed.
  let assumed: Set<String>
}

/// Finds the checks that an expectation asks for among the cases of a workload.
struct ClaimChecks {
  let cases: [Case]
  let results: [String: CaseResult]

  init(cases: [Case], results: [CaseResult]) {
    self.cases = cases
    self.results = Dictionary(results.map { ($0.id, $0) }) { $1 }
  }

  func checks(of expectation: Expectation) -> [ClaimCheck] {
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
    figure: () throws -> MeasuredFigure
  ) -> ClaimCheck {
    do {
      let figure = try figure()
      let bounded = try figure.held(against: expectation)
      return ClaimCheck(
        verdict: bounded.holds ? .holds : .fails,
        text: bounded.text,
        nearness: bounded.nearness,
        facts: facts(of: cases),
        assumed: assumed(in: cases)
      )
    } catch {
      return ClaimCheck(
        verdict: .unknown("\(error)"),
        text: "",
        nearness: 0,
        facts: facts(of: cases),
        assumed: assumed(in: cases)
      )
    }
  }

  private func failureCheck(of planned: Case) -> ClaimCheck {
    let (verdict, text): (ClaimCheck.Verdict, String) =
      switch results[planned.id]?.outcome {
      case .failedAsExpected(let cause)?: (.holds, "'\(planned.id)' failed: \(cause)")
      case .passed?: (.fails, "'\(planned.id)' did not fail")
      case .failed(let cause)?: (.unknown("'\(planned.id)' failed otherwise: \(cause)"), "")
      case nil: (.unknown("'\(planned.id)' was not run"), "")
      }
    return ClaimCheck(
      verdict: verdict,
      text: text,
      nearness: 0,
      facts: facts(of: [planned]),
      assumed: assumed(in: [planned])
    )
  }

  private func figure(of metric: String, in planned: Case) throws -> MeasuredFigure {
    guard let result = results[planned.id] else {
      throw NoFigure(reason: "'\(planned.id)' was not run")
    }
    if case .failed(let cause) = result.outcome {
      throw NoFigure(reason: "'\(planned.id)' failed: \(cause)")
    }
    guard let sample = result.sample(of: metric), let figure = MeasuredFigure(sample, of: planned)
    else { throw NoFigure(reason: "'\(planned.id)' has no '\(metric)'") }
    return figure
  }

  /// Parameters and behaviours; of a name that both cases have, the first one's.
  private func facts(of cases: [Case]) -> [String: String] {
    var facts: [String: String] = [:]
    for planned in cases {
      facts.merge(planned.parameters.values.mapValues { $0.description }) { first, _ in first }
      for behaviour in results[planned.id]?.behaviours ?? [] {
        facts[behaviour.name] = facts[behaviour.name] ?? behaviour.value
      }
    }
    return facts
  }

  private func assumed(in cases: [Case]) -> Set<String> {
    let behaviours = cases.flatMap { results[$0.id]?.behaviours ?? [] }
    return Set(behaviours.filter { $0.evidence == .assumed }.map(\.name))
  }
}

/// Why there is nothing to hold against a bound.
struct NoFigure: Error, CustomStringConvertible {
  let reason: String
  var description: String { reason }
}
