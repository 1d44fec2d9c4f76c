extension ResultDocument: Codable {
  private enum CodingKeys: String, CodingKey {
    case version
    case environment
    case workloads
  }

  /// Reads a document; throws `MeasurementError.unsupportedVersion` before it looks at the rest.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decodeLocated(Int.self, forKey: .version)
    guard version == ResultDocument.currentVersion else {
      throw MeasurementError.unsupportedVersion(version)
    }
    self.init(
      version: version,
      environment: try container.decodeLocated(Environment.self, forKey: .environment),
      workloads: try container.decodeList(forKey: .workloads, atMost: ResultLimits.workloads)
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(environment, forKey: .environment)
    try container.encode(workloads, forKey: .workloads)
  }
}
