import Basics

/// What a result knows of its plan: a row for every case, whichever machine runs it.
package struct PlanRecord: Codable, Hashable, Sendable {
  package var document: PlanDocument
  /// By ID.
  package var runs: [PlannedRun]
  /// All cases, in the order of the plan.
  package var cases: [PlannedCase]

  /// A record of a run that begins, with all cases planned.
  package init(_ document: PlanDocument, run: PlannedRun) {
    self.document = document
    runs = [run]
    cases = document.caseIDs.map { PlannedCase(id: $0, attempts: []) }
  }

  package init(document: PlanDocument, runs: [PlannedRun], cases: [PlannedCase]) {
    self.document = document
    self.runs = runs
    self.cases = cases
  }

  /// Cases that no attempt has finished, in the order of the plan.
  package var missing: [PlannedCase] {
    cases.filter { $0.state == .planned || $0.state == .running }
  }

  /// The first missing case of each task that has any: what a scheduler is to run again.
  package var missingTasks: [(number: Int, caseID: String)] {
    let missing = Set(missing.map(\.id))
    return document.tasks.compactMap { task in
      task.cases.first { missing.contains($0.id) }.map { (task.number, $0.id) }
    }
  }

  /// The run of an ID.
  package func run(_ id: String) -> PlannedRun? { runs.first { $0.id == id } }

  /// The attempt that counts: the last one that finished.
  package func counted(_ planned: PlannedCase) -> PlannedCase.Attempt? {
    planned.attempts.last { $0.state.isFinished }
  }

  /// Replaces what is known of a case in a run.
  package mutating func note(_ attempt: PlannedCase.Attempt, of id: String) {
    guard let place = cases.firstIndex(where: { $0.id == id }) else { return }
    cases[place].attempts.removeAll { $0.run == attempt.run }
    cases[place].attempts.append(attempt)
    cases[place].refresh()
  }
}

/// One start of the program for a part of a plan.
package struct PlannedRun: Codable, Hashable, Sendable {
  /// A digest of the rest.
  package var id: String
  /// From 1; a part that is run again has a higher one.
  package var attempt: Int
  /// `shard 3/16`, `case fetch/strategy=eager`, or `all`.
  package var part: String
  package var environment: Environment

  /// A run with its ID.
  package init(attempt: Int, part: String, environment: Environment) throws {
    id = ""
    self.attempt = attempt
    self.part = part
    self.environment = environment
    id = try expectedID
  }

  var expectedID: String {
    get throws {
      var run = self
      run.id = ""
      return String(try run.canonicalDigest.prefix(16))
    }
  }

  /// Later ones count: by number, then by time; two that are equal in both have an order as well.
  static func isEarlier(_ first: PlannedRun, _ second: PlannedRun) -> Bool {
    (first.attempt, first.environment.startedAt, first.id)
      < (second.attempt, second.environment.startedAt, second.id)
  }
}

/// A row of a result: a case of the plan and the attempts to run it.
package struct PlannedCase: Codable, Hashable, Sendable {
  /// How far a case is.
  package enum State: String, Codable, Hashable, Sendable, CaseIterable {
    case planned
    /// Begun; of a run that has ended, what it was killed in.
    case running
    case done
    /// Finished, and its work or its verification failed.
    case failed

    package var isFinished: Bool { self == .done || self == .failed }
    /// What is known later replaces what was known before.
    var rank: Int { [.planned: 0, .running: 1][self] ?? 2 }
  }

  package var id: String
  /// That of the attempt that counts, or of the last one.
  package private(set) var state = State.planned
  /// In the order of their runs, so that the last one that finished counts.
  package var attempts: [Attempt]

  package init(id: String, attempts: [Attempt]) {
    self.id = id
    self.attempts = attempts
    refresh()
  }

  mutating func refresh() {
    state = (attempts.last { $0.state.isFinished } ?? attempts.last)?.state ?? .planned
  }

  /// One run's work on a case.
  package struct Attempt: Codable, Hashable, Sendable {
    /// The run's ID.
    package var run: String
    package var state: State
    /// Exact counters that repeat in every trial, by metric: the values of one trial, or one value
    /// where all its iterations are equal.
    package var counters: [String: [Double]]?
    /// The digest of the content that was reached or read.
    package var content: String?
    /// SHA-256 of the case's result.
    package var result: String?

    /// An attempt that has begun.
    package init(run: String) {
      self.run = run
      state = .running
    }

    /// A finished attempt.
    package init(run: String, result: CaseResult, trials: Int) throws {
      self.run = run
      if case .failed = result.outcome { state = .failed } else { state = .done }
      self.result = try result.canonicalDigest
      content = result.digest
      let unequal = Set(result.unequalCounters(trials: trials))
      counters = Dictionary(
        keepingFirst: result.exactSamples.filter { !unequal.contains($0.metric.name) }.map {
          sample in
          let values = sample.trials.first ?? []
          return (sample.metric.name, Set(values).count == 1 ? [values[0]] : values)
        }
      )
    }
  }
}

extension ResultDocument {
  /// The environment that a case was measured in; that of the whole result where it has no plan.
  package func environment(of caseID: String) -> Environment {
    guard let plan, let planned = plan.cases.first(where: { $0.id == caseID }),
      let run = plan.counted(planned).flatMap({ plan.run($0.run) })
    else { return environment }
    return run.environment
  }

  /// Whether its cases were measured in environments whose times are not comparable.
  package var hasSeveralEnvironments: Bool {
    guard let plan, let first = plan.runs.first else { return false }
    return plan.runs.contains {
      !Mismatch.unequal($0.environment, beside: first.environment).isEmpty
    }
  }
}
