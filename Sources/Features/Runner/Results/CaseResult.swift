import Basics

/// What one case of a plan gave: its outcome, its samples and what must be known to read them.
package struct CaseResult: Hashable, Sendable {
  /// How a case ended.
  package enum Outcome: Hashable, Sendable {
    /// The work was done and its verification agreed.
    case passed
    /// The work failed as the case said it must, and left what it had to leave.
    case failedAsExpected(String)
    /// The work or its verification failed: there are no times.
    case failed(String)
  }

  /// The file's path and the sorted parameters: `fetch/paging/batchSize=20,strategy=batched`.
  package var id: String
  /// The parameters by name, spelled as in the ID.
  package var parameters: [String: String]
  /// The entities that parameters name, those included that the kind chose; empty where it is not
  /// known which entities the case works on.
  package var entities: [String] = []
  package var outcome: Outcome
  /// One sample a metric, in the order of the metrics' names.
  package var samples: [Sample]
  package var behaviours: [Behaviour]
  /// Facts a reader must know: `cold, residency unverified`, `altered store`.
  package var notes: [String]
  /// What the work lost or made up, as its parameters ask for: `3 objects of Task left out`.
  package var losses: [String]
  /// The digest of the content that the case left, or of what it read; `nil` for an expected failure.
  package var digest: String?
  /// What is done, as a user sees it: only cases of one job are alternatives to each other.
  package var job: String?
  /// How it is done, where cases with other parameters do the very same: those do not compete.
  package var method: String?
  /// What the case assumes and the workload's other cases do not, as `batchRetention=all`.
  package var variation: String?

  package init(
    id: String,
    parameters: [String: String],
    outcome: Outcome,
    samples: [Sample] = [],
    behaviours: [Behaviour] = [],
    notes: [String] = [],
    losses: [String] = [],
    digest: String? = nil,
    job: String? = nil,
    method: String? = nil,
    variation: String? = nil
  ) {
    self.id = id
    self.parameters = parameters
    self.outcome = outcome
    self.samples = samples
    self.behaviours = behaviours
    self.notes = notes
    self.losses = losses
    self.digest = digest
    self.job = job
    self.method = method
    self.variation = variation
  }

  /// The note of a cold case whose check has failed: its times are of a store that was in part in
  /// memory.
  package static let notCold = "NOT COLD: over 5 % of the store stayed in memory"

  /// Whether the case was to be cold and was not.
  package var isNotCold: Bool { notes.contains(Self.notCold) }

  /// The sample of a metric.
  package func sample(of metric: String) -> Sample? {
    samples.first { $0.metric.name == metric }
  }
}

extension CaseResult {
  /// The samples of exact metrics.
  package var exactSamples: [Sample] { samples.filter(\.metric.isExact) }

  /// The names of exact metrics that are not the same in every trial, which nothing explains but a
  /// cause of change that was overlooked.
  package func unequalCounters(trials: Int) -> [String] {
    exactSamples.filter { $0.trials.count != trials || Set($0.trials).count != 1 }
      .map(\.metric.name)
  }
}

/// A choice that stands for how Apple's frameworks behave, with the evidence behind it.
package struct Behaviour: Codable, Hashable, Sendable {
  /// What stands behind a behaviour.
  package enum Evidence: String, Codable, Hashable, Sendable {
    /// A public log of the frameworks' own statements.
    case log
    /// A file that the frameworks wrote.
    case file
    /// Apple's documentation.
    case documented
    /// Nothing but an assumption: a finding that changes with another choice is none.
    case assumed
  }

  /// The behaviour's name, such as `externalDataLoad`.
  package var name: String
  /// The choice made, such as `onFetch`.
  package var value: String
  package var evidence: Evidence
  /// The parameter that makes the choice; `nil` where it cannot be made otherwise.
  package var parameter: String?
  /// The choices that the parameter may make instead.
  package var alternatives: [String]?

  package init(
    name: String,
    value: String,
    evidence: Evidence,
    parameter: String? = nil,
    alternatives: [String]? = nil
  ) {
    self.name = name
    self.value = value
    self.evidence = evidence
    self.parameter = parameter
    self.alternatives = alternatives
  }
}

/// All measurements of one metric for one case.
package struct Sample: Hashable, Sendable {
  package var metric: Metric
  /// The values by trial, then by iteration.
  package var trials: [[Double]]

  package init(metric: Metric, trials: [[Double]]) {
    self.metric = metric
    self.trials = trials
  }

  /// All values, in the order of measurement.
  package var values: [Double] { trials.flatMap { $0 } }
}

extension Metric.Unit {
  /// A value with the unit that suits it: `12.4 ms`, `41.2 MB`.
  package func text(_ value: Double, _ rounding: Figures.Rounding = .aligned) -> String {
    switch self {
    case .seconds: Figures.seconds(value, rounding)
    case .bytes: Figures.bytes(value, rounding)
    case .count, .ratio:
      rounding == .significant ? Figures.significant(value) : Figures.grouped(value)
    }
  }
}

extension CaseResult: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, parameters, entities, outcome, samples, behaviours, notes, losses, digest, job, method
    case variation
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      parameters: try container.decode([String: String].self, forKey: .parameters),
      outcome: try container.decode(Outcome.self, forKey: .outcome),
      samples: try container.decodeList(forKey: .samples, atMost: ResultLimits.samplesPerCase),
      behaviours: try container.decodeList(forKey: .behaviours, atMost: ResultLimits.notesPerCase),
      notes: try container.decodeList(forKey: .notes, atMost: ResultLimits.notesPerCase),
      losses: container.contains(.losses)
        ? try container.decodeList(forKey: .losses, atMost: ResultLimits.notesPerCase) : [],
      digest: try container.decodeIfPresent(String.self, forKey: .digest),
      job: try container.decodeIfPresent(String.self, forKey: .job),
      method: try container.decodeIfPresent(String.self, forKey: .method),
      variation: try container.decodeIfPresent(String.self, forKey: .variation)
    )
    if container.contains(.entities) {
      entities = try container.decodeList(forKey: .entities, atMost: ResultLimits.notesPerCase)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(parameters, forKey: .parameters)
    if !entities.isEmpty { try container.encode(entities, forKey: .entities) }
    try container.encode(outcome, forKey: .outcome)
    try container.encode(samples, forKey: .samples)
    try container.encode(behaviours, forKey: .behaviours)
    try container.encode(notes, forKey: .notes)
    // Most cases lose nothing, and earlier documents do not have it.
    if !losses.isEmpty { try container.encode(losses, forKey: .losses) }
    try container.encodeIfPresent(digest, forKey: .digest)
    try container.encodeIfPresent(job, forKey: .job)
    try container.encodeIfPresent(method, forKey: .method)
    try container.encodeIfPresent(variation, forKey: .variation)
  }
}

extension CaseResult.Outcome: Codable {
  private enum CodingKeys: String, CodingKey {
    case status, reason
  }

  private enum Status: String, Codable {
    case passed
    case failedAsExpected
    case failed
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Status.self, forKey: .status) {
    case .passed: self = .passed
    case .failedAsExpected:
      self = .failedAsExpected(try container.decode(String.self, forKey: .reason))
    case .failed: self = .failed(try container.decode(String.self, forKey: .reason))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .passed: try container.encode(Status.passed, forKey: .status)
    case .failedAsExpected(let reason):
      try container.encode(Status.failedAsExpected, forKey: .status)
      try container.encode(reason, forKey: .reason)
    case .failed(let reason):
      try container.encode(Status.failed, forKey: .status)
      try container.encode(reason, forKey: .reason)
    }
  }
}

extension Sample: Codable {
  private enum CodingKeys: String, CodingKey {
    case metric, unit, direction, exact, trials
  }

  // The metric's facts stand in the document, not only its name: a reader of an unknown metric
  // has them, and a catalogue that changed cannot change what was measured.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let metric = Metric(
      try container.decode(String.self, forKey: .metric),
      unit: try container.decode(Metric.Unit.self, forKey: .unit),
      direction: try container.decode(Metric.Direction.self, forKey: .direction),
      isExact: try container.decode(Bool.self, forKey: .exact)
    )
    self.init(metric: metric, trials: try container.decodeLocated([[Double]].self, forKey: .trials))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(metric.name, forKey: .metric)
    try container.encode(metric.unit, forKey: .unit)
    try container.encode(metric.direction, forKey: .direction)
    try container.encode(metric.isExact, forKey: .exact)
    try container.encode(trials, forKey: .trials)
  }
}

extension Sample {
  /// What every trial gave, its iterations added up; `nil` where two trials differ in any of them.
  ///
  /// Exact means that every trial gives the same values. Where they do not, no difference between
  /// two results can be told from their scatter.
  package var repeatingTotal: Double? {
    guard let first = trials.first, !first.isEmpty, trials.allSatisfy({ $0 == first }) else {
      return nil
    }
    return first.reduce(0, +)
  }
}
