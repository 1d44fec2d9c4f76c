/// A range of numbers, `from..<to`, and how many objects have one of it.
///
/// Where both ends are equal the bin stands for that one number.
package struct Bin: Hashable, Sendable {
  package var from: Double
  package var to: Double
  package var count: Int

  package init(from: Double, to: Double, count: Int) {
    self.from = from
    self.to = to
    self.count = count
  }

  /// A bin of one number.
  package init(at number: Double, count: Int) {
    self.init(from: number, to: number, count: count)
  }

  package var isPoint: Bool { from == to }

  /// The share of the bin's numbers that are at most `x`, spread evenly; whole ones come as such.
  func share(upTo x: Double, isWhole: Bool) -> Double {
    if isPoint { return x >= from ? 1 : 0 }
    return min(max((x - from + (isWhole ? 1 : 0)) / (to - from), 0), 1)
  }
}
