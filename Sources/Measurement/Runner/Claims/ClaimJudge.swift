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
  let results: [CaseResult]

  func judge() -> ClaimResult {
    let (finding, detail) = claim.notTestable.map { (.notTestableHere, $0) } ?? judgeChecks()
    return ClaimResult(text: claim.text, source: claim.source, finding: finding, detail: detail)
  }

  private func judgeChecks() -> (ClaimResult.Finding, String) {
    let source = ClaimChecks(cases: cases, results: results)
    let checks = expectations.flatMap { source.checks(of: $0) }
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

  private func judgeAgreement(_ holding: [ClaimCheck]) -> (ClaimResult.Finding, String) {
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
  private static func worst(of checks: [ClaimCheck]) -> String {
    checks.enumerated().max {
      ($0.element.nearness, -$0.offset) < ($1.element.nearness, -$1.offset)
    }?.element.text ?? ""
  }

  /// What every check that holds has in common and no other one has: one fact, or two.
  private static func condition(_ holding: [ClaimCheck], _ failing: [ClaimCheck]) -> String? {
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
      let of = { (check: ClaimCheck) in names.map { check.facts[$0] ?? "" } }
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
