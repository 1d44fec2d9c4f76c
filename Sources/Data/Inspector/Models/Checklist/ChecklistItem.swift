/// One line of a guide's checklist, and what the files say of it.
package struct ChecklistItem: Hashable, Encodable, Sendable {
  package enum State: String, Encodable, Sendable {
    /// The files show that it is so.
    case checked
    /// The files show that it is not.
    case failed
    /// No file can tell: yours to check.
    case yours
  }

  package let section: String
  package let text: String
  package let state: State
  /// What the state rests on, or how to find out.
  package let evidence: String
  package let source: RuleSource
}
