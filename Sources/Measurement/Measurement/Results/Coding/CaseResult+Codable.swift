extension CaseResult: Codable {
  private enum CodingKeys: String, CodingKey {
    case id
    case parameters
    case outcome
    case samples
    case behaviours
    case notes
    case losses
    case digest
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      parameters: try container.decode([String: String].self, forKey: .parameters),
      outcome: try container.decode(Outcome.self, forKey: .outcome),
      samples: try container.decodeList(forKey: .samples, atMost: ResultLimits.samplesPerCase),
      behaviours: try container.decodeList(
        forKey: .behaviours,
        atMost: ResultLimits.notesPerCase
      ),
      notes: try container.decodeList(forKey: .notes, atMost: ResultLimits.notesPerCase),
      losses: container.contains(.losses)
        ? try container.decodeList(forKey: .losses, atMost: ResultLimits.notesPerCase) : [],
      digest: try container.decodeIfPresent(String.self, forKey: .digest)
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(parameters, forKey: .parameters)
    try container.encode(outcome, forKey: .outcome)
    try container.encode(samples, forKey: .samples)
    try container.encode(behaviours, forKey: .behaviours)
    try container.encode(notes, forKey: .notes)
    // Most cases lose nothing, and earlier documents do not have it.
    if !losses.isEmpty { try container.encode(losses, forKey: .losses) }
    try container.encodeIfPresent(digest, forKey: .digest)
  }
}

extension CaseResult.Outcome: Codable {
  private enum CodingKeys: String, CodingKey {
    case status
    case reason
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
