/// What a new baseline changes of an old one.
package struct BaselineDifference: Hashable, Sendable {
  /// A cost with another value.
  package struct Change: Hashable, Sendable {
    package let caseID: String
    package let metric: Metric
    package let old: Double
    package let new: Double
  }

  /// A case, or costs of a case, that only one of them has.
  package struct Part: Hashable, Sendable {
    package let caseID: String
    package let metrics: [String]
    /// Whether the other one has nothing of the case.
    package let isWholeCase: Bool
  }

  /// Facts that hold for both, with other values: the store, a pragma, a digest.
  package let facts: [Mismatch]
  package let changes: [Change]
  package let new: [Part]
  package let gone: [Part]
  /// How many costs the new one holds.
  package let count: Int

  /// Everything is new where there is no old one.
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

  /// Whether both are the same.
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
    Dictionary(document.workloads.flatMap(\.cases).map { ($0.id, $0) }) { first, _ in first }
  }
}
