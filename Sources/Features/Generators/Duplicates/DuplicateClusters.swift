import DataModel

/// The rows of an entity that are copies of an earlier row, and their likeness to the original.
///
/// The clusters are stored as one bit per row, plus the original of every row in a cluster.
package struct DuplicateClusters: Sendable {
  /// The rows of each cluster in ascending order: the original, then its copies.
  package let clusters: [[Int]]
  let rows: RowSet
  private let originals: [UInt32]
  /// The likeness that all copies in a row's cluster share; `nil` if each copy has its own
  /// likeness.
  private let kinds: [Likeness?]
  private let likenesses: [Likeness]
  private let choice: WeightedChoice
  private let likenessKey: StreamKey

  /// Distributes copies over the rows so that `rate` of all rows are copies.
  ///
  /// The number of copies per original, at least 1, is drawn from `copies`.
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
    likenesses = likeness.map(\.choice)
    choice = WeightedChoice(weights: likeness.map(\.weight))
    likenessKey = key.derived("likeness")
    let kinds = Self.kinds(sizes.count, likenesses, choice, key.derived("kinds"))
    clusters = Self.laidOut(sizes, rows: rows, kinds: kinds, key: key.derived("rows"))
    var pairs = zip(clusters, kinds).flatMap { cluster, kind in
      cluster.map { (row: $0, original: cluster[0], kind: kind) }
    }
    pairs.sort { $0.row < $1.row }
    originals = pairs.map { UInt32($0.original) }
    self.kinds = pairs.map(\.kind)
    self.rows = RowSet(ascending: pairs.lazy.map(\.row), count: rows)
  }

  /// Draws the likeness of each cluster if some copies directly follow their original; otherwise,
  /// each copy has its own likeness.
  private static func kinds(
    _ count: Int,
    _ likenesses: [Likeness],
    _ choice: WeightedChoice,
    _ key: StreamKey
  ) -> [Likeness?] {
    guard likenesses.contains(where: \.isAdjacent) else {
      return Array(repeating: nil, count: count)
    }
    return (0..<count).map { cluster in
      var draws = key.draws(row: cluster)
      return likenesses[choice.choice(&draws)]
    }
  }

  /// Chooses the rows of each cluster.
  ///
  /// The rows are consecutive if copies directly follow their original, and scattered otherwise.
  private static func laidOut(
    _ sizes: [Int],
    rows: Int,
    kinds: [Likeness?],
    key: StreamKey
  ) -> [[Int]] {
    let adjacent = sizes.indices.filter { kinds[$0]?.isAdjacent == true }
    let extra = adjacent.reduce(0) { $0 + sizes[$1] - 1 }
    // Give a cluster of consecutive rows one slot of the shuffle.
    let shuffle = Permutation(count: rows - extra, key: key)
    let places = adjacent.enumerated().map {
      (place: shuffle.image(of: $0.offset), size: sizes[$0.element])
    }
    .sorted { $0.place < $1.place }
    var before = [0]
    for place in places { before.append(before[before.count - 1] + place.size - 1) }
    func row(_ place: Int) -> Int {
      var (low, high) = (0, places.count)
      while low < high {
        let middle = (low + high) / 2
        if places[middle].place < place { low = middle + 1 } else { high = middle }
      }
      return place + before[low]
    }
    var (block, slot) = (0, adjacent.count)
    return sizes.indices.map { index in
      if kinds[index]?.isAdjacent == true {
        let first = row(shuffle.image(of: block))
        block += 1
        return Array(first..<first + sizes[index])
      }
      defer { slot += sizes[index] }
      return (slot..<slot + sizes[index]).map { row(shuffle.image(of: $0)) }.sorted()
    }
  }

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

  /// The original of a row; the row itself if it is not a copy.
  @inline(__always)
  package func original(of row: Int) -> Int {
    rows.rank(of: row).map { Int(originals[$0]) } ?? row
  }

  /// The likeness of a copy to its original; `nil` if the row is not a copy.
  package func likeness(of row: Int) -> Likeness? {
    guard let rank = rows.rank(of: row), Int(originals[rank]) != row else { return nil }
    if let kind = kinds[rank] { return kind }
    guard likenesses.count > 1 else { return likenesses.first }
    var draws = likenessKey.draws(row: row)
    return likenesses[choice.choice(&draws)]
  }

  /// The delay in seconds between the saves of an original and a copy that an impatient user made.
  func delay(of row: Int) -> Double {
    var draws = likenessKey.derived("delay").draws(row: row)
    return 0.3 + draws.unit() * 2.5
  }

  /// Determines which rows share an attribute's value with an earlier row.
  struct SharedRows: Sendable {
    private let clusters: DuplicateClusters
    private let isKey: Bool
    /// Whether exact and near copies share their original's value.
    private let isShared: Bool
    /// Whether the attribute is a date that differs in each copy.
    private let isOwnDate: Bool

    /// Fails if no copies share the attribute's values.
    init?(_ recipe: EntityRecipe, attribute: Attribute, clusters: DuplicateClusters?) {
      guard let clusters, let duplicates = recipe.duplicates else { return nil }
      let name = attribute.name
      isKey = duplicates.key.contains(name)
      isShared = recipe.sharesInCopies(name)
      isOwnDate = attribute.type == .date && duplicates.own.contains(name)
      self.clusters = clusters
      let isRetried = duplicates.likeness.contains { $0.choice == .syncRetry }
      guard isKey || isShared || isOwnDate || isRetried && !recipe.makesFiles(name) else {
        return nil
      }
    }

    /// The row from which a row takes its value, and the number of seconds to add to a date.
    @inline(__always)
    func origin(of row: Int) -> (row: Int, delay: Double) {
      let original = clusters.original(of: row)
      if original == row || isKey { return (original, 0) }
      switch clusters.likeness(of: row) {
      case .sameKey, nil: return (row, 0)
      case .syncRetry: return (original, 0)
      case .doubleTap where isOwnDate: return (original, clusters.delay(of: row))
      case .doubleTap, .exact, .near: return (isShared ? original : row, 0)
      }
    }
  }
}

extension EntityRecipe {
  /// Whether exact and near copies share their original's value of an attribute.
  ///
  /// File names, attributes that the recipe lists as `own`, and attributes that depend on either
  /// are not shared.
  func sharesInCopies(_ attribute: String) -> Bool {
    guard let duplicates, duplicates.likeness.contains(where: { $0.choice != .sameKey }) else {
      return false
    }
    return !isOwn(attribute, duplicates, depth: 0)
  }

  /// Whether the values of an attribute are file names or depend on file names.
  fileprivate func makesFiles(_ attribute: String) -> Bool {
    chain(to: attribute).contains { attributes[$0]?.rule.makesFiles == true }
  }

  private func isOwn(_ attribute: String, _ duplicates: DuplicatesRecipe, depth: Int) -> Bool {
    if duplicates.own.contains(attribute) { return true }
    guard let recipe = attributes[attribute], depth <= attributes.count else { return false }
    if recipe.rule.makesFiles { return true }
    return recipe.bases.contains { isOwn($0, duplicates, depth: depth + 1) }
  }
}

extension DuplicateClusters {
  /// Redistributes children among originals and copies as the recipe requires; their total stays
  /// the same.
  ///
  /// `offset` is the index of the entity's first object among all parents.
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
