/// What became of one table, index, trigger or view of a store's layout.
package struct LayoutEntry: Encodable, Hashable, Sendable {
  package enum Kind: String, Encodable, Hashable, Sendable {
    case table
    case index
    case trigger
    case view
  }

  /// How a file's statement relates to the one that the model gives.
  package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
    /// Equal to the character.
    case same
    /// The form that an older framework gave it.
    case olderLayout
    /// What a migration in place leaves: appended or renamed columns, indexes under old names.
    case alteredInPlace
    /// Understood, and never written by StoreBench: no source shows all of its text.
    case notWritten
    /// The model asks for it and the file lacks it.
    case missing
    /// Neither the model nor a known migration accounts for it.
    case unexplained
  }

  package let kind: Kind
  package let name: String
  /// The table it belongs to; for a table its own name.
  package let table: String
  package var state: State
  /// Why, in a lower-case fragment each; empty where the state says it all.
  package var notes: [String] = []
  /// The statement that the model gives, where there is one.
  package var expected: String?
  /// The statement in the file, where there is one.
  package var found: String?
}
