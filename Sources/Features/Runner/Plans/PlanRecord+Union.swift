import Basics

extension PlanRecord {
  /// The rows of several records of one plan; throws ``MergeError`` where they contradict.
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
        throw MergeError.sameAttempt(
          caseID: planned.id,
          attempt: all[attempt.run]?.attempt ?? 0,
          fact: known.difference(from: attempt) ?? "the result"
        )
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

  /// Exact counters of a case are equal in all attempts, on all machines.
  private func checkCounters() throws {
    for planned in cases {
      let finished = planned.attempts.filter { $0.state == .done }
      for (place, second) in finished.enumerated() {
        for first in finished[..<place] {
          guard let fact = first.difference(from: second), let ours = run(first.run),
            let theirs = run(second.run)
          else { continue }
          if ours.attempt == theirs.attempt {
            throw MergeError.sameAttempt(caseID: planned.id, attempt: ours.attempt, fact: fact)
          }
          throw MergeError.otherCounters(
            caseID: planned.id,
            fact: fact,
            ours.shownName,
            theirs.shownName
          )
        }
      }
    }
  }

  /// Cases of one workload and end state leave the same content.
  private func checkContents() throws {
    let rows = Dictionary(cases.map { ($0.id, $0) }) { first, _ in first }
    var known: [String: (digest: String, caseID: String)] = [:]
    for task in document.tasks {
      for planned in task.cases {
        for attempt in rows[planned.id]?.attempts ?? [] where attempt.state == .done {
          guard let content = attempt.content else { continue }
          let state = "\(task.workload)\n\(planned.endState)"
          if let other = known[state], other.digest != content {
            throw MergeError.otherContent(
              endState: planned.endState,
              cases: other.caseID,
              planned.id
            )
          }
          known[state] = (content, planned.id)
        }
      }
    }
  }

  /// The rows of a workload's cases.
  func rows(of workload: String) -> [PlannedCase] {
    let ids = Set(document.tasks.filter { $0.workload == workload }.flatMap(\.cases).map(\.id))
    return cases.filter { ids.contains($0.id) }
  }

  /// Whether the attempts that count were measured in one environment.
  func isOfOneEnvironment(_ rows: [PlannedCase]) -> Bool {
    let environments = rows.compactMap { counted($0).flatMap { run($0.run)?.environment } }
    guard let first = environments.first else { return false }
    return environments.allSatisfy { Mismatch.unequal($0, beside: first).isEmpty }
  }

  /// Whether the cases of each task, which are compared, are of one run.
  func tasksAreOfOneRun(workload: String) -> Bool {
    let rows = Dictionary(cases.map { ($0.id, $0) }) { first, _ in first }
    return document.tasks.filter { $0.workload == workload }.allSatisfy { task in
      Set(task.cases.map { rows[$0.id].flatMap { counted($0)?.run } }).count == 1
    }
  }

  /// Throws ``MergeError/damaged(result:fact:)`` for what no run writes.
  func check(as name: String) throws {
    func damaged(_ fact: String) -> MergeError { .damaged(result: name, fact: fact) }
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
      throw MergeError.otherMachine(
        result: name,
        fact: obstacle.fact,
        required: obstacle.required,
        found: obstacle.found
      )
    }
  }
}

extension PlannedRun {
  /// `attempt 2 on 'AMD EPYC 7B13' (shard 3/16)`.
  package var shownName: String { "attempt \(attempt) on '\(environment.machine)' (\(part))" }
}

extension PlannedCase.Attempt {
  /// The first exact fact that both have and that differs.
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
  /// Everything but what was measured.
  var withoutCases: WorkloadResult {
    var facts = self
    (facts.cases, facts.findings, facts.leads) = ([], [], [])
    return facts
  }

  /// The first fact in which the work of two results is not the same.
  func difference(from other: WorkloadResult) -> String? {
    let (ours, theirs) = (withoutCases, other.withoutCases)
    guard ours != theirs else { return nil }
    if ours.store != theirs.store { return "store" }
    if let mismatch = Mismatch.facts(theirs, against: ours).first { return mismatch.fact }
    return ours.trialCount == theirs.trialCount ? "models, recipes or budget" : "number of trials"
  }
}

extension Environment {
  /// What runs have in common; what differs is named in full, so that no time is judged by it.
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
    commit = common(\.commit)
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
