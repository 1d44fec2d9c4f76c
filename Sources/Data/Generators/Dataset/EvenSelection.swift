/// A given number of places spread evenly over a range, as a line is drawn in pixels.
///
/// Which places are selected, and the how-manieth of them each is, needs no table.
struct EvenSelection: Sendable {
  let count: Int
  let selected: Int

  init(count: Int, selected: Int) {
    self.count = count
    self.selected = min(max(selected, 0), count)
  }

  /// How many places below the index are not selected.
  @inline(__always)
  private func skipped(below index: Int) -> Int {
    // Both factors are below 2³², so the product fits.
    Int(UInt64(index) &* UInt64(count - selected) / UInt64(count))
  }

  /// The how-manieth selected place the index is, from 0; `nil` where it is not selected.
  @inline(__always)
  func rank(of index: Int) -> Int? {
    guard selected < count else { return index }
    let skipped = skipped(below: index)
    return self.skipped(below: index + 1) == skipped ? index - skipped : nil
  }

  /// The index of a selected place.
  func index(ofRank rank: Int) -> Int {
    guard selected < count else { return rank }
    var index = min(Int(UInt64(rank) &* UInt64(count) / UInt64(selected)), count - 1)
    while index > 0, index - skipped(below: index) > rank { index -= 1 }
    while self.rank(of: index) != rank { index += 1 }
    return index
  }
}
