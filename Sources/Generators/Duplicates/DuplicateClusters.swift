/// Which rows of an entity share a key with an earlier row.
///
/// A small table made once: a bit a row, and the original of every row that has others like it.
package struct DuplicateClusters: Sendable {
  /// The rows of each cluster, ascending: the first is the original, the others are its copies.
  package let clusters: [[Int]]
  private let words: [UInt64]
  /// How many rows below each word are in a cluster.
  private let before: [UInt32]
  /// The originals of the rows in clusters, in row order.
  private let originals: [UInt32]

  /// Spreads copies over rows so that `rate` of all rows are copies.
  ///
  /// An original has as many copies as drawn from `copies`, at least one.
  init(rows: Int, rate: Double, copies: any Distribution, key: StreamKey) {
    let sizes = Self.sizes(
      rows: rows,
      copies: Int((rate * Double(rows)).rounded()),
      distribution: copies,
      key: key
    )
    let shuffle = Permutation(count: rows, key: key.derived("rows"))
    var slot = 0
    clusters = sizes.map { size in
      defer { slot += size }
      return (slot..<slot + size).map { shuffle.image(of: $0) }.sorted()
    }
    var pairs = clusters.flatMap { cluster in cluster.map { (row: $0, original: cluster[0]) } }
    pairs.sort { $0.row < $1.row }
    originals = pairs.map { UInt32($0.original) }
    var words = [UInt64](repeating: 0, count: rows / 64 + 1)
    for pair in pairs { words[pair.row / 64] |= 1 << UInt64(pair.row % 64) }
    var sum: UInt32 = 0
    before = words.map { word in
      defer { sum += UInt32(word.nonzeroBitCount) }
      return sum
    }
    self.words = words
  }

  /// The sizes of the clusters, originals included, so that all copies and originals fit.
  private static func sizes(
    rows: Int,
    copies total: Int,
    distribution: any Distribution,
    key: StreamKey
  ) -> [Int] {
    let key = key.derived("copies")
    var sizes: [Int] = []
    var (left, used) = (total, 0)
    while left > 0, used + 2 <= rows {
      var draws = key.draws(row: sizes.count)
      let drawn = distribution.value(row: sizes.count, draws: &draws).rounded()
      let copies = min(Int(min(max(drawn, 1), Double(rows))), left, rows - used - 1)
      sizes.append(copies + 1)
      used += copies + 1
      left -= copies
    }
    return sizes
  }

  /// The row whose key a row has: its own, unless it is a copy.
  @inline(__always)
  package func original(of row: Int) -> Int {
    let (word, bit) = (words[row / 64], UInt64(row % 64))
    guard word >> bit & 1 == 1 else { return row }
    let below = (word & ((1 << bit) - 1)).nonzeroBitCount
    return Int(originals[Int(before[row / 64]) + below])
  }
}
