/// Something wrong or risky in a store, why it matters, and what to do.
package struct Finding: Encodable, Equatable, Sendable {
  /// How much it matters.
  package enum Severity: String, CaseIterable, Encodable, Comparable, Sendable {
    /// Data is lost, or an app will fail over it.
    case wrong
    /// It works, and may not always.
    case risk
    /// Worth knowing.
    case note

    package static func < (left: Severity, right: Severity) -> Bool {
      (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
  }

  /// The rule's name, such as `danglingReference`.
  package var rule: String
  package var severity: Severity
  /// A table, a column, an attribute or a file.
  package var place: String
  package var count: Int64
  /// What was found, one sentence.
  package var message: String
  /// What to do, one sentence.
  package var remedy: String

  package init(
    _ rule: String,
    _ severity: Severity,
    place: String,
    count: Int64 = 1,
    message: String,
    remedy: String
  ) {
    self.rule = rule
    self.severity = severity
    self.place = place
    self.count = count
    self.message = message
    self.remedy = remedy
  }
}
