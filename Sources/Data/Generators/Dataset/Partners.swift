/// A one-to-one relationship that is its own inverse: who has a partner, and whom.
struct Partners: Sendable {
  private let selection: EvenSelection
  private let shuffle: Permutation

  /// Pairs all objects, less the share that stays alone; of an odd number one more does.
  init(count: Int, nullShare: Double, key: StreamKey) {
    let wanted = count - Int((Double(count) * nullShare).rounded())
    selection = EvenSelection(count: count, selected: wanted / 2 * 2)
    shuffle = Permutation(count: selection.selected, key: key.derived("order"))
  }

  /// The partner of an object, whose partner the object is.
  func partner(of object: Int) -> Int? {
    guard selection.count > 0 else { return nil }
    return selection.rank(of: object).map {
      selection.index(ofRank: shuffle.preimage(of: shuffle.image(of: $0) ^ 1))
    }
  }
}
