import Basics

/// What is known of a workload's parameters beside their values.
package struct Inquiry: Hashable, Sendable {
  /// The kind's parameters in the order of their declarations.
  package var parameters: [String]
  /// Those that are sizes in bytes.
  package var byteParameters: Set<String>
  /// Sizes that readers know, for winner maps.
  package var landmarks: [LeadMap.Mark]
  package var mix: OperationMix?

  package init(
    parameters: [String] = [],
    byteParameters: Set<String> = [],
    landmarks: [LeadMap.Mark] = [],
    mix: OperationMix? = nil
  ) {
    self.parameters = parameters
    self.byteParameters = byteParameters
    self.landmarks = landmarks
    self.mix = mix
  }
}

extension Inquiry: Codable {
  private enum CodingKeys: String, CodingKey {
    case parameters, byteParameters, landmarks, mix
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      parameters: try container.decode([String].self, forKey: .parameters),
      byteParameters: Set(try container.decode([String].self, forKey: .byteParameters)),
      landmarks: try container.decode([LeadMap.Mark].self, forKey: .landmarks),
      mix: try container.decodeIfPresent(OperationMix.self, forKey: .mix)
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(parameters, forKey: .parameters)
    // A set has no order of its own, and a plan's hash is of these bytes.
    try container.encode(byteParameters.sorted(), forKey: .byteParameters)
    try container.encode(landmarks, forKey: .landmarks)
    try container.encodeIfPresent(mix, forKey: .mix)
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
