import Basics

/// The complete result of a run: environment, workloads and raw samples, with a format version.
package struct ResultDocument: Hashable, Sendable {
  /// The format version that this code writes and reads.
  package static let currentVersion = 1

  package var version: Int
  package var environment: Environment
  package var workloads: [WorkloadResult]
  /// The states of all cases of the plan document (a plan that several machines share); `nil`
  /// unless the run executes a plan document.
  package var plan: PlanRecord?
  /// The pattern that selected the cases by their IDs; `nil` if all cases of the workload files
  /// were run.
  package var filter: String?
  /// The IDs of the cases that an interrupted run did not reach, in the plan's order.
  ///
  /// If the run executes a plan document, ``plan`` lists these cases instead.
  package var missing: [String] = []

  package init(
    version: Int = ResultDocument.currentVersion,
    environment: Environment,
    workloads: [WorkloadResult] = []
  ) {
    self.version = version
    self.environment = environment
    self.workloads = workloads
  }
}

extension ResultDocument: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, environment, filter, findings, workloads, plan, missing
  }

  /// Reads a document and checks its version before anything else.
  ///
  /// - Throws: `Refusal.unsupportedVersion` for another version, and decoding errors.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decodeLocated(Int.self, forKey: .version)
    guard version == ResultDocument.currentVersion else {
      throw Refusal.unsupportedVersion(version)
    }
    self.init(
      version: version,
      environment: try container.decodeLocated(Environment.self, forKey: .environment),
      workloads: try container.decodeList(forKey: .workloads, atMost: ResultLimits.workloads)
    )
    filter = try container.decodeIfPresent(String.self, forKey: .filter)
    if container.contains(.missing) {
      missing = try container.decodeList(forKey: .missing, atMost: ResultLimits.cases)
    }
    if container.contains(.plan) { plan = try container.decodeLocated(forKey: .plan) }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(environment, forKey: .environment)
    try container.encodeIfPresent(filter, forKey: .filter)
    // Write the leading findings only for readers of the JSON; decoding uses the findings of the
    // workloads.
    if !leadingFindings.isEmpty { try container.encode(leadingFindings, forKey: .findings) }
    try container.encode(workloads, forKey: .workloads)
    try container.encodeIfPresent(plan, forKey: .plan)
    if !missing.isEmpty { try container.encode(missing, forKey: .missing) }
  }
}

extension ResultDocument {
  /// Checks that a run can have written the document.
  ///
  /// This check runs before a document is written and after one is read. Other code can then add up
  /// values and look up names without further checks.
  ///
  /// - Throws: a ``Refusal`` that names the first violation.
  package func check() throws(Refusal) {
    guard version == ResultDocument.currentVersion else { throw .unsupportedVersion(version) }
    for id in missing { try checkText(id, named: "case", place: "missing") }
    var names: Set<String> = []
    var caseIDs: Set<String> = []
    for (index, workload) in workloads.enumerated() {
      let place = "workloads[\(index)]"
      guard names.insert(workload.workload).inserted else {
        throw .repeated("workload", name: workload.workload, place: place)
      }
      try workload.check(place: place)
      for (index, result) in workload.cases.enumerated() {
        let place = "\(place).cases[\(index)]"
        guard caseIDs.count < ResultLimits.cases else {
          throw .tooMany("cases", limit: ResultLimits.cases, place: place)
        }
        guard caseIDs.insert(result.id).inserted else {
          throw .repeated("case", name: result.id, place: place)
        }
        try result.check(place: place)
      }
    }
  }
}

extension WorkloadResult {
  fileprivate func check(place: String) throws(Refusal) {
    try checkText(workload, named: "workload", place: place)
    try checkText(kind, named: "kind", place: place)
    guard trialCount >= 0, iterationCount >= 0 else {
      throw .unusableField("trialCount or iterationCount", problem: "is negative", place: place)
    }
    let isAscending = zip(looks, looks.dropFirst()).allSatisfy { $0 < $1 }
    guard looks.allSatisfy(ResultLimits.look.contains), isAscending else {
      throw .unusableField(
        "looks",
        problem: "is no ascending list of numbers from 2 to 100",
        place: place
      )
    }
    guard store.bytes >= 0, store.objects.values.allSatisfy({ $0 >= 0 }) else {
      throw .unusableField("store", problem: "has a negative size", place: place)
    }
    guard budget.values.allSatisfy(\.isUsable) else {
      throw .unusableField("budget", problem: "is neither a share nor a growth", place: place)
    }
    guard findings.count <= Finding.most else {
      throw .tooMany("findings", limit: Finding.most, place: place)
    }
    for (index, finding) in findings.enumerated() {
      try finding.check(place: "\(place).findings[\(index)]")
    }
    for (index, map) in leads.enumerated() { try map.check(place: "\(place).leads[\(index)]") }
  }
}

extension Finding {
  fileprivate func check(place: String) throws(Refusal) {
    try checkText(claim, named: "claim", place: place)
    guard detail.utf8.count <= ResultLimits.textLength else {
      throw .unusableField("detail", problem: "is too long", place: place)
    }
    for figure in figures { try figure.check(place: place) }
  }
}

extension Finding.Figure {
  fileprivate func check(place: String) throws(Refusal) {
    for number in [value, lower, upper].compactMap({ $0 }) where !number.isFinite {
      throw .unusableValue("\(number)", metric: metric, place: place)
    }
  }
}

extension LeadMap {
  fileprivate func check(place: String) throws(Refusal) {
    try checkText(parameter, named: "parameter", place: place)
    let cells = rows.flatMap(\.cells)
    let changes = rows.flatMap(\.changes).flatMap { [$0.size, $0.lower, $0.upper] }
    for number in sizes + landmarks.map(\.size) + cells.flatMap(\.medians.values) + changes
    where !number.isFinite {
      throw .unusableValue("\(number)", metric: parameter, place: place)
    }
    for figure in cells.compactMap(\.lead) { try figure.check(place: place) }
  }
}

extension CaseResult {
  fileprivate func check(place: String) throws(Refusal) {
    try checkText(id, named: "id", place: place)
    var names: Set<String> = []
    for (index, sample) in samples.enumerated() {
      let place = "\(place).samples[\(index)]"
      guard names.insert(sample.metric.name).inserted else {
        throw .repeated("metric", name: sample.metric.name, place: place)
      }
      try sample.check(place: place)
    }
  }
}

extension Sample {
  fileprivate func check(place: String) throws(Refusal) {
    try checkText(metric.name, named: "metric", place: place)
    var count = 0
    for (trial, values) in trials.enumerated() {
      count += values.count
      guard count <= ResultLimits.valuesPerSample else {
        throw .tooMany("values", limit: ResultLimits.valuesPerSample, place: place)
      }
      for (iteration, value) in values.enumerated() {
        guard value.isFinite, value >= 0, value <= ResultLimits.value else {
          throw .unusableValue(
            "\(value)",
            metric: metric.name,
            place: "\(place).trials[\(trial)][\(iteration)]"
          )
        }
      }
    }
  }
}

private func checkText(
  _ text: String,
  named field: String,
  place: String
) throws(Refusal) {
  guard !text.isEmpty else { throw .unusableField(field, problem: "is empty", place: place) }
  guard text.utf8.count <= ResultLimits.textLength else {
    throw .unusableField(field, problem: "is too long", place: place)
  }
}

/// Size limits for documents of untrusted origin; a larger document is refused.
package enum ResultLimits {
  /// The maximum number of workloads.
  package static let workloads = 10_000
  /// The maximum number of cases in the whole document.
  package static let cases = 100_000
  package static let samplesPerCase = 1000
  package static let notesPerCase = 1000
  /// The maximum number of winner maps (the fastest alternative at each size) per workload.
  package static let leads = 100
  /// The numbers of trials after which a run may evaluate its findings to decide on extra trials.
  package static let look = 2...100
  /// The maximum number of values in one sample, over all trials.
  package static let valuesPerSample = 1_000_000
  /// The maximum length of a name, an ID or a sentence, in UTF-8 bytes.
  package static let textLength = 10_000
  /// The largest value of a metric; sums and squares of a million such values stay finite.
  package static let value = 1e18
}

extension KeyedDecodingContainer {
  /// Decodes a value, and reports the position of a number that does not fit its field.
  ///
  /// For such a number, Foundation's decoder throws an internal error, which it later reports as
  /// invalid JSON without a coding path.
  func decodeLocated<Value: Decodable>(
    _ type: Value.Type = Value.self,
    forKey key: Key
  ) throws -> Value {
    do {
      return try decode(type, forKey: key)
    } catch let error where !(error is DecodingError || error is Refusal) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath + [key],
          debugDescription: "a number does not fit its field"
        )
      )
    }
  }

  // Decodes one element at a time, so that an overlong list is refused before all of it is in
  // memory.
  func decodeList<Element: Decodable>(
    forKey key: Key,
    atMost limit: Int
  ) throws -> [Element] {
    var list = try nestedUnkeyedContainer(forKey: key)
    var elements: [Element] = []
    while !list.isAtEnd {
      guard elements.count < limit else {
        throw Refusal.tooMany(
          key.stringValue,
          limit: limit,
          place: ResultDocument.place(of: list.codingPath)
        )
      }
      elements.append(try list.decode(Element.self))
    }
    return elements
  }
}

extension ResultDocument {
  /// Returns a coding path as a string, such as `workloads[0].cases[3].samples[1]`, or `the
  /// document` for an empty path.
  package static func place(of path: [any CodingKey]) -> String {
    var text = ""
    for key in path {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return text.isEmpty ? "the document" : text
  }
}
