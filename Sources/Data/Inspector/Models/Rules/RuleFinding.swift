/// A rule, and where a model breaks it.
package struct RuleFinding: Hashable, Encodable, Sendable {
  /// The rule's short name in reports for programs.
  package let rule: String
  /// What holds, in a sentence without a full stop.
  package let text: String
  /// What to do where it is broken.
  package let advice: String
  package let source: RuleSource
  /// The entities and properties that break it; empty where none does.
  package let places: [String]

  package var isBroken: Bool { !places.isEmpty }
}
