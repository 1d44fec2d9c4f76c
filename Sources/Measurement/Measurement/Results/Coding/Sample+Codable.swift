extension Sample: Codable {
  private enum CodingKeys: String, CodingKey {
    case metric
    case unit
    case direction
    case exact
    case trials
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
