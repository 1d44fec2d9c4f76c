/// Counts how many objects have the same value as others.
struct SharingCounts {
  /// The most ranks: beyond, a value is one of many.
  private static let mostRanks = 40
  private static let sizes = [1, 2, 3, 4, 6, 10, 20, 50, 100, 200, 500, 1_000]

  let k: Int
  /// Values by the number of objects that have them.
  private var clusters: [Int: Int] = [:]

  init(k: Int) {
    self.k = k
  }

  /// Takes a value that so many objects have.
  mutating func add(objects: Int) { clusters[objects, default: 0] += 1 }

  /// The sharing among so many objects; `nil` where all values differ, but for fewer than k.
  func sharing(among objects: Int) -> Sharing? {
    var ranks: [Int] = []
    var left: [Int: Int] = [:]
    for (size, values) in clusters.sorted(by: { $0.key > $1.key }) {
      let ranked = size >= k ? Swift.min(values, Self.mostRanks - ranks.count) : 0
      ranks += Array(repeating: size, count: ranked)
      if values > ranked { left[size] = (values - ranked) * size }
    }
    var sharing = Sharing(ranks: ranks, clusters: bins(of: left))
    let missing = objects - sharing.objects
    guard sharing.objects > 0 else { return nil }
    if sharing.clusters.isEmpty {
      sharing.ranks[0] += missing
    } else {
      sharing.clusters = sharing.clusters.filled(
        to: objects - sharing.ranks.reduce(0, +)
      )
    }
    let isAllDifferent = ranks.isEmpty && sharing.clusters.allSatisfy { $0.to <= 2 }
    return isAllDifferent ? nil : sharing
  }

  /// Bins of cluster sizes, each with at least k objects; what is too little goes to the bin before.
  private func bins(of objects: [Int: Int]) -> [Bin] {
    var bins: [Bin] = []
    var waiting = 0
    for (index, size) in Self.sizes.enumerated() {
      let next = index + 1 < Self.sizes.count ? Self.sizes[index + 1] : size * 2
      let isLast = index + 1 == Self.sizes.count
      let count = objects.reduce(0) { sum, entry in
        entry.key >= size && (isLast || entry.key < next) ? sum + entry.value : sum
      }
      if count + waiting >= k {
        bins.append(Bin(from: Double(size), to: Double(next), count: count + waiting))
        waiting = 0
      } else if let last = bins.indices.last {
        bins[last].count += count
      } else {
        waiting += count
      }
    }
    return bins
  }
}
