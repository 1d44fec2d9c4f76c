import Basics
import Runner

/// Derives the verdict on a claim from the verdicts on its cells.
///
/// The claim holds if every counted cell holds. A result that depends on one value of an assumed
/// behavior is never used as evidence: the verdict is then *cannot tell*, unless a cell without any
/// assumed behavior fails.
struct ClaimJudge {
  let claim: PublishedClaim
  let cells: [ClaimCell]

  func judge(seconds: Double, budget: Double) -> ClaimResult {
    let (finding, detail) =
      claim.notTestable.map { (.cannotTell, "not testable here: \($0)") } ?? judgeCells(budget)
    let isMeasured = cells.contains { $0.test != nil }
    return ClaimResult(
      finding: finding,
      detail: detail + notCounted,
      seconds: isMeasured ? seconds : nil,
      cells: cells.map(\.result)
    )
  }

  private func judgeCells(_ budget: Double) -> (ClaimResult.Finding, String) {
    let counted = cells.filter(\.isCounted)
    let holding = counted.filter { $0.verdict == .holds }
    let failing = counted.filter { $0.verdict == .doesNotHold }
    let open = counted.filter { $0.verdict == .cannotTell }
    guard !counted.isEmpty else {
      let isNone = cells.isEmpty
      return (
        .cannotTell, isNone ? "no case of the claim was run" : "nothing to judge"
      )
    }
    if failing.contains(where: \.assumed.isEmpty) { return judge(failing, holding, open) }
    if let name = untried(in: holding + failing),
      let value = (holding + failing).compactMap({ $0.facts[name] }).first
    {
      let figure = Self.worst(of: failing.isEmpty ? holding : failing)
      return (.cannotTell, "\(name)=\(value) is assumed, and no other value was run: \(figure)")
    }
    if !failing.isEmpty { return judge(failing, holding, open) }
    guard open.isEmpty else {
      return (.cannotTell, undecided(open, of: counted, budget))
    }
    let count =
      holding.count == 1
      ? ""
      : " (the closest to the bound of \(holding.count) "
        + "comparisons)"
    return (.holds, Self.worst(of: holding) + count)
  }

  private func judge(
    _ failing: [ClaimCell],
    _ holding: [ClaimCell],
    _ open: [ClaimCell]
  ) -> (ClaimResult.Finding, String) {
    // If cells without assumed behavior fail, report only on cells without assumed behavior.
    let firm = failing.filter(\.assumed.isEmpty)
    let worst = Self.worst(of: firm.isEmpty ? failing : firm)
    let condition =
      firm.isEmpty
      ? Self.condition(holding, failing)
      : Self.condition(holding.filter(\.assumed.isEmpty), firm)
    if let condition {
      guard !condition.isAssumed else {
        return (.cannotTell, "it depends on assumed behavior, \(condition.text): \(worst)")
      }
      return (.doesNotHold, "\(worst). It holds only if \(condition.text)")
    }
    let total = failing.count + holding.count + open.count
    guard total > 1 else { return (.doesNotHold, worst) }
    let others = [(holding.count, "hold"), (open.count, "undecided")].filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)" }
    let counts = ["\(failing.count) of \(total) comparisons do not hold"] + others
    return (.doesNotHold, "\(worst) (\(counts.joined(separator: ", ")))")
  }

  private func undecided(_ open: [ClaimCell], of counted: [ClaimCell], _ budget: Double) -> String {
    // Prefer the reason of a fixed verdict, because it explains more than an estimate.
    if let reason = open.first(where: { $0.fixed != nil })?.fixed?.note { return reason }
    let subject =
      counted.count == 1
      ? "the comparison is" : "\(open.count) of \(counted.count) comparisons are"
    return "\(subject) undecided after \(Figures.seconds(budget, .significant)): "
      + Self.worst(of: open)
  }

  private var notCounted: String {
    let same = cells.filter { !$0.isCounted }
    guard let first = same.first, let to = first.to else { return "" }
    let count =
      same.count == 1 ? "1 comparison does not count" : "\(same.count) comparisons do not count"
    return
      ". \(count), because both sides do the same work, such as '\(first.of.id)' and '\(to.id)'"
  }

  /// The name of an assumed behavior for which the cells have only one value; `nil` if there is
  /// none.
  private func untried(in cells: [ClaimCell]) -> String? {
    Set(cells.flatMap(\.assumed)).sorted().first { name in
      Set(cells.compactMap { $0.facts[name] }).count < 2
    }
  }

  private static func worst(of cells: [ClaimCell]) -> String {
    cells.enumerated().max {
      ($0.element.nearness, -$0.offset) < ($1.element.nearness, -$1.offset)
    }?.element.text ?? ""
  }

  /// The condition, on one or two facts, that every holding cell meets and no failing cell meets.
  private static func condition(
    _ holding: [ClaimCell],
    _ failing: [ClaimCell]
  ) -> (text: String, isAssumed: Bool)? {
    guard !holding.isEmpty else { return nil }
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
      let values = { (cell: ClaimCell) in names.map { cell.facts[$0] ?? "" } }
      let good = Set(holding.map(values))
      guard good.isDisjoint(with: failing.map(values)) else { continue }
      let alternatives = good.map { values in
        zip(names, values).map { "\($0)=\($1)" }.joined(separator: " with ")
      }.sorted()
      return (
        alternatives.joined(separator: " or "), names.contains { assumed.contains($0) }
      )
    }
    return nil
  }
}
