import Basics

/// Merges results of one plan; the order, grouping and repetition of results do not change the
/// bytes.
///
/// A case's row in a plan only advances from running to finished, and no row is removed. So a merge
/// is the union of the rows, and everything else is derived from it. Consistency checks include all
/// attempts, even superseded ones, so that adding results cannot make a rejected merge acceptable.
package enum ResultMerge {
  /// A result with its name for messages.
  package typealias Part = (name: String, document: ResultDocument)

  /// Merges the given results.
  ///
  /// - Throws: ``Refusal`` with a machine-readable name of the reason, for scripts.
  package static func merge(_ parts: [Part]) throws -> ResultDocument {
    guard let first = parts.first, let plan = first.document.plan?.document else {
      throw noPlan(parts.first?.name ?? "")
    }
    var records: [(name: String, record: PlanRecord)] = []
    for (name, document) in parts {
      guard let record = document.plan else { throw noPlan(name) }
      guard record.document == plan else {
        throw Refusal.notMerged(
          "mixed-plans",
          "'\(first.name)' belongs to plan \(plan.hash.prefix(12)), '\(name)' to plan "
            + "\(record.document.hash.prefix(12))"
        )
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

  private static func noPlan(_ name: String) -> Refusal {
    .notMerged("no-plan", "'\(name)' is not part of a plan: make it with 'storebench run --plan'")
  }

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
      throw Refusal.notMerged(
        "lost-result",
        "case '\(id)' is finished, but no file contains its result"
      )
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
      throw Refusal.notMerged(
        "other-work",
        "'\(name)' does different work in '\(firstName)' and '\(otherName)': the \(fact) differs"
      )
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

extension PlanRecord {
  init(uniting records: [(name: String, record: PlanRecord)], of plan: PlanDocument) throws {
    let all = records.flatMap(\.record.runs).reduce(into: [String: PlannedRun]()) { runs, run in
      runs[run.id] = run
    }
    let runs = all.values.sorted { $0.id < $1.id }
    var attempts: [String: [String: PlannedCase.Attempt]] = [:]
    for planned in records.flatMap(\.record.cases) {
      for attempt in planned.attempts {
        let known = attempts[planned.id]?[attempt.run]
        guard let known, known.state.isFinished, attempt.state.isFinished, known != attempt else {
          if known.map({ $0.state.rank < attempt.state.rank }) ?? true {
            attempts[planned.id, default: [:]][attempt.run] = attempt
          }
          continue
        }
        let number = all[attempt.run]?.attempt ?? 0
        let fact = known.difference(from: attempt) ?? "the result"
        throw Self.sameAttempt(number, of: planned.id, fact)
      }
    }
    let cases = plan.caseIDs.map { id in
      let sorted = (attempts[id] ?? [:]).values.compactMap { attempt in
        all[attempt.run].map { (run: $0, attempt: attempt) }
      }.sorted { PlannedRun.isEarlier($0.run, $1.run) }
      return PlannedCase(id: id, attempts: sorted.map(\.attempt))
    }
    self.init(document: plan, runs: runs, cases: cases)
    try checkCounters()
    try checkContents()
  }

  /// Checks that the exact counters of each case are equal in all attempts, on all machines.
  private func checkCounters() throws {
    for planned in cases {
      let finished = planned.attempts.filter { $0.state == .done }
      for (place, second) in finished.enumerated() {
        for first in finished[..<place] {
          guard let fact = first.difference(from: second), let ours = run(first.run),
            let theirs = run(second.run)
          else { continue }
          if ours.attempt == theirs.attempt {
            throw Self.sameAttempt(ours.attempt, of: planned.id, fact)
          }
          throw Refusal.notMerged(
            "other-counters",
            "exact counters of '\(planned.id)' differ: \(fact), in \(ours.shownName) and "
              + theirs.shownName
          )
        }
      }
    }
  }

  private static func sameAttempt(_ number: Int, of caseID: String, _ fact: String) -> Refusal {
    .notMerged(
      "same-attempt",
      "case '\(caseID)' has two different results with the attempt number \(number): \(fact); run "
        + "it again with a higher --attempt in a new folder, and merge only one of the two results"
    )
  }

  private func checkContents() throws {
    let rows = Dictionary(cases.map { ($0.id, $0) }) { first, _ in first }
    var known: [String: (digest: String, caseID: String)] = [:]
    for task in document.tasks {
      for planned in task.cases {
        for attempt in rows[planned.id]?.attempts ?? [] where attempt.state == .done {
          guard let content = attempt.content else { continue }
          let state = "\(task.workload)\n\(planned.endState)"
          if let other = known[state], other.digest != content {
            throw Refusal.notMerged(
              "other-content",
              "'\(other.caseID)' and '\(planned.id)' must reach the same content "
                + "('\(planned.endState)'), but do not"
            )
          }
          known[state] = (content, planned.id)
        }
      }
    }
  }

  func isOfOneEnvironment(_ rows: [PlannedCase]) -> Bool {
    let environments = rows.compactMap { counted($0).flatMap { run($0.run)?.environment } }
    guard let first = environments.first else { return false }
    return environments.allSatisfy { Mismatch.unequal($0, beside: first).isEmpty }
  }

  func tasksAreOfOneRun(workload: String) -> Bool {
    let rows = Dictionary(cases.map { ($0.id, $0) }) { first, _ in first }
    return document.tasks.filter { $0.workload == workload }.allSatisfy { task in
      Set(task.cases.map { rows[$0.id].flatMap { counted($0)?.run } }).count == 1
    }
  }

  func check(as name: String) throws {
    func damaged(_ fact: String) -> Refusal {
      .notMerged("damaged", "'\(name)' was changed after it was written: \(fact)")
    }
    do { try document.check() } catch { throw damaged("\(error)") }
    guard cases.map(\.id) == document.caseIDs else {
      throw damaged("its rows are not the cases of the plan")
    }
    let ids = runs.map(\.id)
    guard Set(ids).count == ids.count, try runs.allSatisfy({ try $0.id == $0.expectedID }) else {
      throw damaged("its run IDs do not match its runs")
    }
    for attempt in cases.flatMap(\.attempts) {
      guard ids.contains(attempt.run), attempt.state != .planned,
        attempt.state.isFinished == (attempt.result != nil)
      else { throw damaged("a row names no run, or its result is missing") }
    }
    for run in runs {
      guard let obstacle = document.machine.obstacle(on: run.environment) else { continue }
      throw Refusal.notMerged(
        "other-machine",
        "the plan needs \(obstacle.fact) \(obstacle.required), but '\(name)' was measured with "
          + obstacle.found
      )
    }
  }
}

extension PlannedRun {
  /// The run's name in messages: `attempt 2 on 'AMD EPYC 7B13' (shard 3/16)`.
  package var shownName: String { "attempt \(attempt) on '\(environment.machine)' (\(part))" }
}

extension PlannedCase.Attempt {
  func difference(from other: Self) -> String? {
    if state != other.state { return "'\(state.rawValue)' and '\(other.state.rawValue)'" }
    for (name, value) in (counters ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard let theirs = other.counters?[name], theirs != value else { continue }
      guard
        let place = value.indices.first(where: {
          !theirs.indices.contains($0) || theirs[$0] != value[$0]
        }),
        theirs.indices.contains(place)
      else { return "the number of values of '\(name)'" }
      return "'\(name)' is \(value[place].shortest) and \(theirs[place].shortest)"
    }
    return content == other.content ? nil : "the content"
  }
}

extension WorkloadResult {
  var withoutCases: WorkloadResult {
    var facts = self
    (facts.cases, facts.findings, facts.leads) = ([], [], [])
    return facts
  }

  func difference(from other: WorkloadResult) -> String? {
    let (ours, theirs) = (withoutCases, other.withoutCases)
    guard ours != theirs else { return nil }
    if ours.store != theirs.store { return "store" }
    if let mismatch = Mismatch.facts(theirs, against: ours).first { return mismatch.fact }
    return ours.trialCount == theirs.trialCount ? "models, recipes or budget" : "number of trials"
  }
}

extension Environment {
  /// Combines the environments of several runs.
  ///
  /// A field with several distinct values lists all of them, so that the times are not compared
  /// with the times of a single machine.
  init(combining runs: [PlannedRun]) {
    let sorted = runs.sorted {
      ($0.environment.startedAt, $0.id) < ($1.environment.startedAt, $1.id)
    }
    let all = sorted.map(\.environment)
    self = all[0]
    func common(_ path: KeyPath<Environment, String>) -> String {
      let values = Set(all.map { $0[keyPath: path] }).sorted()
      return values.count == 1 ? values[0] : values.joined(separator: " | ")
    }
    if Set(all.map(\.program)).count > 1 { program = nil }
    if Set(all.map(\.packages)).count > 1 { packages = nil }
    commit = common(\.commit)
    if Set(all.map(\.source)).count > 1 { source = nil }
    guard all.contains(where: { !Mismatch.unequal($0, beside: all[0]).isEmpty }) else { return }
    machine = "several machines: " + Set(all.map(\.machine)).sorted().joined(separator: " | ")
    architecture = common(\.architecture)
    operatingSystem = common(\.operatingSystem)
    kernel = common(\.kernel)
    fileSystem = common(\.fileSystem)
    swiftVersion = common(\.swiftVersion)
    cores = all.map(\.cores).min() ?? cores
    memoryBytes = all.map(\.memoryBytes).min() ?? memoryBytes
    let options = all.dropFirst().reduce(Set(all[0].sqliteCompileOptions)) {
      $0.intersection($1.sqliteCompileOptions)
    }
    sqliteCompileOptions = options.sorted()
  }
}
