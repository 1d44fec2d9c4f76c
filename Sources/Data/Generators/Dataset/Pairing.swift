/// A one-to-one relationship: which sources have a target, and which.
struct Pairing: Sendable {
  private let sources: EvenSelection
  private let targets: EvenSelection
  /// `nil` where partners are made together, in the same order.
  private let shuffle: Permutation?

  /// Pairs as many as there are on both sides, less the share of sources that stay alone.
  init(sources: Int, targets: Int, nullShare: Double, isScattered: Bool, key: StreamKey) {
    let wanted = sources - Int((Double(sources) * nullShare).rounded())
    let pairs = min(wanted, targets)
    self.sources = EvenSelection(count: sources, selected: pairs)
    self.targets = EvenSelection(count: targets, selected: pairs)
    shuffle = isScattered ? Permutation(count: pairs, key: key.derived("order")) : nil
  }

  /// The number of pairs.
  var count: Int { sources.selected }

  /// The target of a source.
  func target(of source: Int) -> Int? {
    sources.rank(of: source).map { targets.index(ofRank: shuffle?.image(of: $0) ?? $0) }
  }

  /// The source of a target.
  func source(of target: Int) -> Int? {
    targets.rank(of: target).map { sources.index(ofRank: shuffle?.preimage(of: $0) ?? $0) }
  }
}
