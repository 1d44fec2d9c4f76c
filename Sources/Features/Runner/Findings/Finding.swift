import Basics

/// An answer to a workload's question, derived from its samples by a rule.
///
/// Every report prints `claim` first and `detail` after it, each as a sentence.
package struct Finding: Codable, Hashable, Sendable {
  /// The kind of answer that a finding gives.
  package enum Topic: String, CaseIterable, Codable, Hashable, Sendable {
    /// Which alternative is the fastest, and by how much.
    case fastest
    /// The sizes at which the fastest alternative changes.
    case crossover
    /// The recommended alternative for a given mix of operations.
    case recommendation
    /// How much earlier an alternative shows the first screen, and its overall cost.
    case firstScreen
    /// The times differ by less than the margin, with simultaneous confidence.
    case noDifference
    /// Which alternative needs more memory, or how memory grows with a size.
    case memory
    /// The phase that takes most of the time.
    case phase
    /// The answer depends on an assumption about Apple's code.
    case dependsOn
    /// The samples are not sufficient for an answer.
    case cannotTell

    /// How directly the topic answers the workload's question; reports begin with the lowest rank.
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

  /// A number in a finding, with its confidence interval.
  package struct Figure: Codable, Hashable, Sendable {
    /// The name of the number, such as `time of inline / time of file`.
    package var name: String
    /// The name of the metric from which the number was computed.
    package var metric: String
    package var unit: Metric.Unit
    package var value: Double
    /// The lower end of the interval, or `nil` if it is unbounded below.
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

  /// The data and the assumptions on which a finding is based.
  package struct Evidence: Codable, Hashable, Sendable {
    /// The IDs of the cases that were compared.
    package var cases: [String]
    /// The smallest number of trials of any compared case.
    package var trials: Int
    /// The largest number of trials of any compared case; `nil` if all cases have the same number.
    ///
    /// The numbers differ if undecided comparisons got further rounds.
    package var mostTrials: Int?
    /// The joint confidence of all intervals of the workload; `nil` if the finding has no
    /// intervals.
    package var confidence: Double?
    /// The assumptions about Apple's frameworks that the compared cases make.
    package var assumed: [Behaviour] = []
    /// The alternative assumptions, each tested on its own, under which the finding stays the same.
    package var holdsWith: [Behaviour]?
  }

  package var topic: Topic
  /// The name of the workload.
  package var workload: String
  /// The answer, a sentence without its period.
  package var claim: String
  /// The figures in words, a sentence without its period; empty if the claim contains them all.
  package var detail: String = ""
  package var figures: [Figure] = []
  package var evidence: Evidence
}

extension Finding {
  /// The maximum number of findings per workload, and at the top of a report.
  package static let most = 5

  /// The trials and assumptions in words: `3 trials of each case; the same with
  /// batchRetention=all`.
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
  /// The workload's name without its folder: `fetch` for `main/fetch`.
  var subject: String {
    let name = workload.split(separator: "/").last.map(String.init) ?? workload
    // The part of the name after the mark `@` identifies the store if the workload file has several
    // stores.
    let parts = name.split(separator: WorkloadResult.storeMark, maxSplits: 1)
    return CaseDimensions.words(parts.first.map(String.init) ?? name)
      + (parts.count > 1 ? " at \(parts[1])" : "")
  }
}

extension ResultDocument {
  /// The findings that open a report, the strongest answers first: at most ``Finding/most``, taken
  /// from each workload in turn.
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

  /// The finding that becomes the report's title; `nil` if there is no finding or a case failed.
  ///
  /// The title is the finding that more than half of the cases are undecided or, without such a
  /// finding, the strongest one.
  var headline: Finding? {
    guard failedCases.isEmpty else { return nil }
    let cases = workloads.reduce(0) { $0 + $1.cases.count }
    let open = leadingFindings.filter {
      $0.topic == .cannotTell && $0.evidence.cases.count * 2 > cases
    }
    return open.min { $0.claim.count < $1.claim.count } ?? leadingFindings.first
  }
}

/// Formats numbers and names for findings.
enum FindingText {
  /// Returns a parameter's value for a sentence: a word on its own, a number or a Boolean with the
  /// parameter's name.
  static func value(_ value: String, of parameter: String) -> String {
    guard isWord(value) else { return "\(parameter)=\(value)" }
    return CaseDimensions.words(value, of: parameter)
  }

  /// Returns the noun for the values of a parameter: usually the parameter's name, such as
  /// `strategy`; `setting` if the value is a number or a Boolean.
  static func noun(_ parameter: String, _ value: String) -> String {
    isWord(value) ? ["steps": "way", "strategies": "strategy"][parameter] ?? parameter : "setting"
  }

  private static func isWord(_ value: String) -> Bool {
    Double(value) == nil && !["true", "false", "none", ""].contains(value)
  }

  /// Joins names: `a`, `a and b`, `a, b and c`.
  static func list(_ names: [String], _ word: String = "and") -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " \(word) " + last
  }

  /// Formats a number with the given number of significant digits, without an exponent.
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

  /// Formats a ratio of times: `11 times as long (7.6 to 17)`.
  static func times(_ figure: Finding.Figure) -> String {
    let (value, range) = parts(figure)
    return "\(value) times as long" + (range.isEmpty ? "" : " (\(range))")
  }

  /// Formats a ratio with its interval: `11 (7.6 to 17)`.
  static func factor(_ figure: Finding.Figure) -> String {
    let (value, range) = parts(figure)
    return value + (range.isEmpty ? "" : " (\(range))")
  }

  /// Formats a ratio without its interval, but with the same precision as with the interval: `11`.
  static func number(_ figure: Finding.Figure) -> String { parts(figure).value }

  /// Formats the interval of a ratio: `7.6 to 17`.
  static func range(_ figure: Finding.Figure) -> String { parts(figure).range }

  /// Returns a phrase for the time of the whole work, relative to the alternative with the later
  /// first screen.
  static func wholeWork(_ figure: Finding.Figure, _ difference: TrialIntervals.Difference) -> String
  {
    let most = exp(difference.upper)
    if difference.isAbove || difference.isBelow { return "the whole work takes \(times(figure))" }
    return most <= 1 + TrialIntervals.margin
      ? "the whole work takes at most \((most - 1).percent) longer"
      : "whether the whole work takes longer is not decided"
        + (most <= 2 ? " (\(range(figure)) times as long)" : "")
  }

  /// Formats a value and its interval with two significant digits.
  ///
  /// Uses more digits if the ends of the interval would look equal, or if an end would look like 1
  /// although the interval excludes 1.
  private static func parts(_ figure: Finding.Figure) -> (value: String, range: String) {
    guard let lower = figure.lower, let upper = figure.upper else {
      return (digits(figure.value, 2), "")
    }
    let count =
      [2, 3].first { count in
        let (low, high) = (digits(lower, count), digits(upper, count))
        return low != high && !(lower > 1 && Double(low) == 1) && !(upper < 1 && Double(high) == 1)
      } ?? 4
    return (digits(figure.value, count), "\(digits(lower, count)) to \(digits(upper, count))")
  }
}

extension Finding.Figure {
  /// Converts a difference of logarithms to a ratio.
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

/// Information about a workload's parameters in addition to their values.
package struct Inquiry: Codable, Hashable, Sendable {
  /// The kind's parameters in the order of their declaration.
  package var parameters: [String]
  /// The parameters whose values are sizes in bytes, sorted by name because the plan's hash
  /// includes them.
  package var byteParameters: [String]
  /// Well-known sizes to mark in winner maps (the fastest alternative at each size).
  package var landmarks: [LeadMap.Mark]
  /// Knowledge from guides and app developers about the alternatives of a winner map (the fastest
  /// alternative at each size).
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
  /// Copies the parameters, landmarks (well-known sizes) and guide of a kind; the mix comes from
  /// the workload file or the user.
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

/// The relative frequency of each operation in an app, used to recommend one alternative for all
/// operations.
package struct OperationMix: Codable, Hashable, Sendable {
  /// The name of the parameter that selects the operation.
  package static let parameter = "operation"
  /// The weight of each operation, by its name; the unit is the work of one case.
  package var weights: [String: Double]

  package init(weights: [String: Double]) {
    self.weights = weights
  }

  /// The mix in words: `1 insert, 20 list, 0.5 read one`.
  package var text: String {
    weights.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value.shortest) \(CaseDimensions.words($0.key))" }.joined(separator: ", ")
  }
}
