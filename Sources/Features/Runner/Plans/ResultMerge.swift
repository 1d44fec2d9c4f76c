import Basics

/// Merges results of one plan: the same bytes in any order and grouping, and of one result twice.
///
/// The rows of a plan grow: a run's row goes from running to finished, and no row is removed. So a
/// merge is the union of the rows, and everything else follows from them. Refusals look at all
/// attempts, also at those that do not count: what is refused once is refused with more results.
package enum ResultMerge {
  /// A result and what messages call it.
  package typealias Part = (name: String, document: ResultDocument)

  /// Throws ``MergeError`` by name.
  package static func merge(_ parts: [Part]) throws -> ResultDocument {
    guard let first = parts.first, let plan = first.document.plan?.document else {
      throw MergeError.noPlan(result: parts.first?.name ?? "")
    }
    var records: [(name: String, record: PlanRecord)] = []
    for (name, document) in parts {
      guard let record = document.plan else { throw MergeError.noPlan(result: name) }
      guard record.document == plan else {
        throw MergeError.mixedPlans(first.name, plan.hash, name, record.document.hash)
      }
      try record.check(as: name)
      records.append((name, record))
    }
    let record = try PlanRecord(uniting: records, of: plan)
    let results = try countedResults(of: record, in: parts)
    let environment = Environment(combining: record.runs)
    var merged = ResultDocument(environment: environment)
    merged.plan = record
    merged.workloads = try plan.workloads.compactMap { workload in
      try self.workload(workload, record, results, parts)
    }
    return merged
  }

  /// The results of the attempts that count, by case.
  private static func countedResults(
    of record: PlanRecord,
    in parts: [Part]
  ) throws -> [String: CaseResult] {
    var found: [String: CaseResult] = [:]
    let counted = Dictionary(
      keepingFirst: record.cases.compactMap { row in
        record.counted(row)?.result.map { (row.id, $0) }
      }
    )
    for (_, document) in parts {
      for result in document.workloads.flatMap(\.cases) where found[result.id] == nil {
        guard let digest = counted[result.id], try result.canonicalDigest == digest else {
          continue
        }
        found[result.id] = result
      }
    }
    for id in record.cases.map(\.id) where counted[id] != nil && found[id] == nil {
      throw MergeError.lostResult(caseID: id)
    }
    return found
  }

  private static func workload(
    _ planned: PlanDocument.Workload,
    _ record: PlanRecord,
    _ results: [String: CaseResult],
    _ parts: [Part]
  ) throws -> WorkloadResult? {
    let name = planned.workload
    let found = parts.compactMap { part in
      part.document.workloads.first { $0.workload == name }.map { (part.name, $0) }
    }
    guard let (firstName, first) = found.first else { return nil }
    for (otherName, other) in found.dropFirst() {
      guard let fact = first.difference(from: other) else { continue }
      throw MergeError.otherWork(workload: name, fact: fact, results: firstName, otherName)
    }
    var merged = first.withoutCases
    let ids = record.document.tasks.filter { $0.workload == name }.flatMap(\.cases).map(\.id)
    merged.cases = ids.compactMap { results[$0] }
    let rows = record.cases.filter { Set(ids).contains($0.id) }
    if rows.allSatisfy(\.state.isFinished), record.isOfOneEnvironment(rows),
      record.tasksAreOfOneRun(workload: name)
    {
      let analysis = FindingAnalysis(merged, planned.inquiry)
      (merged.findings, merged.leads) = (analysis.findings, analysis.leads)
    }
    return merged
  }
}
