/// Divides the rows of a column among its bins (ranges of values), with an exact number of rows per
/// bin.
///
/// Rows are assigned to positions in shuffled order. A segment is a run of positions whose values
/// are in one bin; a fixed number of its consecutive positions share a value.
struct ColumnSegments: Sendable {
  struct Segment: Sendable {
    let start: Int
    let end: Int
    let bin: Bin?
    let clusterSize: Int
    let firstCluster: Int

    var clusterCount: Int {
      bin == nil ? 0 : (end - start + clusterSize - 1) / clusterSize
    }
  }

  private(set) var segments: [Segment] = []
  private(set) var clusterCount = 0
  private var length = 0

  init(_ column: ShapedColumn, rows: Int) {
    let profile = column.profile
    let bins =
      profile.bins.isEmpty && profile.measure == .none && profile.nulls == 0
      ? [Bin(from: 0, to: 1, count: 1)] : profile.bins
    let values = max(bins.reduce(0) { $0 + $1.count }, profile.sharing?.objects ?? 0)
    let wanted =
      bins.isEmpty ? rows : Self.scaled(profile.nulls, of: values + profile.nulls, to: rows)
    let nulls = max(wanted, column.isOptional ? rows - column.mostValues : 0)
    append(nil, places: nulls, clusterSize: 1)
    var free = Self.shares(of: bins.map(\.count), in: rows - nulls)
    let isNumeric = profile.measure == .numbers || profile.measure == .dates
    if isNumeric, column.unique == nil {
      for (index, bin) in bins.enumerated() where bin.isPoint {
        append(bin, places: free[index], clusterSize: max(free[index], 1))
        free[index] = 0
      }
    }
    let sharing = column.unique == nil ? profile.sharing : nil
    appendRanks(sharing, bins, &free)
    appendClusters(sharing?.clusters ?? [], bins, free)
  }

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

  /// Appends a segment for each of the most common values.
  ///
  /// A value is placed in the bin that contains it or, if its number is not known, in the bin with
  /// the most free positions.
  private mutating func appendRanks(_ sharing: Sharing?, _ bins: [Bin], _ free: inout [Int]) {
    guard let sharing else { return }
    let all = free.reduce(0, +)
    for (index, rank) in sharing.ranks.enumerated() {
      let places = min(Self.scaled(rank, of: sharing.objects, to: all), free.reduce(0, +))
      let number = sharing.rankNumbers.isEmpty ? nil : sharing.rankNumbers[index]
      let own = bins.indices.first { index in
        free[index] > 0 && number.map(bins[index].contains) ?? false
      }
      guard let chosen = own ?? Self.fullest(free) else { return }
      append(bins[chosen], places: places, clusterSize: max(places, 1))
      var left = min(places, free[chosen])
      free[chosen] -= left
      left = places - left
      while left > 0, let index = Self.fullest(free) {
        let taken = min(left, free[index])
        free[index] -= taken
        left -= taken
      }
    }
  }

  /// Appends segments for all other values, with clusters of every size distributed evenly over the
  /// bins.
  private mutating func appendClusters(_ clusters: [Bin], _ bins: [Bin], _ free: [Int]) {
    let all = free.reduce(0, +)
    let sizes = clusters.isEmpty ? [Bin(at: 1, count: 1)] : clusters
    let runs = zip(sizes, Self.shares(of: sizes.map(\.count), in: all))
      .map { (size: max(Int(min($0.middle, 1e9)), 1), places: $1) }
      .sorted { $0.size > $1.size }
    var taken = runs.map { _ in 0 }
    var (reached, placed) = (0, 0)
    for (index, bin) in bins.enumerated() {
      reached += free[index]
      for (number, run) in runs.enumerated() {
        let isLast = number == runs.count - 1
        // Fill the positions that rounding leaves free with the smallest clusters.
        let wanted =
          isLast ? reached - placed : Self.scaled(reached, of: all, to: run.places) - taken[number]
        let count = (Double(max(wanted, 0)) / Double(run.size)).rounded()
        var places = min(Int(count) * run.size, run.places - taken[number])
        if reached == all { places = run.places - taken[number] }
        append(bin, places: places, clusterSize: run.size)
        taken[number] += places
        placed += places
      }
      // All positions are used, so the remaining bins have no objects.
      if reached == all { break }
    }
  }

  private static func fullest(_ free: [Int]) -> Int? {
    free.indices.max { free[$0] < free[$1] }.flatMap { free[$0] > 0 ? $0 : nil }
  }

  static func scaled(_ part: Int, of whole: Int, to rows: Int) -> Int {
    guard whole > 0 else { return 0 }
    return min(Int((Double(part) / Double(whole) * Double(rows)).rounded()), rows)
  }

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

/// Assigns a number of children to every parent, so that each bin (range of numbers) of a profile
/// gets its share of parents.
struct HistogramCounts {
  struct Group: Hashable, Sendable {
    var bins: [Bin]
    var parents: Int
  }

  let groups: [Group]
  let children: Int
  var least = 0
  var most = Int.max
  let key: StreamKey

  func counts() -> [UInt32] {
    var placed = groups.map(spread)
    let all = placed.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
    settle(children - all, &placed)
    return zip(groups, placed).enumerated().flatMap { index, group in
      let own = key.derived("parents")
      let shuffle = Permutation(
        count: group.0.parents,
        key: index == 0 ? own : own.derived("\(index)")
      )
      return (0..<group.0.parents).map { UInt32(group.1[shuffle.image(of: $0)].count) }
    }
  }

  private struct Parent {
    var count: Int
    let range: ClosedRange<Int>
  }

  private func spread(_ group: Group) -> [Parent] {
    let shares = ColumnSegments.shares(of: group.bins.map(\.count), in: group.parents)
    var placed: [Parent] = []
    placed.reserveCapacity(group.parents)
    for (bin, share) in zip(group.bins, shares) {
      let low = min(max(Int(bin.from), least), most)
      let high = min(max(bin.isPoint ? low : Int(bin.to) - 1, low), most)
      for place in 0..<share {
        let count = low + (2 * place + 1) * (high - low + 1) / (2 * share)
        placed.append(Parent(count: min(count, high), range: low...high))
      }
    }
    while placed.count < group.parents {
      placed.append(Parent(count: least, range: least...least))
    }
    return placed
  }

  private enum Reach: CaseIterable {
    case bin
    /// Only the 10 % of parents with the most children get more children; the other counts stay the
    /// same.
    case fullest
    case all
  }

  /// Adds or removes children until the numbers of children add up to the total.
  ///
  /// At first, each parent's number stays within its histogram bin. If this is not enough, the
  /// parents with the most children may get more, and finally all parents may change.
  private func settle(_ difference: Int, _ placed: inout [[Parent]]) {
    var left = difference
    let step = left > 0 ? 1 : -1
    for reach in Reach.allCases {
      var moved = true
      while left != 0, moved {
        moved = false
        for group in placed.indices.reversed() {
          for index in placed[group].indices.reversed() where left != 0 {
            let parent = placed[group][index]
            let next = parent.count + step
            guard next >= least, next <= most else { continue }
            switch reach {
            case .bin: if !parent.range.contains(next) { continue }
            case .fullest: if step > 0, index < placed[group].count * 9 / 10 { continue }
            case .all: break
            }
            placed[group][index].count = next
            left -= step
            moved = true
          }
        }
      }
    }
  }
}
