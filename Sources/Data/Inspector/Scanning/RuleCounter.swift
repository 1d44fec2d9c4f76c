import PersistentStore

/// How often a rule is broken in one place while rows stream by, and in which object first.
struct RuleCounter {
  private(set) var broken: [AuditRule: (count: Int64, key: Int64)] = [:]

  mutating func add(_ rule: AuditRule, _ key: Int64) { broken[rule, default: (0, key)].count += 1 }

  /// The findings, in the order of the rules.
  func findings(in place: String) -> [AuditFinding] {
    AuditRule.allCases.compactMap { rule in
      broken[rule].map {
        AuditFinding(rule: rule, place: place, count: $0.count, example: "Z_PK \($0.key)")
      }
    }
  }
}
