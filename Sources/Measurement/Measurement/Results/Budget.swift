/// How much an exact cost may grow over its baseline before it is a regression.
package enum Budget: Hashable, Sendable {
  /// In the metric's unit, over all iterations of a trial.
  case absolute(Double)
  /// In hundredths of the baseline's value.
  case percent(Double)

  /// The largest growth or share that a budget may have.
  package static let most = 1e15

  /// Whether a value is no higher than the budget lets it be.
  package func allows(_ value: Double, over baseline: Double) -> Bool {
    switch self {
    case .absolute(let growth): value - baseline <= growth
    // Not divided by a hundred: 29 % of 100 is 29, and no rounding may say otherwise.
    case .percent(let percent): (value - baseline) * 100 <= baseline * percent
    }
  }

  /// Whether it is a number that a workload file may have.
  package var isUsable: Bool {
    switch self {
    case .absolute(let number), .percent(let number): (0...Self.most).contains(number)
    }
  }
}

extension Budget: Codable {
  private enum CodingKeys: String, CodingKey {
    case absolute
    case percent
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let percent = try container.decodeIfPresent(Double.self, forKey: .percent) {
      self = .percent(percent)
    } else {
      self = .absolute(try container.decode(Double.self, forKey: .absolute))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .absolute(let growth): try container.encode(growth, forKey: .absolute)
    case .percent(let percent): try container.encode(percent, forKey: .percent)
    }
  }
}
