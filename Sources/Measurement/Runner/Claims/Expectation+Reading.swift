import Basics
import DataModel

extension Expectation {
  private static let keys = ["metric", "case", "of", "to", "where", "below", "above", "fails"]

  /// Reads one expectation, or reports what is wrong with it.
  init?(_ value: YAMLValue, axes: [Axis]) {
    guard let mapping = value.mapping(knowing: Self.keys),
      let subject = Subject(mapping, of: value, axes: axes)
    else { return nil }
    let below = mapping["below"].flatMap { Quantity.read($0) }
    let above = mapping["above"].flatMap { Quantity.read($0) }
    let isBounded = mapping["below"] != nil || mapping["above"] != nil
    switch subject {
    case .failure:
      if isBounded { value.report("'fails' is no figure: it has neither 'below' nor 'above'") }
    case .value, .ratio:
      if !isBounded { value.report("an expectation needs 'below' or 'above'") }
    }
    self.init(
      subject,
      where: CaseSelector(mapping["where"], axes: axes),
      below: below,
      above: above,
      place: value.place
    )
  }
}

extension Expectation.Subject {
  fileprivate init?(_ mapping: YAMLMapping, of value: YAMLValue, axes: [Axis]) {
    let has = { (key: String) in mapping[key] != nil }
    let selector = { (key: String) in CaseSelector(mapping[key], axes: axes) }
    if let fails = mapping["fails"] {
      guard fails.boolean() == true, !has("metric"), !has("of"), !has("to") else {
        value.report("'fails: true' goes with 'case' and 'where' only")
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
      value.report("a ratio needs both 'of' and 'to', and no 'case'")
      return nil
    }
    self = .ratio(metric: metric, of: selector("of"), to: selector("to"))
  }
}

extension Quantity {
  /// Reads a bound, or reports that it is none.
  fileprivate static func read(_ value: YAMLValue) -> Quantity? {
    guard let text = value.string() else { return nil }
    if let quantity = Quantity(text) { return quantity }
    value.report("\(value.name) must be a number, a time such as 30 s or a size such as 2 MB")
    return nil
  }
}

extension CaseSelector {
  /// Reads the parameters and the values they may have; what is wrong is reported.
  fileprivate init(_ value: YAMLValue?, axes: [Axis]) {
    self.init()
    guard let mapping = value?.mapping(knowing: axes.map(\.name)) else { return }
    for entry in mapping.entries {
      guard let axis = axes.first(where: { $0.name == entry.key }) else { continue }
      allowed[entry.key] = axis.readValues(entry.value)?.map(\.value)
    }
  }
}
