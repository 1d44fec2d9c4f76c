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

  /// The values without some parameters, as a case's ID leaves out what does not matter in it.
  package func without(_ names: Set<String>) -> ParameterValues {
    ParameterValues(values.filter { !names.contains($0.key) })
  }

  /// `name=value` pairs in name order, as a case's ID ends.
  package var canonical: String {
    values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
  }
}
