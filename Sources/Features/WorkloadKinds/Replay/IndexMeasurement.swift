import Basics
import PersistentStore
import SQLLog

extension SavingsMeasurement {
  /// The maximum number of candidates that are combined with each other, after each candidate was
  /// measured alone.
  private static let mostCombined = 5

  /// Replays the log with each candidate alone, and with combinations of the candidates that save
  /// the most.
  package func proposals(
    _ candidates: [IndexCandidate],
    on store: StoreFile
  ) throws -> IndexProposals {
    let start = try copy(store, "start")
    var base = try side(script, start, 1)
    try run(&base)
    var proposals = IndexProposals(
      before: base.counters,
      saves: script.steps.count { script.statements[$0.statement].shape.kind == .commit },
      doubt: base.session.replay.divergence.doubt
    )
    guard proposals.doubt.isEmpty else { return proposals }
    func measured(_ indexes: [IndexCandidate]) throws -> IndexProposals.Measured {
      if isStopped() { throw Refusal.interrupted }
      progress("index \(indexes.map(\.name).joined(separator: ", "))")
      var side = try indexed(indexes, start)
      defer { discard(side) }
      try run(&side)
      return IndexProposals.Measured(indexes, side.counters)
    }
    proposals.single = try candidates.map { try measured([$0]) }
    let least = Double(base.counters.vmSteps) * IndexProposals.leastSaving
    let useful = proposals.single.filter { Double(proposals.saving($0)) >= least }
      .sorted { proposals.saving($0) > proposals.saving($1) }
      .prefix(Self.mostCombined).map { $0.indexes[0] }
    for set in Self.combinations(of: useful) {
      proposals.combined.append(try measured(set))
    }
    proposals.choose()
    if let chosen = proposals.chosen {
      var side = try indexed(chosen.indexes, start)
      defer { discard(side) }
      (proposals.saved, proposals.saveCost) = try compare(&base, &side)
    }
    return proposals
  }

  /// Pairs and triples of indexes in which no index can replace another index.
  private static func combinations(of indexes: [IndexCandidate]) -> [[IndexCandidate]] {
    var sets: [[IndexCandidate]] = [[]]
    for index in indexes {
      sets += sets.filter { set in
        set.count < IndexProposals.mostTogether
          && !set.contains { $0.isServed(by: index) || index.isServed(by: $0) }
      }.map { $0 + [index] }
    }
    return sets.filter { $0.count > 1 }
  }

  private func indexed(_ indexes: [IndexCandidate], _ start: StoreFile) throws -> Side {
    let changed = try copy(start, "indexed")
    try change(changed, indexes.map(\.sql))
    return try side(script, changed, 1)
  }

  private func discard(_ side: Side) {
    try? side.start.remove()
    try? side.session.rehearsalStore.remove()
  }
}
