import Basics

/// The result of one case of a plan: its outcome, its samples, and the information needed to
/// interpret them.
package struct CaseResult: Hashable, Sendable {
  /// The way in which a case ended.
  package enum Outcome: Hashable, Sendable {
    /// The work succeeded, and its outcome was verified.
    case passed
    /// The work failed as the case expected, and the state that it left was verified.
    case failedAsExpected(String)
    /// The work or its verification failed, so there are no times.
    case failed(String)
  }

  /// The workload's name and the sorted parameters: `fetch/paging/batchSize=20,strategy=batched`.
  package var id: String
  /// The parameters by name, with values as written in the ID.
  package var parameters: [String: String]
  /// The entities that parameters name, including those chosen by the kind; empty if the case's
  /// entities are unknown.
  package var entities: [String] = []
  package var outcome: Outcome
  /// The samples, one per metric, sorted by the metric's name.
  package var samples: [Sample]
  package var behaviours: [Behaviour]
  /// Notes for the reader, such as `cold, residency unverified` or `altered store`.
  package var notes: [String]
  /// The data that the work lost or invented because of its parameters, such as `3 objects of Task
  /// left out`.
  package var losses: [String]
  /// The digest of the content that the case left or read; `nil` for an expected failure.
  package var digest: String?
  /// The work from a user's point of view; only cases with the same job are alternatives to one
  /// another.
  package var job: String?
  /// The name of the way in which the work is done; `nil` if the parameters alone identify it.
  ///
  /// Cases with the same method do exactly the same work and are not compared with one another.
  package var method: String?
  /// The assumption in which the case differs from the workload's other cases, such as
  /// `batchRetention=all`; `nil` if there is none.
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

  /// The note of a case that should have been cold but was measured with part of its store in
  /// memory.
  package static let notCold = "NOT COLD: over 5 % of the store stayed in memory"

  /// Whether the case should have been cold but was not.
  package var isNotCold: Bool { notes.contains(Self.notCold) }

  /// Returns the sample of a metric, or `nil` if the metric was not measured.
  package func sample(of metric: String) -> Sample? {
    samples.first { $0.metric.name == metric }
  }
}

extension CaseResult {
  /// The samples of exact metrics.
  package var exactSamples: [Sample] { samples.filter(\.metric.isExact) }

  /// Returns the names of exact metrics that differ between trials.
  ///
  /// Such a difference shows that a source of variation was overlooked.
  package func unequalCounters(trials: Int) -> [String] {
    exactSamples.filter { $0.trials.count != trials || Set($0.trials).count != 1 }
      .map(\.metric.name)
  }
}

/// A choice made in imitating Core Data or SwiftData, with the evidence for it.
package struct Behaviour: Codable, Hashable, Sendable {
  /// The kind of evidence for a behavior.
  package enum Evidence: String, Codable, Hashable, Sendable {
    /// A public log of the SQL statements that Core Data runs.
    case log
    /// A store file that Core Data wrote.
    case file
    /// Apple's documentation.
    case documented
    /// No evidence: the behavior is assumed. A finding that would change with another value is
    /// reported as dependent on the assumption.
    case assumed
  }

  /// The behavior's name, such as `externalDataLoad`.
  package var name: String
  /// The chosen value, such as `onFetch`.
  package var value: String
  package var evidence: Evidence
  /// The parameter that selects the value; `nil` if the value is fixed.
  package var parameter: String?
  /// The other values that the parameter can select.
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
  /// Formats a value with a suitable unit: `12.4 ms`, `41.2 MB`.
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
    // Leave out an empty list, because most cases lose nothing, and earlier documents do not have
    // the key.
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

  // Decodes a sample with all properties of its metric.
  //
  // The document contains these properties in addition to the name, so that readers can handle
  // unknown metrics. A changed catalog therefore cannot change the meaning of a result.
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
  /// The sum over the iterations of a trial; `nil` if two trials differ in any iteration.
  ///
  /// Exact metrics have the same values in every trial. If they do not, a difference between two
  /// results cannot be distinguished from random variation.
  package var repeatingTotal: Double? {
    guard let first = trials.first, !first.isEmpty, trials.allSatisfy({ $0 == first }) else {
      return nil
    }
    return first.reduce(0, +)
  }
}
