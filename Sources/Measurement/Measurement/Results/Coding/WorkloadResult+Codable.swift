extension WorkloadResult: Codable {
  private enum CodingKeys: String, CodingKey {
    case workload
    case kind
    case store
    case pragmas
    case cache
    case trialCount
    case iterationCount
    case seed
    case defaults
    case budget
    case claim
    case cases
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      workload: try container.decode(String.self, forKey: .workload),
      kind: try container.decode(String.self, forKey: .kind),
      store: try container.decodeLocated(StoreDescription.self, forKey: .store),
      pragmas: try container.decode([String: String].self, forKey: .pragmas),
      cache: try container.decode(String.self, forKey: .cache),
      trialCount: try container.decodeLocated(Int.self, forKey: .trialCount),
      iterationCount: try container.decodeLocated(Int.self, forKey: .iterationCount),
      seed: try container.decodeLocated(UInt64.self, forKey: .seed),
      defaults: try container.decode([String: String].self, forKey: .defaults),
      budget: try container.decodeIfPresent([String: Budget].self, forKey: .budget) ?? [:],
      claim: try container.decodeIfPresent(ClaimResult.self, forKey: .claim),
      cases: try container.decodeList(forKey: .cases, atMost: ResultLimits.cases)
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(workload, forKey: .workload)
    try container.encode(kind, forKey: .kind)
    try container.encode(store, forKey: .store)
    try container.encode(pragmas, forKey: .pragmas)
    try container.encode(cache, forKey: .cache)
    try container.encode(trialCount, forKey: .trialCount)
    try container.encode(iterationCount, forKey: .iterationCount)
    try container.encode(seed, forKey: .seed)
    try container.encode(defaults, forKey: .defaults)
    if !budget.isEmpty { try container.encode(budget, forKey: .budget) }
    try container.encodeIfPresent(claim, forKey: .claim)
    try container.encode(cases, forKey: .cases)
  }
}
