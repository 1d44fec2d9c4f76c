import Basics
import DataModel

extension Axis {
  /// Something that is done, as a list of actions names it.
  package struct Action: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// How many times, and of what; `nil` where it takes no number.
    package let count: Count?

    /// The number behind an action's name.
    package struct Count: Hashable, Sendable {
      package let range: ClosedRange<Int>
      package let standard: Int
      /// What is counted, such as `objects`.
      package let unit: String

      package init(_ range: ClosedRange<Int>, standard: Int, _ unit: String) {
        self.range = range
        self.standard = standard
        self.unit = unit
      }
    }

    package init(_ name: String, count: Count? = nil) {
      self.name = name
      self.count = count
    }

    /// The name, and the numbers that it takes.
    package var description: String {
      guard let count else { return name }
      return "\(name) (\(count.range.lowerBound.grouped) to \(count.range.upperBound.grouped) "
        + "\(count.unit))"
    }
  }

  private static let mostActions = 1_000

  /// Whether a value is one list of actions, and not a list of such lists.
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

  /// `launch`, or `scroll: 200`.
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

/// An action of a list, with its number where it takes one.
package struct ScriptedAction: Hashable, Sendable, CustomStringConvertible {
  package let name: String
  package let count: Int?

  package init(_ name: String, count: Int? = nil) {
    self.name = name
    self.count = count
  }

  /// Reads `launch` or `scroll:200`.
  init(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    name = parts.first ?? ""
    count = parts.count > 1 ? Int(parts[1]) : nil
  }

  /// `launch` or `scroll:200`, as in a case's ID.
  package var description: String { count.map { "\(name):\($0)" } ?? name }
}

extension Parameter where Value == [ScriptedAction] {
  /// What is done one after the other.
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
