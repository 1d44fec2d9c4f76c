import Basics
import DataModel

extension MapDraft {
  /// Returns the draft as the text of a map file.
  ///
  /// Comments in the file give the reason for each guess and list the unmatched parts.
  ///
  /// - Parameters:
  ///   - title: The names of the old and the new side.
  ///   - counts: The number of objects of each old entity, if known from a store.
  /// - Returns: The text of the file.
  package func text(title: String, counts: [String: Int64] = [:]) -> String {
    var lines = [
      "# \(Self.comment(title))",
      "# A draft: a comment gives the reason for each guess. Check the guesses, then pass the file "
        + "with --map.",
      "entities:",
    ]
    for (name, rules) in grouped {
      lines.append("  \(YAMLText.word(name)):")
      for rule in rules { lines += self.lines(of: rule, isListed: rules.count > 1) }
    }
    if rules.isEmpty {
      lines[lines.count - 1] = "entities: {}"
      lines.append(
        "# No entity was matched. Replace {} by the source of each new entity: NEW: { from: OLD }"
      )
    }
    lines += leftOver(counts)
    return lines.joined(separator: "\n") + "\n"
  }

  private var grouped: [(String, [Rule])] {
    var groups: [(String, [Rule])] = []
    for rule in rules {
      if groups.last?.0 == rule.destination {
        groups[groups.count - 1].1.append(rule)
      } else {
        groups.append((rule.destination, [rule]))
      }
    }
    return groups
  }

  private func lines(of rule: Rule, isListed: Bool) -> [String] {
    let indent = isListed ? "      " : "    "
    var lines = [
      (isListed ? "    - " : "    ") + Self.line("from: \(YAMLText.word(rule.source))", rule.reason)
    ]
    let properties = [
      ("attributes:", rule.attributes.map { ($0.name, Self.text(of: $0.value), $0.reason) }),
      ("relationships:", rule.relationships.map { ($0.name, Self.text(of: $0.value), $0.reason) }),
    ]
    for (key, values) in properties where !values.isEmpty {
      lines.append(indent + key)
      for (name, value, reason) in values {
        lines.append(indent + "  " + Self.line("\(YAMLText.word(name)): \(value)", reason))
      }
    }
    if !rule.same.isEmpty {
      lines.append(indent + "# the same name: \(Self.comment(rule.same.joined(separator: ", ")))")
    }
    return lines + rule.open.map { indent + "# " + Self.comment($0) }
  }

  private func leftOver(_ counts: [String: Int64]) -> [String] {
    guard !unmatched.isEmpty else { return [] }
    let notes = unmatched.map { name -> String in
      let objects = counts[name].map { ": \(Figures.counted($0, "object"))" } ?? ""
      return "# - \(YAMLText.word(name))\(Self.comment(objects))"
    }
    return [
      "# The new model has nothing similar to these entities. Use them above, or remove the # marks "
        + "below",
      "# to leave their objects out on purpose.", "# drop:",
    ] + notes
  }

  private static func line(_ text: String, _ reason: String) -> String {
    text + "  # " + comment(reason)
  }

  private static func comment(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.value < 32 ? "?" : Character($0) })
  }

  private static func text(of value: ValueExpression) -> String {
    switch value {
    case .source(let path): YAMLText.word(path.joined(separator: "."))
    case .constant(.text(let text)): "{ value: \(YAMLText.quoted(text)) }"
    case .constant(.integer(let value)): "{ value: \(value) }"
    case .constant(.real(let value)): "{ value: \(value) }"
    case .now: "{ now: true }"
    case .identifier: "{ uuid: true }"
    default: "{ value: null }"
    }
  }

  private static func text(of value: RelationshipExpression) -> String {
    switch value {
    case .source(let name): YAMLText.word(name)
    case .sameSource(let name?): "{ same: \(YAMLText.word(name)) }"
    default: "{ none: true }"
    }
  }
}
