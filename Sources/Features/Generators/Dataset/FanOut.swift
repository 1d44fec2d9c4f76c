/// Maps each child to its parent and each parent to its children.
///
/// The numbers of children are running sums, 4 bytes per parent. Each parent has one slot per
/// child, and children are assigned to slots in shuffled order or in row order, so that no lookup
/// scans the children.
final class FanOut: Sendable {
  private let starts: [UInt32]
  private let guide: [UInt32]
  private let guideShift: Int
  private let attached: SpanSelection
  /// The shuffled order of the children; `nil` if each parent's children have consecutive rows.
  private let shuffle: Permutation?
  /// Whether children with a parent are selected by row number rather than by shuffled position.
  private let isByChild: Bool

  convenience init(counts: [UInt32], children: Int, isScattered: Bool, key: StreamKey) {
    let sum = counts.reduce(0) { $0 + Int($1) }
    self.init(
      counts: counts,
      attached: SpanSelection([EvenSelection(count: children, selected: sum)]),
      isByChild: false,
      shuffle: isScattered ? Permutation(count: children, key: key.derived("order")) : nil
    )
  }

  convenience init(counts: [UInt32], attached: SpanSelection, key: StreamKey) {
    self.init(
      counts: counts,
      attached: attached,
      isByChild: true,
      shuffle: Permutation(count: attached.selected, key: key.derived("order"))
    )
  }

  private init(counts: [UInt32], attached: SpanSelection, isByChild: Bool, shuffle: Permutation?) {
    self.attached = attached
    self.isByChild = isByChild
    self.shuffle = shuffle
    var starts: [UInt32] = [0]
    starts.reserveCapacity(counts.count + 1)
    var sum: UInt32 = 0
    for count in counts {
      sum += count
      starts.append(sum)
    }
    self.starts = starts
    (guide, guideShift) = Self.guide(to: starts)
  }

  private static func guide(to starts: [UInt32]) -> ([UInt32], Int) {
    let places = Int(starts[starts.count - 1])
    // Use about one block of slots per eight parents, so that the search within a block takes three
    // steps.
    var shift = 0
    while places >> shift > max(starts.count / 8, 1) { shift += 1 }
    var guide: [UInt32] = []
    var parent = 0
    for block in 0...(places >> shift) {
      while parent + 1 < starts.count, Int(starts[parent + 1]) <= block << shift { parent += 1 }
      guide.append(UInt32(parent))
    }
    guide.append(UInt32(max(starts.count - 2, 0)))
    return (guide, shift)
  }

  private func place(of child: Int) -> Int? {
    guard let shuffle else { return attached.rank(of: child) }
    return isByChild
      ? attached.rank(of: child).map(shuffle.image) : attached.rank(of: shuffle.image(of: child))
  }

  func parent(of child: Int) -> Int? {
    place(of: child).map(parent(atPlace:))
  }

  func position(of child: Int, below parent: Int) -> Int? {
    place(of: child).map { $0 - Int(starts[parent]) }
  }

  private func parent(atPlace place: Int) -> Int {
    let block = place >> guideShift
    var (low, high) = (Int(guide[block]), Int(guide[block + 1]) + 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= UInt32(place) { low = middle } else { high = middle }
    }
    return low
  }

  func childCount(of parent: Int) -> Int { Int(starts[parent + 1] - starts[parent]) }

  func children(of parent: Int) -> [Int] {
    (Int(starts[parent])..<Int(starts[parent + 1])).map { place in
      guard let shuffle else { return attached.index(ofRank: place) }
      return isByChild
        ? attached.index(ofRank: shuffle.preimage(of: place))
        : shuffle.preimage(of: attached.index(ofRank: place))
    }
  }
}

struct FanOutCounts {
  let parents: Int
  let children: Int
  let popularity: Popularity
  /// The minimum and maximum number of children per parent.
  ///
  /// If every parent has reached the maximum, the remaining children have no parent. If there are
  /// too few children, the minimum is ignored.
  var range = 0...Int.max
  let key: StreamKey

  func counts() -> [UInt32] {
    guard parents > 0, children > 0 else { return [UInt32](repeating: 0, count: parents) }
    let drawn = drawn()
    return range.lowerBound > 0 || range.upperBound < children ? bounded(drawn) : drawn
  }

  private func bounded(_ drawn: [UInt32]) -> [UInt32] {
    let least = UInt32(children / parents >= range.lowerBound ? range.lowerBound : 0)
    let most = UInt32(min(range.upperBound, children))
    var counts = drawn.map { min(max($0, least), most) }
    var left = min(children, parents * Int(most)) - counts.reduce(0) { $0 + Int($1) }
    let bound = left > 0 ? most : least
    while left != 0 {
      let open = counts.indices.filter { counts[$0] != bound }
      let share = max(abs(left) / open.count, 1)
      for parent in open where left != 0 {
        let room = Int(bound) - Int(counts[parent])
        let step = min(abs(room), share, abs(left)) * left.signum()
        counts[parent] = UInt32(Int(counts[parent]) + step)
        left -= step
      }
    }
    return counts
  }

  private func drawn() -> [UInt32] {
    switch popularity {
    case .uniform: return uniform()
    case .zipfian(let exponent): return zipfian(exponent)
    case .spread(let recipe): return spread(recipe.distribution())
    case .counts(let bins):
      let group = HistogramCounts.Group(bins: bins, parents: parents)
      return HistogramCounts(
        groups: [group],
        children: children,
        most: range.upperBound,
        key: key
      ).counts()
    }
  }

  // The expected sum of the Poisson counts: slightly fewer than all children. The parents of the
  // remaining children are chosen one by one. Given their sum, Poisson counts have exactly the
  // distribution of independent choices.
  private var aim: Double { max(0, Double(children) - 4 * Double(children).squareRoot()) }

  private func uniform() -> [UInt32] {
    let count = PoissonDistribution(mean: aim / Double(parents))
    let counts = poissonCounts { row, draws in count.value(row: row, draws: &draws) }
    return completed(counts) { $0.below(parents) }
  }

  private func zipfian(_ exponent: Double) -> [UInt32] {
    let ranks = Permutation(count: parents, key: key.derived("rank"))
    var sum = 0.0
    for rank in 1...parents { sum += ZipfianDistribution.weight(Double(rank), exponent) }
    let counts = poissonCounts { row, draws in
      let weight = ZipfianDistribution.weight(Double(ranks.preimage(of: row) + 1), exponent)
      return PoissonDistribution(mean: aim * weight / sum).value(row: row, draws: &draws)
    }
    let choice = ZipfianDistribution(exponent: exponent, count: parents)
    return completed(counts) { ranks.image(of: Int(choice.value(row: 0, draws: &$0)) - 1) }
  }

  private func poissonCounts(_ draw: (Int, inout Draws) -> Double) -> [UInt32] {
    let key = key.derived("count")
    return (0..<parents).map { row in
      var draws = key.draws(row: row)
      return UInt32(min(draw(row, &draws), Double(children)))
    }
  }

  private func completed(_ counts: [UInt32], choosing parent: (inout Draws) -> Int) -> [UInt32] {
    var counts = counts
    var sum = counts.reduce(0) { $0 + Int($1) }
    var draws = key.derived("rest").draws(row: 0)
    while sum < children {
      counts[parent(&draws)] += 1
      sum += 1
    }
    // In rare cases, the counts exceed the number of children: remove each surplus child from the
    // parent of a random child.
    while sum > children {
      var place = draws.below(sum)
      var parent = 0
      while place >= Int(counts[parent]) {
        place -= Int(counts[parent])
        parent += 1
      }
      counts[parent] -= 1
      sum -= 1
    }
    return counts
  }

  /// Counts proportional to the draws, rounded so that they add up to the number of children.
  private func spread(_ distribution: any Distribution) -> [UInt32] {
    let key = key.derived("count")
    var running: [Double] = [0]
    running.reserveCapacity(parents + 1)
    for row in 0..<parents {
      var draws = key.draws(row: row)
      let drawn = distribution.value(row: row, draws: &draws).rounded()
      running.append(running[row] + min(max(0, drawn), Double(Limits.mostObjects)))
    }
    guard running[parents] > 0 else { return uniform() }
    let factor = Double(children) / running[parents]
    var previous = 0
    return (1...parents).map { parent in
      let end =
        parent == parents ? children : min(Int((running[parent] * factor).rounded()), children)
      defer { previous = end }
      return UInt32(end - previous)
    }
  }
}
