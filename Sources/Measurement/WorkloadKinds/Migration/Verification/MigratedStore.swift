import DataModel
import PersistentStore
import Runner
import SQLite

/// Checks a migrated store against the one it was migrated from, object by object, by plain SQL.
///
/// What is expected is made from the original by the inspection's own mapping, not by that of the
/// migration.
struct MigratedStore {
  let session: MigrationSession
  let trial: Trial

  private var parameters: MigrationParameters { session.parameters }
  private var layout: StoreLayout { session.destination }

  func verify() throws -> Verification {
    let original = try StoreContent(store: trial.start, layout: session.source)
    let expectation = MigrationExpectation(session: session)
    var made = try expectation.make(from: original)
    var findings: [String] = []
    if let clusters = made.clusters {
      let answers = try AnswerKeyCheck(trial: trial, clusters: clusters, original: original)
      made.notes += answers.notes
      findings = answers.findings
    }
    if parameters.leavesNewStore {
      let actual = try StoreContent(store: session.result, layout: layout)
      try expectation.rekey(&made.expected, to: actual)
    }
    var inspection = StoreInspection(store: session.result, layout: layout)
    inspection.toleratesOldFaults = try trial.mayBreakRules()
    // A save that was killed leaves keys that were handed out, and files that no object names.
    if session.isResumed { inspection.exceptions = [.historyGap, .orphanedExternalFile] }
    findings += try inspection.problems(expecting: made.expected, history: history) {
      $0.order = parameters.comparedOrder
      $0.ignoredProperties = session.stage?.recoded(in: layout.model) ?? [:]
    }
    findings += try ArchivedValuesCheck(session: session, original: original).findings()
    findings += try SchemaCheck(session: session, trial: trial).findings()
    if parameters.leavesNewStore, !parameters.swaps {
      findings += try oldStoreFindings(original)
    }
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    return Verification(
      digest: try inspection.digest(DigestOptions(identity: .content)),
      notes: made.notes,
      losses: made.losses
    )
  }

  private var history: ExpectedHistory? {
    guard layout.keepsHistory else { return nil }
    let writes = parameters.usesEngine
    if parameters.leavesNewStore { return parameters.engine == .objectGraph ? .fresh : nil }
    return writes && parameters.engine == .objectGraph ? .recording : .unchanged
  }

  /// A copy must leave the old store as it was, but for what was merged in it.
  private func oldStoreFindings(_ original: StoreContent) throws -> [String] {
    var expected = ExpectedContent(from: original)
    if parameters.duplicates == .merged {
      let clusters = try DuplicateClusters(session.constraints, in: original)
      let same = MappingModel(from: session.source.model, to: session.source.model)
      _ = try MigrationExpectation(session: session)
        .expectMerge(clusters, &expected, session.source, same)
    }
    var inspection = StoreInspection(store: trial.store, layout: session.source)
    inspection.toleratesOldFaults = try trial.mayBreakRules()
    return try inspection.problems(expecting: expected, history: nil) {
      $0.order = parameters.duplicates == .merged ? .nothing : .keys
    }.map { "the old store: " + $0 }
  }
}
