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

  package init(
    id: String,
    parameters: [String: String],
    outcome: Outcome,
    samples: [Sample] = [],
    behaviours: [Behaviour] = [],
    notes: [String] = [],
    losses: [String] = [],
    digest: String? = nil
  ) {
    self.id = id
    self.parameters = parameters
    self.outcome = outcome
    self.samples = samples
    self.behaviours = behaviours
    self.notes = notes
    self.losses = losses
    self.digest = digest
  }

  /// The sample of a metric.
  package func sample(of metric: String) -> Sample? {
    samples.first { $0.metric.name == metric }
  }
}
