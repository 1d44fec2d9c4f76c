/// Which rows of an entity are copies of an earlier row, and how like it they are.
///
/// A small table made once: a bit a row, and the original of every row that has others like it.
package struct DuplicateClusters: Sendable {
  /// The rows of each cluster, ascending: the first is the original, the others are its copies.
  package let clusters: [[Int]]
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
    likeness: [Weighted<Likeness>] = [Weighted(.sameKey, 1)],
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
    likenesses = likeness.map(\.choice)
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

  /// Which rows of an attribute have the value of an earlier row.
  struct SharedRows: Sendable {
    private let clusters: DuplicateClusters
    private let isKey: Bool

    /// `nil` where no copy shares the attribute's values.
    init?(_ recipe: EntityRecipe, attribute: String, clusters: DuplicateClusters?) {
      guard let clusters, let duplicates = recipe.duplicates else { return nil }
      isKey = duplicates.key.contains(attribute)
      self.clusters = clusters
      guard isKey || recipe.sharesInCopies(attribute) else { return nil }
    }

    @inline(__always)
    func origin(of row: Int) -> Int {
      let original = clusters.original(of: row)
      if original == row || isKey { return original }
      return clusters.likeness(of: row) == .sameKey ? row : original
    }
  }
}

extension EntityRecipe {
  /// Whether exact and near copies have their original's value of an attribute.
  ///
  /// Files are each object's own, and so is all that depends on what is.
  func sharesInCopies(_ attribute: String) -> Bool {
    guard let duplicates, duplicates.likeness.contains(where: { $0.choice != .sameKey }) else {
      return false
    }
    return !isOwn(attribute, duplicates, depth: 0)
  }

  private func isOwn(_ attribute: String, _ duplicates: DuplicatesRecipe, depth: Int) -> Bool {
    if duplicates.own.contains(attribute) { return true }
    guard let recipe = attributes[attribute], depth <= attributes.count else { return false }
    if recipe.rule.makesFiles { return true }
    return recipe.bases.contains { isOwn($0, duplicates, depth: depth + 1) }
  }
}

extension DuplicateClusters {
  /// Moves the children of originals and copies to where a recipe wants them: changes the number of
  /// children of each parent, and their sum stays.
  ///
  /// `offset` is the place of the entity's first object among all parents.
  func move(_ children: DuplicatesRecipe.Children, of counts: inout [UInt32], offset: Int) {
    guard children != .own else { return }
    for cluster in clusters {
      let parents = cluster.map { $0 + offset }
      let total = parents.reduce(0) { $0 + counts[$1] }
      let size = children == .spread ? UInt32(parents.count) : 1
      for (index, parent) in parents.enumerated() {
        let place = UInt32(index)
        counts[parent] = place < size ? total / size + (place < total % size ? 1 : 0) : 0
      }
    }
  }
}
