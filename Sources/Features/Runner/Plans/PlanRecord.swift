import Basics

/// The progress of a plan in a result, with a row for every case, including those that other
/// machines run.
package struct PlanRecord: Codable, Hashable, Sendable {
  package var document: PlanDocument
  /// The runs, sorted by ID.
  package var runs: [PlannedRun]
  /// The rows of all cases, in the order of the plan.
  package var cases: [PlannedCase]

  /// Creates the record of a run that is starting, with every case marked as planned.
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

  /// The cases without a finished attempt, in the order of the plan.
  package var missing: [PlannedCase] {
    cases.filter { $0.state == .planned || $0.state == .running }
  }

  /// The first missing case of each unfinished task; a scheduler has to run these tasks again.
  package var missingTasks: [(number: Int, caseID: String)] {
    let missing = Set(missing.map(\.id))
    return document.tasks.compactMap { task in
      task.cases.first { missing.contains($0.id) }.map { (task.number, $0.id) }
    }
  }

  /// Returns the run with the given ID.
  package func run(_ id: String) -> PlannedRun? { runs.first { $0.id == id } }

  /// Returns the attempt that provides the case's result: the last finished attempt.
  package func counted(_ planned: PlannedCase) -> PlannedCase.Attempt? {
    planned.attempts.last { $0.state.isFinished }
  }

  /// Adds an attempt at a case, or replaces the same run's earlier attempt.
  package mutating func note(_ attempt: PlannedCase.Attempt, of id: String) {
    guard let place = cases.firstIndex(where: { $0.id == id }) else { return }
    cases[place].attempts.removeAll { $0.run == attempt.run }
    cases[place].attempts.append(attempt)
    cases[place].refresh()
  }
}

/// One start of the program that runs a part of a plan.
package struct PlannedRun: Codable, Hashable, Sendable {
  /// A digest of the run's other properties.
  package var id: String
  /// The number of the attempt, counted from 1; a repeated part has a higher number.
  package var attempt: Int
  /// The part of the plan: `shard 3/16`, `case fetch/strategy=eager`, or `all`.
  package var part: String
  package var environment: Environment

  /// Creates a run and computes its ID.
  ///
  /// - Throws: an error if the run cannot be encoded.
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

  /// Orders runs by attempt number, then by start time, then by ID; a later run takes precedence.
  static func isEarlier(_ first: PlannedRun, _ second: PlannedRun) -> Bool {
    (first.attempt, first.environment.startedAt, first.id)
      < (second.attempt, second.environment.startedAt, second.id)
  }
}

/// A row of a plan record: a case and the attempts to run it.
package struct PlannedCase: Codable, Hashable, Sendable {
  /// The progress of a case.
  package enum State: String, Codable, Hashable, Sendable, CaseIterable {
    case planned
    /// The case has begun; if its run has ended, the run was killed during this case.
    case running
    case done
    /// The case has finished, but its work or verification failed.
    case failed

    package var isFinished: Bool { self == .done || self == .failed }
    /// The precedence of the state: a merge keeps the more advanced state.
    var rank: Int { [.planned: 0, .running: 1][self] ?? 2 }
  }

  package var id: String
  /// The state of the last finished attempt or, if no attempt has finished, of the last attempt.
  package private(set) var state = State.planned
  /// The attempts in the order of their runs.
  package var attempts: [Attempt]

  package init(id: String, attempts: [Attempt]) {
    self.id = id
    self.attempts = attempts
    refresh()
  }

  mutating func refresh() {
    state = (attempts.last { $0.state.isFinished } ?? attempts.last)?.state ?? .planned
  }

  /// The work of one run on a case.
  package struct Attempt: Codable, Hashable, Sendable {
    /// The run's ID.
    package var run: String
    package var state: State
    /// The exact counters that are equal in all trials, by metric: the values of one trial, or a
    /// single value if all iterations are equal.
    package var counters: [String: [Double]]?
    /// The digest of the content that the case left or read.
    package var content: String?
    /// The SHA-256 hash of the case's result.
    package var result: String?

    /// Creates an attempt that has begun.
    package init(run: String) {
      self.run = run
      state = .running
    }

    /// Creates a finished attempt.
    ///
    /// - Throws: an error if the result cannot be encoded.
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
  /// Returns the environment in which a case was measured, or the result's environment if it has no
  /// plan.
  package func environment(of caseID: String) -> Environment {
    guard let plan, let planned = plan.cases.first(where: { $0.id == caseID }),
      let run = plan.counted(planned).flatMap({ plan.run($0.run) })
    else { return environment }
    return run.environment
  }

  /// Whether the runs' environments differ in a way that makes their times incomparable.
  package var hasSeveralEnvironments: Bool {
    guard let plan, let first = plan.runs.first else { return false }
    return plan.runs.contains {
      !Mismatch.unequal($0.environment, beside: first.environment).isEmpty
    }
  }
}
