import Profiling

/// How the rows of a column are shared out among its bins: each bin gets exactly its part.
///
/// Rows have places, in shuffled order; a segment is a run of places whose values are of one bin,
/// and of which so many in a row have the same value.
struct ColumnSegments: Sendable {
  /// A run of places.
  struct Segment: Sendable {
    let start: Int
    let end: Int
    /// `nil` for places without a value.
    let bin: Bin?
    /// How many places have the same value.
    let clusterSize: Int
    /// The number of the segment's first cluster among all of the column.
    let firstCluster: Int

    var clusterCount: Int { (end - start + clusterSize - 1) / clusterSize }
  }

  private(set) var segments: [Segment] = []
  private(set) var clusterCount = 0
  private var length = 0

  init(_ column: ShapedColumn, rows: Int) {
    let profile = column.profile
    let bins =
      profile.bins.isEmpty && profile.measure == .none
      ? [Bin(from: 0, to: 1, count: 1)] : profile.bins
    let values = max(bins.reduce(0) { $0 + $1.count }, profile.sharing?.objects ?? 0)
    let nulls =
      bins.isEmpty ? rows : Self.scaled(profile.nulls, of: values + profile.nulls, to: rows)
    append(nil, places: nulls, clusterSize: 1)
    var free = Self.shares(of: bins.map(\.count), in: rows - nulls)
    if profile.measure == .numbers, !column.isUnique {
      for (index, bin) in bins.enumerated() where bin.isPoint {
        append(bin, places: free[index], clusterSize: max(free[index], 1))
        free[index] = 0
      }
    }
    let sharing = column.isUnique ? nil : profile.sharing
    appendRanks(sharing, bins, &free)
    appendClusters(sharing?.clusters ?? [], bins, free)
  }

  /// The segment of a place.
  func segment(at place: Int) -> Segment {
    var (low, high) = (0, segments.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if segments[middle].start <= place { low = middle } else { high = middle }
    }
    return segments[low]
  }

  private mutating func append(_ bin: Bin?, places: Int, clusterSize: Int) {
    guard places > 0 else { return }
    let segment = Segment(
      start: length,
      end: length + places,
      bin: bin,
      clusterSize: clusterSize,
      firstCluster: clusterCount
    )
    segments.append(segment)
    length += places
    clusterCount += segment.clusterCount
  }

  /// The commonest values, each in the bin that has most places left.
  private mutating func appendRanks(_ sharing: Sharing?, _ bins: [Bin], _ free: inout [Int]) {
    guard let sharing else { return }
    let all = free.reduce(0, +)
    for rank in sharing.ranks {
      let places = min(Self.scaled(rank, of: sharing.objects, to: all), free.reduce(0, +))
      guard let fullest = Self.fullest(free) else { return }
      append(bins[fullest], places: places, clusterSize: max(places, 1))
      var left = places
      while left > 0, let index = Self.fullest(free) {
        let taken = min(left, free[index])
        free[index] -= taken
        left -= taken
      }
    }
  }

  /// All other values, clusters of each size in every bin alike.
  private mutating func appendClusters(_ clusters: [Bin], _ bins: [Bin], _ free: [Int]) {
    let runs = clusters.isEmpty ? [Bin(from: 1, to: 2, count: 1)] : clusters
    let parts = free.map { Self.shares(of: runs.map(\.count), in: $0) }
    for (index, run) in runs.enumerated() {
      let size = Int(((run.from + max(run.to - 1, run.from)) / 2).rounded(.down))
      for (bin, part) in zip(bins, parts) {
        append(bin, places: part[index], clusterSize: max(size, 1))
      }
    }
  }

  private static func fullest(_ free: [Int]) -> Int? {
    free.indices.max { free[$0] < free[$1] }.flatMap { free[$0] > 0 ? $0 : nil }
  }

  private static func scaled(_ part: Int, of whole: Int, to rows: Int) -> Int {
    guard whole > 0 else { return 0 }
    return min(Int((Double(part) / Double(whole) * Double(rows)).rounded()), rows)
  }

  /// A number of places shared out by weights, rounded so that they add up.
  static func shares(of weights: [Int], in places: Int) -> [Int] {
    let whole = weights.reduce(0, +)
    var (sum, before) = (0, 0)
    return weights.map { weight in
      sum += weight
      let end = scaled(sum, of: whole, to: places)
      defer { before = end }
      return end - before
    }
  }
}

/// Gives every parent a number of children so that each bin of a profile gets its part of them.
struct HistogramCounts {
  let bins: [Bin]
  let parents: Int
  let children: Int
  /// The fewest children of a parent.
  var least = 0
  let key: StreamKey

  /// The counts by parent; their sum is the number of children.
  func counts() -> [UInt32] {
    var placed = spread()
    let wanted = children - placed.reduce(0) { $0 + $1.count }
    settle(wanted, &placed)
    let shuffle = Permutation(count: parents, key: key.derived("parents"))
    return (0..<parents).map { UInt32(placed[shuffle.image(of: $0)].count) }
  }

  private struct Parent {
    var count: Int
    let range: ClosedRange<Int>
  }

  /// Each bin's parents with counts spread evenly over the bin, in rising order.
  private func spread() -> [Parent] {
    let shares = ColumnSegments.shares(of: bins.map(\.count), in: parents)
    var placed: [Parent] = []
    placed.reserveCapacity(parents)
    for (bin, share) in zip(bins, shares) {
      let low = max(Int(bin.from), least)
      let high = max(bin.isPoint ? low : Int(bin.to) - 1, low)
      for place in 0..<share {
        let count = low + (2 * place + 1) * (high - low + 1) / (2 * share)
        placed.append(Parent(count: min(count, high), range: low...high))
      }
    }
    while placed.count < parents { placed.append(Parent(count: least, range: least...least)) }
    return placed
  }

  /// Brings the sum to the number of children: within the bins as far as they reach, then by those
  /// with most children.
  private func settle(_ difference: Int, _ placed: inout [Parent]) {
    var left = difference
    for isBounded in [true, false] {
      var moved = true
      while left != 0, moved {
        moved = false
        for index in placed.indices.reversed() where left != 0 {
          let step = left > 0 ? 1 : -1
          let next = placed[index].count + step
          guard next >= least, !isBounded || placed[index].range.contains(next) else { continue }
          // Without bounds one of ten takes the rest, so that the others keep their number.
          guard isBounded || index >= placed.count * 9 / 10 || step < 0 else { continue }
          placed[index].count = next
          left -= step
          moved = true
        }
      }
    }
  }
}
