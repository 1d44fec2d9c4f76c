/// A rule that a store breaks in one place, however often.
package struct AuditFinding: Hashable, Sendable {
  package let rule: AuditRule
  /// A table, a column as `TABLE.COLUMN`, or a folder.
  package let place: String
  /// How often.
  package let count: Int64
  /// The first case, such as `Z_PK 17`.
  package let example: String

  /// The rule and the place, by which findings of two audits belong together.
  var key: String { "\(rule.rawValue) \(place)" }

  package init(rule: AuditRule, place: String, count: Int64 = 1, example: String) {
    self.rule = rule
    self.place = place
    self.count = count
    self.example = example
  }
}

extension AuditFinding: CustomStringConvertible {
  package var description: String {
    "\(place): \(rule.words): \(count), the first: \(example)"
  }
}

extension Sequence<AuditFinding> {
  /// What is wrong here and was not so before: for stores that break rules from the start.
  package func new(since earlier: some Sequence<AuditFinding>) -> [AuditFinding] {
    var known: [String: Int64] = [:]
    for finding in earlier { known[finding.key] = finding.count }
    return filter { $0.count > known[$0.key] ?? 0 }
  }
}
