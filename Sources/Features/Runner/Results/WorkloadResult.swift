import Basics

/// The result of one workload file.
package struct WorkloadResult: Hashable, Sendable {
  /// The path of the workload file without its extension, relative to the workloads folder:
  /// `fetch/paging`.
  package var workload: String
  package var kind: String
  /// The store that the cases started from.
  package var store: StoreDescription
  /// The connection settings, from pragma name to value, and properties read from the store file.
  package var pragmas: [String: String]
  /// The state of the page cache before each trial: `cold` or `warm`.
  package var cache: String
  package var trialCount: Int
  package var iterationCount: Int
  /// The numbers of trials, in ascending order, after which the run decided on extra trials; empty
  /// if every case has the same number of trials.
  package var looks: [Int]
  /// The seed of every random choice in the work, such as the choice of rows to jump to.
  package var seed: UInt64
  /// The default values of parameters that the file does not set, by name; case IDs do not contain
  /// them.
  package var defaults: [String: String]
  /// The permitted growth of exact costs, by metric; a metric without an entry may not grow at all.
  package var budget: [String: Budget]
  /// The question that the workload answers, in one sentence; empty in results of earlier builds.
  package var question: String
  /// The findings that answer the question, at most ``Finding/most``, in descending order of
  /// importance.
  package var findings: [Finding]
  /// The winner maps (the fastest alternative at each size); empty if no numeric parameter has at
  /// least three values.
  package var leads: [LeadMap]
  /// The models and recipes that the workload used, sorted by path; empty in results of earlier
  /// versions.
  package var inputs: [InputFact]
  /// The frequency of each operation in an app, as assumed by the findings; `nil` if the kind has
  /// no operations, and in results of earlier versions.
  package var mix: OperationMix?
  package var cases: [CaseResult]

  /// The labels that distinguish this store from the workload file's other stores: `Note` and `10k`
  /// in `growth@Note=10k`.
  package var storeLabels: [(name: String, value: String)] {
    guard let mark = workload.lastIndex(of: Self.storeMark) else { return [] }
    let parts = workload[workload.index(after: mark)...].split(separator: ",").map {
      $0.split(separator: "=", maxSplits: 1).map(String.init)
    }
    return parts.allSatisfy { $0.count == 2 } ? parts.map { ($0[0], $0[1]) } : []
  }

  /// The name of the workload without its store labels.
  package var fileName: String {
    storeLabels.isEmpty
      ? workload
      : String(workload.prefix(upTo: workload.lastIndex(of: Self.storeMark) ?? workload.endIndex))
  }

  /// The character between a workload's name and its store labels.
  package static let storeMark: Character = "@"

  func keeping(variations: Bool) -> WorkloadResult {
    var kept = self
    kept.cases.removeAll { ($0.variation == nil) == variations }
    return kept
  }

  package init(
    workload: String,
    kind: String,
    store: StoreDescription,
    pragmas: [String: String],
    cache: String,
    trialCount: Int,
    iterationCount: Int,
    looks: [Int] = [],
    seed: UInt64 = 1,
    defaults: [String: String] = [:],
    budget: [String: Budget] = [:],
    question: String = "",
    findings: [Finding] = [],
    leads: [LeadMap] = [],
    inputs: [InputFact] = [],
    mix: OperationMix? = nil,
    cases: [CaseResult] = []
  ) {
    self.workload = workload
    self.kind = kind
    self.store = store
    self.pragmas = pragmas
    self.cache = cache
    self.trialCount = trialCount
    self.iterationCount = iterationCount
    self.looks = looks
    self.seed = seed
    self.defaults = defaults
    self.budget = budget
    self.question = question
    self.findings = findings
    self.leads = leads
    self.inputs = inputs
    self.mix = mix
    self.cases = cases
  }
}

/// The store that a workload started from.
package struct StoreDescription: Codable, Hashable, Sendable {
  /// The path of the recipe, or the file name of a real store.
  package var source: String
  package var seed: UInt64?
  /// The number of objects by entity name.
  package var objects: [String: Int]
  package var bytes: Int64
  /// The SHA-256 of the main file, in lowercase hexadecimal digits.
  package var digest: String

  package init(
    source: String,
    seed: UInt64?,
    objects: [String: Int],
    bytes: Int64,
    digest: String
  ) {
    self.source = source
    self.seed = seed
    self.objects = objects
    self.bytes = bytes
    self.digest = digest
  }
}

/// A model or recipe that a workload used, recorded so that results can be compared.
package struct InputFact: Codable, Hashable, Sendable {
  package enum Role: String, Codable, Hashable, Sendable {
    case recipe
    case model
  }

  package var role: Role
  /// The path, as written in the workload file or the recipe.
  package var file: String
  /// The first 16 hexadecimal digits of the content's SHA-256.
  package var digest: String
  /// The parts of a model or recipe, such as `index byDate of Task (dueDate)`; empty if an earlier
  /// version of StoreBench recorded it.
  package var parts: [String]

  /// The part of a model that shows that the model's ``parts`` include settings, such as
  /// `settings of index byDate of Task (dueDate descending)`.
  package static let settingsMark = "settings"
  package static let settingsPrefix = "settings of "

  package init(_ role: Role, file: String, digest: String, parts: [String] = []) {
    self.role = role
    self.file = file
    self.digest = digest
    self.parts = parts
  }
}

/// The permitted growth of an exact cost over its baseline; more growth is a regression.
package enum Budget: Hashable, Sendable {
  /// The growth in the metric's unit, over all iterations of a trial.
  case absolute(Double)
  /// The growth in percent of the baseline's value.
  case percent(Double)

  /// The largest number that a budget may have.
  package static let most = 1e15

  /// Whether the budget allows a value, given its baseline.
  package func allows(_ value: Double, over baseline: Double) -> Bool {
    switch self {
    case .absolute(let growth): value - baseline <= growth
    // Multiplying by 100 instead of dividing avoids rounding errors.
    case .percent(let percent): (value - baseline) * 100 <= baseline * percent
    }
  }

  /// Whether a workload file may contain a budget with this number.
  package var isUsable: Bool {
    switch self {
    case .absolute(let number), .percent(let number): (0...Self.most).contains(number)
    }
  }
}

extension Budget: Codable {
  private enum CodingKeys: String, CodingKey {
    case absolute, percent
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

extension WorkloadResult: Codable {
  private enum CodingKeys: String, CodingKey {
    case workload, kind, store, pragmas, cache, trialCount, iterationCount, looks, seed, defaults,
      budget, question, findings, leads, inputs, mix, user, cases
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard !container.contains(.user) else { throw Refusal.fleet }
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
      question: try container.decodeIfPresent(String.self, forKey: .question) ?? "",
      findings: container.contains(.findings)
        ? try container.decodeList(forKey: .findings, atMost: Finding.most) : [],
      leads: container.contains(.leads)
        ? try container.decodeList(forKey: .leads, atMost: ResultLimits.leads) : [],
      inputs: container.contains(.inputs)
        ? try container.decodeList(forKey: .inputs, atMost: ResultLimits.notesPerCase) : [],
      mix: try container.decodeIfPresent(OperationMix.self, forKey: .mix),
      cases: try container.decodeList(forKey: .cases, atMost: ResultLimits.cases)
    )
    if container.contains(.looks) {
      looks = try container.decodeLocated([Int].self, forKey: .looks)
    }
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
    if !looks.isEmpty { try container.encode(looks, forKey: .looks) }
    try container.encode(seed, forKey: .seed)
    try container.encode(defaults, forKey: .defaults)
    if !budget.isEmpty { try container.encode(budget, forKey: .budget) }
    // Empty fields are omitted, as in documents of earlier versions.
    if !question.isEmpty { try container.encode(question, forKey: .question) }
    if !findings.isEmpty { try container.encode(findings, forKey: .findings) }
    if !leads.isEmpty { try container.encode(leads, forKey: .leads) }
    if !inputs.isEmpty { try container.encode(inputs, forKey: .inputs) }
    try container.encodeIfPresent(mix, forKey: .mix)
    try container.encode(cases, forKey: .cases)
  }
}
