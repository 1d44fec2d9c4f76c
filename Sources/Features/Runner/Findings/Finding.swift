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
    /// What Apple's code is assumed to do decides the question.
    case dependsOn
    /// The samples do not decide the question.
    case cannotTell

    /// How directly it answers the workload's question: the least opens a report.
    package var rank: Int {
      switch self {
      case .recommendation: 0
      case .fastest, .crossover, .firstScreen: 1
      case .noDifference: 2
      case .memory, .phase: 3
      case .dependsOn: 4
      case .cannotTell: 5
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
    /// The most, where comparisons that were not decided got further rounds.
    package var mostTrials: Int?
    /// The joint confidence of all intervals of the workload; `nil` for a finding without any.
    package var confidence: Double?
    /// The behavior of Apple's frameworks that the compared cases assume.
    package var assumed: [Behaviour] = []
    /// Assumed otherwise, one at a time, with which the finding is the same.
    package var holdsWith: [Behaviour]?
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

  /// Trials and assumptions in words: `3 trials of each case; the same with batchRetention=all`.
  package var basis: String {
    let others = evidence.holdsWith ?? []
    let tested = Set(others.map(\.name))
    let lists = [
      ("the same with", others), ("assumes", evidence.assumed.filter { !tested.contains($0.name) }),
    ]
    let parts = lists.filter { !$0.1.isEmpty }.map { word, list in
      "\(word) " + list.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
    }
    let trials =
      evidence.mostTrials.map { "\(evidence.trials) to \($0) trials" }
      ?? Figures.counted(evidence.trials, "trial")
    return (["\(trials) of each case"] + parts)
      .joined(separator: "; ")
  }
}

extension Finding {
  /// What a report calls its workload where the folder is clear: `fetch` for `main/fetch`.
  var subject: String {
    let name = workload.split(separator: "/").last.map(String.init) ?? workload
    // What distinguishes the stores of a file is written there.
    let parts = name.split(separator: WorkloadResult.storeMark, maxSplits: 1)
    return CaseDimensions.words(parts.first.map(String.init) ?? name)
      + (parts.count > 1 ? " at \(parts[1])" : "")
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

  /// The finding that is the title: the strongest, unless the samples leave more than half of the
  /// cases undecided; `nil` where nothing was run or a case failed.
  var headline: Finding? {
    guard failedCases.isEmpty else { return nil }
    let cases = workloads.reduce(0) { $0 + $1.cases.count }
    let open = leadingFindings.filter {
      $0.topic == .cannotTell && $0.evidence.cases.count * 2 > cases
    }
    return open.min { $0.claim.count < $1.claim.count } ?? leadingFindings.first
  }
}

/// Numbers and names as findings word them.
enum FindingText {
  /// A value of a parameter: words alone, numbers and yes or no with the parameter's name.
  static func value(_ value: String, of parameter: String) -> String {
    guard isWord(value) else { return "\(parameter)=\(value)" }
    return CaseDimensions.words(value, of: parameter)
  }

  /// What values of a parameter are called: `strategy`, or `setting` where they have its name.
  static func noun(_ parameter: String, _ value: String) -> String {
    isWord(value) ? ["steps": "way", "strategies": "strategy"][parameter] ?? parameter : "setting"
  }

  private static func isWord(_ value: String) -> Bool {
    Double(value) == nil && !["true", "false", ""].contains(value)
  }

  /// `a`, `a and b`, `a, b and c`.
  static func list(_ names: [String], _ word: String = "and") -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " \(word) " + last
  }

  /// Where a comparison is one of several: `; the largest of 3 differences, for operation=list`.
  static func scope(_ contest: Contest, of all: [Contest], named name: String) -> String {
    guard all.count > 1 else { return "" }
    return "; the largest of \(all.count) differences" + (name.isEmpty ? "" : ", for \(name)")
  }

  /// A number with so many significant digits, without an exponent.
  static func digits(_ value: Double, _ digits: Int) -> String {
    guard value > 0, value < 1e12 else { return value.shortest }
    let size = Int(log10(value).rounded(.down)) + 1
    let decimals = max(0, digits - size)
    let unit = pow(10, Double(size - digits))
    return Figures.fixed(
      size > digits ? (value / unit).rounded() * unit : value,
      decimals: decimals
    )
  }

  /// `11 times as long (7.6 to 17)`.
  static func times(_ figure: Finding.Figure) -> String {
    let (value, range) = parts(figure)
    return "\(value) times as long" + (range.isEmpty ? "" : " (\(range))")
  }

  /// `11 (7.6 to 17)`.
  static func factor(_ figure: Finding.Figure) -> String {
    let (value, range) = parts(figure)
    return value + (range.isEmpty ? "" : " (\(range))")
  }

  /// Two digits, or three where the ends would look alike.
  private static func parts(_ figure: Finding.Figure) -> (value: String, range: String) {
    guard let lower = figure.lower, let upper = figure.upper else {
      return (digits(figure.value, 2), "")
    }
    let count = [2, 3].first { digits(lower, $0) != digits(upper, $0) } ?? 4
    return (digits(figure.value, count), "\(digits(lower, count)) to \(digits(upper, count))")
  }
}

extension Finding.Figure {
  /// A ratio by its logarithm.
  static func ratio(
    _ name: String,
    _ metric: Metric,
    _ difference: TrialIntervals.Difference
  ) -> Finding.Figure {
    Finding.Figure(
      name,
      metric: metric.name,
      unit: .ratio,
      value: exp(difference.estimate),
      lower: exp(difference.lower),
      upper: exp(difference.upper)
    )
  }
}

/// What is known of a workload's parameters beside their values.
package struct Inquiry: Codable, Hashable, Sendable {
  /// The kind's parameters in the order of their declarations.
  package var parameters: [String]
  /// Those that are sizes in bytes, in the order of their names: a plan's hash is of them.
  package var byteParameters: [String]
  /// Sizes that readers know, for winner maps.
  package var landmarks: [LeadMap.Mark]
  /// What is said of the alternatives of winner maps whatever is measured.
  package var guide: LeadMap.Guide?
  package var mix: OperationMix?

  package init(
    parameters: [String] = [],
    byteParameters: [String] = [],
    landmarks: [LeadMap.Mark] = [],
    guide: LeadMap.Guide? = nil,
    mix: OperationMix? = nil
  ) {
    self.parameters = parameters
    self.byteParameters = byteParameters
    self.landmarks = landmarks
    self.guide = guide
    self.mix = mix
  }
}

extension Inquiry {
  /// What a kind says of its parameters, with a mix of a file's or a reader's.
  init(of kind: any WorkloadKind.Type, mix: OperationMix?) {
    let axes = kind.axes
    self.init(
      parameters: axes.map(\.name),
      byteParameters: axes.filter(\.isInBytes).map(\.name).sorted(),
      landmarks: kind.description.landmarks,
      guide: kind.description.guide,
      mix: mix
    )
  }
}

/// How often an app does each operation, to choose one alternative for all of them.
package struct OperationMix: Codable, Hashable, Sendable {
  /// The parameter that names the operation.
  package static let parameter = "operation"
  /// How often each is done, as a case does it.
  package var weights: [String: Double]

  package init(weights: [String: Double]) {
    self.weights = weights
  }

  /// `1 insert, 20 list, 0.5 update`.
  package var text: String {
    weights.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value.shortest) \($0.key)" }.joined(separator: ", ")
  }
}
