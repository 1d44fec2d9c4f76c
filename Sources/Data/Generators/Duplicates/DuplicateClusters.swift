/// Which rows of an entity are copies of an earlier row, and how like it they are.
///
/// A small table made once: a bit a row, and the original of every row that has others like it.
package struct DuplicateClusters: Sendable {
  /// The rows of each cluster, ascending: the first is the original, the others are its copies.
  package let clusters: [[Int]]
  /// The rows in clusters.
  let rows: RowSet
  /// The originals of the rows in clusters, in row order.
  private let originals: [UInt32]
  /// By weight, where there is a choice.
  private let likenesses: [Likeness]
  private let choice: WeightedChoice
  private let likenessKey: StreamKey

  /// Spreads copies over rows so that `rate` of all rows are copies.
  ///
  /// An original has as many copies as drawn from `copies`, at least one.
  init(
    rows: Int,
    rate: Double,
    copies: any Distribution,
    likeness: [LikenessWeight] = [LikenessWeight(likeness: .sameKey, weight: 1)],
    key: StreamKey
  ) {
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
    self.rows = RowSet(ascending: pairs.lazy.map(\.row), count: rows)
    likenesses = likeness.map(\.likeness)
    choice = WeightedChoice(weights: likeness.map(\.weight))
    likenessKey = key.derived("likeness")
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

  /// The row that a row is a copy of: itself, unless it is one.
  @inline(__always)
  package func original(of row: Int) -> Int {
    rows.rank(of: row).map { Int(originals[$0]) } ?? row
  }

  /// How like its original a copy is; `nil` for a row that is no copy.
  package func likeness(of row: Int) -> Likeness? {
    guard original(of: row) != row else { return nil }
    guard likenesses.count > 1 else { return likenesses.first }
    var draws = likenessKey.draws(row: row)
    return likenesses[choice.choice(&draws)]
  }
}
