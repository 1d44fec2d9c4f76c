import PersistentStore
import SQLite

/// The layout's own rules that a store breaks, each with what it means and what to do.
struct RuleFindings {
  let reader: StoreReader
  let layout: StoreLayout

  var all: [Finding] {
    do {
      var audit = StoreAudit(store: reader.store, layout: layout)
      audit.connection = reader.connection
      // Expressions of the file's author would run.
      audit.checksIntegrity = !reader.schema.runsExpressions
      // The scans have looked at every object.
      audit.checksObjects = false
      let outcome = try audit.findingsSoFar()
      let findings = outcome.findings.map { Finding($0) }
      return findings + (outcome.failure.map { [.unreadable("rules", $0.message)] } ?? [])
    } catch {
      return [.unreadable("rules", "\(error)")]
    }
  }
}

extension Finding {
  /// A broken rule with what it means and what to do.
  init(_ broken: AuditFinding) {
    self.init(
      broken.rule.rawValue,
      broken.rule.severity,
      place: broken.place,
      count: broken.count,
      message: "\(broken.rule.words) (\(broken.example))",
      remedy: broken.rule.remedy
    )
  }
}
