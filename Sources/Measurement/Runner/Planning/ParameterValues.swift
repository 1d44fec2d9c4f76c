/// One value of a workload's parameter, as a cell of the plan holds it.
package enum ParameterValue: Codable, Hashable, Sendable, CustomStringConvertible {
  case boolean(Bool)
  case integer(Int)
  case real(Double)
  case text(String)
  /// Names, as of relationships to prefetch.
  case list([String])

  /// The spelling in a case's ID: lists joined with `+`, an empty list as `none`.
  package var description: String {
    switch self {
    case .boolean(let value): String(value)
    case .integer(let value): String(value)
    case .real(let value): Int(exactly: value).map { String($0) } ?? String(value)
    case .text(let value): value
    case .list(let names): names.isEmpty ? "none" : names.joined(separator: "+")
    }
  }
}

/// All parameters of one case, by name; values were checked against the kind's axes.
package struct ParameterValues: Codable, Hashable, Sendable {
  package private(set) var values: [String: ParameterValue]

  package init(_ values: [String: ParameterValue] = [:]) {
    self.values = values
  }

  package subscript(name: String) -> ParameterValue? { values[name] }

  /// The text of a parameter; the kind's axes give every parameter a value.
  package func text(_ name: String) -> String {
    values[name]?.description ?? ""
  }

  /// The whole number of a parameter, 0 where it has none.
  package func integer(_ name: String) -> Int {
    if case .integer(let value) = values[name] { return value }
    return 0
  }

  /// The number of a parameter, whole or not.
  package func real(_ name: String) -> Double {
    switch values[name] {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: 0
    }
  }

  package func boolean(_ name: String) -> Bool { values[name] == .boolean(true) }

  /// The names of a list parameter.
  package func list(_ name: String) -> [String] {
    if case .list(let names) = values[name] { return names }
    return []
  }

  /// The case of an enumeration that a text parameter names.
  package func choice<Choice: RawRepresentable<String>>(_ name: String) -> Choice? {
    Choice(rawValue: text(name))
  }

  /// The values with one set.
  package func setting(_ name: String, to value: ParameterValue) -> ParameterValues {
    ParameterValues(values.merging([name: value]) { $1 })
  }

  /// The values with another choice for one.
  package func setting(
    _ name: ParameterName,
    to choice: some RawRepresentable<String>
  ) -> ParameterValues {
    setting(name.description, to: .text(choice.rawValue))
  }

  /// The values without some parameters, as a case's ID leaves out what does not matter in it.
  package func without(_ names: Set<String>) -> ParameterValues {
    ParameterValues(values.filter { !names.contains($0.key) })
  }

  package func without(_ names: Set<ParameterName>) -> ParameterValues {
    without(Set(names.map(\.description)))
  }

  /// The values of some parameters alone.
  package func keeping(_ names: Set<ParameterName>) -> ParameterValues {
    let kept = Set(names.map(\.description))
    return ParameterValues(values.filter { kept.contains($0.key) })
  }

  /// `name=value` pairs in name order, as a case's ID ends.
  package var canonical: String {
    values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
  }
}
