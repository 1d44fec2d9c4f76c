/// Two cases whose medians are divided.
struct CasePair: Hashable, Sendable {
  let numerator: Case
  let denominator: Case
}

extension Expectation {
  /// Whether there is a case, or a pair of cases, that it says something of.
  func looksAtAny(of cases: [Case]) -> Bool {
    switch subject {
    case .value(_, let selector), .failure(let selector):
      !selected(by: selector, of: cases).isEmpty
    case .ratio(_, let numerators, let denominators):
      !pairs(of: numerators, to: denominators, in: cases).isEmpty
    }
  }

  /// The cases a selector chooses within the restriction, in the order of the plan.
  func selected(by selector: CaseSelector, of cases: [Case]) -> [Case] {
    cases.filter { selector.selects($0.parameters) && restriction.admits($0.parameters) }
  }

  /// The pairs that agree in every parameter that neither selector names and both cases have.
  func pairs(of first: CaseSelector, to second: CaseSelector, in cases: [Case]) -> [CasePair] {
    let named = first.names.union(second.names)
    let denominators = selected(by: second, of: cases)
    return selected(by: first, of: cases).flatMap { numerator in
      denominators.filter { $0.id != numerator.id && $0.agrees(with: numerator, but: named) }
        .map { CasePair(numerator: numerator, denominator: $0) }
    }
  }
}

extension Case {
  fileprivate func agrees(with other: Case, but names: Set<String>) -> Bool {
    parameters.values.allSatisfy { name, value in
      names.contains(name) || other.parameters[name].map { $0 == value } ?? true
    }
  }
}
