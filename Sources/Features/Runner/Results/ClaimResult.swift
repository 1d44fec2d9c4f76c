/// A claim that a workload file tests, and the verdict on it.
package struct ClaimResult: Hashable, Sendable {
  /// What the measurements show of the claim.
  package enum Finding: String, Hashable, Sendable {
    case holds
    case doesNotHold
    /// Undecided within the budget, dependent on assumed behavior, or not testable here.
    case cannotTell
  }

  /// What *holds* means.
  package enum Scope: String, Codable, Hashable, Sendable, CaseIterable {
    /// Every cell holds, and each is measured until it is decided.
    case everyCell
    /// The worst cell holds; measuring ends with the first cell that does not.
    case worstCell
  }

  package var text: String
  package var source: String
  package var finding: Finding
  /// The measured figures and their bounds, in a sentence or two.
  package var detail: String
  /// `nil` in results of earlier versions.
  package var scope: Scope?
  /// The error probability that all cells share.
  package var level: Double?
  /// Seconds for the interleaved trials, as allowed and as spent.
  package var budget: Double?
  package var seconds: Double?
  package var cells: [Cell]

  package init(
    text: String,
    source: String,
    finding: Finding,
    detail: String,
    scope: Scope? = nil,
    level: Double? = nil,
    budget: Double? = nil,
    seconds: Double? = nil,
    cells: [Cell] = []
  ) {
    self.text = text
    self.source = source
    self.finding = finding
    self.detail = detail
    self.scope = scope
    self.level = level
    self.budget = budget
    self.seconds = seconds
    self.cells = cells
  }
}

extension ClaimResult {
  /// One comparison of a claim: the value of a case, or the ratio of two, beside its bounds.
  package struct Cell: Codable, Hashable, Sendable {
    package enum Verdict: String, Codable, Hashable, Sendable {
      case holds
      case doesNotHold
      case cannotTell
      /// Both sides do the same work.
      case notCounted
    }

    /// The ID of the case, or of the case above the line of a ratio.
    package var of: String
    /// The ID of the case below the line; `nil` for the value of one case.
    package var to: String?
    /// `nil` where the cases must fail.
    package var metric: String?
    package var above: Double?
    package var below: Double?
    /// One per trial, or per pair of trials, in the order of measurement; in the metric's unit, or
    /// as ratios.
    package var values: [Double]
    /// The median of the values.
    package var estimate: Double?
    /// The ends of the confidence sequence; `nil` where the values exclude nothing.
    package var lower: Double?
    package var upper: Double?
    package var verdict: Verdict
    /// Why it is undecided or does not count; empty otherwise.
    package var note: String

    package init(
      of: String,
      to: String? = nil,
      metric: String? = nil,
      above: Double? = nil,
      below: Double? = nil,
      values: [Double] = [],
      estimate: Double? = nil,
      lower: Double? = nil,
      upper: Double? = nil,
      verdict: Verdict,
      note: String = ""
    ) {
      self.of = of
      self.to = to
      self.metric = metric
      self.above = above
      self.below = below
      self.values = values
      self.estimate = estimate
      self.lower = lower
      self.upper = upper
      self.verdict = verdict
      self.note = note
    }
  }
}

extension ClaimResult.Finding: Codable {
  /// Reads the findings of earlier versions as well: those that no measurement decided.
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    if let finding = Self(rawValue: text) {
      self = finding
    } else if ["trueOnlyIf", "notTestableHere"].contains(text) {
      self = .cannotTell
    } else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "'\(text)' is not a verdict on a claim"
        )
      )
    }
  }
}

extension ClaimResult: Codable {
  private enum CodingKeys: String, CodingKey {
    case text, source, finding, detail, scope, level, budget, seconds, cells
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      text: try container.decode(String.self, forKey: .text),
      source: try container.decode(String.self, forKey: .source),
      finding: try container.decode(Finding.self, forKey: .finding),
      detail: try container.decode(String.self, forKey: .detail),
      scope: try container.decodeIfPresent(Scope.self, forKey: .scope),
      level: try container.decodeIfPresent(Double.self, forKey: .level),
      budget: try container.decodeIfPresent(Double.self, forKey: .budget),
      seconds: try container.decodeIfPresent(Double.self, forKey: .seconds),
      cells: container.contains(.cells)
        ? try container.decodeList(forKey: .cells, atMost: ResultLimits.cases) : []
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(text, forKey: .text)
    try container.encode(source, forKey: .source)
    try container.encode(finding, forKey: .finding)
    try container.encode(detail, forKey: .detail)
    try container.encodeIfPresent(scope, forKey: .scope)
    try container.encodeIfPresent(level, forKey: .level)
    try container.encodeIfPresent(budget, forKey: .budget)
    try container.encodeIfPresent(seconds, forKey: .seconds)
    if !cells.isEmpty { try container.encode(cells, forKey: .cells) }
  }
}

extension ResultDocument {
  /// The verdicts on the claims that the run tested.
  package var claimFindings: [ClaimResult.Finding] { workloads.compactMap { $0.claim?.finding } }
}
