import DataModel

/// A parameter of a workload kind, declared once with its values, its description and its default.
///
///     @Parameter(0.0001...1, "share of the roots that is deleted") var share = 0.2
///
/// The declaration provides the axis (name, possible values and default), the typed value, the
/// parsing from YAML and `--set`, and the line in the reference. The parameter has the name of the
/// property unless `named` gives another name.
@propertyWrapper
public final class Parameter<Value: Sendable>: @unchecked Sendable {
  // Unchecked `Sendable` is safe, because only `ParameterSet.init` changes the value, and a set is
  // shared only after its creation.
  @usableFromInline package private(set) var value: Value
  fileprivate private(set) var name: String
  private let domain: Axis.Domain
  private let summary: String
  private let read: (ParameterValue) -> Value?
  private let write: (Value) -> ParameterValue

  /// The parameter's value in this case.
  @inlinable public var wrappedValue: Value { value }
  /// The parameter's name, as in `$share`; the compiler rejects a misspelled name.
  public var projectedValue: ParameterName {
    precondition(!name.isEmpty, "a set that is made from values needs a name for each parameter")
    return ParameterName(text: name)
  }

  init(
    _ value: Value,
    _ name: String?,
    _ domain: Axis.Domain,
    _ summary: String,
    read: @escaping (ParameterValue) -> Value?,
    write: @escaping (Value) -> ParameterValue
  ) {
    self.value = value
    self.name = name ?? ""
    self.domain = domain
    self.summary = summary
    self.read = read
    self.write = write
  }
}

/// The name of a declared parameter.
public struct ParameterName: Hashable, Sendable, CustomStringConvertible {
  fileprivate let text: String
  /// The name as written in workload files.
  public var description: String { text }
}

// MARK: Types of parameters

extension Parameter {
  /// Declares a choice among the cases of an enumeration.
  public convenience init(wrappedValue: Value, named: String? = nil, _ summary: String)
  where Value: CaseIterable & RawRepresentable<String> {
    self.init(wrappedValue, named, .choice(Value.allCases.map(\.rawValue)), summary) {
      if case .text(let text) = $0 { Value(rawValue: text) } else { nil }
    } write: {
      .text($0.rawValue)
    }
  }

  /// Declares a choice between `true` and `false`.
  public convenience init(wrappedValue: Value, named: String? = nil, _ summary: String)
  where Value == Bool {
    self.init(wrappedValue, named, .boolean, summary) {
      if case .boolean(let value) = $0 { value } else { nil }
    } write: {
      .boolean($0)
    }
  }

  /// Declares an integer in a range.
  public convenience init(
    wrappedValue: Value,
    named: String? = nil,
    _ range: ClosedRange<Int>,
    _ summary: String
  ) where Value == Int {
    self.init(wrappedValue, named, .integer(range), summary, read: \.integer) { .integer($0) }
  }

  /// Declares a size, written as a number of bytes or with a unit.
  public convenience init(
    wrappedValue: Value,
    named: String? = nil,
    bytes range: ClosedRange<Int>,
    _ summary: String
  ) where Value == Int {
    self.init(wrappedValue, named, .bytes(range), summary, read: \.integer) { .integer($0) }
  }

  /// Declares a number in a range.
  public convenience init(
    wrappedValue: Value,
    named: String? = nil,
    _ range: ClosedRange<Double>,
    _ summary: String
  ) where Value == Double {
    self.init(wrappedValue, named, .real(range), summary) {
      if case .real(let value) = $0 { value } else { $0.integer.map { Double($0) } }
    } write: {
      .real($0)
    }
  }

  package convenience init(
    wrappedValue: Value,
    named: String? = nil,
    _ domain: Axis.Domain,
    _ summary: String
  ) where Value == String {
    self.init(wrappedValue, named, domain, summary) {
      $0.description
    } write: {
      .text($0)
    }
  }

  package convenience init(
    wrappedValue: Value,
    named: String? = nil,
    _ domain: Axis.Domain,
    _ summary: String
  ) where Value == [String] {
    self.init(wrappedValue, named, domain, summary) {
      if case .list(let names) = $0 { names } else { nil }
    } write: {
      .list($0)
    }
  }
}

/// A choice for which some values need code that a build may lack.
package protocol PartlyBuiltChoice {
  /// The reason why this build cannot run a case with the value, and how to make a build that can;
  /// `nil` if this build can run it.
  var absence: String? { get }
}

// MARK: The parameters of a kind

/// The typed parameters of one case: a structure whose properties are declared with ``Parameter``.
public protocol ParameterSet: Sendable {
  /// Creates a set with the default values.
  init()
  /// The parameters that have no effect on the case.
  ///
  /// The plan leaves them out of the case's ID, and keeps only one of the cases that become equal.
  var irrelevant: Set<ParameterName> { get }
  /// The settings that make ``irrelevant`` parameters take effect, such as `set 'shape: chain'`.
  var remedies: [ParameterName: String] { get }
  /// The reason why the case cannot be run, as a sentence with the necessary change; `nil` if it
  /// can be run.
  var impossibility: String? { get }
}

extension ParameterSet {
  /// An empty set: by default, every parameter is relevant.
  public var irrelevant: Set<ParameterName> { [] }
  /// An empty dictionary: by default, there is no advice.
  public var remedies: [ParameterName: String] { [:] }
  /// The default `nil`: every case can be run.
  public var impossibility: String? { nil }

  /// Creates a set with the given values, and defaults for all others.
  package init(_ values: ParameterValues) {
    self.init()
    for declared in declared() { declared.take(values[declared.axis.name]) }
  }

  /// All parameters, in the order of their declaration.
  package static var axes: [Axis] { Self().declared().map(\.axis) }

  /// The values of all parameters.
  package var values: ParameterValues {
    ParameterValues(Dictionary(declared().map { ($0.axis.name, $0.current) }) { $1 })
  }

  /// The reason why this build cannot run the case, although other builds can; `nil` if it can.
  package var absence: String? { declared().lazy.compactMap(\.absence).first }

  private func declared() -> [any DeclaredParameter] {
    Mirror(reflecting: self).children.compactMap { label, property in
      guard let declared = property as? any DeclaredParameter else { return nil }
      // A wrapped property `share` is stored as `_share`.
      declared.nameIfNeeded(String((label ?? "").drop { $0 == "_" }))
      return declared
    }
  }
}

private protocol DeclaredParameter: AnyObject {
  /// The axis with the current value as its default.
  var axis: Axis { get }
  var current: ParameterValue { get }
  var absence: String? { get }
  func nameIfNeeded(_ name: String)
  func take(_ value: ParameterValue?)
}

extension Parameter: DeclaredParameter {
  fileprivate var current: ParameterValue { write(value) }

  fileprivate var absence: String? { (value as? any PartlyBuiltChoice)?.absence }

  fileprivate var axis: Axis {
    Axis(name: name, domain: domain, defaultValue: current, summary: summary)
  }

  fileprivate func nameIfNeeded(_ name: String) {
    if self.name.isEmpty { self.name = name }
  }

  fileprivate func take(_ value: ParameterValue?) {
    if let value = value.flatMap(read) { self.value = value }
  }
}

extension ParameterValue {
  fileprivate var integer: Int? {
    if case .integer(let value) = self { value } else { nil }
  }
}
