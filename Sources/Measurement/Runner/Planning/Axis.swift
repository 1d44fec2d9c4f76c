/// A parameter that a workload kind understands: its name, its values and its default.
package struct Axis: Hashable, Sendable {
  /// The values that a parameter takes.
  package enum Domain: Hashable, Sendable {
    case choice([String])
    case integer(ClosedRange<Int>)
    case real(ClosedRange<Double>)
    case boolean
    /// A size in bytes: a number, or one with a unit such as `100 KB`; 1 KB is 1,024 bytes.
    case bytes(ClosedRange<Int>)
    /// A name of the model, an entity's or a property's; empty lets the kind choose.
    case name
    /// Any number of names of the model.
    case names
    /// A path of a model file, relative to the workloads folder; empty where the kind has none.
    case path
    /// Any number of paths of model files.
    case paths
  }

  package let name: String
  package let domain: Domain
  package let defaultValue: ParameterValue
  /// One line for `plan` and for the documentation.
  package let summary: String

  package init(
    _ name: String,
    _ domain: Domain,
    default defaultValue: ParameterValue,
    _ summary: String
  ) {
    self.name = name
    self.domain = domain
    self.defaultValue = defaultValue
    self.summary = summary
  }

  /// A choice among the cases of an enumeration, whose first one is the default.
  package static func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ name: String,
    _ type: Choice.Type,
    _ summary: String
  ) -> Axis {
    let names = type.allCases.map(\.rawValue)
    return Axis(name, .choice(names), default: .text(names.first ?? ""), summary)
  }
}
