extension StoreProfiler {
  /// Counts the objects that share a value, from the number of objects of each value.
  struct SharingCounts {
    // The maximum number of common values whose counts are recorded, equal to the maximum number of
    // exact bins.
    private static let mostRanks = 128
    private static let sizes = [1, 2, 3, 4, 6, 10, 20, 50, 100, 200, 500, 1_000]

    let k: Int
    let values: Int
    var clusters: [Int: Int] = [:]
    var common: [(objects: Int, number: Double)] = []

    static func isCommon(_ objects: Int, among values: Int) -> Bool {
      objects >= StoreProfile.sharedK || objects >= 3 && objects * StoreProfile.sharedK >= values
    }

    private func isRanked(_ objects: Int) -> Bool {
      k == 1 ? Self.isCommon(objects, among: values) : objects >= k
    }

    mutating func add(objects: Int, number: Double) {
      clusters[objects, default: 0] += 1
      guard k == 1, isRanked(objects),
        common.count < Self.mostRanks || common[common.count - 1].objects < objects
      else { return }
      let place = common.firstIndex { $0.objects < objects } ?? common.count
      common.insert((objects, number), at: place)
      if common.count > Self.mostRanks { common.removeLast() }
    }

    /// The numbers of objects that share values, among the given number of objects.
    ///
    /// Returns `nil` if fewer than k objects share a value.
    func sharing(among objects: Int) -> Sharing? {
      var ranks: [Int] = []
      var left: [Int: Int] = [:]
      for (size, values) in clusters.sorted(by: { $0.key > $1.key }) {
        let ranked = isRanked(size) ? Swift.min(values, Self.mostRanks - ranks.count) : 0
        ranks += Array(repeating: size, count: ranked)
        if values > ranked { left[size] = (values - ranked) * size }
      }
      var sharing = Sharing(ranks: ranks, clusters: bins(of: left))
      sharing.rankNumbers = common.map(\.number)
      let missing = objects - sharing.objects
      guard sharing.objects > 0 else { return nil }
      if sharing.clusters.isEmpty {
        sharing.ranks[0] += missing
      } else {
        sharing.clusters = sharing.clusters.filled(to: objects - sharing.ranks.reduce(0, +))
      }
      let isAllDifferent = ranks.isEmpty && sharing.clusters.allSatisfy { $0.middle < 2 }
      return isAllDifferent ? nil : sharing
    }

    /// Bins by cluster size (the number of objects that share a value), with the number of objects
    /// in each; counts below k are added to the previous bin.
    private func bins(of objects: [Int: Int]) -> [Bin] {
      if k == 1, objects.count <= Self.mostRanks {
        return objects.sorted { $0.key < $1.key }.map { Bin(at: Double($0.key), count: $0.value) }
      }
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
}
