import Basics

/// The comparable cases of a workload, grouped by their assumptions about Apple's code.
///
/// The base consists of the cases with the first value of each assumption. Every other value that
/// was run defines a world, which differs from the base in that assumption only.
struct AssumedWorlds {
  /// The base with one assumption changed to another value.
  struct World {
    let assumption: Behaviour
    let cases: [CaseResult]
  }

  let base: [CaseResult]
  let others: [World]

  init(_ cases: [CaseResult]) {
    let choices = cases.map { result in
      // Assumptions without a parameter are properties of the compared alternatives, so they define
      // no worlds.
      result.behaviours.filter { $0.evidence == .assumed && $0.parameter != nil }
    }
    var first: [String: String] = [:]
    var others: [Behaviour] = []
    for choice in choices.joined() {
      guard let known = first[choice.name] else {
        first[choice.name] = choice.value
        continue
      }
      if choice.value != known,
        !others.contains(where: { $0.name == choice.name && $0.value == choice.value })
      {
        others.append(choice)
      }
    }
    let standard = first
    func chosen(with changes: [String: String]) -> [CaseResult] {
      zip(cases, choices).filter { _, own in
        own.allSatisfy { $0.value == (changes[$0.name] ?? standard[$0.name]) }
      }.map(\.0)
    }
    base = chosen(with: [:])
    self.others = others.map { World(assumption: $0, cases: chosen(with: [$0.name: $0.value])) }
  }
}

extension Finding {
  /// Returns the finding with a statement of the assumptions on which it depends, if there are any.
  func judged(with others: [(assumption: Behaviour, findings: [Finding])]) -> Finding {
    guard topic != .cannotTell else { return self }
    var (same, changed): ([Behaviour], [String]) = ([], [])
    var unknown: [Behaviour] = []
    for own in evidence.assumed {
      let run = others.filter { $0.assumption.name == own.name }
      for (other, findings) in run {
        if let found = findings.first(where: { $0.gist == gist }) {
          same.append(other)
          if let figures = otherFigures(of: found) {
            changed.append("with \(other.value) \(figures)")
          }
        } else {
          let found = findings.first { $0.topic == topic }.map { Self.clause($0.claim) }
          changed.append("with \(other.value) \(found ?? "the samples do not show that")")
        }
      }
      let open = (own.alternatives ?? []).filter { value in
        !run.contains { $0.assumption.value == value }
      }
      if !open.isEmpty { unknown.append(own) }
    }
    var judged = self
    judged.evidence.holdsWith = same.isEmpty ? nil : same
    judged.detail = ([detail] + changed).filter { !$0.isEmpty }.joined(separator: "; ")
    let deciding = evidence.assumed.filter { own in
      others.contains { other in
        other.assumption.name == own.name && !other.findings.contains { $0.gist == gist }
      }
    }
    guard !deciding.isEmpty || !unknown.isEmpty else { return judged }
    judged.topic = .dependsOn
    let names = (deciding + unknown).map { "\($0.name)=\($0.value)" }.unique
    // Insert the condition before the first semicolon, because it limits only the first part of the
    // claim.
    let decided = claim.prefix { $0 != ";" }
    let condition = ", if \(FindingText.list(names)), which is assumed"
    judged.claim = "\(decided)\(condition)\(claim.dropFirst(decided.count))"
    let ways = unknown.map { "\($0.name) ran one way only" }
    let remedy =
      unknown.isEmpty ? [] : ["'assumptions: varied' in the workload file runs the others"]
    judged.detail = ([judged.detail] + ways + remedy).filter { !$0.isEmpty }.joined(separator: "; ")
    return judged
  }

  /// Returns a claim for use inside a sentence, with an initial `The` or `For` in lower case.
  private static func clause(_ claim: String) -> String {
    let opening = ["The ", "For "].first { claim.hasPrefix($0) }
    return (opening?.lowercased() ?? "") + claim.dropFirst(opening?.count ?? 0)
  }

  /// Returns the figures of the same finding under another assumption; `nil` if each of them is
  /// inside the interval of this finding's figure.
  ///
  /// The text is a ratio, such as `5.6 times as long (3.1 to 10)`, or the whole detail of a finding
  /// that has several figures.
  private func otherFigures(of other: Finding) -> String? {
    let pairs = figures.map { own in (own, other.figures.first { $0.name == own.name }) }
    let hasMoved = pairs.contains { own, found in
      guard let lower = own.lower, let upper = own.upper else { return false }
      return found.map { !(lower...upper).contains($0.value) } ?? true
    }
    guard hasMoved else { return nil }
    guard let found = other.figures.first, other.figures.count == 1, found.unit == .ratio else {
      return "(\(other.detail))"
    }
    return found.metric == Metric.wallClock.name
      ? FindingText.times(found) : "a factor of \(FindingText.factor(found))"
  }

  /// The topic and the answer without its numbers, which differ from run to run; used to recognize
  /// a finding under another assumption.
  ///
  /// The answer is in the claim or, if it consists of several winners, also in the detail. The
  /// sizes in a recommendation are kept, because they are measured sizes.
  private var gist: String {
    guard topic != .recommendation else { return "\(topic): \(claim.prefix { $0 != ";" })" }
    let isInDetail = topic == .crossover || claim.contains(" depends on ")
    let answer = isInDetail ? "\(claim) \(detail)" : claim
    let words = answer.split(separator: " ").filter { word in
      word.contains("=") || !word.contains { $0.isNumber || "()".contains($0) } && word != "to"
    }
    return "\(topic): " + words.joined(separator: " ")
  }
}
