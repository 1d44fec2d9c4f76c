import Basics

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

    /// How directly it answers the workload's question: the least opens a report.
    package var rank: Int {
      switch self {
      case .recommendation: 0
      case .fastest, .crossover, .firstScreen: 1
      case .noDifference: 2
      case .memory, .phase: 3
      case .cannotTell: 4
      }
    }
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
    package var assumed: [Behaviour] = []
  }

  package var topic: Topic
  /// The name of the workload whose question it answers.
  package var workload: String
  /// The answer, a sentence without its full stop.
  package var claim: String
  /// The figures in words, a sentence without its full stop; empty where the claim has them all.
  package var detail: String = ""
  package var figures: [Figure] = []
  package var evidence: Evidence
}

extension Finding {
  /// The most findings that a workload has, and that open a report.
  package static let most = 5

  /// Trials, assumed behavior and confidence in words: `3 trials; assumes externalDataLoad=onFetch`.
  package var basis: String {
    let trials = "\(Figures.counted(evidence.trials, "trial")) of each case"
    guard !evidence.assumed.isEmpty else { return trials }
    let names = evidence.assumed.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
    return "\(trials); rests on assumed behavior: \(names)"
  }
}

extension ResultDocument {
  /// The findings that open a report, the strongest answer first: at most ``Finding/most``, each
  /// workload's first ones by turns.
  package var leadingFindings: [Finding] {
    let all = workloads.enumerated().flatMap { place, workload in
      workload.findings.enumerated().map { turn, finding in
        (finding: finding, rank: finding.topic.rank, place: place, turn: turn)
      }
    }
    return all.sorted { ($0.turn, $0.rank, $0.place) < ($1.turn, $1.rank, $1.place) }
      .prefix(Finding.most)
      .sorted { ($0.rank, $0.place, $0.turn) < ($1.rank, $1.place, $1.turn) }
      .map(\.finding)
  }
}
