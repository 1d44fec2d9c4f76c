/// An answer to a workload's question, derived from its samples by a rule.
///
/// Every report prints `claim` first and `detail` after it; both are whole sentences.
package struct Finding: Codable, Hashable, Sendable {
  /// What a finding answers.
  package enum Topic: String, CaseIterable, Codable, Hashable, Sendable {
    /// Which alternative is the fastest, and by how much.
    case fastest
    /// The sizes at which the fastest alternative changes.
    case crossover
    /// The alternative to take for a stated mix of operations.
    case recommendation
    /// What an alternative saves until the first screen, and what it costs overall.
    case firstScreen
    /// Times that differ by less than the margin, with simultaneous confidence.
    case noDifference
    /// Which alternative needs more memory, or how memory grows.
    case memory
    /// The phase that takes most of the time.
    case phase
    /// The samples do not decide the question.
    case cannotTell
  }

  /// A number of a finding, with the interval that the samples leave.
  package struct Figure: Codable, Hashable, Sendable {
    /// What the number is: `time of inline / time of file`.
    package var name: String
    /// The metric whose samples it was computed from.
    package var metric: String
    package var unit: Metric.Unit
    package var value: Double
    /// The ends of the interval; `nil` where it has no end on that side.
    package var lower: Double?
    package var upper: Double?

    package init(
      _ name: String,
      metric: String,
      unit: Metric.Unit,
      value: Double,
      lower: Double? = nil,
      upper: Double? = nil
    ) {
      self.name = name
      self.metric = metric
      self.unit = unit
      self.value = value
      self.lower = lower
      self.upper = upper
    }
  }

  /// What a finding rests on.
  package struct Evidence: Codable, Hashable, Sendable {
    /// The IDs of the cases that were compared.
    package var cases: [String]
    /// The fewest trials of any of them.
    package var trials: Int
    /// The joint confidence of all intervals of the workload; `nil` for a finding without any.
    package var confidence: Double?
    /// The behavior of Apple's frameworks that the compared cases assume.
    package var assumed: [Behaviour]

    package init(
      cases: [String],
      trials: Int,
      confidence: Double? = nil,
      assumed: [Behaviour] = []
    ) {
      self.cases = cases
      self.trials = trials
      self.confidence = confidence
      self.assumed = assumed
    }
  }

  package var topic: Topic
  /// The name of the workload whose question it answers.
  package var workload: String
  /// The answer, a sentence without its full stop.
  package var claim: String
  /// The figures in words, a sentence without its full stop; empty where the claim has them all.
  package var detail: String
  package var figures: [Figure]
  package var evidence: Evidence

  package init(
    topic: Topic,
    workload: String,
    claim: String,
    detail: String = "",
    figures: [Figure] = [],
    evidence: Evidence
  ) {
    self.topic = topic
    self.workload = workload
    self.claim = claim
    self.detail = detail
    self.figures = figures
    self.evidence = evidence
  }
}

extension Finding {
  /// The most findings that a workload has, and that open a report.
  package static let most = 5

  /// Trials, assumed behavior and confidence in words: `3 trials; assumes externalDataLoad=onFetch`.
  package var basis: String {
    let trials = "\(evidence.trials) \(evidence.trials == 1 ? "trial" : "trials") of each case"
    guard !evidence.assumed.isEmpty else { return trials }
    let names = evidence.assumed.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
    return "\(trials); rests on assumed behavior: \(names)"
  }
}

extension ResultDocument {
  /// The findings that open a report: at most ``Finding/most``, each workload's first ones by turns,
  /// in the order of the workloads.
  package var leadingFindings: [Finding] {
    var counts = [Int](repeating: 0, count: workloads.count)
    var left = Finding.most
    var isFound = true
    while left > 0, isFound {
      isFound = false
      for index in workloads.indices
      where left > 0 && counts[index] < workloads[index].findings.count {
        counts[index] += 1
        left -= 1
        isFound = true
      }
    }
    return zip(workloads, counts).flatMap { workload, count in workload.findings.prefix(count) }
  }
}
