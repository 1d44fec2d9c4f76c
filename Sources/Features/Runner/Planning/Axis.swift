import Basics
import DataModel

/// A parameter that a workload kind supports: its name, its possible values and its default.
package struct Axis: Hashable, Sendable {
  /// The type of a parameter, with its possible values.
  package enum Domain: Hashable, Sendable {
    case choice([String])
    case integer(ClosedRange<Int>)
    case real(ClosedRange<Double>)
    case boolean
    /// A size in bytes, as a number or with a unit, such as `100 KB`; 1 KB is 1,024 bytes.
    case bytes(ClosedRange<Int>)
    /// The name of an entity or a property of the model; if it is empty, the kind chooses a name.
    case name
    /// A list of entity or property names from the model.
    case names
    /// The path of a model file, relative to the workloads folder; empty if the case uses no such
    /// file.
    case path
    /// A list of paths of model files.
    case paths
    /// An ordered list of actions, some with a count: `scroll: 200`.
    case actions([Action])
    /// A list of steps in the kind's own format, or several named lists.
    case script(ScriptForm)
  }

  package let name: String
  package let domain: Domain
  package let defaultValue: ParameterValue
  /// A one-line description of the parameter, for `plan` and for the documentation.
  package let summary: String

  /// The values and the default in words: `0.0001 to 1; default 0.2`.
  package var valuesAndDefault: String {
    let values =
      switch domain {
      case .choice(let words): words.joined(separator: ", ")
      case .integer(let range): "\(range.lowerBound.grouped) to \(range.upperBound.grouped)"
      case .real(let range):
        "\(ParameterValue.real(range.lowerBound)) to \(ParameterValue.real(range.upperBound))"
      case .boolean: "true, false"
      case .bytes(let range): "\(range.lowerBound.grouped) to \(range.upperBound.grouped) bytes"
      case .name: "a name"
      case .names: "names"
      case .path: "a path"
      case .paths: "paths"
      case .actions(let actions): actions.map(\.description).joined(separator: ", ")
      case .script(let form): form.words
      }
    let text = defaultValue.description
    return "\(values); default \(text.isEmpty ? "none" : text)"
  }

  /// Returns the paths in a value of this parameter.
  package func paths(in value: ParameterValue) -> [String] {
    switch (domain, value) {
    case (.path, .text(let path)) where !path.isEmpty: [path]
    case (.paths, .list(let paths)): paths.filter { !$0.isEmpty }
    default: []
    }
  }

  var isInBytes: Bool {
    if case .bytes = domain { true } else { false }
  }

  /// Reads one value from a workload file; returns `nil` after reporting an error in the value.
  package func read(_ value: YAMLValue) -> ParameterValue? {
    switch domain {
    case .choice(let words):
      value.choice(of: words.map { ($0, ParameterValue.text($0)) })
    case .integer(let range):
      value.integer(in: range).map { .integer($0) }
    case .real(let range):
      value.number().flatMap { number in
        guard range.contains(number) else {
          value.report(
            "\(value.name) must be from \(range.lowerBound) to \(range.upperBound), not \(number)"
          )
          return nil
        }
        return .real(number)
      }
    case .boolean:
      value.boolean().map { .boolean($0) }
    case .bytes(let range):
      readBytes(value, in: range)
    case .name: readName(value, upTo: 200).map { .text($0) }
    case .path: readName(value, upTo: 1_000).map { .text($0) }
    case .names: readNames(value, upTo: 200).map { .list($0) }
    case .paths: readNames(value, upTo: 1_000).map { .list($0) }
    case .actions(let actions): readActions(value, among: actions)
    case .script(let form): form.read(value).map { .script(Script(name: "", text: $0)) }
    }
  }

  private func readBytes(_ value: YAMLValue, in range: ClosedRange<Int>) -> ParameterValue? {
    guard case .text(let text)? = value.scalar else {
      return value.integer(in: range).map { .integer($0) }
    }
    guard let quantity = Quantity(text), quantity.dimension == .bytes,
      let bytes = Int(exactly: quantity.value)
    else {
      value.report("\(value.name) must be a size such as 4096 or 100 KB, not '\(text)'")
      return nil
    }
    guard range.contains(bytes) else {
      value.report(
        "\(value.name) must be from \(range.lowerBound) to \(range.upperBound) bytes, not \(bytes)"
      )
      return nil
    }
    return .integer(bytes)
  }

  private func readName(_ value: YAMLValue, upTo limit: Int) -> String? {
    guard let name = value.string() else { return nil }
    // Reject control characters, because names appear in case IDs, CSV cells and terminal output.
    guard name.count <= limit, !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
      value.report(
        "\(value.name) must be at most \(limit) characters, none of them a control character"
      )
      return nil
    }
    return name
  }

  private func readNames(_ value: YAMLValue, upTo limit: Int) -> [String]? {
    let items = value.itemsOrSelf()
    let names = items.compactMap { readName($0, upTo: limit) }
    return names.count == items.count ? names : nil
  }

  /// A few values of the parameter, used to find out which other parameters become irrelevant.
  var samples: [ParameterValue] {
    switch domain {
    case .choice(let words): words.map { .text($0) }
    case .boolean: [.boolean(false), .boolean(true)]
    case .integer(let range), .bytes(let range):
      [.integer(range.lowerBound), .integer(min(range.upperBound, range.lowerBound + 1))]
    case .real(let range): [.real(range.lowerBound), .real(range.upperBound)]
    case .name, .path: [.text("name")]
    case .names, .paths: [.list(["name"])]
    case .actions, .script: []
    }
  }

  /// Reads the values of a parameter from a list; any other value counts as a list with one
  /// element.
  ///
  /// Returns `nil` after reporting every invalid value.
  package func readValues(_ value: YAMLValue) -> [PlacedValue]? {
    if case .script(let form) = domain { return form.readAll(value) }
    let items = isOneList(value) ? [value] : value.itemsOrSelf()
    guard !items.isEmpty else {
      value.report("\(value.name) has no values; leave it out for its default, \(defaultValue)")
      return nil
    }
    let values = items.compactMap { item in
      read(item).map { PlacedValue(value: $0, place: item.place) }
    }
    return values.count == items.count ? values : nil
  }

  /// A parameter's value with its location in the workload file.
  package struct PlacedValue: Hashable, Sendable {
    package let value: ParameterValue
    package let place: Place?
  }
}

/// One value of a workload's parameter, as used in a case.
package enum ParameterValue: Codable, Hashable, Sendable, CustomStringConvertible {
  case boolean(Bool)
  case integer(Int)
  case real(Double)
  case text(String)
  /// A list of names, such as the relationships to prefetch.
  case list([String])
  case script(Script)

  /// The value as written in a case's ID: lists are joined with `+`, and an empty list is `none`.
  package var description: String {
    switch self {
    case .boolean(let value): String(value)
    case .integer(let value): String(value)
    case .real(let value): Int(exactly: value).map { String($0) } ?? String(value)
    case .text(let value): value
    case .list(let names): names.isEmpty ? "none" : names.joined(separator: "+")
    case .script(let script): script.name
    }
  }
}

/// All parameters of one case, by name; the values are checked against the kind's declarations.
package struct ParameterValues: Codable, Hashable, Sendable {
  package private(set) var values: [String: ParameterValue]

  package init(_ values: [String: ParameterValue] = [:]) {
    self.values = values
  }

  package subscript(name: String) -> ParameterValue? { values[name] }

  /// Returns a parameter's value as a string, for reports; kinds read their ``ParameterSet``
  /// instead.
  package func text(_ name: String) -> String {
    values[name]?.description ?? ""
  }

  /// Returns the integer value of a parameter, or 0 if it has none.
  package func integer(_ name: String) -> Int {
    if case .integer(let value) = values[name] { return value }
    return 0
  }

  /// Returns a copy with one parameter set to a string.
  package func setting(_ name: ParameterName, to text: String) -> ParameterValues {
    ParameterValues(values.merging([name.description: .text(text)]) { $1 })
  }

  /// Returns a copy with one parameter set to a list.
  package func setting(_ name: ParameterName, to list: [String]) -> ParameterValues {
    ParameterValues(values.merging([name.description: .list(list)]) { $1 })
  }

  /// Returns a copy with one parameter set to a choice.
  package func setting(
    _ name: ParameterName,
    to choice: some RawRepresentable<String>
  ) -> ParameterValues {
    setting(name, to: choice.rawValue)
  }

  /// Returns a copy without the given parameters, such as those that are irrelevant to a case.
  package func without(_ names: Set<String>) -> ParameterValues {
    ParameterValues(values.filter { !names.contains($0.key) })
  }

  package func without(_ names: Set<ParameterName>) -> ParameterValues {
    without(Set(names.map(\.description)))
  }

  /// Returns a copy with only the given parameters.
  package func keeping(_ names: Set<ParameterName>) -> ParameterValues {
    let kept = Set(names.map(\.description))
    return ParameterValues(values.filter { kept.contains($0.key) })
  }

  /// The `name=value` pairs at the end of a case's ID, sorted by name and separated by commas.
  ///
  /// Parameters whose value is an unnamed list of steps are left out.
  package var canonical: String {
    values.filter { !$0.value.isUnnamedScript }.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value)" }.joined(separator: ",")
  }
}

extension Axis {
  /// An action that a list of actions may contain.
  package struct Action: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// The number that may follow the action; `nil` if the action takes no number.
    package let count: Count?

    /// The range, default and unit of an action's number.
    package struct Count: Hashable, Sendable {
      package let range: ClosedRange<Int>
      package let standard: Int
      /// The noun for the counted items, such as `objects`.
      package let unit: String

      package init(_ range: ClosedRange<Int>, standard: Int, _ unit: String) {
        (self.range, self.standard, self.unit) = (range, standard, unit)
      }
    }

    package init(_ name: String, count: Count? = nil) {
      self.name = name
      self.count = count
    }

    /// The action's name with the range of its number.
    package var description: String {
      guard let count else { return name }
      return "\(name) (\(count.range.lowerBound.grouped) to \(count.range.upperBound.grouped) "
        + "\(count.unit))"
    }
  }

  private static let mostActions = 1_000

  func isOneList(_ value: YAMLValue) -> Bool {
    guard case .actions = domain else { return false }
    let items = value.itemsOrSelf()
    return !items.isEmpty && !items.contains(where: \.isSequence)
  }

  func readActions(_ value: YAMLValue, among actions: [Action]) -> ParameterValue? {
    let items = value.itemsOrSelf()
    guard !items.isEmpty else {
      value.report("\(value.name) has no actions; leave it out for its default, \(defaultValue)")
      return nil
    }
    guard items.count <= Self.mostActions else {
      value.report("\(value.name) has \(items.count) actions, and \(Self.mostActions) are the most")
      return nil
    }
    let read = items.compactMap { readAction($0, among: actions) }
    return read.count == items.count ? .list(read.map(\.description)) : nil
  }

  private func readAction(_ item: YAMLValue, among actions: [Action]) -> ScriptedAction? {
    let choices = actions.map { (word: $0.name, value: $0) }
    guard item.isMapping else {
      return item.choice(of: choices).map { ScriptedAction($0.name, count: $0.count?.standard) }
    }
    guard let mapping = item.mapping() else { return nil }
    guard mapping.entries.count == 1, let entry = mapping.entries.first else {
      let examples = actions.compactMap { action in
        action.count.map { "'\(action.name): \($0.standard)'" }
      }
      item.report(
        "\(item.name) must be one action, such as \(examples.first ?? "'\(actions[0].name)'")"
      )
      return nil
    }
    guard let action = actions.first(where: { $0.name == entry.key }) else {
      let words = actions.map(\.name)
      let hint = didYouMean(entry.key, among: words)
      let list = hint.isEmpty ? " (one of \(words.joined(separator: ", ")))" : hint
      item.report("\(item.name) cannot be '\(entry.key)'\(list)")
      return nil
    }
    guard let count = action.count else {
      entry.value.report("'\(action.name)' takes no number: write it without one")
      return nil
    }
    return entry.value.integer(in: count.range).map { ScriptedAction(action.name, count: $0) }
  }
}

/// An action in a list, with its number if the action takes a number.
package struct ScriptedAction: Hashable, Sendable, CustomStringConvertible {
  package let name: String
  package let count: Int?

  package init(_ name: String, count: Int? = nil) {
    self.name = name
    self.count = count
  }

  init(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    name = parts.first ?? ""
    count = parts.count > 1 ? Int(parts[1]) : nil
  }

  /// The action as written in a case's ID: `launch` or `scroll:200`.
  package var description: String { count.map { "\(name):\($0)" } ?? name }
}

extension Parameter where Value == [ScriptedAction] {
  /// Declares a list of actions that are carried out in order.
  package convenience init(
    wrappedValue: Value,
    named: String? = nil,
    _ actions: [Axis.Action],
    _ summary: String
  ) {
    self.init(wrappedValue, named, .actions(actions), summary) {
      if case .list(let texts) = $0 { texts.map { ScriptedAction($0) } } else { nil }
    } write: {
      .list($0.map(\.description))
    }
  }
}
