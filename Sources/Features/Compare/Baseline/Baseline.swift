import Basics
import Runner

/// The part of a result that is the same on every machine: its exact costs, and the properties on
/// which they depend, such as the store's digest.
package struct Baseline: Hashable, Sendable {
  /// A result reduced to one value per cost, sorted by name.
  ///
  /// The environment contains only the builds of SQLite and StoreBench.
  package let document: ResultDocument

  /// Creates a baseline from a result's exact costs, leaving out costs that vary between trials.
  ///
  /// - Throws: ``Refusal`` if a case failed, if no case has an exact cost, or if the result fails
  ///   its check.
  package init(of result: ResultDocument) throws(Refusal) {
    try result.check()
    for case .failed in result.workloads.flatMap(\.cases).map(\.outcome) {
      throw Refusal.badInput("the result cannot become a baseline: one of its cases failed")
    }
    let own = result.environment
    let document = ResultDocument(
      environment: Environment(
        sqliteSourceID: own.sqliteSourceID,
        sqliteVersion: own.sqliteVersion,
        sqliteCompileOptions: own.sqliteCompileOptions.sorted(),
        build: own.build
      ),
      workloads: result.workloads.sorted { $0.workload < $1.workload }.map(\.exactPart)
    )
    guard document.workloads.contains(where: { $0.cases.contains { !$0.samples.isEmpty } }) else {
      throw Refusal.badInput(
        "the result cannot become a baseline: no case has an exact cost that repeats"
      )
    }
    self.document = document
  }

  /// Adds the workloads and cases that only an older baseline of the same SQLite build has.
  ///
  /// Cases of a store, model or setting that has changed since then are left out.
  package func keeping(_ old: Baseline) -> Baseline {
    var document = document
    let own = document.workloadsByName
    for theirs in old.document.workloads {
      guard let index = document.workloads.firstIndex(where: { $0.workload == theirs.workload })
      else {
        document.workloads.append(theirs)
        continue
      }
      // Skip cases of other stores, models or settings, which cannot be compared with new cases.
      guard let mine = own[theirs.workload], Mismatch.unequal(mine, beside: theirs).isEmpty,
        mine.store.digest == theirs.store.digest,
        !InputPair.changed(mine.inputs, against: theirs.inputs).contains(where: \.isOfModel)
      else { continue }
      let known = Set(mine.cases.map(\.id))
      document.workloads[index].cases += theirs.cases.filter { !known.contains($0.id) }
      document.workloads[index].cases.sort { $0.id < $1.id }
    }
    document.workloads.sort { $0.workload < $1.workload }
    return Baseline(document: document)
  }

  private init(document: ResultDocument) {
    self.document = document
  }

  /// The number of costs in the baseline.
  package var count: Int {
    document.workloads.flatMap(\.cases).reduce(0) { $0 + $1.samples.count }
  }
}

extension Environment {
  /// Whether the counters of two environments can be compared (sqlite.md, section 1).
  package func hasSameSQLite(as other: Environment) -> Bool {
    sqliteSourceID == other.sqliteSourceID
      && Set(sqliteCompileOptions) == Set(other.sqliteCompileOptions)
  }
}

extension WorkloadResult {
  fileprivate var exactPart: WorkloadResult {
    WorkloadResult(
      workload: workload,
      kind: kind,
      store: StoreDescription(
        source: store.source,
        seed: nil,
        objects: [:],
        bytes: 0,
        digest: store.digest
      ),
      pragmas: pragmas,
      cache: cache,
      trialCount: 1,
      iterationCount: iterationCount,
      seed: seed,
      defaults: defaults,
      inputs: inputs.sorted { ($0.file, $0.digest) < ($1.file, $1.digest) },
      cases: cases.sorted { $0.id < $1.id }.map(\.exactPart)
    )
  }
}

extension CaseResult {
  fileprivate var exactPart: CaseResult {
    CaseResult(
      id: id,
      parameters: [:],
      // A baseline does not keep the reason for an expected failure.
      outcome: outcome == .passed ? .passed : .failedAsExpected(""),
      samples: samples.sorted { $0.metric.name < $1.metric.name }.compactMap { sample in
        guard sample.metric.isExactCost, let total = sample.repeatingTotal else { return nil }
        return Sample(metric: sample.metric, trials: [[total]])
      },
      behaviours: behaviours.sorted { $0.name < $1.name }.map {
        Behaviour(name: $0.name, value: $0.value, evidence: .assumed)
      },
      digest: digest
    )
  }

  var withExactCostsOnly: CaseResult {
    var result = self
    result.samples = samples.filter(\.metric.isExactCost)
    return result
  }
}

/// The changes between an old baseline and a new one.
package struct BaselineDifference: Hashable, Sendable {
  /// A cost whose value changed.
  package struct Change: Hashable, Sendable {
    package let caseID: String
    package let metric: Metric
    package let old: Double
    package let new: Double
  }

  /// A case that only one of the baselines has, or costs of a case that only one of them has.
  package struct Part: Hashable, Sendable {
    package let caseID: String
    package let metrics: [String]
    /// Whether one baseline lacks the whole case, not only some of its costs.
    package let isWholeCase: Bool
  }

  /// The properties that differ, such as the store, a pragma or a digest.
  package let facts: [Mismatch]
  package let changes: [Change]
  package let new: [Part]
  package let gone: [Part]
  /// The number of costs in the new baseline.
  package let count: Int

  /// Compares two baselines; without an old baseline, everything is new.
  package init(of new: Baseline, against old: Baseline?) {
    count = new.count
    let (ours, theirs) = (new.casesByID, old?.casesByID ?? [:])
    facts = old.map { Mismatch.forbidding(new.document, against: $0.document) } ?? []
    changes = ours.keys.sorted().flatMap { id -> [Change] in
      guard let own = ours[id], let other = theirs[id] else { return [] }
      return Self.changes(of: own, against: other)
    }
    self.new = Self.parts(of: ours, lackedBy: theirs)
    gone = Self.parts(of: theirs, lackedBy: ours)
  }

  /// Whether the baselines are equal.
  package var isEmpty: Bool {
    facts.isEmpty && changes.isEmpty && new.isEmpty && gone.isEmpty
  }

  private static func changes(of own: CaseResult, against other: CaseResult) -> [Change] {
    own.samples.compactMap { sample in
      guard let new = sample.repeatingTotal,
        let old = other.sample(of: sample.metric.name)?.repeatingTotal, new != old
      else { return nil }
      return Change(caseID: own.id, metric: sample.metric, old: old, new: new)
    }
  }

  private static func parts(
    of cases: [String: CaseResult],
    lackedBy others: [String: CaseResult]
  ) -> [Part] {
    cases.values.sorted { $0.id < $1.id }.compactMap { result in
      let other = others[result.id]
      let known = Set(other?.samples.map(\.metric.name) ?? [])
      let metrics = result.samples.map(\.metric.name).filter { !known.contains($0) }
      guard other == nil || !metrics.isEmpty else { return nil }
      return Part(caseID: result.id, metrics: metrics, isWholeCase: other == nil)
    }
  }
}

extension Baseline {
  fileprivate var casesByID: [String: CaseResult] {
    Dictionary(keepingFirst: document.workloads.flatMap(\.cases).map { ($0.id, $0) })
  }
}
