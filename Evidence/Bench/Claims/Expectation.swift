import Basics
import DataModel
import Runner

/// One condition that must be met for a claim to hold.
struct Expectation: Hashable, Sendable {
  enum Subject: Hashable, Sendable {
    /// The median of a metric in every selected case.
    case value(metric: String, cases: CaseSelector)
    /// The ratio of two medians, for each pair of cases that agree in all shared parameters except
    /// those that a selector names.
    case ratio(metric: String, of: CaseSelector, to: CaseSelector)
    /// Whether the selected cases fail with the error that their workload kind expects.
    case failure(cases: CaseSelector)
  }

  var subject: Subject
  /// Excludes cases with other values of the given parameters; cases without those parameters
  /// remain.
  var restriction: CaseSelector
  /// The exclusive upper bound; `nil` if there is none.
  var below: Quantity?
  /// The exclusive lower bound; `nil` if there is none.
  var above: Quantity?

  init(
    _ subject: Subject,
    where restriction: CaseSelector = CaseSelector(),
    below: Quantity? = nil,
    above: Quantity? = nil
  ) {
    (self.subject, self.restriction) = (subject, restriction)
    (self.below, self.above) = (below, above)
  }
}

struct CaseSelector: Hashable, Sendable {
  var allowed: [String: [ParameterValue]]

  init(_ allowed: [String: [ParameterValue]] = [:]) {
    self.allowed = allowed
  }

  var names: Set<String> { Set(allowed.keys) }

  /// Whether a case has every parameter of the selector, with an allowed value.
  func selects(_ parameters: ParameterValues) -> Bool {
    allowed.allSatisfy { name, values in
      parameters[name].map { values.contains($0) } ?? false
    }
  }

  /// Whether every parameter that a case shares with the selector has an allowed value.
  func admits(_ parameters: ParameterValues) -> Bool {
    allowed.allSatisfy { name, values in
      parameters[name].map { values.contains($0) } ?? true
    }
  }
}

extension Expectation {
  struct CasePair: Hashable, Sendable {
    let numerator: Case
    let denominator: Case
  }

  func looksAtAny(of cases: [Case]) -> Bool {
    switch subject {
    case .value(_, let selector), .failure(let selector):
      !selected(by: selector, of: cases).isEmpty
    case .ratio(_, let numerators, let denominators):
      !pairs(of: numerators, to: denominators, in: cases).isEmpty
    }
  }

  func selected(by selector: CaseSelector, of cases: [Case]) -> [Case] {
    cases.filter { selector.selects($0.parameters) && restriction.admits($0.parameters) }
  }

  /// Returns the pairs of cases that agree in every shared parameter that neither selector names.
  func pairs(
    of first: CaseSelector,
    to second: CaseSelector,
    in cases: [Case]
  ) -> [CasePair] {
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

extension Expectation {
  static let keys = [
    FileKey("metric", .text, "the metric that is judged"),
    FileKey("case", selector, "the cases whose values are judged"),
    FileKey("of", selector, "the cases above the line of a ratio"),
    FileKey("to", selector, "the cases below the line of a ratio"),
    FileKey("where", selector, "the parameter values for which the claim is made"),
    FileKey("below", bound, "what the figure must be below"),
    FileKey("above", bound, "what the figure must be above"),
    FileKey("fails", .boolean, "whether the cases must fail"),
  ]
  private static let selector = FileForm.named("PARAMETER", .any)
  private static let bound = FileForm.either([
    .number, .written("a time such as 30 s, or a size such as 2 MB"),
  ])

  init?(_ value: YAMLValue, axes: [Axis]) {
    guard let mapping = value.mapping(knowing: Self.keys),
      let subject = Subject(mapping, of: value, axes: axes)
    else { return nil }
    let below = mapping["below"].flatMap { Quantity.read($0) }
    let above = mapping["above"].flatMap { Quantity.read($0) }
    let isBounded = mapping["below"] != nil || mapping["above"] != nil
    switch subject {
    case .failure:
      if isBounded { value.report("'fails' cannot be combined with 'below' or 'above'") }
    case .value, .ratio:
      if !isBounded { value.report("an expectation needs 'below' or 'above'") }
    }
    self.init(
      subject,
      where: CaseSelector(mapping["where"], axes: axes),
      below: below,
      above: above
    )
  }
}

extension Expectation.Subject {
  fileprivate init?(_ mapping: YAMLMapping, of value: YAMLValue, axes: [Axis]) {
    let has = { (key: String) in mapping[key] != nil }
    let selector = { (key: String) in CaseSelector(mapping[key], axes: axes) }
    if let fails = mapping["fails"] {
      guard fails.boolean() == true, !has("metric"), !has("of"), !has("to") else {
        value.report("'fails: true' can only be combined with 'case' and 'where'")
        return nil
      }
      self = .failure(cases: selector("case"))
      return
    }
    guard let metric = mapping.required("metric")?.string() else { return nil }
    guard has("of") || has("to") else {
      self = .value(metric: metric, cases: selector("case"))
      return
    }
    guard has("of"), has("to"), !has("case") else {
      value.report("a ratio needs both 'of' and 'to', and cannot have 'case'")
      return nil
    }
    self = .ratio(metric: metric, of: selector("of"), to: selector("to"))
  }
}

extension Quantity {
  fileprivate static func read(_ value: YAMLValue) -> Quantity? {
    guard let text = value.string() else { return nil }
    if let quantity = Quantity(text) { return quantity }
    value.report("\(value.name) must be a number, a time such as 30 s or a size such as 2 MB")
    return nil
  }
}

extension CaseSelector {
  fileprivate init(_ value: YAMLValue?, axes: [Axis]) {
    self.init()
    guard let mapping = value?.mapping(knowing: axes.map(\.name)) else { return }
    for entry in mapping.entries {
      guard let axis = axes.first(where: { $0.name == entry.key }) else { continue }
      allowed[entry.key] = axis.readValues(entry.value)?.map(\.value)
    }
  }
}
